"""Times of the contract solver, per contract and combination of rules keys: `python tests/bench/solver.py [hands]`.

Each hand is timed by itself, the best of three tries; printed are the median and the 99th percentile over random hands of 10 to
20 cards, in microseconds, for: can_meet, contract_distance, distances_after_discard, lowering_cards.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # works from a checkout that is not installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from test_solver import ALL_KEYS, CONTRACTS, random_hand, rules_of

from kalooki_env.core.compiled import kernel
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver import (
    can_meet,
    contract_distance,
    distance_table,
    distances_after_discard,
    feasibility_table,
    lowering_cards,
)


@kernel
def repeat_can_meet(
    hand: Any, rules: Any, feas: Any, dist: Any, t: int, f: int, d: int, times: int, out: Any, small: Any
) -> None:
    """One hand (uint8[1, 53]) so many times; like the three below."""
    for _ in range(times):
        out[0] += can_meet(hand[0], rules[0], feas, t, f, 0, 0)


@kernel
def repeat_distance(
    hand: Any, rules: Any, feas: Any, dist: Any, t: int, f: int, d: int, times: int, out: Any, small: Any
) -> None:
    for _ in range(times):
        out[0] += contract_distance(hand[0], rules[0], feas, dist, t, f)


@kernel
def repeat_discards(
    hand: Any, rules: Any, feas: Any, dist: Any, t: int, f: int, d: int, times: int, out: Any, small: Any
) -> None:
    for _ in range(times):
        distances_after_discard(hand[0], rules[0], feas, dist, t, f, small)


@kernel
def repeat_lowering(
    hand: Any, rules: Any, feas: Any, dist: Any, t: int, f: int, d: int, times: int, out: Any, small: Any
) -> None:
    everything = stack_array(53, np.uint8)
    everything[:] = 1
    for _ in range(times):
        lowering_cards(hand[0], rules[0], feas, dist, t, f, d, everything, out)


def microseconds(run: Callable[..., None], cases: list[tuple[Any, ...]], times: int) -> str:
    """Median and 99th percentile over hands."""
    out, small = np.zeros(53, np.uint8), np.zeros(53, np.int8)
    best = []
    for case in cases:
        tries = []
        for _ in range(3):
            start = time.perf_counter_ns()
            run(*case, times, out, small)
            tries.append(time.perf_counter_ns() - start)
        best.append(min(tries) / times / 1000)
    return f"{np.median(best):6.2f} {np.percentile(best, 99):6.2f}"


def main(count: int) -> None:
    """Print one table per combination of keys, and again for hands with four jokers."""
    feas, dist = feasibility_table(), distance_table()
    rng = random.Random(1)
    for keys in ALL_KEYS:
        for jokers in (None, 4):
            hands = np.array([random_hand(rng, keys.packs, rng.randint(10, 20)) for _ in range(count)], np.uint8)
            if jokers is not None:
                hands[:, 52] = jokers
            print(f"{keys}{'' if jokers is None else f', {jokers} jokers'}")
            print("        can_meet       distance       discards       lowering")
            for t, f in CONTRACTS:
                cases = []
                for hand in hands:
                    out = np.zeros(53, np.int64)
                    case = (hand[None], rules_of(keys), feas, dist, t, f)
                    repeat_distance(*case, 0, 1, out, np.zeros(53, np.int8))
                    cases.append((*case, int(out[0])))
                kinds = ((repeat_can_meet, 50), (repeat_distance, 20), (repeat_discards, 4), (repeat_lowering, 4))
                print(f"  {t}+{f} " + "  ".join(microseconds(run, cases, times) for run, times in kinds), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
