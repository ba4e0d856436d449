"""How much is there to win over `expert-v1`? Searches, and agents that see hidden cards, in one seat against three of it.

    python -m tests.bench.ceiling --preset jamaican_club

Each agent plays the same deals in all four seats, and `expert-v1` plays them in its place; the difference is what it wins. An
agent that sees hands is a bound for what perfect guesses about hands would be worth; one that sees the stock too, for anything.
What is done is kept, and not played again: stop and start as you like. One process a preset.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from kalooki_env.arena import evaluate
from kalooki_env.arena.report import estimate_text
from kalooki_env.arena.stats import estimate, estimate_of_means
from kalooki_env.cli.common import progress

RESULTS = Path(__file__).parent / "results"
#: Agents, and deals of each number under the presets, for each seed. Slow agents play few. 350 rollouts take about 100 ms.
RUNS = {
    "cheat-all": {"jamaican": 40, "jamaican_club": 40},
    "cheat-hands:rollouts=350": {"jamaican": 4, "jamaican_club": 4},
    "search:rollouts=350": {"jamaican": 8, "jamaican_club": 20},
    "search:rollouts=3500": {"jamaican": 1, "jamaican_club": 1},
}
SEEDS = (31,)
#: Where the first deals left open whether there is a difference.
MORE_SEEDS = {
    ("search:rollouts=350", "jamaican_club"): (31, 32, 33),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", required=True, choices=("jamaican", "jamaican_club"), help="rules")
    parser.add_argument("--only", help="one of the agents")
    parser.add_argument("--table", action="store_true", help="print what is done, and play nothing")
    args = parser.parse_args()
    path = RESULTS / f"ceiling-{args.preset}.json"
    done: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for agent, counts in RUNS.items():
        if args.table or (args.only and args.only != agent):
            continue
        played = done.setdefault(agent, {"deals_per_number": counts[args.preset], "parts": {}})
        for seed in MORE_SEEDS.get((agent, args.preset), SEEDS):
            if str(seed) not in played["parts"]:
                played["parts"][str(seed)] = play(agent, args.preset, counts[args.preset], seed)
                path.write_text(json.dumps(done) + "\n", encoding="utf-8")
    sys.stdout.write(table(args.preset, done))


def play(agent: str, preset: str, deals: int, seed: int) -> dict[str, Any]:
    """One agent on the deals of one seed: what it gains in each, by number of the deal."""
    found = evaluate(
        agent,
        ["expert-v1"],
        rules=preset,
        deals_per_number=deals,
        seed=seed,
        reveal=agent.startswith("cheat"),
        self_play=False,
        bar=lambda tables: progress("tables", tables),
    )
    comparison = found.comparisons[0]
    numbers = comparison.with_agent.deal_set.numbers
    gains = {str(n): [round(float(gain), 2) for gain in comparison.gains[numbers == n]] for n in range(1, 10)}
    return {"seconds": round(found.seconds), "expert_score": comparison.row()["baseline_score"]["mean"], "gains": gains}


def table(preset: str, done: dict[str, Any]) -> str:
    """Rows of a Markdown table: points a deal over `expert-v1`, by number of the deal."""
    lines = [
        f"| `{preset}` | deals | " + " | ".join(map(str, range(1, 10))) + " | all |",
        "|---|---|" + "---|" * 10,
    ]
    for agent, played in done.items():
        parts = played["parts"].values()
        gains = [np.concatenate([part["gains"][str(number)] for part in parts]) for number in range(1, 10)]
        # With one deal of each number, differences between numbers count as noise.
        overall = estimate_of_means(gains) if min(map(len, gains)) > 1 else estimate(np.concatenate(gains))
        estimates = [*map(estimate, gains), overall]
        deals = sum(map(len, gains))
        lines.append(f"| `{agent}` | {deals} | " + " | ".join(map(estimate_text, estimates)) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
