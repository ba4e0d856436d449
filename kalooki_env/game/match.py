"""`Match`: a whole match, or series, of deals at one table, for people, tests and bug reports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import EnvironmentStateError, IllegalActionError, RulesError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.game.game import Game
from kalooki_env.game.match_score import MatchDeal, MatchOutcome, MatchScore, check_match_table
from kalooki_env.game.match_text import match_text, read_match
from kalooki_env.game.refusals import Refusal
from kalooki_env.game.sheet import sheet_text
from kalooki_env.rules import Rules
from kalooki_env.values import check_seed, whole_number


def note_standing(state: Any, score: MatchScore) -> None:
    """Write into a STATE record, as the next deal begins, where its match stands."""
    deal = score.next_deal
    assert deal is not None
    state["match_deal"] = deal.ordinal
    state["totals"] = 0
    state["totals"][: len(deal.seats)] = [score.totals[seat] for seat in deal.seats]


def deal_seed(match_seed: int, index: int) -> int:
    """Seed of the shuffles of a deal: its cards depend on the seed of the match and its place in it, and not on earlier play.

    Args:
        match_seed: seed of the match.
        index: deals before it, those of earlier matches of the series and of sudden deaths counted.
    """
    return int(np.random.default_rng([match_seed, 1 + index]).integers(2**63))


def drawn_dealer(match_seed: int, num_players: int) -> int:
    """The first dealer by lot (J4.3)."""
    return int(np.random.default_rng([match_seed, 0]).integers(num_players))


class Match:
    """A match of Kalooki: deals one after the other, their scores, and what decides ties and series (see `MatchScore`).

    Moves are made and asked about as in `Game`, in the deal that is being played; when it ends, its scores are entered and the
    next one is dealt. Seats are those of the match. In a sudden death only some of them play, at a table of their own: action
    and position texts of that deal number its seats P1, P2 and so on, clockwise, and `table_seats` tells who they are.

    Args:
        rules: rules, or their text such as `"best_of_3 stakes=pot stake=5"`.
        num_players: seats.
        first_dealer: seat that deals first; default: by lot, from the seed.
        seed: seed of the match. The seed of each deal follows from it.
        scores: scores of deals that have been played already, as for `MatchScore.of`.
        max_seats: seats that the action numbers have room for; default: `num_players`.

    Attributes:
        seed: seed of the match.
        score: the score so far.
        game: the deal that is being played; None when the match is over.
        finished: the deals that this object has played to their ends, in order.

    Raises:
        RulesError: unknown rules, a table that cannot play a match, or scores that cannot be.

    Example:
        >>> match = Match("jamaican", num_players=4, first_dealer=3, seed=7)
        >>> match.legal_actions()
        ['draw stock', 'take upcard']
        >>> match.do("draw stock").to_move
        0
    """

    def __init__(
        self,
        rules: Rules | str = "jamaican",
        num_players: int = 4,
        *,
        first_dealer: int | None = None,
        seed: int = 0,
        scores: Iterable[Sequence[int | None]] = (),
        max_seats: int | None = None,
    ) -> None:
        rules, self.seed = Rules.of(rules), check_seed(seed)
        num_players = check_match_table(rules, num_players)
        dealer = drawn_dealer(self.seed, num_players) if first_dealer is None else first_dealer
        self.score = MatchScore.of(rules, num_players, scores, dealer)
        self.max_seats = num_players if max_seats is None else whole_number("max_seats", max_seats, error=RulesError)
        self.finished: list[Game] = []
        self.game: Game | None = self._dealt()

    def _dealt(self) -> Game | None:
        """The next deal, before its first move."""
        due = self.score.next_deal
        if due is None:
            return None
        seed = deal_seed(self.seed, len(self.score.rows))
        dealer = due.seats.index(due.dealer)
        rules = self.score.table_rules
        game = Game(rules, len(due.seats), deal=due.number, dealer=dealer, seed=seed, max_seats=self.max_seats)
        note_standing(game.states[0], self.score)
        return game

    @classmethod
    def from_text(cls, text: str, max_seats: int | None = None) -> Match:
        """A match from its text, as `text` writes it.

        If the position of the deal is left out, the deal is dealt anew, by the seed.

        Raises:
            NotationError: a text that cannot be read.
            RulesError: unknown rules, an impossible table, or scores that cannot be.
            PositionError: a position that cannot be, or that is not of the deal which comes next by the scores.
        """
        score, seed, game = read_match(text, max_seats)
        match = cls(
            score.rules,
            score.num_players,
            first_dealer=score.first_dealer,
            seed=seed,
            scores=score.rows,
            max_seats=max_seats,
        )
        match.game = match.game if game is None else game
        return match

    def copy(self) -> Match:
        """An independent copy."""
        other = type(self).__new__(type(self))
        other.seed, other.score, other.max_seats = self.seed, self.score, self.max_seats
        other.finished = list(self.finished)
        other.game = None if self.game is None else self.game.copy()
        return other

    # ---- the match -----------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole match, hidden cards of the present deal included. `Match.from_text` reads it."""
        return match_text(self.score, self.seed, self.game)

    __str__ = text

    def sheet(self, names: Sequence[str] | None = None) -> str:
        """The score sheet as players write it; what stands there, everybody may know.

        Args:
            names: names of the players, seat by seat.
        """
        return sheet_text(self.score, names)

    @property
    def rules(self) -> Rules:
        """The rules of the match."""
        return self.score.rules

    @property
    def num_players(self) -> int:
        """Seats of the match."""
        return self.score.num_players

    @property
    def totals(self) -> tuple[int, ...]:
        """Totals before the present deal; see `MatchScore.totals`."""
        return self.score.totals

    @property
    def deal(self) -> MatchDeal | None:
        """Which deal is being played, None when the match is over."""
        return self.score.next_deal

    @property
    def outcome(self) -> MatchOutcome | None:
        """How the match, or the series, ended; None while it goes on."""
        return self.score.outcome

    @property
    def is_over(self) -> bool:
        """Whether the match, or the whole series, has ended."""
        return self.score.is_over

    # ---- the deal ------------------------------------------------------------------------------------------------

    @property
    def table_seats(self) -> tuple[int, ...]:
        """Seats of the match that play the present deal: seat i of its table is `table_seats[i]`; none when the match is over."""
        return () if self.deal is None else self.deal.seats

    @property
    def phase(self) -> Phase:
        """The kind of decision that is due; `OVER` when the match is over."""
        return Phase.OVER if self.game is None else self.game.phase

    @property
    def to_move(self) -> int | None:
        """Seat of the match to move, None when the match is over."""
        mover = None if self.game is None else self.game.to_move
        return None if mover is None else self.table_seats[mover]

    def hand(self, seat: int) -> list[str]:
        """Cards in a hand, sorted; none of a seat that does not play this deal."""
        at = self._at_table(seat)
        return [] if self.game is None or at is None else self.game.hand(at)

    def view(self, seat: int) -> NDArray[np.void]:
        """What a seat may know of the deal: an array of one VIEW record, a new one at each call.

        Raises:
            RulesError: no such seat, or one that does not play this deal.
        """
        at = self._at_table(seat)
        if self.game is None or at is None:
            raise RulesError(self._absent(seat))
        return self.game.view(at)

    def open_decisions(self) -> list[OpenDecisions]:
        """The decision that is due, as agents are asked for it; none when the match is over."""
        return [] if self.game is None else self.game.open_decisions()

    def legal_numbers(self) -> list[int]:
        """Numbers of the legal actions, ascending; none when the match is over."""
        return [] if self.game is None else self.game.legal_numbers()

    def legal_actions(self) -> list[str]:
        """Texts of the legal actions, in the order of their numbers."""
        return [] if self.game is None else self.game.legal_actions()

    def mask(self, seat: int | None = None) -> NDArray[np.int8]:
        """Action mask of a seat, default the seat to move; all zeros for a seat that is not to move."""
        at = None if seat is None else self._at_table(seat)
        if self.game is None or (seat is not None and at is None):
            return np.zeros(core.num_actions(self.max_seats, self.rules.game == "kaluki"), np.int8)
        return self.game.mask(at)

    def action_text(self, action: int) -> str:
        """Text of an action number in this position."""
        return self._running().action_text(action)

    def action_number(self, text: str) -> int:
        """Number of an action text in this position.

        Raises:
            NotationError: no action is written like this.
        """
        return self._running().action_number(text)

    def verify(self, move: str | int, seat: int | None = None) -> Refusal | None:
        """The reason why a move is illegal, None if it is legal.

        Args:
            move: an action text or number, or a compound move.
            seat: who wants to move; default: the seat to move.

        Raises:
            NotationError: a text of no known form.
            EnvironmentStateError: the match is over.
        """
        at = None if seat is None else self._at_table(seat)
        game = self._running()
        return Refusal.NOT_TO_MOVE if seat is not None and at is None else game.verify(move, at)

    def can(self, move: str | int, seat: int | None = None) -> bool:
        """Whether a move is legal. Arguments and errors as for `verify`."""
        return self.verify(move, seat) is None

    def do(self, move: str | int, seat: int | None = None) -> Match:
        """Make a move; at the end of a deal, enter its scores and deal the next one. Arguments as for `verify`.

        Returns:
            The match itself.

        Raises:
            IllegalActionError: the move is illegal; nothing has changed.
            NotationError: a text of no known form; nothing has changed.
            EnvironmentStateError: the match is over.
        """
        at = None if seat is None else self._at_table(seat)
        game = self._running()
        if seat is not None and at is None:
            raise IllegalActionError(self._absent(seat), game.text(), game.seed)
        game.do(move, at)
        if game.outcome is not None:
            self.finished.append(game.forget())
            self.score = self.score.with_scores(self.score.by_seat(game.outcome.scores))
            self.game = self._dealt()
        return self

    def _running(self) -> Game:
        if self.game is None:
            raise EnvironmentStateError("the match is over: nobody is to move")
        return self.game

    def _at_table(self, seat: int) -> int | None:
        """Seat at the table of the present deal of a seat of the match, None if it does not play."""
        number = whole_number("seat", seat, error=RulesError)
        if not 0 <= number < self.num_players:
            raise RulesError(f"seat {seat!r} is not allowed; allowed: 0 to {self.num_players - 1}")
        return self.table_seats.index(number) if number in self.table_seats else None

    def _absent(self, seat: int) -> str:
        playing = ", ".join(seat_name(one) for one in self.table_seats) or "nobody, the match is over"
        return f"{seat_name(seat)} does not play this deal; playing: {playing}"
