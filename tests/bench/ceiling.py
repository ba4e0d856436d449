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

from kalooki_env.arena import evaluate
from kalooki_env.arena.report import estimate_text
from kalooki_env.arena.stats import Estimate
from kalooki_env.cli.common import progress

RESULTS = Path(__file__).parent / "results"
#: Agents, and deals of each number under the presets. Slow agents play few. 350 rollouts take about 100 ms.
RUNS = {
    "cheat-all": {"jamaican": 40, "jamaican_club": 40},
    "cheat-hands:rollouts=350": {"jamaican": 4, "jamaican_club": 4},
    "search:rollouts=350": {"jamaican": 8, "jamaican_club": 20},
    "search:rollouts=3500": {"jamaican": 1, "jamaican_club": 2},
}
SEED = 31


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", required=True, choices=("jamaican", "jamaican_club"), help="rules")
    parser.add_argument("--only", help="one of the agents")
    parser.add_argument("--table", action="store_true", help="print what is done, and play nothing")
    args = parser.parse_args()
    path = RESULTS / f"ceiling-{args.preset}.json"
    done: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for agent, counts in RUNS.items():
        deals = counts[args.preset]
        if args.table or (args.only and args.only != agent) or done.get(agent, {}).get("deals_per_number") == deals:
            continue
        found = evaluate(
            agent,
            ["expert-v1"],
            rules=args.preset,
            deals_per_number=deals,
            seed=SEED,
            reveal=agent.startswith("cheat"),
            self_play=False,
            bar=lambda tables: progress("tables", tables),
        )
        comparison = found.comparisons[0]
        done[agent] = {
            "deals_per_number": deals,
            "seed": SEED,
            "seconds": round(found.seconds),
            "difference": {str(number or "all"): comparison.difference(number).as_dict() for number in [*range(1, 10), None]},
            "expert_score": comparison.row()["baseline_score"]["mean"],
            "gains": [round(float(gain), 2) for gain in comparison.gains],
        }
        path.write_text(json.dumps(done) + "\n", encoding="utf-8")
    sys.stdout.write(table(args.preset, done))


def table(preset: str, done: dict[str, Any]) -> str:
    """Rows of a Markdown table: points a deal over `expert-v1`, by number of the deal."""
    lines = [
        f"| `{preset}` | deals | " + " | ".join(map(str, range(1, 10))) + " | all |",
        "|---|---|" + "---|" * 10,
    ]
    for agent in RUNS:
        if agent in done:
            cells = []
            for key in [*map(str, range(1, 10)), "all"]:
                one = done[agent]["difference"][key]
                cells.append(estimate_text(Estimate(one["mean"], one["high"] - one["mean"], one["count"])))
            lines.append(f"| `{agent}` | {9 * done[agent]['deals_per_number']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
