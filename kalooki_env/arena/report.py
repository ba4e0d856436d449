"""An evaluation as text for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kalooki_env.arena.evaluation import Comparison, Evaluation, LineUp
from kalooki_env.arena.stats import CONFIDENCE, Estimate

_COUNTS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 7: "seven", 8: "eight"}
_PERCENT = f"{100 * CONFIDENCE:.0f} %"


def evaluation_text(found: Evaluation) -> str:
    """The whole evaluation."""
    settings = found.settings
    blocks = [
        f"{found.agent}\n"
        f"{settings.rules}, {settings.num_players} players; {deals_words(settings.deals)}, {settings.deals_per_number} deals of "
        f"each number, seats rotated, seed {settings.seed}\n"
        "Scores are points a deal: few are good. A difference above 0 means that the agent is better than the other in the same\n"
        f"seat with the same cards; ± is the {_PERCENT} interval over deals."
    ]
    blocks += [comparison_text(one, settings.num_players) for one in found.comparisons]
    if found.line_up is not None:
        blocks.append(line_up_text(found.line_up))
    if found.self_play is not None:
        blocks.append(self_play_text(found.self_play, found.agent, settings.num_players))
    decisions = sum(one.total_decisions for one in found.line_ups)
    return "\n\n".join(blocks) + f"\n\n{decisions:,} decisions in {found.seconds:.1f} s\n"


def comparison_text(one: Comparison, num_players: int) -> str:
    """One opponent: a line per deal number, and one over all."""
    copies = _COUNTS[num_players - 1] if num_players > 2 else "one"
    title = f"against {copies} {one.opponent}"
    if one.baseline != one.opponent:
        title += f", compared with {one.baseline} in the same seat"
    head = [
        "deal",
        "score",
        "its score" if one.baseline == one.opponent else f"{one.baseline}'s",
        "difference",
        "goes out",
        "opens",
        "ended out",
        "blocked",
    ]
    rows = []
    for row, number in [*((one.row(number), number) for number in one.with_agent.numbers), (one.row(), None)]:
        rows.append(
            [
                str(row["deal"]),
                f"{row['score']['mean']:.1f}",
                f"{row['baseline_score']['mean']:.1f}",
                estimate_text(one.difference(number)),
                percent(row["went_out"]),
                percent(row["opened"]),
                percent(row["ended_by_going_out"]),
                percent(row["blocked"]),
            ]
        )
    return f"{title}\n{columns(head, rows)}\n{verdict_text(one)}"


def verdict_text(one: Comparison) -> str:
    """What the comparison says, in a sentence."""
    found = one.difference()
    if one.agent == one.baseline:
        return f"{one.agent} is compared with itself here: no difference by construction"
    interval = f"({_PERCENT} interval {interval_text(found)}; {found.count} deals)"
    if not abs(found.mean) > found.half_width:
        return f"no difference between {one.agent} and {one.baseline} is shown: {found.mean:+.1f} points a deal {interval}"
    word = "better" if found.mean > 0 else "worse"
    return f"{one.agent} is {abs(found.mean):.1f} points a deal {word} than {one.baseline} {interval}"


def line_up_text(found: LineUp) -> str:
    """One agent per seat: scores of each, and differences of all pairs."""
    played = found.played
    head = ["deal", *played.scores, "ended out", "blocked"]
    rows = []
    for row in [*(found.row(number) for number in played.numbers), found.row()]:
        scores = [f"{facts['score']['mean']:.1f}" for facts in row["agents"].values()]
        rows.append([str(row["deal"]), *scores, percent(row["ended_by_going_out"]), percent(row["blocked"])])
    lines = [f"line-up {', '.join(played.line_up)}, in all rotations", columns(head, rows)]
    lines += [f"{one} is better than {other} by {estimate_text(gain)}" for (one, other), gain in found.differences().items()]
    return "\n".join(lines)


def self_play_text(found: LineUp, agent: str, num_players: int) -> str:
    """How deals end among copies of one agent."""
    played = found.played
    head = ["deal", "score", "opens", "turns", "ended out", "blocked"]
    rows = []
    for row in [*(found.row(number) for number in played.numbers), found.row()]:
        facts = row["agents"][agent]
        shares = [percent(row["ended_by_going_out"]), percent(row["blocked"])]
        rows.append([str(row["deal"]), f"{facts['score']['mean']:.1f}", percent(facts["opened"]), f"{row['turns']:.1f}", *shares])
    out = found.row()["ended_by_going_out"]
    sentence = f"{_COUNTS[num_players]} copies of {agent} end {percent(out)} of {deals_words(played.numbers)} by going out"
    return f"self-play\n{columns(head, rows)}\n{sentence}"


def deals_words(deals: Sequence[int]) -> str:
    """Numbers of deals as words: "deal 1", "deals 1 and 5", "deals 1 to 9"."""
    numbers = [str(deal) for deal in deals]
    if len(numbers) == 1:
        return f"deal {numbers[0]}"
    if len(numbers) > 2 and list(deals) == list(range(deals[0], deals[-1] + 1)):
        return f"deals {numbers[0]} to {numbers[-1]}"
    return f"deals {', '.join(numbers[:-1])} and {numbers[-1]}"


def percent(share: float) -> str:
    """A share of 1 as a percentage, with 100 and 0 only where they are exact."""
    text = f"{100 * share:.1f} %"
    if text == "0.0 %" and share > 0:
        return "<0.1 %"
    return ">99.9 %" if text == "100.0 %" and share < 1 else text


def estimate_text(found: Estimate) -> str:
    """A mean and its interval: `+12.3 ± 1.2`."""
    return f"{found.mean:+.1f} ± {found.half_width:.1f}" if math.isfinite(found.half_width) else f"{found.mean:+.1f}"


def interval_text(found: Estimate) -> str:
    """The two ends of an interval."""
    if not math.isfinite(found.half_width):
        return "unknown"
    return f"{found.mean - found.half_width:+.1f} to {found.mean + found.half_width:+.1f}"


def columns(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table of right-aligned columns."""
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    return "\n".join(
        "  " + "  ".join(str(cell).rjust(width) for cell, width in zip(row, widths, strict=True)) for row in [head, *rows]
    )
