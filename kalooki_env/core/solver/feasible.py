"""Exact feasibility: can this hand lay the contract, or the rest of it (J3, J7)?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.core.compiled import kernel
from kalooki_env.core.layout import JOKER
from kalooki_env.core.solver.tables import (
    FOURS,
    IMPOSSIBLE,
    JOKER_MASKS,
    LOWS,
    ONE_FOUR,
    ONES,
    RANK_BITS,
    RANK_ONES,
    RANK_THREES,
    TAKE,
)


@kernel
def suit_word(hand: NDArray[np.uint8], suit: int) -> int:
    """Copies of each place of a suit, four bits a place (`tables`)."""
    word = 0
    for rank in range(12, -1, -1):
        word = word << 4 | int(hand[13 * suit + rank])
    return word | (word & 15) << 52


@kernel
def base3(word: int) -> int:
    """Number of a suit's count vector in the tables, where copies beyond the second do not count."""
    index = 0
    for rank in range(12, -1, -1):
        index = 3 * index + min(2, word >> 4 * rank & 15)
    return index


@kernel
def window(word: int, low: int) -> int:
    """Pattern of the places of the four from `low` whose natural is there."""
    places = word >> 4 * low
    pattern = 1 if places & 0xF else 0
    if places & 0xF0:
        pattern |= 2
    if places & 0xF00:
        pattern |= 4
    if places & 0xF000:
        pattern |= 8
    return pattern


@kernel
def threes_on_offer(ranks: int, key: int) -> int:
    """The threes that all ranks offer (`RANK_THREES`) by a rank word; `key` = 32 * distinct_ranks + 16 * (set_min_naturals - 1)."""
    offer = 0
    for rank in range(13):
        offer += RANK_THREES[key + (ranks >> 4 * rank & 15)]
    return offer


@kernel
def jokers_for_threes(offer: int, threes: int) -> int:
    """Fewest jokers for so many threes without a further natural card; IMPOSSIBLE or more if there are too few."""
    left = threes - (offer & 255)
    if left <= 0:
        return 0
    jokers = 0
    for kind, price in ((1, 1), (2, 2), (4, 3)):
        count = min(left, offer >> 8 * kind & 255)
        jokers += price * count
        left -= count
    return jokers if left == 0 else IMPOSSIBLE


@kernel
def _fours_with_third_copies(word: int, fours: int, feas: NDArray[np.uint8]) -> int:
    """Fewest jokers for three or four fours of one suit that has three copies of some card.

    The table knows two copies, which is all that two fours can use. So the others are laid in all possible ways first.
    """
    best = IMPOSSIBLE
    for first in range(8 * LOWS):
        low = first >> 3
        mask = JOKER_MASKS[first & 7]
        if ~window(word, low) & ~mask & 15:
            continue
        jokers = ONES[mask]
        rest = word - TAKE[16 * low + (15 ^ mask)]
        if fours == 3:
            best = min(best, jokers + int(feas[FOURS + 4 * base3(rest) + 1]))
            continue
        for second in range(first, 8 * LOWS):
            low2 = second >> 3
            mask2 = JOKER_MASKS[second & 7]
            if ~window(rest, low2) & ~mask2 & 15 or jokers + ONES[mask2] >= best:
                continue
            last = rest - TAKE[16 * low2 + (15 ^ mask2)]
            best = min(best, jokers + ONES[mask2] + int(feas[FOURS + 4 * base3(last) + 1]))
    return best


@kernel
def _search(
    hand: NDArray[np.uint8], ranks: int, jokers: int, key: int, distinct_suits: int, threes: int, fours: int, used_suits: int, fewest: int
) -> bool:
    """Backtracking over the fours; the threes then follow in closed form.

    Args:
        ranks: rank word of the ranks that threes may have.
        fewest: jokers that one to three fours of the whole hand need at least, eight bits each.
    """
    work = np.empty(72, np.int64)
    words, candidates = work[0:4], work[4:48]
    # By depth: number of the candidate, number of the joker mask, jokers and rank word before, and the word of the suit taken from.
    at, masks, joker_left, rank_left, saved = work[48:52], work[52:56], work[56:60], work[60:64], work[64:68]
    # Ranks that no three may have must stay out of the rank word.
    usable = 0
    for rank in range(13):
        if ranks >> 4 * rank & 15:
            usable |= 15 << 4 * rank
    count = 0
    for suit in range(4):
        words[suit] = suit_word(hand, suit)
        if distinct_suits and used_suits >> suit & 1:
            continue
        for low in range(LOWS):
            missing = 15 ^ window(words[suit], low)
            # No two neighbouring jokers (J3.4).
            if not missing & missing >> 1 and ONES[missing] <= jokers:
                candidates[count] = suit << 4 | low
                count += 1
    # A joker in the place of a natural at hand helps only a later four of the same suit, or a three that is full of jokers already, one
    # with the fewest naturals (with any other three the two would change places). Otherwise naturals go first.
    full_three = jokers >= (2 if key & 16 else 3)
    depth = 0
    at[0] = 0
    masks[0] = 0
    joker_left[0] = jokers
    rank_left[0] = ranks
    while True:
        if at[depth] >= count:
            depth -= 1
            if depth < 0:
                return False
            words[candidates[at[depth]] >> 4] = saved[depth]
            continue
        if masks[depth] == 8:
            masks[depth] = 0
            at[depth] += 1
            continue
        mask = JOKER_MASKS[masks[depth]]
        masks[depth] += 1
        suit = candidates[at[depth]] >> 4
        low = candidates[at[depth]] & 15
        word = words[suit]
        there = window(word, low)
        left = joker_left[depth] - ONES[mask]
        to_come = fours - depth - 1
        spare = full_three or (to_come > 0 and not distinct_suits)
        if left < 0 or ~there & ~mask & 15 or (there & mask and not spare):
            continue
        take = TAKE[16 * low + (15 ^ mask)]
        rest = rank_left[depth] - (take & usable)
        need = jokers_for_threes(threes_on_offer(rest, key), threes)
        if to_come:
            need += fewest >> 8 * (to_come - 1) & 255
        if need > left:
            continue
        if to_come == 0:
            return True
        saved[depth] = word
        words[suit] = word - take
        depth += 1
        start = at[depth - 1]
        if distinct_suits:
            while start < count and candidates[start] >> 4 == suit:
                start += 1
        at[depth] = start
        masks[depth] = 0
        joker_left[depth] = left
        rank_left[depth] = rest


@kernel
def can_meet(
    hand: NDArray[np.uint8], rules: Any, feas: NDArray[np.uint8], threes: int, fours: int, used_ranks: int, used_suits: int
) -> bool:
    """Whether a hand holds the rest of a contract: so many threes of three cards and fours of four, no card twice (J3, J7).

    Args:
        hand: uint8[53], copies of each card.
        rules: RULES record; packs, set_min_naturals, distinct_ranks and distinct_suits are read.
        feas: `feasibility_table()`.
        threes: threes still to be laid, 0 to 4; together with `fours` at most 4.
        fours: fours still to be laid.
        used_ranks: bits of the ranks of the threes laid before in this lay-down; read only under distinct_ranks (J7.4).
        used_suits: bits of the suits of the fours laid before; read only under distinct_suits.
    """
    jokers = int(hand[JOKER])
    distinct_suits = int(rules["distinct_suits"])
    key = 32 * int(rules["distinct_ranks"]) + 16 * (int(rules["set_min_naturals"]) - 1)
    third_copies = fours >= 3 and int(rules["packs"]) > 2 and not distinct_suits

    # Fewest jokers for one to four fours, suit by suit.
    one = two = three = four = IMPOSSIBLE
    ranks = 0
    for suit in range(4):
        word = 0
        present = 0
        vector = 0
        for rank in range(12, -1, -1):
            copies = int(hand[13 * suit + rank])
            word = word << 4 | copies
            present = present << 1 | min(1, copies)
            vector = 3 * vector + min(2, copies)
        ranks += word
        if fours == 0 or (distinct_suits and used_suits >> suit & 1):
            continue
        f1 = int(feas[ONE_FOUR + present])
        if distinct_suits:
            four = min(four, three + f1)
            three = min(three, two + f1)
            two = min(two, one + f1)
            one = min(one, f1)
            continue
        if fours == 1:
            one = min(one, f1)
            continue
        vector = FOURS + 4 * vector
        f2, f3, f4 = int(feas[vector + 1]), int(feas[vector + 2]), int(feas[vector + 3])
        if third_copies and word & word >> 1 & RANK_ONES:
            word |= (word & 15) << 52
            f3 = _fours_with_third_copies(word, 3, feas)
            if fours == 4:
                f4 = _fours_with_third_copies(word, 4, feas)
        four = min(four, three + f1, two + f2, one + f3, f4)
        three = min(three, two + f1, one + f2, f3)
        two = min(two, one + f1, f2)
        one = min(one, f1)
    need = one if fours == 1 else two if fours == 2 else three if fours == 3 else four
    if fours == 0:
        need = 0
    if need > jokers:
        return False
    if threes == 0:
        return True

    if key & 32:
        for rank in range(13):
            if used_ranks >> rank & 1:
                ranks &= ~(15 << 4 * rank)
    need += jokers_for_threes(threes_on_offer(ranks, key), threes)
    if need > jokers:
        return False
    if fours == 0:
        return True
    return _search(
        hand, ranks, jokers, key, distinct_suits, threes, fours, used_suits, min(one, 99) | min(two, 99) << 8 | min(three, 99) << 16
    )
