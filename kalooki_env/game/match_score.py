"""The bookkeeping of a match (J13, KL6): from the scores of its deals so far, what comes next, and at the end who has won.

Nothing is played here: scores come from games, or from people who keep score by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from kalooki_env.errors import RulesError
from kalooki_env.game.match_course import (
    SERIES,
    SUDDEN_DEATHS,
    Course,
    DealKind,
    MatchDeal,
    MatchOutcome,
    Row,
    ScoredDeal,
    deal_name,
    regular_deals,
)
from kalooki_env.rules import Rules
from kalooki_env.values import whole_number

__all__ = [
    "SERIES",
    "SUDDEN_DEATHS",
    "DealKind",
    "MatchDeal",
    "MatchOutcome",
    "MatchScore",
    "Row",
    "ScoredDeal",
    "check_match_table",
    "deal_name",
    "regular_deals",
    "table_rules",
]


@dataclass(frozen=True)
class MatchScore:
    """The score of a match at one moment: a value, made anew by each deal.

    A match is the deals of the rules, once each (J13.1), or in Kaluki deals until a total exceeds `score_limit`, 10,000 at most,
    or `match_deals` of them (KL6.1). The deal passes clockwise, on into deals that break ties and into the next match of a
    series; in a sudden death the next of the tied seats deals. The lowest total wins. What follows a tie is the choice of
    `tie_break`:

    - `sudden_death`: the tied seats alone play the last deal once more, as long as they are tied, five times at most; then they
      share the win (J13.2). It decides among the tied only: they stay ahead of the others, whatever it adds to their totals.
    - `extra_deal`: all seats play one more deal, the last one of the rules, and the lowest total then wins, whosever it is; a
      tie that is left is shared (KL6.2).
    - `shared`: the win is shared.

    With `series: best_of_3` all three matches are played. Most matches won decides, where a match won jointly counts for each of
    its winners; then the lowest sum of the totals, in which sudden deaths count; then what `tie_break` says (J13.3).

    Stakes (J13.4) with `pot`: every seat pays `stake` once, for a series too; the winners share it. With `per_deal`: every seat
    that plays a deal pays `stake` into its pot, which the lowest score of the deal takes, shared if several are lowest (in a
    blocked deal); each other seat pays `stake_bonus` more to the seat that goes out.

    Attributes:
        rules: the rules.
        num_players: seats of the match.
        first_dealer: seat that deals first.
        rows: scores of the deals so far.
        deals: the same, with what each deal was.
        next_deal: the deal to be played, None at the end.
        totals: totals of the match that goes on, or went on last; in a deal that decides a series, and at the end of one, the
            sums over its matches.
        matches_won: matches that each seat has won so far.
        chips: what each seat has won, or paid in, so far.
        outcome: how it ended, None while it goes on.

    Raises:
        RulesError: a table that cannot play a match, or scores that cannot be.

    Example:
        >>> score = MatchScore.of("jamaican", 3, [[-50, 23, 91], [14, 110, -50]])
        >>> score.totals, score.next_deal.number, score.next_deal.dealer
        ((-36, 133, 41), 3, 1)
    """

    rules: Rules
    num_players: int
    first_dealer: int
    rows: tuple[Row, ...] = ()
    deals: tuple[ScoredDeal, ...] = field(init=False, repr=False, compare=False)
    next_deal: MatchDeal | None = field(init=False, repr=False, compare=False)
    totals: tuple[int, ...] = field(init=False, repr=False, compare=False)
    matches_won: tuple[int, ...] = field(init=False, repr=False, compare=False)
    chips: tuple[Fraction, ...] = field(init=False, repr=False, compare=False)
    outcome: MatchOutcome | None = field(init=False, repr=False, compare=False)
    # Where the course stands; taken by the first score that follows, so that it need not begin at the beginning.
    _courses: list[Course] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_match_table(self.rules, self.num_players)
        if not 0 <= whole_number("first_dealer", self.first_dealer, error=RulesError) < self.num_players:
            raise RulesError(f"first_dealer {self.first_dealer!r} is not allowed; allowed: 0 to {self.num_players - 1}")
        course = Course(self.rules, self.num_players, self.first_dealer)
        for row in self.rows:
            course.add(row)
        self._note(course)

    def _note(self, course: Course) -> None:
        """Set all that follows from the scores."""
        found = {
            "deals": tuple(course.scored),
            "next_deal": course.due,
            "totals": tuple(course.totals),
            "matches_won": tuple(course.won),
            "chips": tuple(course.chips),
            "outcome": course.outcome() if course.due is None else None,
            "_courses": [course],
        }
        for name, value in found.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """For copies and pickles: the scores say all."""
        return type(self), (self.rules, self.num_players, self.first_dealer, self.rows)

    @classmethod
    def of(
        cls,
        rules: Rules | str,
        num_players: int,
        scores: Iterable[Sequence[int | None]] = (),
        first_dealer: int | None = None,
    ) -> MatchScore:
        """A score from the scores of the deals so far.

        Args:
            rules: rules, or their text.
            num_players: seats of the match.
            scores: for each deal the scores of all seats, None for those that do not play a sudden death.
            first_dealer: default: the last seat, so that seat 0 begins.

        Raises:
            RulesError: a table that cannot play a match, or scores that cannot be.
        """
        num_players = whole_number("num_players", num_players, error=RulesError)
        dealer = num_players - 1 if first_dealer is None else whole_number("first_dealer", first_dealer, error=RulesError)
        return cls(Rules.of(rules), num_players, dealer, tuple(_row(row) for row in scores))

    def by_seat(self, scores: Sequence[int]) -> list[int | None]:
        """Scores of the next deal by seat of the match, None for those that do not sit there.

        Args:
            scores: of its table, by seat there.
        """
        deal = self.next_deal
        assert deal is not None, "a deal was played"
        row: list[int | None] = [None] * self.num_players
        for at, seat in enumerate(deal.seats):
            row[seat] = int(scores[at])
        return row

    def with_scores(self, scores: Sequence[int | None]) -> MatchScore:
        """The score after the next deal.

        Raises:
            RulesError: scores that cannot be, or a match that is over.
        """
        row = _row(scores)
        try:
            course = self._courses.pop()
        except IndexError:
            return MatchScore(self.rules, self.num_players, self.first_dealer, (*self.rows, row))
        try:
            course.add(row)
        except RulesError:
            self._courses.append(course)  # as it was
            raise
        after = object.__new__(MatchScore)
        own = {"rules": self.rules, "num_players": self.num_players, "first_dealer": self.first_dealer, "rows": (*self.rows, row)}
        for name, value in own.items():
            object.__setattr__(after, name, value)
        after._note(course)
        return after

    def before_last(self) -> MatchScore:
        """The score before the last deal of those so far."""
        return MatchScore(self.rules, self.num_players, self.first_dealer, self.rows[:-1])

    @property
    def is_over(self) -> bool:
        """Whether the match, or the whole series, has ended."""
        return self.next_deal is None

    @property
    def regular_deals(self) -> int | None:
        """Deals that a match has before ties are broken; None if a score limit ends it."""
        return regular_deals(self.rules)

    @property
    def table_rules(self) -> Rules:
        """Rules of the table of the next deal: in a sudden death of few it has as many packs as the match (J13.2)."""
        return table_rules(
            self.rules, self.num_players, self.num_players if self.next_deal is None else len(self.next_deal.seats)
        )


def table_rules(rules: Rules, num_players: int, seats: int) -> Rules:
    """Rules of a table of some seats of a match: it has as many packs as the match (J13.2)."""
    packs = rules.packs_for(num_players)
    return rules if rules.packs_for(seats) == packs else rules.replace(packs=packs)


def check_match_table(rules: Rules, num_players: object) -> int:
    """The number of players, if they can play a match.

    Raises:
        RulesError: too few, too many, or rules without deals.
    """
    number = whole_number("num_players", num_players, error=RulesError)
    rules.packs_for(number)
    if number < rules.min_players:
        raise RulesError(f"{number} players are not allowed in a match; allowed: {rules.min_players} to {rules.max_players}")
    return number


def _row(scores: Sequence[int | None]) -> Row:
    return tuple(None if one is None else whole_number("score", one, error=RulesError) for one in scores)
