"""Whether what is owed can be laid, with the help of swaps in the same turn (KL4.1, KL4.4; `ACTIONS.md`, 8.2).

Swaps exchange cards between hand and table and nothing else. So it is enough to look at sets of swaps that are made
first, or right after the meld that is being filled, and at the melds that the hand then holds:

* A card laid off is one card less in the hand, and makes no swap possible that was not.
* A joker that was laid in this turn and is swapped off again might as well have stayed in the hand, with its natural
  in its place: but not a joker that lies already, or that stands where the order of a set (`fill`) bars the natural.
* Whatever is owed is settled later no worse than earlier.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.kaluki.cover import can_complete_and_swap, can_lay_points
from kalooki_env.core.layout import FOUR, JOKER, THREE
from kalooki_env.core.melds import card_at, joker_at, naturals_in_three
from kalooki_env.core.memory import stack_array

_TOP_PLACE = 13
#: Columns of an exchange: rank and suits (bits) of the naturals, jokers that they bring, meld slot, most such exchanges there.
_RANK, _SUITS, _JOKERS, _SLOT, _MOST = range(5)
_COLUMNS = 5
#: Four jokers give eight exchanges at most: each two naturals' places in a set of three.
_ROOM = 16
_CELLS = _ROOM * _COLUMNS
#: The suits of a set of four naturals, as in `meld_bits`.
ALL_SUITS = 0x1111


@kernel
def replace_joker(s, slot, card):
    """Put a natural in the place of a joker of a meld; of two jokers for one ace the low one goes."""
    bits = i64(s["meld_bits"][slot])
    if i64(s["meld_kind"][slot]) == THREE:
        s["meld_bits"][slot] = bits + (1 << (4 * (card // 13)))
    elif joker_at(bits, card % 13):
        s["meld_bits"][slot] = bits & ~(1 << (card % 13))
    else:
        s["meld_bits"][slot] = bits & ~(1 << _TOP_PLACE)


@kernel
def jokers_in(s, slot):
    """Number of jokers in a meld."""
    bits, length = i64(s["meld_bits"][slot]), i64(s["meld_len"][slot])
    if i64(s["meld_kind"][slot]) == THREE:
        return length - naturals_in_three(bits)
    jokers = i64(0)
    for place in range(_TOP_PLACE + 1):
        jokers += joker_at(bits, place)
    return jokers


@kernel
def leaves_as_a_whole(s, r, slot):
    """Whether a meld is a set that gives its jokers only all at once."""
    return i64(r["swaps_whole_sets"]) and i64(s["meld_kind"][slot]) == THREE


@kernel
def may_swap(s, r, seat):
    """Whether a seat may swap jokers in its turn."""
    return i64(s["opened"][seat]) or i64(r["swaps_before_opening"])


@kernel
def settles(s, r, hand, slots, need, owed, owed_jokers):
    """Whether a hand holds disjoint melds of so many points with all that is owed, as it is or after swaps.

    Args:
        s: STATE record; the seat to move is the one that swaps.
        r: RULES record.
        hand: uint8[53]; changed on the way, the same again on return.
        slots: melds that lie; of one that is not complete only a run may be among them.
        need: points.
        owed: card number + 1 of a natural that is owed, 0 for none.
        owed_jokers: jokers that are owed.
    """
    leave = i64(r["keeps_a_discard"])
    if can_lay_points(hand, r, need, owed, owed_jokers, leave):
        return True
    if owed + owed_jokers == 0 or not may_swap(s, r, i64(s["actor"])):
        return False
    exchanges = stack_array(_CELLS, np.int64)
    n = _list_exchanges(s, r, hand, slots, exchanges)
    for chosen in range(1, 1 << n):
        taken, jokers = _give(hand, exchanges, n, chosen)
        if jokers:
            hand[JOKER] += jokers
            found = can_lay_points(hand, r, need, owed, owed_jokers + jokers * i64(r["owes_swapped_joker"]), leave)
            hand[JOKER] -= jokers
        else:
            found = False
        _take_back(hand, exchanges, n, taken)
        if found:
            return True
    return False


@kernel
def settles_after(s, r, hand, slots, kind, key, place, length, naturals, owed, owed_jokers):
    """As `settles`, whatever the melds are worth, if a meld that has been begun is completed first, before any swap.

    Args:
        s, r, hand, slots, owed, owed_jokers: as for `settles`.
        kind, key, place, length, naturals: the meld, as for `can_complete`. Of a set no card lies yet; see `set_settles`.
    """
    leave = i64(r["keeps_a_discard"])
    none = i64(0)
    if can_complete_and_swap(hand, r, kind, key, place, length, naturals, owed, owed_jokers, leave, none):
        return True
    if owed + owed_jokers == 0 or not may_swap(s, r, i64(s["actor"])):
        return False
    exchanges = stack_array(_CELLS, np.int64)
    n = _list_exchanges(s, r, hand, slots, exchanges)
    for chosen in range(1, 1 << n):
        taken, jokers = _give(hand, exchanges, n, chosen)
        found = jokers > 0 and can_complete_and_swap(
            hand, r, kind, key, place, length, naturals, owed, owed_jokers, leave, jokers
        )
        _take_back(hand, exchanges, n, taken)
        if found:
            return True
    return False


@kernel
def set_settles(s, r, hand, slot, next_suit, owed, owed_jokers):
    """As `settles_after`, of a set that has cards: its jokers can go for naturals that its order bars, so each end is tried.

    Args:
        s, r, hand, owed, owed_jokers: as for `settles`.
        slot: its slot, where its cards lie; changed on the way, the same again on return.
        next_suit: the next suit that may follow, 4 after a joker.
    """
    key, bits, length = i64(s["meld_key"][slot]), i64(s["meld_bits"][slot]), i64(s["meld_len"][slot])
    for suits in range(0, 16, 1 << next_suit):
        added, there = i64(0), True
        for suit in range(4):
            if (suits >> suit) & 1:
                added += 1
                there = there and hand[13 * suit + key] > 0
        if not there or naturals_in_three(bits) + added == 0:
            continue
        debt = owed
        for suit in range(4):
            if (suits >> suit) & 1:
                hand[13 * suit + key] -= 1
                s["meld_bits"][slot] = i64(s["meld_bits"][slot]) + (1 << (4 * suit))
                if debt == 13 * suit + key + 1:
                    debt = i64(0)
        found = False
        for jokers in range(max(i64(0), 3 - length - added), min(i64(hand[JOKER]), 4 - length - added) + 1):
            s["meld_len"][slot] = length + added + jokers
            hand[JOKER] -= jokers
            found = settles(s, r, hand, slot + 1, i64(0), debt, max(i64(0), owed_jokers - jokers))
            hand[JOKER] += jokers
            if found:
                break
        for suit in range(4):
            if (suits >> suit) & 1:
                hand[13 * suit + key] += 1
        s["meld_bits"][slot] = bits
        s["meld_len"][slot] = length
        if found:
            return True
    return False


@kernel
def _list_exchanges(s, r, hand, slots, out):
    """List which naturals of the hand bring which jokers, and return how many such exchanges there are."""
    n = i64(0)
    for slot in range(slots):
        jokers = jokers_in(s, slot) if i64(s["meld_kind"][slot]) == THREE or i64(s["meld_bits"][slot]) else i64(0)
        if jokers == 0:
            continue
        key, bits = i64(s["meld_key"][slot]), i64(s["meld_bits"][slot])
        if i64(s["meld_kind"][slot]) == FOUR:
            for place in range(_TOP_PLACE + 1):
                if joker_at(bits, place) and hand[card_at(key, place)]:
                    n = _add_exchange(out, n, i64(place % 13), 1 << key, i64(1), slot, jokers)
            continue
        missing, held = i64(0), i64(0)
        for suit in range(4):
            if (bits >> (4 * suit)) & 15 == 0:
                missing |= 1 << suit
                held |= i64(hand[13 * suit + key] > 0) << suit
        if i64(r["swaps_whole_sets"]):
            if held == missing:
                n = _add_exchange(out, n, key, missing, jokers, slot, i64(1))
            continue
        for suit in range(4):
            if (held >> suit) & 1:
                n = _add_exchange(out, n, key, i64(1) << suit, i64(1), slot, jokers)
    return n


@kernel
def _add_exchange(out, n, rank, suits, jokers, slot, most):
    row = out[_COLUMNS * n : _COLUMNS * (n + 1)]
    row[_RANK] = rank
    row[_SUITS] = suits
    row[_JOKERS] = jokers
    row[_SLOT] = slot
    row[_MOST] = most
    return n + 1


@kernel
def _give(hand, exchanges, n, chosen):
    """Take the naturals of the chosen exchanges (bits) out of a hand.

    Returns:
        The naturals taken, for `_take_back`, and the jokers for them; 0 jokers if not all of these exchanges can be made.
    """
    taken, jokers = i64(0), i64(0)
    for i in range(n):
        if (chosen >> i) & 1 == 0:
            continue
        row = exchanges[_COLUMNS * i : _COLUMNS * (i + 1)]
        in_meld = i64(0)
        for other in range(i + 1):
            if (chosen >> other) & 1 and exchanges[_COLUMNS * other + _SLOT] == row[_SLOT]:
                in_meld += 1
        if in_meld > row[_MOST]:
            return taken, i64(0)
        for suit in range(4):
            if (row[_SUITS] >> suit) & 1:
                card = 13 * suit + row[_RANK]
                if hand[card] == 0:
                    return taken, i64(0)
                hand[card] -= 1
                taken |= i64(1) << (4 * i + suit)
        jokers += row[_JOKERS]
    return taken, jokers


@kernel
def _take_back(hand, exchanges, n, taken):
    """The inverse of `_give`."""
    for i in range(n):
        for suit in range(4):
            if (taken >> (4 * i + suit)) & 1:
                hand[13 * suit + exchanges[_COLUMNS * i + _RANK]] += 1
