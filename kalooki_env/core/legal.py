"""The legal actions of the seat to move, in ascending order of their numbers. There is no other statement of what is legal."""

from __future__ import annotations

import numpy as np

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
from kalooki_env.core.kaluki.legal import can_take_upcard, kaluki_actions
from kalooki_env.core.layout import ANSWER, CALL, DRAW, FILL, FOUR, JOKER, LAYOFF, MELD, MELDS_PER_SEAT, OVER, PLAY, THREE
from kalooki_env.core.melds import (
    can_lay_off,
    can_move_joker,
    card_at,
    lay_off_place,
    naturals_in_three,
    replaceable,
    takes_joker,
)
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver import can_meet

#: Places of a four that jokers may take, no two of them neighbours (J3.4), the fewest first.
_JOKER_MASKS = (0b0000, 0b0001, 0b0010, 0b0100, 0b1000, 0b0101, 0b1001, 0b1010)


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
    if i64(r["kaluki"]) and phase != OVER:
        return kaluki_actions(s, r, out)
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
    """`draw stock`, `take upcard` (J5.2, J6.5, J12.3, KL4.1)."""
    n = 0
    stock = stock_can_give(s, r)
    if stock:
        out[n] = DRAW_STOCK
        n += 1
    barred = stock and i64(s["after_call"]) and i64(r["stock_only_after_call"])
    if i64(r["kaluki"]) and i64(s["pile_n"]) > 0:
        barred = not can_take_upcard(s, r)
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
    something_fits = 0
    for card in range(i64(r["cards"])):
        something_fits |= min(hand[card], 1) & s["fits"][card]
    if something_fits:
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
    ways = stack_array(36, np.int64)
    n = 0
    for choice in range(13 + 4 * LOWS):
        if choice < 13:
            kind, key, low = THREE, choice, 0
            open_ = threes > 0 and not (i64(r["distinct_ranks"]) and (ranks >> key) & 1)  # J7.4
            naturals = i64(hand[key]) + i64(hand[13 + key]) + i64(hand[26 + key]) + i64(hand[39 + key])
            open_ = open_ and naturals > 0 and naturals + i64(hand[JOKER]) >= 3
        else:
            kind, key, low = FOUR, (choice - 13) // LOWS, (choice - 13) % LOWS
            open_ = fours > 0 and not (i64(r["distinct_suits"]) and (suits >> key) & 1)
            if open_:
                missing = 0
                for place in range(low, low + 4):
                    missing += hand[card_at(key, place)] == 0
                open_ = missing <= i64(hand[JOKER])
        if open_:
            is_three = kind == THREE
            none = i64(0)  # a plain 0 would have `can_finish` compiled once more for it
            if can_finish(
                hand, r, feas, kind, key, low, none, none, none,
                threes - is_three, fours - (not is_three),
                ranks | (1 << key) if is_three else ranks, suits if is_three else suits | (1 << key), ways,
            ):  # fmt: skip
                out[n] = THREE_OF + choice
                n += 1
    return n


@kernel
def can_finish(hand, r, feas, kind, key, low, placed, last, bits, threes, fours, ranks, suits, ways):
    """Whether a hand can finish a begun meld such that the rest of the contract can be laid from what is left.

    Args:
        hand: counts of the 53 cards; changed on the way, the same again on return.
        kind, key, low: the meld.
        placed: cards that it has.
        last: of a three, the suit of its last card, 4 for a joker.
        bits: as in a meld slot.
        threes, fours: melds of the contract still to come after this one.
        ranks, suits: bits of ranks and suits used so far, this meld included.
        ways: int64 (36,), scratch.
    """
    if kind == THREE:
        n = ways_to_fill_three(hand, r, key, placed, last, bits, fours == 0, ways)
    else:
        n = ways_to_fill_four(hand, key, low, placed, bits, ways)
    if threes + fours == 0:
        return n > 0
    for i in range(n):
        if finish_with(hand, r, feas, ways[i], threes, fours, ranks, suits):
            return True
    return False


@kernel
def ways_to_fill_three(hand, r, key, placed, last, bits, suits_alike, ways):
    """Ways to choose the missing cards of a three, suits in ascending order, as up to three card numbers + 1, eight bits each.

    Args:
        suits_alike: what is left has no fours, for which the suits would matter: one way for each number of jokers is enough.
        ways: int64 (36,), written.
    """
    missing = 3 - placed
    jokers_placed = placed - naturals_in_three(bits)
    fewest = i64(r["set_min_naturals"])
    n = 0
    tried = 0
    if missing == 0:
        ways[0] = 0
        return 1
    for a in range(last, 5):
        card_a = JOKER if a == 4 else 13 * a + key
        if i64(hand[card_a]) == 0:
            continue
        for b in range(a, 5 if missing > 1 else a + 1):
            card_b = JOKER if b == 4 else 13 * b + key
            if missing > 1 and i64(hand[card_b]) < 1 + (b == a):
                continue
            for c in range(b, 5 if missing > 2 else b + 1):
                card_c = JOKER if c == 4 else 13 * c + key
                if missing > 2 and i64(hand[card_c]) < 1 + (c == a) + (c == b):
                    continue
                jokers = jokers_placed + (a == 4) + (missing > 1 and b == 4) + (missing > 2 and c == 4)
                # J3.5; of three cards at most two are then jokers, and one natural keeps two jokers apart (J3.4).
                if 3 - jokers < fewest or (suits_alike and (tried >> jokers) & 1):
                    continue
                tried |= 1 << jokers
                way = card_a + 1
                if missing > 1:
                    way |= (card_b + 1) << 8
                if missing > 2:
                    way |= (card_c + 1) << 16
                ways[n] = way
                n += 1
    return n


@kernel
def ways_to_fill_four(hand, key, low, placed, bits, ways):
    """Ways to choose the missing cards of a four, coded as in `ways_to_fill_three`, those with fewer jokers first.

    Args:
        ways: int64 (36,), written.
    """
    begun = (bits >> low) & ((1 << placed) - 1)
    n = 0
    for i in range(8):
        mask = _JOKER_MASKS[i]
        if (mask & ((1 << placed) - 1)) != begun:
            continue
        way = 0
        jokers = 0
        for place in range(placed, 4):
            joker = (mask >> place) & 1
            card = JOKER if joker else card_at(key, low + place)
            jokers += joker
            if i64(hand[card]) < (jokers if joker else 1):
                way = -1
                break
            way |= (card + 1) << (8 * (place - placed))
        if way >= 0:
            ways[n] = way
            n += 1
    return n


@kernel
def finish_with(hand, r, feas, way, threes, fours, ranks, suits):
    """Whether a hand can meet the rest of the contract without the cards of a way, which it holds."""
    for i in range(4):
        card = ((way >> (8 * i)) & 255) - 1
        if card >= 0:
            hand[card] -= 1
    possible = can_meet(hand, r, feas, threes, fours, ranks, suits)
    for i in range(4):
        card = ((way >> (8 * i)) & 255) - 1
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
        ways = stack_array(36, np.int64)
        kind, key, low = i64(s["meld_kind_now"]), i64(s["meld_key_now"]), i64(s["meld_low_now"])
        slot = MELDS_PER_SEAT * seat + i64(s["meld_n"][seat])
        placed = i64(s["meld_len"][slot])
        bits = i64(s["meld_bits"][slot])
        last = 0
        for suit in range(4):
            if kind == THREE and (bits >> (4 * suit)) & 15:
                last = suit
        if kind == THREE and placed > naturals_in_three(bits):
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
                i64(s["threes_left"]), i64(s["fours_left"]), i64(s["used_ranks"]), i64(s["used_suits"]), ways,
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
            place = lay_off_place(s, r, slot, high)
            if place < 0:
                return 0
            card = card_at(key, place)
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
