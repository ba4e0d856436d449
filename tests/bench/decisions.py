"""Time of one decision of the scripted bots: `python -m tests.bench.decisions [deals of each number]`.

Deals of all numbers among four copies; each decision with a choice is timed by itself, the best of three tries. Printed are mean,
median, 99th percentile and maximum in microseconds, about two of which are the call from Python.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from kalooki_env import agents, core
from kalooki_env.arena.chunks import DealSet
from kalooki_env.arena.tables import deal_lanes
from kalooki_env.game.engine import engine
from kalooki_env.rules import Rules


def times(name: str, preset: str, deals: int) -> np.ndarray:
    """Microseconds of each decision."""
    table = engine(Rules.parse(preset), 4)
    agent = agents.load(name)
    agent.begin(table)
    chosen = DealSet.make(table, range(1, 10), deals, seed=1)
    states = deal_lanes(table, chosen.numbers, chosen.dealers, chosen.seeds)
    rng = np.random.default_rng(0)
    masks = np.zeros((1, table.num_actions), np.int8)
    views = np.zeros(1, core.VIEW)
    codes = np.zeros(1, np.uint8)
    lane = np.zeros(1, np.int64)
    found = []
    for i in range(len(states)):
        state = states[i : i + 1]
        while state[0]["phase"] != core.Phase.OVER:
            core.mask_lanes(state, table.record, table.feas, masks)
            actions = masks.argmax(axis=1)
            if masks.sum() > 1:
                core.views_of_lanes(state, table.record, lane, state["actor"].astype(np.int64), views)
                best = np.inf
                for _ in range(3):
                    began = time.perf_counter()
                    actions = agent.act(views, masks, rng)
                    best = min(best, time.perf_counter() - began)
                found.append(1e6 * best)
            core.step_lanes(state, table.record, table.feas, actions, codes)
    return np.array(found)


def main() -> None:
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print(f"{'agent':10s} {'rules':14s} decisions    mean  median     99 %      max  microseconds")
    for name in ("greedy", "expert-v1", "expert-v2"):
        for preset in ("jamaican", "jamaican_club"):
            found = times(name, preset, deals)
            quantiles = np.quantile(found, [0.5, 0.99, 1.0])
            cells = "  ".join(f"{value:7.1f}" for value in (found.mean(), *quantiles))
            print(f"{name:10s} {preset:14s} {len(found):9,d} {cells}")


if __name__ == "__main__":
    main()
