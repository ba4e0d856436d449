"""The most cards of a hand that fours alone can take, from the curves of its suits (`tables`).

A curve is one number here: its value without jokers in the low byte, the steps above it. In a *row* a suit's curves for 0, 1, ...
fours follow each other. Whatever reads a table or a hand is widened to int64, and so are literal arguments: Numba would compile a
callee once more for each literal.
"""

from __future__ import annotations

import numpy as np

from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver.tables import (
    BYTE_ONES,
    CURVES,
    FOUR_CURVES,
    JOKER_MASKS,
    LOWS,
    MAX_JOKERS,
    ONE_CURVE,
    ONES,
    SPREADS,
    SPREADS_FROM,
    TAKE,
)
from kalooki_env.core.solver.words import base3, ranks_present, third_copies, window

_VALUES = MAX_JOKERS + 1  # of a curve


@kernel
def _curve(number, dist):
    return i64(dist[CURVES + 2 * number]) | i64(dist[CURVES + 2 * number + 1]) << 8


@kernel
def _curve_with_third_copies(word, fours, curve, jokers, dist):
    """Curve of three or four fours of one suit that has three copies of some cards, up to so many jokers.

    Two fours cannot use a third copy, and the table knows two. So `curve`, which the table gives, is right unless three fours
    take the same card: then all but two of the fours that take it are laid here in all ways.
    """
    best = stack_array(_VALUES, np.int64)
    for j in range(jokers + 1):
        best[j] = (curve & 255) + BYTE_ONES[curve >> 8 & ((1 << j) - 1)]
    thrice = third_copies(word)
    for first in range(8 * LOWS):
        low = first >> 3
        mask = JOKER_MASKS[first & 7]
        taken = window(word, low) & ~mask
        shared = TAKE[16 * low + taken] & thrice
        if ONES[mask] > jokers or shared == 0:
            continue
        rest = word - TAKE[16 * low + taken]
        if fours == 3:
            curve = _curve(dist[FOUR_CURVES + 4 * base3(rest) + 1], dist)
            value = ONES[taken] + ONES[mask] + (curve & 255)
            for j in range(ONES[mask], jokers + 1):
                best[j] = max(best[j], value + BYTE_ONES[curve >> 8 & ((1 << j - ONES[mask]) - 1)])
            continue
        for second in range(first, 8 * LOWS):
            low2 = second >> 3
            mask2 = JOKER_MASKS[second & 7]
            taken2 = window(rest, low2) & ~mask2
            used = ONES[mask] + ONES[mask2]
            if used > jokers or TAKE[16 * low2 + taken2] & shared == 0:
                continue
            curve = _curve(dist[FOUR_CURVES + 4 * base3(rest - TAKE[16 * low2 + taken2]) + 1], dist)
            value = ONES[taken] + ONES[taken2] + used + (curve & 255)
            for j in range(used, jokers + 1):
                best[j] = max(best[j], value + BYTE_ONES[curve >> 8 & ((1 << j - used) - 1)])
    result = best[0]
    for j in range(jokers):
        result |= (best[j + 1] - best[j]) << 8 + j
    return result


@kernel
def load_row(rows, at, word, fours, distinct_suits, jokers, dist):
    """Write a suit's curves for 0 to `fours` fours (only 0 and 1 under distinct suits) to `rows[at:]`."""
    rows[at] = 0
    if distinct_suits or fours == 1:
        rows[at + 1] = _curve(dist[ONE_CURVE + ranks_present(word)], dist)
        return
    numbers = FOUR_CURVES + 4 * base3(word)
    for k in range(1, fours + 1):
        curve = _curve(dist[numbers + k - 1], dist)
        if k >= 3 and third_copies(word) and curve & 255 < 4 * k:
            curve = _curve_with_third_copies(word, k, curve, jokers, dist)
        rows[at + k] = curve


@kernel
def _split_jokers(a, b, c, d, jokers):
    """The most cards that four curves give with so many jokers shared among them."""
    best = 0
    for i in range(jokers + 1):
        for j in range(jokers + 1 - i):
            for k in range(jokers + 1 - i - j):
                value = (
                    BYTE_ONES[a >> 8 & ((1 << i) - 1)]
                    + BYTE_ONES[b >> 8 & ((1 << j) - 1)]
                    + BYTE_ONES[c >> 8 & ((1 << k) - 1)]
                    + BYTE_ONES[d >> 8 & ((1 << jokers - i - j - k) - 1)]
                )
                best = max(best, value)
    return best + (a & 255) + (b & 255) + (c & 255) + (d & 255)


@kernel
def most_in_fours(rows, at, fours, distinct_suits, jokers, beat):
    """The most cards, jokers included, that so many fours take from a hand; `beat` if it is not more than that.

    Args:
        rows: rows of `load_row`.
        at: where the rows of the four suits are: 12 bits a suit.
        fours: how many fours.
        distinct_suits: whether each suit may hold one only (J7.4).
        jokers: jokers that may be used.
        beat: a value from which on the answer matters.
    """
    r0, r1, r2, r3 = at & 4095, at >> 12 & 4095, at >> 24 & 4095, at >> 36 & 4095
    steps = (1 << jokers) - 1
    spreads = fours + 5 * distinct_suits
    for i in range(SPREADS_FROM[spreads], SPREADS_FROM[spreads + 1]):
        spread = SPREADS[i]
        a, b, c, d = (
            rows[r0 + (spread & 15)],
            rows[r1 + (spread >> 4 & 15)],
            rows[r2 + (spread >> 8 & 15)],
            rows[r3 + (spread >> 12)],
        )
        value = (a & 255) + (b & 255) + (c & 255) + (d & 255)
        if jokers:
            sa, sb, sc, sd = a >> 8 & steps, b >> 8 & steps, c >> 8 & steps, d >> 8 & steps
            value += min(jokers, BYTE_ONES[sa] + BYTE_ONES[sb] + BYTE_ONES[sc] + BYTE_ONES[sd])
            # Where a joker adds nothing but a later one does, the sum is only a bound.
            if value > beat and (sa & (sa + 1) or sb & (sb + 1) or sc & (sc + 1) or sd & (sd + 1)):
                value = _split_jokers(a, b, c, d, jokers)
        beat = max(beat, value)
    return beat
