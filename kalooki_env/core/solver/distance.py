"""Exact contract distance: how many cards must still come until a hand can lay the contract (J3, J7)?

The distance is the size of the contract less the most cards of the hand that find a place in it, the other places being left
to cards that come. Cards to come may be any of those that are not in the hand; this never binds, since a card in the hand that
the contract wants twice can always change places with one to come (tested against brute force).
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import CARDS, JOKER
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver.curves import load_row, most_in_fours
from kalooki_env.core.solver.tables import JOKER_MASKS, LOWS, ONES, RANK_BITS, STUCK, TAKE
from kalooki_env.core.solver.words import cards_to_come, key_of, suit_word, threes_on_offer, window

# Scratch memory of one computation, int64: the suit words first, then either the candidates for fours or rows of curves.
_WORDS = 0
_CANDIDATES = 4
_ROWS = 4
#: Rows of a suit: 0 to 3 of its cards of one rank gone, five curves each.
_ROW = 5
_SUIT_ROWS = 4 * _ROW
_SCRATCH = 96


@kernel
def _jokers_for_naturals(
    word,
    low,
    other,
    other_low,
    same_suit,
    ranks,
    jokers,
    key,
    threes,
    fours,
    bound,
):
    """Cards to come with one or two fours in given places, jokers standing where they like, also for naturals in the hand.

    That helps if threes are full of jokers and a natural moves there, or if a second four of the suit takes it.
    """
    none = i64(0)
    for mask in JOKER_MASKS:
        taken = window(word, low) & ~mask
        left = jokers - ONES[mask]
        if left < 0:
            continue
        take = TAKE[16 * low + taken]
        missing = 4 - ONES[taken] - ONES[mask]
        rest = ranks - (take & RANK_BITS)
        if fours == 1:
            bound = min(bound, (cards_to_come(threes_on_offer(rest, key), threes, key, none, none, left) & 255) + missing)
            continue
        word2 = other - take if same_suit else other
        for mask2 in JOKER_MASKS:
            taken2 = window(word2, other_low) & ~mask2
            left2 = left - ONES[mask2]
            if left2 < 0:
                continue
            missing2 = missing + 4 - ONES[taken2] - ONES[mask2]
            if missing2 >= bound:
                continue
            rest2 = rest - (TAKE[16 * other_low + taken2] & RANK_BITS)
            answer = cards_to_come(threes_on_offer(rest2, key), threes, key, none, none, left2)
            bound = min(bound, (answer & 255) + missing2)
    return bound


@kernel
def _with_threes(
    work,
    ranks,
    jokers,
    key,
    distinct_suits,
    threes,
    fours,
    stop,
    bound,
):
    """Distance for threes and one or two fours: the fours in all places, best first; the threes follow in closed form."""
    # All windows, most naturals first, as suit << 12 | low << 8 | pattern.
    counts = 0
    for suit in range(4):
        for low in range(LOWS):
            counts += 1 << 8 * (4 - ONES[window(work[_WORDS + suit], low)])
    starts = counts * 0x0101010100  # byte i: how many come before those with 4 - i naturals
    for suit in range(4):
        for low in range(LOWS):
            pattern = window(work[_WORDS + suit], low)
            kind = 8 * (4 - ONES[pattern])
            work[_CANDIDATES + (starts >> kind & 255)] = suit << 12 | low << 8 | pattern
            starts += 1 << kind
    total = 4 * LOWS
    # Threes lack at least these cards, whatever the fours take.
    none = i64(0)
    lack = cards_to_come(threes_on_offer(ranks, key), threes, key, none, none, none) >> 8
    for first in range(total):
        candidate = work[_CANDIDATES + first]
        suit, low, pattern = candidate >> 12, candidate >> 8 & 15, candidate & 15
        missing = 4 - ONES[pattern]
        if fours * missing + lack - jokers >= bound:
            break
        word = work[_WORDS + suit]
        take = TAKE[16 * low + pattern]
        rest = ranks - (take & RANK_BITS)
        answer = cards_to_come(threes_on_offer(rest, key), threes, key, missing, STUCK[15 ^ pattern], jokers)
        least = (answer >> 8) - jokers
        if fours == 1:
            bound = min(bound, answer & 255)
            if bound <= stop:
                return bound
            if least < bound:
                bound = _jokers_for_naturals(word, low, word, low, none, ranks, jokers, key, threes, fours, bound)
                if bound <= stop:
                    return bound
            continue
        for second in range(first, total):
            candidate = work[_CANDIDATES + second]
            suit2, low2, pattern2 = candidate >> 12, candidate >> 8 & 15, candidate & 15
            if least + 4 - ONES[pattern2] >= bound:
                break
            word2 = work[_WORDS + suit2]
            if suit2 == suit:
                if distinct_suits:
                    continue
                pattern2 = window(word - take, low2)
                if least + 4 - ONES[pattern2] >= bound:
                    continue
            rest2 = rest - (TAKE[16 * low2 + pattern2] & RANK_BITS)
            both = missing + 4 - ONES[pattern2]
            stuck = STUCK[15 ^ pattern] + STUCK[15 ^ pattern2]
            answer = cards_to_come(threes_on_offer(rest2, key), threes, key, both, stuck, jokers)
            bound = min(bound, answer & 255)
            if bound <= stop:
                return bound
            if (answer >> 8) - jokers < bound:
                bound = _jokers_for_naturals(word, low, word2, low2, i64(suit == suit2), ranks, jokers, key, threes, fours, bound)
                if bound <= stop:
                    return bound
    return bound


@kernel
def _best_without(work, rank, count, fours, distinct_suits, jokers, enough, beat):
    """The most cards in fours when so many naturals of a rank, of the best suits, are gone; `beat` if it is not more."""
    c0, c1, c2, c3 = (
        work[_WORDS] >> 4 * rank & 15,
        work[_WORDS + 1] >> 4 * rank & 15,
        work[_WORDS + 2] >> 4 * rank & 15,
        work[_WORDS + 3] >> 4 * rank & 15,
    )
    for x0 in range(max(0, count - c1 - c2 - c3), min(c0, count) + 1):
        for x1 in range(max(0, count - x0 - c2 - c3), min(c1, count - x0) + 1):
            for x2 in range(max(0, count - x0 - x1 - c3), min(c2, count - x0 - x1) + 1):
                x3 = count - x0 - x1 - x2
                at = (
                    _ROWS
                    + _ROW * x0
                    + ((_ROWS + _SUIT_ROWS + _ROW * x1) << 12)
                    + ((_ROWS + 2 * _SUIT_ROWS + _ROW * x2) << 24)
                    + ((_ROWS + 3 * _SUIT_ROWS + _ROW * x3) << 36)
                )
                beat = most_in_fours(work, at, fours, distinct_suits, jokers, beat)
                if beat >= enough:
                    return beat
    return beat


@kernel
def _one_three(
    work,
    ranks,
    jokers,
    key,
    distinct_suits,
    fours,
    dist,
    stop,
    bound,
):
    """Distance for one three and more fours: the three's naturals are set apart in all ways, the fours come from the tables.

    As many naturals as the three has room for beside its jokers: each that the fours lose costs them at most one place.
    """
    for suit in range(4):
        load_row(work, _ROWS + suit * _SUIT_ROWS, work[_WORDS + suit], fours, distinct_suits, jokers, dist)
    all_rows = _ROWS + ((_ROWS + _SUIT_ROWS) << 12) + ((_ROWS + 2 * _SUIT_ROWS) << 24) + ((_ROWS + 3 * _SUIT_ROWS) << 36)
    in_three = min(jokers, 1 if key & 16 else 2)
    # Most cards in fours if the three takes none of theirs and 0, 1 or 2 jokers, eight bits each.
    none = i64(0)
    most = 0
    top = 0
    for y in range(in_three + 1):
        value = most_in_fours(work, all_rows, fours, distinct_suits, jokers - y, none)
        most |= value << 8 * y
        top = max(top, value + 3)
    size = 3 + 4 * fours
    best = size - bound
    enough = size - stop
    while top > best:
        # Only what can reach `top`.
        for rank in range(13):
            naturals = ranks >> 4 * rank & 15
            loaded = False
            for y in range(in_three + 1):
                count = min(naturals, 3 - y)
                if count + y + (most >> 8 * y & 255) != top:
                    continue
                if count and not loaded:
                    loaded = True
                    one = (1 << 4 * rank) | (1 << 52 if rank == 0 else 0)
                    for suit in range(4):
                        word = work[_WORDS + suit]
                        for x in range(1, min(3, word >> 4 * rank & 15) + 1):
                            load_row(
                                work, _ROWS + suit * _SUIT_ROWS + x * _ROW, word - x * one, fours, distinct_suits, jokers, dist
                            )
                target = min(top, enough) - count - y
                value = _best_without(work, rank, count, fours, distinct_suits, jokers - y, target, best - count - y)
                best = max(best, value + count + y)
                if best >= enough or best >= top:
                    return size - best
        top -= 1
    return size - best


@kernel
def _load_rows(work, jokers, distinct_suits, dist, fours):
    """Load the row of each suit one after the other; where they are, as `most_in_fours` takes it."""
    at = i64(0)
    for suit in range(4):
        load_row(work, _ROWS + suit * _ROW, work[_WORDS + suit], fours, distinct_suits, jokers, dist)
        at |= (_ROWS + suit * _ROW) << 12 * suit
    return at


@kernel
def _solve(
    work,
    ranks,
    jokers,
    key,
    distinct_suits,
    dist,
    threes,
    fours,
    stop,
    bound,
):
    """Distance of the hand whose suit words are in `work`; `stop` and `bound` as in `distance_up_to`."""
    if fours == 0:
        none = i64(0)
        return min(bound, cards_to_come(threes_on_offer(ranks, key), threes, key, none, none, jokers) & 255)
    if threes == 0:
        at = _load_rows(work, jokers, distinct_suits, dist, fours)
        return min(bound, 4 * fours - most_in_fours(work, at, fours, distinct_suits, jokers, 4 * fours - bound))
    if threes == 1 and fours > 1:
        return _one_three(work, ranks, jokers, key, distinct_suits, fours, dist, stop, bound)
    return _with_threes(work, ranks, jokers, key, distinct_suits, threes, fours, stop, bound)


@kernel
def _unpack(hand, work):
    """Write the suit words of a hand to `work` and return its rank word."""
    ranks = i64(0)
    for suit in range(4):
        word = suit_word(hand, suit)
        work[_WORDS + suit] = word
        ranks += word & RANK_BITS
    return ranks


@kernel
def contract_distance(hand, rules, feas, dist, threes, fours):
    """Fewest further cards with which a hand can lay a contract; 0 if it can at once.

    Args:
        hand: uint8[53], copies of each card.
        rules: RULES record; packs, set_min_naturals, distinct_ranks and distinct_suits are read.
        feas: `feasibility_table()`.
        dist: `distance_table()`.
        threes: threes of the contract, a whole one of three or four melds (J4).
        fours: its fours.
    """
    return distance_up_to(hand, rules, feas, dist, i64(threes), i64(fours), i64(0), i64(3 * threes + 4 * fours))


@kernel
def distance_up_to(
    hand,
    rules,
    feas,
    dist,
    threes,
    fours,
    stop,
    bound,
):
    """`contract_distance` for those who ask for less.

    Args:
        hand: as in `contract_distance`, like all that is not listed here.
        stop: where it is enough to know that the distance is at most this, any such number may be returned.
        bound: larger distances come back as `bound`. "Is it at most d?": `stop` = d, `bound` = d + 1, and see whether d + 1
            comes back.
    """
    threes, fours, stop, bound = i64(threes), i64(fours), i64(stop), i64(bound)
    work = stack_array(_SCRATCH, np.int64)
    ranks = _unpack(hand, work)
    return _solve(work, ranks, i64(hand[JOKER]), key_of(rules), i64(rules["distinct_suits"]), dist, threes, fours, stop, bound)


@kernel
def distances_after_discard(
    hand,
    rules,
    feas,
    dist,
    threes,
    fours,
    out,
):
    """Distances of the hand without one card, for each natural card that it holds.

    Args:
        hand: as in `contract_distance`, like all that is not listed here.
        out: int8[53]; -1 for cards not in the hand and for the joker, which is never discarded (J10.1).

    Returns:
        The distance of the whole hand.
    """
    threes, fours = i64(threes), i64(fours)
    work = stack_array(_SCRATCH, np.int64)
    ranks = _unpack(hand, work)
    jokers = i64(hand[JOKER])
    key = key_of(rules)
    distinct_suits = i64(rules["distinct_suits"])
    now = _solve(work, ranks, jokers, key, distinct_suits, dist, threes, fours, i64(0), 3 * threes + 4 * fours)
    for card in range(CARDS):
        out[card] = -1
        if card == JOKER or hand[card] == 0:
            continue
        suit, rank = card // 13, card % 13
        word = work[_WORDS + suit]
        work[_WORDS + suit] = word - (1 << 4 * rank) - (1 << 52 if rank == 0 else 0)
        # One card less is at most one more to come.
        out[card] = _solve(work, ranks - (1 << 4 * rank), jokers, key, distinct_suits, dist, threes, fours, now, now + 1)
        work[_WORDS + suit] = word
    return now


@kernel
def lowering_cards(
    hand,
    rules,
    feas,
    dist,
    threes,
    fours,
    d,
    among,
    out,
):
    """Which cards bring the hand nearer to the contract.

    Args:
        hand: as in `contract_distance`, like all that is not listed here.
        d: distance of the hand.
        among: uint8[53]; cards with 0 are not looked at.
        out: uint8[53]; 1 for each card, the joker included, of which a copy is left and with which the distance is d - 1.
    """
    threes, fours, d = i64(threes), i64(fours), i64(d)
    work = stack_array(_SCRATCH, np.int64)
    ranks = _unpack(hand, work)
    key = key_of(rules)
    distinct_suits = i64(rules["distinct_suits"])
    if threes == 0:
        _load_rows(work, i64(hand[JOKER]), distinct_suits, dist, fours)
    for card in range(CARDS):
        out[card] = 0
        if d > 0 and among[card] and is_left(hand, rules, card):
            out[card] = _lowers(work, ranks, i64(hand[JOKER]), key, distinct_suits, dist, threes, fours, d, card)


@kernel
def copies_that_lower(
    hand,
    rules,
    feas,
    dist,
    threes,
    fours,
    d,
    among,
    copies,
    gone,
    least,
):
    """How many copies there are of cards that bring the hand nearer to the contract; -1 for fewer than `least`.

    Args:
        hand: as in `contract_distance`, like all that is not listed here.
        d: distance of the hand, above 0.
        among: uint8[53]; cards with 0 are not looked at.
        copies: uint8[53]; what is counted.
        gone: a card that the hand has just lost: not counted.
        least: fewer copies are not counted to the end.
    """
    threes, fours, d = i64(threes), i64(fours), i64(d)
    work = stack_array(_SCRATCH, np.int64)
    ranks = _unpack(hand, work)
    key = key_of(rules)
    distinct_suits = i64(rules["distinct_suits"])
    if threes == 0:
        _load_rows(work, i64(hand[JOKER]), distinct_suits, dist, fours)
    possible = 0
    for card in range(CARDS):
        if among[card] and card != gone and is_left(hand, rules, card):
            possible += i64(copies[card])
    # Cards of the lost one's suit and rank first: if a loss has closed chances, then mostly there.
    for near in range(1, -1, -1):
        for card in range(CARDS):
            if possible < least:
                return -1
            if among[card] and copies[card] and card != gone and is_left(hand, rules, card):
                if i64(card // 13 == gone // 13 or card % 13 == gone % 13) == near:
                    if not _lowers(work, ranks, i64(hand[JOKER]), key, distinct_suits, dist, threes, fours, d, card):
                        possible -= i64(copies[card])
    return possible if possible >= least else -1


@kernel
def is_left(hand, rules, card):
    """Whether there are copies of a card beside those in a hand."""
    packs = i64(rules["packs"])
    return i64(hand[card]) < (2 * packs if card == JOKER else packs)


@kernel
def _lowers(work, ranks, jokers, key, distinct_suits, dist, threes, fours, d, card):
    """Whether a card brings the hand whose suit words are in `work` from distance d to d - 1; without threes, rows too."""
    if card == JOKER:
        lower = _solve(work, ranks, jokers + 1, key, distinct_suits, dist, threes, fours, d - 1, d) < d
        if threes == 0:
            _load_rows(work, jokers, distinct_suits, dist, fours)
        return lower
    suit, rank = card // 13, card % 13
    more = 1 << 4 * rank
    word = work[_WORDS + suit]
    longer = word + more + (1 << 52 if rank == 0 else 0)
    if threes == 0:
        row, spare = _ROWS + suit * _ROW, _ROWS + 4 * _ROW
        load_row(work, spare, longer, fours, distinct_suits, jokers, dist)
        used = 255 | ((1 << jokers) - 1) << 8
        changes = i64(0)
        for k in range(1, 2 if distinct_suits else fours + 1):
            changes |= (work[row + k] ^ work[spare + k]) & used
        if changes == 0:
            return False  # fours of the suit take no more cards than before
        at = i64(0)
        for other in range(4):
            at |= (spare if other == suit else _ROWS + other * _ROW) << 12 * other
        return 4 * fours - most_in_fours(work, at, fours, distinct_suits, jokers, 4 * fours - d) < d
    work[_WORDS + suit] = longer
    after = _solve(work, ranks + more, jokers, key, distinct_suits, dist, threes, fours, d - 1, d)
    work[_WORDS + suit] = word
    return after < d
