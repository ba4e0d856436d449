"""Where does a search do otherwise than `expert-v1`? It shows what the next expert should know.

    python -m tests.bench.deviations --preset jamaican_club --minutes 5 --show 10

Deals among four experts; at one decision in four each candidate is played on in so many imagined positions. Where another action
than the expert's looks better, the two are played on once more in fresh positions, since the best of many is partly luck. Printed
are, by phase and action, how often that was so, the gain on second sight, and what it comes to for a seat in a deal if every
decision were looked at; and with `--show` the positions with the largest gains.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np

from kalooki_env import agents, core
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules
from tests.bench.judge import Judge

#: Share of the decisions that are looked at, positions imagined for each, and standard errors by which another action must lead.
SHARE, WORLDS, LEAD = 0.25, 160, 1.5


class Deviation(NamedTuple):
    """A decision at which another action looks better than the expert's."""

    phase: str
    opened: bool
    action: str
    instead_of: str
    gain: float
    position: str


def look(table: Engine, seconds: float, seed: int) -> tuple[int, list[Deviation]]:
    """Deals played, and what was found."""
    judge = Judge(table, seed)
    expert = agents.load("expert-v1")
    expert.begin(table)
    rng = np.random.default_rng(seed)
    masks, views = np.zeros((1, table.num_actions), np.int8), np.zeros(1, core.VIEW)
    found: list[Deviation] = []
    deals, began = 0, time.monotonic()
    while time.monotonic() - began < seconds:
        game = Game(str(table.rules), table.num_players, deal=deals % 9 + 1, seed=seed * 10**6 + deals)
        deals += 1
        while game.to_move is not None:
            masks[0] = game.mask()
            core.views_of_lanes(game.states, table.record, np.zeros(1, np.int64), np.array([game.to_move]), views)
            action = int(expert.act(views, masks, rng)[0])
            actions = judge.candidates(views, masks) if rng.random() < SHARE and masks.sum() > 1 else np.zeros(1, np.int64)
            if len(actions) > 1:
                mean, error = judge.imagined(game.states, views, actions, WORLDS)
                best = int(mean.argmax())
                if mean[best] > LEAD * error[best]:
                    again, _ = judge.imagined(game.states, views, actions[[0, best]], WORLDS)
                    found.append(
                        Deviation(
                            game.phase.name.lower(),
                            bool(game.states[0]["opened"][game.to_move]),
                            game.action_text(int(actions[best])),
                            game.action_text(action),
                            float(again[1]),
                            game.text(),
                        )
                    )
            game.do(action)
    return deals, found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", default="jamaican_club", help="rules (default: jamaican_club)")
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to look (default: 5)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=0, metavar="N", help="positions to print")
    args = parser.parse_args()
    table = engine(Rules.parse(args.preset), 4)
    deals, found = look(table, 60 * args.minutes, args.seed)
    kinds: dict[tuple[Any, ...], list[float]] = defaultdict(list)
    for one in found:
        kinds[one.phase, "opened" if one.opened else "", one.action.split()[0]].append(one.gain)
    seats = SHARE * deals * table.num_players
    print(f"{deals} deals\n{'phase':8s} {'':8s} {'action':10s} times   gain  points a deal")
    for kind, gains in sorted(kinds.items(), key=lambda item: -sum(item[1])):
        print(f"{kind[0]:8s} {kind[1]:8s} {kind[2]:10s} {len(gains):5d} {np.mean(gains):+6.1f} {sum(gains) / seats:+6.2f}")
    for one in sorted(found, key=lambda one: -one.gain)[: args.show]:
        print(f"\n{one.gain:+.1f}: {one.action} instead of {one.instead_of}\n{one.position}", end="")


if __name__ == "__main__":
    main()
