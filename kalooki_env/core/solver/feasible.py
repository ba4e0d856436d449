"""Exact feasibility: can this hand lay the contract, or the rest of it (J3, J7)?"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import JOKER
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver.tables import FOURS, IMPOSSIBLE, JOKER_MASKS, LOWS, ONE_FOUR, ONES, TAKE
from kalooki_env.core.solver.words import (
    base3,
    jokers_for_threes,
    key_of,
    ranks_present,
    suit_word,
    third_copies,
    threes_on_offer,
    window,
)


@kernel
def _fours_with_third_copies(word, fours, fewest, feas):
    """Fewest jokers for three or four fours of one suit that has three copies of some cards.

    Two fours cannot use a third copy, and the table knows two. So `fewest`, which the table gives, is right unless three fours
    take the same card: then all but two of the fours that take it are laid here in all ways.
    """
    thrice = third_copies(word)
    for first in range(8 * LOWS):
        low = first >> 3
        mask = JOKER_MASKS[first & 7]
        taken = 15 ^ mask
        shared = TAKE[16 * low + taken] & thrice
        if shared == 0 or ~window(word, low) & taken:
            continue
        rest = word - TAKE[16 * low + taken]
        if fours == 3:
            fewest = min(fewest, ONES[mask] + i64(feas[FOURS + 4 * base3(rest) + 1]))
            continue
        for second in range(first, 8 * LOWS):
            low2 = second >> 3
            mask2 = JOKER_MASKS[second & 7]
            taken2 = 15 ^ mask2
            used = ONES[mask] + ONES[mask2]
            if used >= fewest or TAKE[16 * low2 + taken2] & shared == 0 or ~window(rest, low2) & taken2:
                continue
            fewest = min(fewest, used + i64(feas[FOURS + 4 * base3(rest - TAKE[16 * low2 + taken2]) + 1]))
    return fewest


@kernel
def _all_fours_with_third_copies(hand, fours, feas):
    """Fewest jokers for three or four fours out of three packs, suits alike allowed."""
    one = two = three = four = IMPOSSIBLE
    for suit in range(4):
        word = suit_word(hand, suit)
        vector = FOURS + 4 * base3(word)
        f1, f2, f3, f4 = i64(feas[vector]), i64(feas[vector + 1]), i64(feas[vector + 2]), i64(feas[vector + 3])
        if third_copies(word):
            for k in range(3, fours + 1):
                fewest = _fours_with_third_copies(word, k, f3 if k == 3 else f4, feas)
                if k == 3:
                    f3 = fewest
                else:
                    f4 = fewest
        four = min(four, three + f1, two + f2, one + f3, f4)
        three = min(three, two + f1, one + f2, f3)
        two = min(two, one + f1, f2)
        one = min(one, f1)
    return three if fours == 3 else four


@kernel
def _search(
    hand,
    ranks,
    jokers,
    key,
    distinct_suits,
    threes,
    fours,
    used_suits,
    fewest,
):
    """Backtracking over the fours; the threes then follow in closed form.

    Args:
        ranks: rank word of the ranks that threes may have.
        fewest: jokers that one and two fours of the whole hand need at least, eight bits each.
    """
    work = stack_array(72, np.int64)
    words, candidates = work[0:4], work[4:48]
    # By depth: number of the candidate, of the joker mask, jokers and rank word before, and the word of the suit taken from.
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
    # A joker in the place of a natural at hand helps only a later four of the same suit, or a three that is full of jokers
    # already, one with the fewest naturals (with any other three the two would change places). Otherwise naturals go first.
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
def can_meet(hand, rules, feas, threes, fours, used_ranks, used_suits):
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
    # Literal arguments would have everything below compiled once more.
    threes, fours, used_ranks, used_suits = i64(threes), i64(fours), i64(used_ranks), i64(used_suits)
    jokers = i64(hand[JOKER])
    distinct_suits = i64(rules["distinct_suits"])
    key = key_of(rules)

    ranks = i64(0)
    if threes:
        for rank in range(13):
            copies = i64(hand[rank]) + i64(hand[13 + rank]) + i64(hand[26 + rank]) + i64(hand[39 + rank])
            ranks += copies << 4 * rank
    # Fewest jokers for one to four fours, suit by suit. With three packs the table may overlook a third copy; see below.
    one = two = three = four = IMPOSSIBLE
    thrice = 0
    for suit in range(4 if fours else 0):
        word = suit_word(hand, suit)
        thrice |= third_copies(word)
        if distinct_suits and used_suits >> suit & 1:
            continue
        f1 = i64(feas[ONE_FOUR + ranks_present(word)])
        if distinct_suits or fours == 1:
            four = min(four, three + f1)
            three = min(three, two + f1)
            two = min(two, one + f1)
            one = min(one, f1)
            continue
        vector = FOURS + 4 * base3(word)
        f2, f3, f4 = i64(feas[vector + 1]), i64(feas[vector + 2]), i64(feas[vector + 3])
        four = min(four, three + f1, two + f2, one + f3, f4)
        three = min(three, two + f1, one + f2, f3)
        two = min(two, one + f1, f2)
        one = min(one, f1)
    in_fours = 0
    if fours:
        in_fours = one if fours == 1 else two if fours == 2 else three if fours == 3 else four
    in_threes = 0
    if threes:
        if key & 32:
            for rank in range(13):
                if used_ranks >> rank & 1:
                    ranks &= ~(15 << 4 * rank)
        in_threes = jokers_for_threes(threes_on_offer(ranks, key), threes)
    if in_threes + in_fours > jokers:
        if thrice == 0 or fours < 3 or distinct_suits:
            return False
        if in_threes + _all_fours_with_third_copies(hand, fours, feas) > jokers:
            return False
    if threes == 0 or fours == 0:
        return True
    # No more than two fours are ever to come after the first.
    return _search(hand, ranks, jokers, key, distinct_suits, threes, fours, used_suits, one | two << 8)
