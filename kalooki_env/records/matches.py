"""Deals of a match in a record: where the match stands before each, and the lines of matches and series that have ended."""

from __future__ import annotations

from kalooki_env.game.game import Game
from kalooki_env.game.match_score import MatchScore
from kalooki_env.records.writer import RecordWriter


def begin_deal(writer: RecordWriter, game: Game, score: MatchScore, seed: int) -> None:
    """Begin the next deal of a match.

    Args:
        writer: the record.
        game: the deal, at its table.
        score: score of the match before it.
        seed: seed of its shuffles.
    """
    deal = score.next_deal
    assert deal is not None, "a deal is due"
    writer.begin(
        game,
        seed=seed,
        match=None if score.rules.series == "single" else deal.match,
        sits=None if len(deal.seats) == score.num_players else deal.seats,
        totals=score.totals,
    )


def note_ends(writer: RecordWriter, before: MatchScore, after: MatchScore) -> None:
    """Write that a match has ended, and the series with it, if the deal between two scores did so.

    Args:
        writer: the record.
        before: score before the deal.
        after: score after it.
    """
    deal, outcome = before.next_deal, after.outcome
    assert deal is not None, "a deal was played"
    is_series = after.rules.series != "single"
    if deal.match and (after.next_deal is None or after.next_deal.match != deal.match):
        won = [seat for seat, count in enumerate(after.matches_won) if count > before.matches_won[seat]]
        places = None if outcome is None or is_series else outcome.places
        writer.match(after.deals[-1].totals, won, places)
    if outcome is not None and is_series:
        writer.series(outcome.totals, outcome.winners, outcome.places)
