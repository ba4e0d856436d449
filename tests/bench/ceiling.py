"""How much is there to win over `expert-v1`? Searches, and agents that see hidden cards, in one seat against three of it.

    python -m tests.bench.ceiling --preset jamaican_club

Each agent plays a deal in all four seats, and `expert-v1` plays it in its place. What it wins is told in two ways: by the
scores, and by its advantages. Wherever it does otherwise than `expert-v1`, both actions are played out from the real position
by four `expert-v1`, many times, each time with the stock in another order; the sum of these differences has the same mean as
the difference of the scores (what a policy wins over another is the sum of its advantages along its own play: Kakade and
Langford 2002; as an estimate with less luck in it: Zinkevich et al. 2006), since nobody at the table knows the order of the
stock, and some ten times less variance. For an agent that does know it there are scores only.

An agent that sees hands is a bound for what perfect guesses about hands are worth; one that sees the stock too, for anything.
What is done is kept, and not played again: stop and start as you like. One process a preset.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from kalooki_env import agents, core
from kalooki_env.agents.search import CheatAll, CheatHands
from kalooki_env.arena.report import estimate_text
from kalooki_env.arena.stats import Estimate, estimate, estimate_of_means
from kalooki_env.cli.common import progress
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.game import Game
from kalooki_env.rules import Rules
from tests.bench.judge import Judge

RESULTS = Path(__file__).parent / "results"
#: Agents, and rounds of nine deals, one of each number, that they play under the presets. Slow agents play few, the same ones.
RUNS = {
    "expert-v2": {"jamaican": 12, "jamaican_club": 12},
    "search:rollouts=350": {"jamaican": 12, "jamaican_club": 12},
    "search:rollouts=1000": {"jamaican": 6, "jamaican_club": 12},
    "search:rollouts=3500": {"jamaican": 2, "jamaican_club": 6},
    "search:bot=expert-v2,rollouts=350": {"jamaican": 2, "jamaican_club": 6},
    "cheat-hands:rollouts=350": {"jamaican": 4, "jamaican_club": 4},
    "cheat-all": {"jamaican": 40, "jamaican_club": 40},
}
SEATS = 4
#: Orders of the stock in which two actions are played out.
ORDERS = 60
#: Deals of a number before their mean has an interval of its own: one from two or three says nothing.
FEWEST = 4


class Table:
    """An agent in one seat, `expert-v1` in the others."""

    def __init__(self, preset: str, agent: str) -> None:
        self.preset = preset
        self.engine: Engine = engine(Rules.parse(preset), SEATS)
        self.agent = agents.load(agent)
        self.agent.begin(self.engine)
        self.expert = agents.load("expert-v1")
        self.expert.begin(self.engine)
        self.judge = Judge(self.engine)
        self.masks = np.zeros((1, self.engine.num_actions), np.int8)
        self.views = np.zeros(1, core.VIEW)

    def play(self, deal: int, seed: int) -> dict[str, Any]:
        """A deal with the agent in each seat, compared with `expert-v1` in all of them; means over the seats."""
        rng = np.random.default_rng([seed, deal])
        self.judge.seed(int(rng.integers(2**63, size=1, dtype=np.uint64)[0]))
        without = Game(self.preset, SEATS, deal=deal, seed=100 * seed + deal)
        self.finish(without, None, rng)
        gains, advantages, times = [], [], []
        for seat in range(SEATS):
            game = Game(self.preset, SEATS, deal=deal, seed=100 * seed + deal)
            found, seconds = self.finish(game, seat, rng)
            gains.append(int(without.states[0]["scores"][seat]) - int(game.states[0]["scores"][seat]))
            advantages.append(found)
            times += seconds
        known = not isinstance(self.agent, CheatAll)
        return {
            "deal": deal,
            "seed": seed,
            "gain": float(np.mean(gains)),
            "advantage": round(float(np.mean([sum(found) for found in advantages])), 3) if known else None,
            "deviations": float(np.mean([len(found) for found in advantages])),
            "decisions": len(times),
            "seconds": round(sum(times), 2),
        }

    def finish(self, game: Game, seat: int | None, rng: np.random.Generator) -> tuple[list[float], list[float]]:
        """Play a deal to its end; the agent's advantages where it did otherwise, and seconds of its decisions with a choice."""
        advantages, times = [], []
        while game.to_move is not None:
            self.masks[0] = game.mask()
            lane, mover = np.zeros(1, np.int64), np.array([game.to_move])
            core.views_of_lanes(game.states, self.engine.record, lane, mover, self.views)
            usual = int(self.expert.act(self.views, self.masks, rng)[0])
            if game.to_move == seat and self.masks.sum() > 1:
                began = time.perf_counter()
                if isinstance(self.agent, CheatHands):
                    action = int(self.agent.act_on_positions(game.states.copy(), self.views, self.masks, rng)[0])
                else:
                    action = int(self.agent.act(self.views, self.masks, rng)[0])
                times.append(time.perf_counter() - began)
                if action != usual:
                    advantages.append(0.0 if isinstance(self.agent, CheatAll) else self.advantage(game, usual, action))
                    usual = action
            game.do(usual)
        return advantages, times

    def advantage(self, game: Game, usual: int, action: int) -> float:
        """Points by which an action is better than the expert's, with all hands as they are, over orders of the stock."""
        gains, _ = self.judge.real(game.states, self.views, np.array([usual, action]), ORDERS)
        return float(gains[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", required=True, choices=("jamaican", "jamaican_club"), help="rules")
    parser.add_argument("--only", nargs="+", default=list(RUNS), metavar="AGENT", help="some of the agents, in this order")
    parser.add_argument("--table", action="store_true", help="print what is done, and play nothing")
    args = parser.parse_args()
    path = RESULTS / f"ceiling-{args.preset}.json"
    done: dict[str, list[dict[str, Any]]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for agent in [] if args.table else args.only:
        played = done.setdefault(agent, [])
        known = {(one["deal"], one["seed"]) for one in played}
        left = [(n, k) for k in range(RUNS[agent][args.preset]) for n in range(1, 10) if (n, k) not in known]
        table = Table(args.preset, agent)
        with progress(f"deals of {agent}", len(left)) as advance:
            for number, seed in left:
                played.append(table.play(number, seed))
                path.write_text(as_text(done), encoding="utf-8")
                advance(1)
    sys.stdout.write(table_text(args.preset, done) + budgets_text(done))


def as_text(done: dict[str, list[dict[str, Any]]]) -> str:
    """JSON with a line a deal."""
    blocks = [f'"{agent}": [\n' + ",\n".join(map(json.dumps, deals)) + "\n]" for agent, deals in done.items()]
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def table_text(preset: str, done: dict[str, list[dict[str, Any]]]) -> str:
    """Rows of a Markdown table: points a deal over `expert-v1`, by number of the deal, by advantages where they are known."""
    lines = [
        f"| `{preset}` | ms | deals | " + " | ".join(map(str, range(1, 10))) + " | all | all, by scores |",
        "|---|---|---|" + "---|" * 11,
    ]
    for agent in RUNS:
        deals = done.get(agent)
        if not deals:
            continue
        key = "gain" if deals[0]["advantage"] is None else "advantage"
        milliseconds = 1000 * sum(one["seconds"] for one in deals) / sum(one["decisions"] for one in deals)
        by_number = [np.array([one[key] for one in deals if one["deal"] == n]) for n in range(1, 10)]
        cells = [estimate_text(estimate(found)) if len(found) >= FEWEST else f"{found.mean():+.1f}" for found in by_number]
        texts = [*cells, estimate_text(overall(deals, key)), estimate_text(overall(deals, "gain"))]
        lines.append(f"| `{agent}` | {milliseconds:.0f} | {len(deals)} | " + " | ".join(texts) + " |")
    return "\n".join(lines) + "\n"


def budgets_text(done: dict[str, list[dict[str, Any]]]) -> str:
    """What searches gain by more rollouts, by advantages on the deals that both have played."""
    lines = []
    searches = sorted(
        (agent for agent in done if agent.startswith("search:rollouts")), key=lambda agent: int(agent.partition("=")[2])
    )
    for less, more in itertools.combinations(searches, 2):
        before = {(one["deal"], one["seed"]): one["advantage"] for one in done[less]}
        both = [one for one in done[more] if (one["deal"], one["seed"]) in before]
        if len(both) > 1:
            gains = np.array([one["advantage"] - before[one["deal"], one["seed"]] for one in both])
            lines.append(f"`{more}` over `{less}`, {len(both)} deals: {estimate_text(estimate(gains))}\n")
    return "".join(lines)


def overall(deals: list[dict[str, Any]], key: str) -> Estimate:
    """Mean over all deals; the numbers count alike."""
    groups = [np.array([one[key] for one in deals if one["deal"] == n]) for n in range(1, 10)]
    return estimate_of_means(groups) if min(map(len, groups)) >= FEWEST else estimate(np.concatenate(groups))


if __name__ == "__main__":
    main()
