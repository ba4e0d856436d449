"""The legal actions in the phases in which Kaluki differs (`ACTIONS.md`, 8.3), in ascending order of their numbers."""

from __future__ import annotations

from kalooki_env.core.actions import DISCARD, LAY_DOWN, PLACE
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.kaluki.actions import END_MELD, END_OPENING, LAY_OFF_ONTO, RUN_LOWS, RUN_OF, SET_OF, SWAP_IN
from kalooki_env.core.kaluki.cover import can_complete, can_lay_points
from kalooki_env.core.kaluki.swaps import (
    ALL_SUITS,
    jokers_in,
    leaves_as_a_whole,
    replace_joker,
    set_settles,
    settles,
    settles_after,
)
from kalooki_env.core.layout import FILL, FOUR, JOKER, LAYOFF, MELD, PLAY, THREE
from kalooki_env.core.melds import add_to_four, add_to_three, card_at, joker_at, naturals_in_three

_TOP_PLACE = 13


@kernel
def kaluki_actions(s, r, out):
    """Write the legal actions of PLAY, MELD, FILL, LAYOFF and MOVE, the swap, into `out`, and return how many there are."""
    phase = i64(s["phase"])
    if phase == PLAY:
        return _play_actions(s, r, out)
    if phase == MELD:
        return _opening_actions(s, r, out)
    if phase == FILL:
        return _fill_actions(s, r, out)
    return _place_actions(s, r, out)


@kernel
def can_open(s, r, seat):
    """Whether a hand can open, with all that is owed (KL4.2)."""
    return can_lay_points(
        s["hands"][seat], r, i64(r["opening_points"]), i64(s["owed_card"]), i64(s["owed_jokers"]), i64(r["keeps_a_discard"])
    )


@kernel
def can_take_upcard(s, r):
    """Whether the seat to draw may take the upcard: where it will be owed, the seat must be able to lay it (KL4.1)."""
    seat = i64(s["actor"])
    opened = i64(s["opened"][seat])
    if not i64(r["owes_upcard_opened"] if opened else r["owes_upcard_to_open"]):
        return True
    hand = s["hands"][seat]
    card = i64(s["pile"][i64(s["pile_n"]) - 1])
    hand[card] += 1
    none = i64(0)
    need = none if opened else i64(r["opening_points"])
    possible = settles(s, r, hand, i64(s["melds_laid"]), need, none if card == JOKER else card + 1, i64(card == JOKER))
    hand[card] -= 1
    return possible


@kernel
def owes(s):
    """Whether something has to be laid in a new meld before the turn ends."""
    return i64(s["owed_card"]) + i64(s["owed_jokers"]) > 0


@kernel
def _may_lay(s, r):
    """Whether new melds can be laid in this turn, by a seat that has opened or by its opening."""
    return not i64(s["opened_now"]) or i64(r["melds_when_opening"])


@kernel
def _play_actions(s, r, out):
    """Discards, the opening, further melds, lay-offs and swaps."""
    seat = i64(s["actor"])
    hand = s["hands"][seat]
    n = 0
    if not owes(s):
        for card in range(i64(r["cards"])):
            out[n] = DISCARD + card
            n += hand[card] > 0
    if i64(s["opened"][seat]) == 0:
        if i64(s["can_lay"]):
            out[n] = LAY_DOWN
            n += 1
        return _add_swaps(s, r, hand, out, n) if i64(r["swaps_before_opening"]) else n
    if _may_lay(s, r):
        none = i64(0)
        n = _new_melds(s, r, hand, none, out, n)
    held = i64(s["hand_n"][seat])
    if not i64(s["opened_now"]) or i64(r["lays_off_when_opening"]):
        something_fits = 0
        for card in range(i64(r["cards"])):
            something_fits |= min(hand[card], 1) & s["fits"][card]
        if something_fits and held > i64(r["keeps_a_discard"]):
            for slot in range(i64(s["melds_laid"])):
                for high in range(2):
                    if _list_lay_offs(s, r, hand, held, slot, high, out, n) > n:
                        out[n] = LAY_OFF_ONTO + 2 * slot + high
                        n += 1
    return _add_swaps(s, r, hand, out, n)


@kernel
def _add_swaps(s, r, hand, out, n):
    """Add the melds in which jokers can be swapped."""
    if i64(s["table_count"][JOKER]) == 0:
        return n
    for slot in range(i64(s["melds_laid"])):
        if leaves_as_a_whole(s, r, slot):
            if _can_swap_set(s, r, hand, slot):
                out[n] = SWAP_IN + slot
                n += 1
        elif _list_swaps(s, r, hand, slot, out, n) > n:
            out[n] = SWAP_IN + slot
            n += 1
    return n


@kernel
def _opening_actions(s, r, out):
    """Melds that can be next in an opening, and its end."""
    need = max(i64(0), i64(r["opening_points"]) - i64(s["points_laid"]))
    n = _new_melds(s, r, s["hands"][i64(s["actor"])], need, out, i64(0))
    if need == 0 and not owes(s):
        out[n] = END_OPENING
        n += 1
    return n


@kernel
def _new_melds(s, r, hand, need, out, n):
    """Add the melds that can be laid next such that so many points come together and all that is owed is settled."""
    jokers = i64(hand[JOKER])
    none = i64(0)
    for rank in range(13):
        suits = 0
        for suit in range(4):
            suits += hand[13 * suit + rank] > 0
        if suits > 0 and suits + jokers >= 3:
            if _completes(s, r, hand, i64(THREE), i64(rank), none, none, none, need):
                out[n] = SET_OF + rank
                n += 1
    for suit in range(4):
        for low in range(0 if i64(r["ace_low"]) else 1, RUN_LOWS):
            held = 0
            for place in range(low, low + 3):
                held += hand[card_at(suit, place)] > 0
            # Three jokers may lead a run whose first natural comes fourth.
            if held + jokers >= 3 and _completes(s, r, hand, i64(FOUR), i64(suit), i64(low), none, none, need):
                out[n] = RUN_OF + RUN_LOWS * suit + low
                n += 1
    return n


@kernel
def _completes(s, r, hand, kind, key, place, length, naturals, need):
    """Whether a meld of which no card lies can be laid next: in the opening, in which nobody swaps, or as a further one."""
    owed, owed_jokers = i64(s["owed_card"]), i64(s["owed_jokers"])
    if owed + owed_jokers and i64(s["opened"][i64(s["actor"])]):
        return settles_after(s, r, hand, i64(s["melds_laid"]), kind, key, place, length, naturals, owed, owed_jokers)
    return can_complete(hand, r, kind, key, place, length, naturals, need, owed, owed_jokers, i64(r["keeps_a_discard"]))


@kernel
def _fill_actions(s, r, out):
    """Cards that may be placed next in a meld, and its end."""
    seat = i64(s["actor"])
    hand = s["hands"][seat]
    slot = i64(s["melds_laid"])
    kind, key = i64(s["meld_kind_now"]), i64(s["meld_key_now"])
    length, bits = i64(s["meld_len"][slot]), i64(s["meld_bits"][slot])
    opening = i64(s["opened"][seat]) == 0
    need = max(i64(0), i64(r["opening_points"]) - i64(s["points_laid"])) if opening else i64(0)
    owed_card, owed_jokers = i64(s["owed_card"]), i64(s["owed_jokers"])
    leave = i64(r["keeps_a_discard"])
    n = 0
    next_suit, place = i64(0), i64(s["meld_low_now"]) + length
    if kind == THREE:
        naturals = naturals_in_three(bits)
        for suit in range(4):
            if (bits >> (4 * suit)) & 15:
                next_suit = suit + 1
        if length > naturals:
            next_suit = 4
    else:
        naturals = length
        for at in range(place - length, place):
            naturals -= joker_at(bits, at)
    for i in range(5):
        joker = i == 4
        if kind == THREE:
            if (i < next_suit and not joker) or length == 4:
                continue
            card = JOKER if joker else 13 * i + key
            after = i64(i + 1) if not joker else i64(4)
            value = joker_worth(r, key) if joker else i64(r["points"][card])
        else:
            if (i != 0 and not joker) or place > _TOP_PLACE:
                continue
            card = JOKER if joker else card_at(key, place)
            after = place + 1
            value = joker_worth(r, card_at(key, place)) if joker else i64(r["points"][card])
        if i64(hand[card]) == 0:
            continue
        hand[card] -= 1
        debt, debt_jokers = i64(0) if owed_card == card + 1 else owed_card, max(i64(0), owed_jokers - joker)
        possible = can_complete(
            hand, r, kind, key, after, length + 1, i64(naturals > 0 or not joker), max(i64(0), need - value), debt, debt_jokers,
            leave,
        )  # fmt: skip
        if not possible and not opening and debt + debt_jokers > 0:
            possible = _settles_with_card(s, r, hand, slot, place, after, joker, naturals, debt, debt_jokers, i64(i))
        hand[card] += 1
        if possible:
            out[n] = PLACE + card
            n += 1
    if length >= 3 and naturals > 0:
        if (
            can_lay_points(hand, r, need, owed_card, owed_jokers, leave)
            if opening
            else settles(s, r, hand, slot + 1, need, owed_card, owed_jokers)
        ):
            out[n] = END_MELD
            n += 1
    return n


@kernel
def _settles_with_card(s, r, hand, slot, place, after, joker, naturals, debt, debt_jokers, suit):
    """Whether all can be settled once one more card lies in the meld that a seat which has opened is filling.

    Args:
        hand: without the card.
        place: of a run, the card's.
        after: what may follow, as for `can_complete`.
        joker: whether the card is a joker.
        naturals: naturals that lie there, without the card.
        debt, debt_jokers: what is owed then.
        suit: of a set, the card's, if it is no joker.
    """
    bits, length = i64(s["meld_bits"][slot]), i64(s["meld_len"][slot])
    kind, key = i64(s["meld_kind"][slot]), i64(s["meld_key"][slot])
    s["meld_len"][slot] = length + 1
    if kind == THREE:
        if not joker:
            s["meld_bits"][slot] = bits + (1 << (4 * suit))
        found = set_settles(s, r, hand, slot, after, debt, debt_jokers)
    else:
        if joker:
            s["meld_bits"][slot] = bits | (1 << place)
        has_natural = i64(naturals > 0 or not joker)
        found = settles_after(s, r, hand, slot + 1, kind, key, after, length + 1, has_natural, debt, debt_jokers)
    s["meld_bits"][slot] = bits
    s["meld_len"][slot] = length
    return found


@kernel
def joker_worth(r, card):
    """Opening value of a joker that stands for a card (KL2)."""
    return i64(r["joker_value"]) if i64(r["joker_value"]) else i64(r["points"][card])


@kernel
def _place_actions(s, r, out):
    """Cards that may be placed in LAYOFF and in MOVE, the swap."""
    seat = i64(s["actor"])
    hand = s["hands"][seat]
    slot = i64(s["target"])
    none = i64(0)
    if i64(s["phase"]) == LAYOFF:
        return _list_lay_offs(s, r, hand, i64(s["hand_n"][seat]), slot, i64(s["target_high"]), out, none)
    return none if leaves_as_a_whole(s, r, slot) else _list_swaps(s, r, hand, slot, out, none)


@kernel
def run_end(s, r, slot, high):
    """The place that a card laid off onto this end of a run would take, -1 if there is none (KL3.2)."""
    low = i64(s["meld_low"][slot])
    place = low + i64(s["meld_len"][slot]) if high else low - 1
    if place > _TOP_PLACE or (place == 0 and not i64(r["ace_low"])):
        return i64(-1)
    return place


@kernel
def _list_lay_offs(s, r, hand, held, slot, high, out, n):
    """Add the cards that can be laid off onto a set (high = 0) or an end of a run (KL4.3)."""
    key = i64(s["meld_key"][slot])
    place = i64(-1)
    if i64(s["meld_kind"][slot]) == THREE:
        if high or i64(s["meld_len"][slot]) == 4:
            return n
        bits = i64(s["meld_bits"][slot])
        for suit in range(4):
            if (bits >> (4 * suit)) & 15 == 0:
                n = _add_if_spared(s, r, hand, held, slot, place, 13 * suit + key, out, n)
    else:
        place = run_end(s, r, slot, high)
        if place < 0:
            return n
        n = _add_if_spared(s, r, hand, held, slot, place, card_at(key, place), out, n)
    return _add_if_spared(s, r, hand, held, slot, place, i64(JOKER), out, n)


@kernel
def _add_if_spared(s, r, hand, held, slot, place, card, out, n):
    """Add a card if, laid off onto a meld (of a run: at this place), it leaves enough for what is owed and the discard."""
    if i64(hand[card]) == 0 or held <= i64(r["keeps_a_discard"]):
        return n
    spared = not owes(s)
    if not spared and _may_lay(s, r):
        bits, low = i64(s["meld_bits"][slot]), i64(s["meld_low"][slot])
        hand[card] -= 1
        if place < 0:
            add_to_three(s, slot, card)
        else:
            add_to_four(s, slot, place, card)
        spared = settles(s, r, hand, i64(s["melds_laid"]), i64(0), i64(s["owed_card"]), i64(s["owed_jokers"]))
        s["meld_bits"][slot] = bits
        s["meld_low"][slot] = low
        s["meld_len"][slot] -= 1
        s["table_count"][card] -= 1
        hand[card] += 1
    if spared:
        out[n] = PLACE + card
        n += 1
    return n


@kernel
def _list_swaps(s, r, hand, slot, out, n):
    """Add the naturals that can be swapped for one joker of a meld (KL4.4), ascending."""
    key = i64(s["meld_key"][slot])
    bits = i64(s["meld_bits"][slot])
    if i64(s["meld_kind"][slot]) == THREE:
        if naturals_in_three(bits) == i64(s["meld_len"][slot]):
            return n
        for suit in range(4):
            if (bits >> (4 * suit)) & 15 == 0:
                n = _add_if_swapped(s, r, hand, slot, 13 * suit + key, out, n)
        return n
    if bits == 0:
        return n
    for rank in range(13):
        # Places 0 and 13 are both the ace.
        if joker_at(bits, rank) or (rank == 0 and joker_at(bits, _TOP_PLACE)):
            n = _add_if_swapped(s, r, hand, slot, 13 * key + rank, out, n)
    return n


@kernel
def _add_if_swapped(s, r, hand, slot, card, out, n):
    if i64(hand[card]) == 0:
        return n
    settled = not owes(s) and not i64(r["owes_swapped_joker"])
    if not settled:
        bits = i64(s["meld_bits"][slot])
        hand[card] -= 1
        hand[JOKER] += 1
        replace_joker(s, slot, card)
        settled = _settled_after_swap(s, r, hand, i64(1))
        s["meld_bits"][slot] = bits
        hand[JOKER] -= 1
        hand[card] += 1
    if settled:
        out[n] = PLACE + card
        n += 1
    return n


@kernel
def _can_swap_set(s, r, hand, slot):
    """Whether all jokers of a set can be swapped for naturals of all suits that are not in it (KL4.4)."""
    key, bits, jokers = i64(s["meld_key"][slot]), i64(s["meld_bits"][slot]), jokers_in(s, slot)
    length = i64(s["meld_len"][slot])
    if jokers == 0:
        return False
    for suit in range(4):
        if (bits >> (4 * suit)) & 15 == 0 and hand[13 * suit + key] == 0:
            return False
    for suit in range(4):
        hand[13 * suit + key] -= (bits >> (4 * suit)) & 15 == 0
    hand[JOKER] += jokers
    s["meld_bits"][slot] = ALL_SUITS
    s["meld_len"][slot] = 4
    possible = _settled_after_swap(s, r, hand, jokers)
    for suit in range(4):
        hand[13 * suit + key] += (bits >> (4 * suit)) & 15 == 0
    hand[JOKER] -= jokers
    s["meld_bits"][slot] = bits
    s["meld_len"][slot] = length
    return possible


@kernel
def _settled_after_swap(s, r, hand, jokers):
    """Whether what is owed can be laid, or opens, now that so many jokers have come into the hand."""
    owed, owed_jokers = i64(s["owed_card"]), i64(s["owed_jokers"]) + jokers * i64(r["owes_swapped_joker"])
    if owed + owed_jokers == 0:
        return True
    need = i64(0) if i64(s["opened"][i64(s["actor"])]) else i64(r["opening_points"])
    return _may_lay(s, r) and settles(s, r, hand, i64(s["melds_laid"]), need, owed, owed_jokers)
