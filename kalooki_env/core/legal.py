"""The legal actions of the seat to move, in ascending order of their numbers. There is no other statement of what is legal."""

from __future__ import annotations

from kalooki_env.core.actions import (
    ALLOW,
    CALL_CARD,
    DISCARD,
    DRAW_STOCK,
    END_TURN,
    LAY_DOWN,
    LAY_OFF,
    LOWS,
    PASS,
    PLACE,
    REFUSE,
    TAKE_UPCARD,
    THREE_OF,
)
from kalooki_env.core.compiled import i64, kernel, wrap
from kalooki_env.core.deal import stock_can_give
from kalooki_env.core.layout import ANSWER, CALL, DRAW, FILL, FOUR, JOKER, LAYOFF, MELD, MELDS_PER_SEAT, OVER, PLAY, THREE
from kalooki_env.core.melds import can_lay_off, can_move_joker, card_at, lay_off_place, replaceable, takes_joker
from kalooki_env.core.solver import can_meet


@kernel
def legal_actions(s, r, feas, out):
    """Write the legal actions of the seat to move into `out`, ascending, and return how many there are.

    Args:
        s: STATE record.
        r: RULES record.
        feas: the solver's feasibility table.
        out: int16 array with room for all actions.
    """
    phase = i64(s["phase"])
    if phase == DRAW:
        return draw_actions(s, r, out)
    if phase == PLAY:
        return play_actions(s, r, out)
    if phase == CALL:
        out[0] = CALL_CARD
        out[1] = PASS
        return 2
    if phase == ANSWER:
        out[0] = ALLOW
        out[1] = REFUSE
        return 2
    if phase == MELD:
        return meld_actions(s, r, feas, out)
    if phase == OVER:
        return 0
    return place_actions(s, r, feas, out)


@kernel
def draw_actions(s, r, out):
    """`draw stock`, `take upcard` (J5.2, J6.5, J12.3)."""
    n = 0
    stock = stock_can_give(s, r)
    if stock:
        out[n] = DRAW_STOCK
        n += 1
    barred = stock and i64(s["after_call"]) and i64(r["stock_only_after_call"])
    if i64(s["pile_n"]) > 0 and not barred:
        out[n] = TAKE_UPCARD
        n += 1
    return n


@kernel
def play_actions(s, r, out):
    """Discards, the lay-down, the end of the turn, lay-offs and joker moves (J5.3, J5.4)."""
    seat = i64(s["actor"])
    n = 0
    hand = s["hands"][seat]
    for card in range(JOKER):  # J10.1: a joker is never discarded
        out[n] = DISCARD + card  # overwritten by the next card if this one is not held: no branch to mispredict
        n += hand[card] > 0
    if i64(s["opened"][seat]) == 0:
        if i64(s["can_lay"]):
            out[n] = LAY_DOWN
            n += 1
        return n
    if n == 0:
        out[n] = END_TURN  # J10.3
        n += 1
    players = i64(r["num_players"])
    for owner in range(players):
        absolute = wrap(seat + owner, players)
        for k in range(i64(s["meld_n"][absolute])):
            for high in range(2):
                if can_lay_off(s, r, hand, MELDS_PER_SEAT * absolute + k, high):
                    out[n] = LAY_OFF + 2 * (MELDS_PER_SEAT * owner + k) + high
                    n += 1
    if i64(s["opened_now"]) == 0:  # J9.1: in a later turn than the one of the opening
        moves = LAY_OFF + 2 * MELDS_PER_SEAT * i64(r["max_seats"])
        for owner in range(players if i64(r["anyone_moves_jokers"]) else 1):
            absolute = wrap(seat + owner, players)
            for k in range(i64(s["meld_n"][absolute])):
                for high in range(2):
                    if can_move_joker(s, r, seat, MELDS_PER_SEAT * absolute + k, high):
                        out[n] = moves + 2 * (MELDS_PER_SEAT * owner + k) + high
                        n += 1
    return n


@kernel
def meld_actions(s, r, feas, out):
    """Melds that can be next in a lay-down so that the whole contract can still be laid (J7)."""
    threes = i64(s["threes_left"])
    fours = i64(s["fours_left"])
    ranks = i64(s["used_ranks"])
    suits = i64(s["used_suits"])
    hand = s["hands"][i64(s["actor"])]
    n = 0
    for choice in range(13 + 4 * LOWS):
        if choice < 13:
            kind, key, low = THREE, choice, 0
            open_ = threes > 0 and not (i64(r["distinct_ranks"]) and (ranks >> key) & 1)  # J7.4
            open_ = open_ and i64(hand[key]) + i64(hand[13 + key]) + i64(hand[26 + key]) + i64(hand[39 + key]) > 0
        else:
            kind, key, low = FOUR, (choice - 13) // LOWS, (choice - 13) % LOWS
            open_ = fours > 0 and not (i64(r["distinct_suits"]) and (suits >> key) & 1)
        if open_:
            is_three = kind == THREE
            none = i64(0)  # a plain 0 would have `can_finish` compiled once more for it
            if can_finish(
                hand, r, feas, kind, key, low, none, none, none,
                threes - is_three, fours - (not is_three),
                ranks | (1 << key) if is_three else ranks, suits if is_three else suits | (1 << key),
            ):  # fmt: skip
                out[n] = THREE_OF + choice
                n += 1
    return n


@kernel
def can_finish(hand, r, feas, kind, key, low, placed, last, bits, threes, fours, ranks, suits):
    """Whether a hand can finish a begun meld such that the rest of the contract can be laid from what is left.

    Args:
        hand: counts of the 53 cards; changed on the way, the same again on return.
        kind, key, low: the meld.
        placed: cards that it has.
        last: of a three, the suit of its last card, 4 for a joker.
        bits: as in a meld slot.
        threes, fours: melds of the contract still to come after this one.
        ranks, suits: bits of ranks and suits used so far, this meld included.
    """
    chosen_0, chosen_1, chosen_2, chosen_3 = -1, -1, -1, -1
    if kind == THREE:
        # Ways to choose the missing cards with suits in ascending order; an unused place is fixed at one value.
        missing = 3 - placed
        ways = 5 if missing == 1 else 25 if missing == 2 else 125 if missing == 3 else 1
    else:
        ways = 16
    for way in range(ways):
        if kind == THREE:
            jokers = placed
            for suit in range(4):
                jokers -= (bits >> (4 * suit)) & 15
            before = last
            fits = True
            chosen_0, chosen_1, chosen_2 = -1, -1, -1
            for i in range(missing):
                suit = way // 25 if i == missing - 3 else way // 5 % 5 if i == missing - 2 else way % 5
                if suit < before:
                    fits = False
                    break
                before = suit
                card = JOKER if suit == 4 else 13 * suit + key
                jokers += suit == 4
                if i == 0:
                    chosen_0 = card
                elif i == 1:
                    chosen_1 = card
                else:
                    chosen_2 = card
            # J3.5; of three cards at most two are then jokers, and one natural keeps two jokers apart (J3.4).
            if not fits or 3 - jokers < i64(r["set_min_naturals"]):
                continue
        else:
            begun = (bits >> low) & ((1 << placed) - 1)
            if way & (way << 1) or (way & ((1 << placed) - 1)) != begun:  # J3.4: no two neighbouring jokers
                continue
            chosen_0 = -1 if placed > 0 else JOKER if way & 1 else card_at(key, low)
            chosen_1 = -1 if placed > 1 else JOKER if way & 2 else card_at(key, low + 1)
            chosen_2 = -1 if placed > 2 else JOKER if way & 4 else card_at(key, low + 2)
            chosen_3 = -1 if placed > 3 else JOKER if way & 8 else card_at(key, low + 3)
        if finish_with(hand, r, feas, chosen_0, chosen_1, chosen_2, chosen_3, threes, fours, ranks, suits):
            return True
    return False


@kernel
def finish_with(hand, r, feas, a, b, c, d, threes, fours, ranks, suits):
    """Whether a hand holds these cards (-1: none) and can meet the rest of the contract without them."""
    taken = 0
    held = True
    for i in range(4):
        card = a if i == 0 else b if i == 1 else c if i == 2 else d
        if card >= 0:
            if i64(hand[card]) == 0:
                held = False
                break
            hand[card] -= 1
        taken += 1
    possible = held and can_meet(hand, r, feas, threes, fours, ranks, suits)
    for i in range(taken):
        card = a if i == 0 else b if i == 1 else c if i == 2 else d
        if card >= 0:
            hand[card] += 1
    return possible


@kernel
def place_actions(s, r, feas, out):
    """Cards that may be placed in FILL, LAYOFF and MOVE."""
    phase = i64(s["phase"])
    seat = i64(s["actor"])
    hand = s["hands"][seat]
    n = 0
    if phase == FILL:
        kind, key, low = i64(s["meld_kind_now"]), i64(s["meld_key_now"]), i64(s["meld_low_now"])
        slot = MELDS_PER_SEAT * seat + i64(s["meld_n"][seat])
        placed = i64(s["meld_len"][slot])
        bits = i64(s["meld_bits"][slot])
        last = 0
        for suit in range(4):
            if kind == THREE and (bits >> (4 * suit)) & 15:
                last = suit
        if kind == THREE and placed > (bits & 15) + ((bits >> 4) & 15) + ((bits >> 8) & 15) + ((bits >> 12) & 15):
            last = 4
        for i in range(5):
            joker = i == 4
            if kind == THREE:
                if i < last:
                    continue
                card = JOKER if joker else 13 * i + key
                new_bits = bits if joker else bits + (1 << (4 * i))
            else:
                if i != 0 and not joker:
                    continue
                card = JOKER if joker else card_at(key, low + placed)
                new_bits = bits | (1 << (low + placed)) if joker else bits
            if i64(hand[card]) == 0:
                continue
            hand[card] -= 1
            if can_finish(
                hand, r, feas, kind, key, low, placed + 1, i, new_bits,
                i64(s["threes_left"]), i64(s["fours_left"]), i64(s["used_ranks"]), i64(s["used_suits"]),
            ):  # fmt: skip
                out[n] = PLACE + card
                n += 1
            hand[card] += 1
        return n
    slot = i64(s["target"])
    high = i64(s["target_high"])
    key = i64(s["meld_key"][slot])
    if phase == LAYOFF:
        if i64(s["meld_kind"][slot]) == THREE:
            for suit in range(4):
                if i64(hand[13 * suit + key]) > 0:
                    out[n] = PLACE + 13 * suit + key
                    n += 1
        else:
            card = card_at(key, lay_off_place(s, r, slot, high))
            if i64(hand[card]) > 0:
                out[n] = PLACE + card
                n += 1
        if i64(hand[JOKER]) > 0 and takes_joker(s, slot, high):
            out[n] = PLACE + JOKER
            n += 1
        return n
    # MOVE. The high ace comes first, since the ace has the lowest card number; a four with a free end has one ace at most.
    low = i64(s["meld_low"][slot])
    length = i64(s["meld_len"][slot])
    for rank in range(13):
        place = rank if low <= rank < low + length else 13
        if (
            (place == rank or (rank == 0 and low + length == 14))
            and i64(hand[13 * key + rank]) > 0
            and replaceable(s, slot, high, place)
        ):
            out[n] = PLACE + 13 * key + rank
            n += 1
    return n
