"""The course of a match (J13, KL6): its deals one after the other, each answered with its scores, and the books in between."""

from __future__ import annotations

from collections.abc import Generator
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from kalooki_env.errors import RulesError
from kalooki_env.game.cards import seat_name
from kalooki_env.rules import MOST, Rules

#: Most deals that break one tie by sudden death (J13.2).
SUDDEN_DEATHS = 5
#: Matches of a series (J13.3).
SERIES = 3
#: Deals after which a match ends whose limit no total has exceeded (KL6.1).
LONGEST = MOST

_NO_CHIPS = Fraction(0)

#: Scores of a deal by seat of the match; None for a seat that did not play it.
Row: TypeAlias = tuple[int | None, ...]


class DealKind(StrEnum):
    """Why a deal is played."""

    REGULAR = "deal"  #: one of the deals that every match has
    SUDDEN_DEATH = "sudden death"  #: among the tied seats alone (J13.2)
    EXTRA_DEAL = "extra deal"  #: the one deciding deal, of all seats (KL6.2)


class MatchDeal(NamedTuple):
    """A deal of a match, before it is played.

    Attributes:
        match: number of the match in a series, from 1 on; 0 for a deal that decides the series.
        ordinal: its place among the deals of that match, or among those that decide the series, from 1 on.
        number: the deal that it is by its contract, 1 to `rules.num_deals`.
        kind: why it is played.
        seats: who plays it, ascending.
        dealer: who deals it.
    """

    match: int
    ordinal: int
    number: int
    kind: DealKind
    seats: tuple[int, ...]
    dealer: int


class ScoredDeal(NamedTuple):
    """A deal of a match with its scores.

    Attributes:
        deal: what was played.
        scores: score of each seat, None for those that did not play.
        winner: seat that went out, None if the deal was blocked.
        totals: the totals after it (see `MatchScore.totals`).
        chips: what each seat has won with it, or paid (J13.4); of a pot for the match nothing.
    """

    deal: MatchDeal
    scores: Row
    winner: int | None
    totals: tuple[int, ...]
    chips: tuple[Fraction, ...]


class MatchOutcome(NamedTuple):
    """How a match, or a series, ended.

    Attributes:
        winners: the seat that won, or those that share the win.
        places: place of each seat, 1 for the winners; equal ones share a place, and the next ones are left out.
        totals: total of each seat, sudden deaths included; of a series, the sum over its matches.
        matches_won: matches that each seat won, alone or jointly.
        chips: what each seat won, or paid, in all; they add up to 0.
    """

    winners: tuple[int, ...]
    places: tuple[int, ...]
    totals: tuple[int, ...]
    matches_won: tuple[int, ...]
    chips: tuple[Fraction, ...]


def regular_deals(rules: Rules) -> int | None:
    """Deals that a match has before ties are broken; None if a score limit ends it (J13.1, KL6.1)."""
    return rules.num_deals if rules.game == "jamaican" else rules.match_deals


def _check_row(row: Row, deal: MatchDeal, rules: Rules, num_players: int) -> None:
    """Refuse scores that the deal cannot have had."""
    what = f"scores of {deal_name(deal)}"
    if len(row) != num_players:
        raise RulesError(f"{what}: {len(row)} scores for {num_players} seats; a seat that does not play has None")
    playing = tuple(seat for seat, score in enumerate(row) if score is not None)
    if playing != deal.seats:
        named = ", ".join(seat_name(seat) for seat in deal.seats)
        raise RulesError(f"{what}: {_scores_text(row)} is not allowed; it is played by {named}, the others have None")
    # Whoever has not gone out holds a card, and every card counts 1 point or more (J2.2, J11, KL2).
    most = rules.most_points(num_players)
    out = [seat for seat in playing if row[seat] == rules.go_out_score]
    wrong = [seat for seat in playing if seat not in out and not 1 <= _score(row, seat) <= most]
    if wrong or len(out) > 1:
        raise RulesError(
            f"{what}: {_scores_text(row)} is not allowed; allowed: {rules.go_out_score} for one seat, which went out, or for "
            f"none, and 1 or more for each other, at most the {most} of the whole deck"
        )


def _score(row: Row, seat: int) -> int:
    score = row[seat]
    assert score is not None, "only seats that played are asked for"
    return score


def _scores_text(row: Row) -> str:
    return ", ".join(f"{seat_name(seat)} {'-' if score is None else score}" for seat, score in enumerate(row))


def deal_name(deal: MatchDeal) -> str:
    """A deal in words: `deal 3`, `match 2 deal 3`, `sudden death`, `series sudden death`."""
    name = f"deal {deal.ordinal}" if deal.kind is DealKind.REGULAR else deal.kind.value
    return {0: f"series {name}", 1: name}.get(deal.match, f"match {deal.match} {name}")


class Course:
    """The course of a match: its deals one after the other, with the books in between."""

    def __init__(self, rules: Rules, num_players: int, first_dealer: int) -> None:
        self.rules = rules
        self.seats = tuple(range(num_players))
        self.match = 1
        self.count = 0
        self.dealer = first_dealer - 1  # the one before, who passes the deal on
        self.totals = [0] * num_players
        self.sums = [0] * num_players
        self.won = [0] * num_players
        self.ranks: list[tuple[int, ...]] = []  # of the last decision: the lower, the better; equal ones are tied
        self.scored: list[ScoredDeal] = []
        paid = rules.stake if rules.stakes == "pot" else 0
        self.chips = [Fraction(-paid) for _ in self.seats]
        self._deals = self.deals()
        self.due: MatchDeal | None = next(self._deals)

    def add(self, row: Row) -> None:
        """Enter the scores of the deal that is due.

        Raises:
            RulesError: scores that it cannot have had; nothing has changed.
        """
        if self.due is None:
            raise RulesError(f"the scores {_scores_text(row)} belong to no deal: the match is over after {len(self.scored)}")
        _check_row(row, self.due, self.rules, len(self.seats))
        try:
            self.due = self._deals.send(row)
        except StopIteration:
            self.due = None

    def deals(self) -> Generator[MatchDeal, Row, None]:
        """All deals in order; each is answered with its scores."""
        series = SERIES if self.rules.series == "best_of_3" else 1
        for self.match in range(1, series + 1):
            yield from self._one_match()
        if series > 1:
            self.match, self.count, self.totals = 0, 0, self.sums
            yield from self._break_tie([(-won, total) for won, total in zip(self.won, self.sums, strict=True)])
        if self.rules.stakes == "pot":
            winners = self.leaders()
            for seat in winners:
                self.chips[seat] += Fraction(self.rules.stake * len(self.seats), len(winners))

    def _one_match(self) -> Generator[MatchDeal, Row, None]:
        self.totals = [0 for _ in self.seats]
        self.count = 0
        while not self._is_played_out():
            number = self.count + 1 if self.rules.game == "jamaican" else 1
            yield from self._deal(number, DealKind.REGULAR, self.seats)
        yield from self._break_tie([(total,) for total in self.totals])
        for seat in self.leaders():
            self.won[seat] += 1
        self.sums = [a + b for a, b in zip(self.sums, self.totals, strict=True)]

    def _is_played_out(self) -> bool:
        """Whether all regular deals are played."""
        most = regular_deals(self.rules)
        if most is not None:
            return self.count == most
        limit = self.rules.score_limit
        assert limit is not None, "rules without a number of deals have a limit"
        return max(self.totals) > limit or self.count >= LONGEST  # KL6.1: a total of just the limit does not end the match

    def _break_tie(self, ranks: list[tuple[int, ...]]) -> Generator[MatchDeal, Row, None]:
        """Decide among the lowest ranks."""
        self.ranks = ranks
        last = self.rules.num_deals
        if self.rules.tie_break == "extra_deal" and len(self.leaders()) > 1:
            row = yield from self._deal(last, DealKind.EXTRA_DEAL, self.seats)
            self.ranks = [(*rank[:-1], rank[-1] + _score(row, seat)) for seat, rank in enumerate(ranks)]
        if self.rules.tie_break == "sudden_death":
            for _ in range(SUDDEN_DEATHS):
                tied = self.leaders()
                if len(tied) == 1:
                    return
                row = yield from self._deal(last, DealKind.SUDDEN_DEATH, tied)
                for seat in tied:
                    # Behind what they are tied by, so that the others keep their places.
                    self.ranks[seat] = (*self.ranks[seat], _score(row, seat))

    def _deal(self, number: int, kind: DealKind, seats: tuple[int, ...]) -> Generator[MatchDeal, Row, Row]:
        """One deal: asks for its scores and enters them."""
        n = len(self.seats)
        self.dealer = next(seat for seat in ((self.dealer + i) % n for i in range(1, n + 1)) if seat in seats)
        deal = MatchDeal(self.match, self.count + 1, number, kind, seats, self.dealer)
        row = yield deal
        self.count += 1
        for seat in seats:
            self.totals[seat] += _score(row, seat)
        winner = next((seat for seat in seats if row[seat] == self.rules.go_out_score), None)
        won = self._chips_of(row, seats, winner)
        if self.rules.stakes == "per_deal":  # fractions are slow to add
            for seat, chips in enumerate(won):
                self.chips[seat] += chips
        self.scored.append(ScoredDeal(deal, row, winner, tuple(self.totals), won))
        return row

    def _chips_of(self, row: Row, seats: tuple[int, ...], winner: int | None) -> tuple[Fraction, ...]:
        """Chips that a deal moves (J13.4)."""
        won = [_NO_CHIPS for _ in self.seats]
        if self.rules.stakes != "per_deal":
            return tuple(won)
        lowest = min(_score(row, seat) for seat in seats)
        takers = [seat for seat in seats if row[seat] == lowest]
        for seat in seats:
            won[seat] -= self.rules.stake
            if seat in takers:
                won[seat] += Fraction(self.rules.stake * len(seats), len(takers))
            if winner is not None:
                bonus = self.rules.stake_bonus
                won[seat] += bonus * (len(seats) - 1) if seat == winner else -bonus
        return tuple(won)

    def leaders(self) -> tuple[int, ...]:
        """The seats that are ahead, one or several tied."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == min(self.ranks))

    def outcome(self) -> MatchOutcome:
        """How all of it ended."""
        places = tuple(1 + sum(other < rank for other in self.ranks) for rank in self.ranks)
        return MatchOutcome(self.leaders(), places, tuple(self.totals), tuple(self.won), tuple(self.chips))
