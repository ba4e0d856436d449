"""What a record holds, as it is read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kalooki_env.game.game import Game, Outcome
from kalooki_env.rules import Rules


@dataclass(frozen=True)
class Step:
    """An action.

    Attributes:
        seat: who acted.
        action: its text.
        drawn: cards that came from the stock by it.
        renewed: the stock, top first, if it was renewed before.
        policy: probabilities by action text, if they were recorded.
        value: an estimate for the seat, if it was recorded.
        line: line of the record.
    """

    seat: int
    action: str
    drawn: tuple[str, ...]
    renewed: tuple[str, ...]
    policy: dict[str, float] | None
    value: float | None
    line: int


@dataclass(frozen=True)
class RecordedDeal:
    """A deal.

    Attributes:
        number: number of the deal, which tells the contract.
        dealer: seat of the dealer.
        position: where it begins, as text.
        seats: names of who plays, by seat; empty if not known.
        seed: seed of the shuffles, if known.
        lane: table that this was, of several side by side, if told.
        match: number of the match in a series, 0 if the deal decides the series; None if not told.
        sits: seats of the match that sit at this table.
        totals: of a match before the deal, if it is one.
        steps: the actions.
        outcome: how it ended; None if it did not.
        abandoned: why it was not played to its end; None if it was.
        line: line of the record with which it begins.
    """

    number: int
    dealer: int
    position: str
    seats: tuple[str, ...]
    seed: int | None
    lane: int | None
    match: int | None
    sits: tuple[int, ...]
    totals: tuple[int, ...] | None
    steps: tuple[Step, ...]
    outcome: Outcome | None
    abandoned: str | None
    line: int

    def games(self) -> Iterator[Game]:
        """The game before each action, and after the last one: always the same object."""
        game = Game.from_text(self.position)
        yield game
        for step in self.steps:
            yield game.do(step.action)

    def who(self, seat: int) -> str:
        """Name of who plays a seat; empty if not known."""
        return self.seats[seat] if self.seats else ""


@dataclass(frozen=True)
class MatchEnd:
    """The end of a match, or of a series of matches.

    Attributes:
        deals: how many deals of the record had been played then.
        totals: sums of the scores, by seat.
        winners: seats that won.
        places: place of each seat, if told.
        is_series: whether a series ended.
    """

    deals: int
    totals: tuple[int, ...]
    winners: tuple[int, ...]
    places: tuple[int, ...] | None
    is_series: bool


@dataclass(frozen=True)
class Record:
    """Everything that a record holds.

    Attributes:
        path: the file.
        version: version of the format.
        package: version of the package that wrote it.
        rules: the rules.
        num_players: seats.
        seats: names of who plays, by seat, where a deal does not say otherwise; empty if not known.
        seed: seed of the whole, if told.
        deals: the deals.
        matches: the matches and series that ended, in order.
        cut: why it counts as truncated; None if it is whole.
    """

    path: Path
    version: int
    package: str
    rules: Rules
    num_players: int
    seats: tuple[str, ...]
    seed: int | None
    deals: tuple[RecordedDeal, ...]
    matches: tuple[MatchEnd, ...]
    cut: str | None

    @property
    def num_actions(self) -> int:
        """Actions of all deals."""
        return sum(len(deal.steps) for deal in self.deals)
