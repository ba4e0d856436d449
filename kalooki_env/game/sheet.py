"""The score sheet of a match as players write it: a line for each deal, with scores and running totals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from kalooki_env.game.cards import seat_name
from kalooki_env.game.match_score import DealKind, MatchOutcome, MatchScore, ScoredDeal
from kalooki_env.rules import Rules


def contract_words(rules: Rules, number: int) -> str:
    """What a deal asks for: `3 threes`, `2 threes, 1 four`, or in Kaluki `51 points`."""
    if rules.game == "kaluki":
        return f"{rules.opening_points} points"
    contract = rules.contract(number)
    pairs = ((contract.threes, "three"), (contract.fours, "four"))
    return ", ".join(f"{count} {name}{'s' * (count > 1)}" for count, name in pairs if count)


def chips_text(chips: Fraction | int) -> str:
    """Chips won or paid: `+3`, `-1`, `0`, `+2 2/3`."""
    sign = "+" if chips > 0 else "-" if chips < 0 else ""
    whole, rest = divmod(abs(Fraction(chips)), 1)
    return sign + " ".join(str(part) for part in (whole, rest) if part) if chips else "0"


def sheet_text(score: MatchScore, names: Sequence[str] | None = None) -> str:
    """The sheet: deals with their contracts, dealers and who went out, scores and totals, what decided ties, stakes, the end.

    Args:
        score: the score.
        names: names of the players, seat by seat; default: P1, P2 and so on alone.
    """
    seats = range(score.num_players)
    heads = [seat_name(seat) + ("" if names is None else f" {names[seat]}") for seat in seats]
    lines = [f"{score.rules}, {score.num_players} players" + _end_words(score)]
    for match in dict.fromkeys(scored.deal.match for scored in score.deals):
        chosen = [scored for scored in score.deals if scored.deal.match == match]
        if score.rules.series == "best_of_3":
            lines += ["", f"match {match}" if match else "the series is tied"]
        lines += _table(score, chosen, heads)
    if score.outcome is not None:
        lines += ["", *_outcome_lines(score, score.outcome, heads)]
    elif score.next_deal is not None:
        due = score.next_deal
        who = "" if len(due.seats) == score.num_players else " among " + ", ".join(seat_name(seat) for seat in due.seats)
        kind = f"{due.kind.value}{who}" if due.kind is not DealKind.REGULAR else f"deal {due.ordinal}"
        lines += ["", f"next: {kind}, {contract_words(score.rules, due.number)}, dealer {seat_name(due.dealer)}"]
    return "\n".join(lines) + "\n"


def _end_words(score: MatchScore) -> str:
    """How long a match goes on, and for what."""
    rules, count = score.rules, score.regular_deals
    words = f"; until a total exceeds {rules.score_limit}" if count is None else f"; {_counted(count, 'deal')}"
    words += "; best of three matches" if rules.series == "best_of_3" else ""
    if rules.stakes == "pot":
        return words + f"; a pot of {_counted(rules.stake * score.num_players, 'chip')}"
    if rules.stakes == "per_deal":
        return words + f"; {_counted(rules.stake, 'chip')} a deal from each seat, {rules.stake_bonus} more for going out"
    return words


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _table(score: MatchScore, deals: Sequence[ScoredDeal], heads: Sequence[str]) -> list[str]:
    """The lines of one match."""
    has_chips = score.rules.stakes == "per_deal"
    rows = [["deal", "contract", "dealer", "out", *heads]]
    for scored in deals:
        deal = scored.deal
        row = [
            str(deal.ordinal) if deal.kind is DealKind.REGULAR else deal.kind.value,
            contract_words(score.rules, deal.number),
            seat_name(deal.dealer),
            "blocked" if scored.winner is None else seat_name(scored.winner),
        ]
        for one, total, chips in zip(scored.scores, scored.totals, scored.chips, strict=True):
            cell = f"{'-' if one is None else one:>4} {total:>5}"
            row.append(cell + (f" {chips_text(chips) if one is not None else '-':>6}" if has_chips else ""))
        rows.append(row)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    left = (1, 2, 3)
    return [
        "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]


def _outcome_lines(score: MatchScore, outcome: MatchOutcome, heads: Sequence[str]) -> list[str]:
    """Who won, and where everybody ended."""
    winners = " and ".join(heads[seat] for seat in outcome.winners)
    what = "series" if score.rules.series == "best_of_3" else "match"
    lines = [f"{winners} {'wins' if len(outcome.winners) == 1 else 'share'} the {what}"]
    for seat in sorted(range(score.num_players), key=lambda seat: outcome.places[seat]):
        words = [f"{outcome.places[seat]}. {heads[seat]}", f"total {outcome.totals[seat]}"]
        if what == "series":
            words.append(f"matches won {outcome.matches_won[seat]}")
        if score.rules.stakes != "none":
            words.append(f"chips {chips_text(outcome.chips[seat])}")
        lines.append(", ".join(words))
    return lines
