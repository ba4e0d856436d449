"""How much better are the experts than greedy play? `python -m tests.bench.experts [--deals 2000]`.

One seat among three of the opponent, the same deals in all rotations of the seats, compared with the opponent in that seat.
Beside the agents of the package stand a plain greedy bot, which does not count the cards that a discard leaves helpful, and
`expert-v2` with greedy's answers to calls. What is done is kept, in `tests/bench/results/experts.json.gz`, and not played again.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import agents
from kalooki_env.agents.base import Agent
from kalooki_env.agents.scripted import GreedyAgent
from kalooki_env.arena import evaluate
from kalooki_env.arena.report import estimate_text
from kalooki_env.arena.stats import estimate, estimate_of_means
from kalooki_env.cli.common import progress
from kalooki_env.core.actions import DISCARD
from kalooki_env.core.compiled import i64, kernel
from kalooki_env.core.layout import ANSWER, CARDS, JOKER, PLAY
from kalooki_env.core.memory import stack_array
from kalooki_env.core.solver import distances_after_discard
from kalooki_env.game.engine import Engine

RESULTS = Path(__file__).parent / "results" / "experts.json.gz"
PRESETS = ("jamaican", "jamaican_club")
#: Agents, and opponents that they are compared with.
PAIRS = (
    ("expert-v1", "greedy"),
    ("expert-v2", "greedy"),
    ("tests.bench.experts:ExpertV2WithGreedyAnswers", "greedy"),
    ("expert-v1", "tests.bench.experts:PlainGreedy"),
    ("expert-v2", "tests.bench.experts:PlainGreedy"),
    ("tests.bench.experts:ExpertV2WithGreedyAnswers", "tests.bench.experts:PlainGreedy"),
    ("expert-v2", "expert-v1"),
)


@kernel
def drop_dearest(views, masks, rules, feas, dist, actions):
    """Discards before opening: the dearest card of those that keep the contract distance smallest, in place of others."""
    r = rules[0]
    after = stack_array(CARDS, np.int8)
    for i in range(views.shape[0]):
        v = views[i]
        if v["phase"] != PLAY or i64(v["opened"][i64(v["observer"])]) or actions[i] >= DISCARD + JOKER:
            continue
        deal = i64(v["deal"]) - 1
        distances_after_discard(v["hand"][:], r, feas, dist, i64(r["threes"][deal]), i64(r["fours"][deal]), after)
        best = i64(-1)
        for card in range(JOKER):
            if masks[i, DISCARD + card] and after[card] >= 0:
                nearer = best < 0 or after[card] < after[best]
                if nearer or (after[card] == after[best] and r["points"][card] > r["points"][best]):
                    best = card
        actions[i] = DISCARD + best


class PlainGreedy(GreedyAgent):
    """`greedy`, but of the discards that keep the contract distance smallest it takes the dearest at once."""

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        actions = super().act(observations, masks, rng)
        drop_dearest(observations, masks, self._engine.record, self._engine.feas, self._engine.dist, actions)
        return actions


class ExpertV2WithGreedyAnswers(Agent):
    """`expert-v2`, which answers calls as `greedy` does."""

    observation = None

    def __init__(self) -> None:
        self._expert, self._greedy = agents.load("expert-v2"), agents.load("greedy")

    def begin(self, engine: Engine) -> None:
        self._expert.begin(engine)
        self._greedy.begin(engine)

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        answers = observations["phase"] == ANSWER
        return np.where(answers, self._greedy.act(observations, masks, rng), self._expert.act(observations, masks, rng))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=2000, help="deals of each number (default: 2000)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--table", action="store_true", help="print what is done, and play nothing")
    args = parser.parse_args()
    done: dict[str, Any] = json.loads(gzip.decompress(RESULTS.read_bytes())) if RESULTS.exists() else {}
    for preset in PRESETS:
        for agent, opponent in PAIRS:
            name = f"{preset}: {short(agent)} against {short(opponent)}"
            if not args.table and name not in done:
                done[name] = play(preset, agent, opponent, args.deals, args.jobs)
                RESULTS.write_bytes(gzip.compress(as_text(done).encode(), mtime=0))
    for name, found in done.items():
        groups = [np.array(gains) for gains in found["gains"].values()]
        others = estimate_of_means([np.array(gains) for gains in found["others"].values()])
        cells = [*map(estimate_text, map(estimate, groups)), estimate_text(estimate_of_means(groups)), estimate_text(others)]
        sys.stdout.write(f"| {name} | " + " | ".join(cells) + " |\n")


def play(preset: str, agent: str, opponent: str, deals: int, jobs: int) -> dict[str, Any]:
    """Points that the agent's seat gains in each deal, and each of the others on average, by the deal's number."""
    found = evaluate(
        agent,
        [opponent],
        rules=preset,
        deals=deals,
        seed=41,
        self_play=False,
        jobs=jobs,
        bar=lambda tables: progress(f"tables, {preset}, {short(agent)} against {short(opponent)}", tables),
    )
    comparison = found.comparisons[0]
    numbers = comparison.with_agent.deal_set.numbers
    others = comparison.with_baseline.scores[comparison.baseline] - comparison.with_agent.scores[comparison.opponent]

    def by_number(gains: NDArray[np.float64]) -> dict[str, list[float]]:
        return {str(n): [round(float(gain), 2) for gain in gains[numbers == n]] for n in range(1, 10)}

    return {"deals_per_number": deals, "gains": by_number(comparison.gains), "others": by_number(others)}


def short(agent: str) -> str:
    """The name without its module."""
    return agent.rpartition(":")[2]


def as_text(done: dict[str, Any]) -> str:
    """JSON with a line a comparison."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in done.items()) + "\n}\n"


if __name__ == "__main__":
    main()
