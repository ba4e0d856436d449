"""`Game`: one deal at one table, for people, tests and bug reports. Positions and actions are texts, both ways."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import IllegalActionError, NotationError, RulesError
from kalooki_env.game.cards import CARD_NAMES, card_number
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.game.engine import Engine, engine
from kalooki_env.game.explain import illegal_action_error, why_illegal, why_no_call
from kalooki_env.game.game_states import GameStates
from kalooki_env.game.moves import play_move
from kalooki_env.game.notation import action_number, action_text
from kalooki_env.game.position import position_text
from kalooki_env.game.reading import read_position
from kalooki_env.game.refusals import Refusal
from kalooki_env.game.spelling import canonical, other_ends
from kalooki_env.rules import Rules
from kalooki_env.values import action_of, check_seed, whole_number


class Outcome(NamedTuple):
    """How a deal ended.

    Attributes:
        winner: seat that went out, None if the deal was blocked (J12).
        scores: score of each seat (J11).
    """

    winner: int | None
    scores: tuple[int, ...]

    @property
    def is_blocked(self) -> bool:
        """Whether nobody went out."""
        return self.winner is None


class Game(GameStates):
    """One deal of Jamaican Kalooki or of Kaluki.

    Actions are the texts of `ACTIONS.md`; the moves and spellings of its section 7 are understood too. A move is asked
    about with `verify` (the reason why not) and `can`, and made with `do`.

    Args:
        rules: rules, or their text such as `"jamaican call_max_per_deal=3"`.
        num_players: seats, 3 to 8 (2 in a sudden death), as the rules say.
        deal: number of the deal, 1 to 9; in Kaluki 1.
        dealer: seat of the dealer; default: the last seat, so that seat 0 begins.
        seed: seed of the shuffles, from 0 on.
        deck: card texts from the top, before dealing, instead of a shuffle by the seed.
        max_seats: seats that the action numbers have room for; default: `num_players`.

    Raises:
        RulesError: unknown rules, an impossible table or seat, a negative seed, or a deck that is not the packs' cards.

    Example:
        >>> game = Game("jamaican", num_players=4, deal=1, seed=7)
        >>> game.legal_actions()
        ['draw stock', 'take upcard']
        >>> game.do("draw stock").phase
        <Phase.PLAY: 1>
    """

    def __init__(
        self,
        rules: Rules | str = "jamaican",
        num_players: int = 4,
        *,
        deal: int = 1,
        dealer: int | None = None,
        seed: int = 0,
        deck: Sequence[str] | None = None,
        max_seats: int | None = None,
    ) -> None:
        rules = Rules.of(rules)
        num_players, deal = (
            whole_number("num_players", num_players, error=RulesError),
            whole_number("deal", deal, error=RulesError),
        )
        rules.check_table(num_players, deal)
        dealer = num_players - 1 if dealer is None else self._seat("dealer", dealer, num_players)
        self._table = engine(rules, num_players, max_seats)
        self._states = np.zeros(1, core.STATE)
        self.seed: int | None = check_seed(seed)
        self.history: list[str] = []
        self.forget()
        core.seed_lanes(self._states, np.array([self.seed], np.uint64))
        if deck is None:
            core.reset_lane(self._states, self._table.record, 0, deal, dealer)
        else:
            numbers = np.array([card_number(name) for name in deck], np.uint8)
            self._check_deck(numbers)
            core.reset_with_deck(self._states, self._table.record, 0, deal, dealer, numbers)

    @staticmethod
    def _seat(name: str, seat: object, num_players: int) -> int:
        """A seat at a table of this size.

        Raises:
            RulesError: no such seat.
        """
        number = whole_number(name, seat, error=RulesError)
        if not 0 <= number < num_players:
            raise RulesError(f"{name} {seat!r} is not allowed; allowed: 0 to {num_players - 1}")
        return number

    def _check_deck(self, numbers: NDArray[np.uint8]) -> None:
        wanted = self._table.deck
        found = np.bincount(numbers, minlength=core.CARDS)
        wrong = [f"{found[card]} of {wanted[card]} {CARD_NAMES[card]}" for card in np.nonzero(found != wanted)[0]]
        if wrong:
            raise RulesError(f"these are not the {wanted.sum()} cards of the deck: {', '.join(wrong)}")

    @classmethod
    def from_text(cls, text: str, max_seats: int | None = None) -> Game:
        """A game at a position given as text (`ACTIONS.md`, section 6).

        Raises:
            NotationError: a text that cannot be read.
            RulesError: unknown rules or an impossible table.
            PositionError: a position that cannot be; all faults are listed.
        """
        game = cls.__new__(cls)
        game._states, game._table = read_position(text, max_seats)
        game.seed = None
        game.history = []
        return game.forget()

    # ---- the position --------------------------------------------------------------------------------------------

    def text(self) -> str:
        """The whole position, hidden cards included. `Game.from_text` reads it."""
        return position_text(self._states[0], self._table)

    __str__ = text

    @property
    def rules(self) -> Rules:
        """The rules of the table."""
        return self._table.rules

    @property
    def num_players(self) -> int:
        """Seats at the table."""
        return self._table.num_players

    @property
    def max_seats(self) -> int:
        """Seats that the action numbers have room for."""
        return self._table.max_seats

    @property
    def engine(self) -> Engine:
        """The compiled engine of the table."""
        return self._table

    @property
    def states(self) -> NDArray[np.void]:
        """The position itself: an array of one STATE record. Not a copy; the next move makes another one.

        Compiled code trusts it. Who has a position from elsewhere gives it to `set_state`, which checks it, or to `from_text`.
        """
        return self._states

    @property
    def phase(self) -> Phase:
        """The kind of decision that is due."""
        return Phase(int(self._states[0]["phase"]))

    @property
    def to_move(self) -> int | None:
        """Seat to move, None when the deal is over."""
        return None if self.phase is Phase.OVER else int(self._states[0]["actor"])

    @property
    def outcome(self) -> Outcome | None:
        """How the deal ended, None while it runs."""
        if self.phase is not Phase.OVER:
            return None
        winner = int(self._states[0]["winner"])
        scores = self._states[0]["scores"][: self.num_players]
        return Outcome(None if winner < 0 else winner, tuple(int(score) for score in scores))

    def hand(self, seat: int) -> list[str]:
        """Cards in a hand, sorted."""
        seat = self._seat("seat", seat, self.num_players)
        return [CARD_NAMES[card] for card in np.repeat(np.arange(core.CARDS), self._states[0]["hands"][seat])]

    def view(self, seat: int) -> NDArray[np.void]:
        """What a seat may know: an array of one VIEW record, a new one at each call."""
        seat = self._seat("seat", seat, self.num_players)
        views = np.zeros(1, core.VIEW)
        core.views_of_lanes(self._states, self._table.record, np.zeros(1, np.int64), np.array([seat]), views)
        return views

    # ---- actions -------------------------------------------------------------------------------------------------

    def open_decisions(self) -> list[OpenDecisions]:
        """The decision that is due, as agents are asked for it; none when the deal is over."""
        if self.to_move is None:
            return []
        return [OpenDecisions(self._table, self._states, np.zeros(1, np.int64), self.mask()[None])]

    def legal_numbers(self) -> list[int]:
        """Numbers of the legal actions, ascending; none when the deal is over."""
        legal = np.empty(core.MAX_ACTIONS, np.int16)
        count = core.list_lane(self._states, self._table.record, self._table.feas, 0, legal) >> 8
        return [int(action) for action in legal[:count]]

    def legal_actions(self) -> list[str]:
        """Texts of the legal actions, in the order of their numbers."""
        return [self.action_text(action) for action in self.legal_numbers()]

    def mask(self, seat: int | None = None) -> NDArray[np.int8]:
        """Action mask (num_actions,) of a seat, default the seat to move; all zeros for a seat that is not to move."""
        mask = np.zeros(self._table.num_actions, np.int8)
        seat = None if seat is None else self._seat("seat", seat, self.num_players)
        if seat is None or seat == self.to_move:
            mask[self.legal_numbers()] = 1
        return mask

    def action_text(self, action: int) -> str:
        """Text of an action number in this position."""
        return action_text(action, self._states[0], self._table)

    def action_number(self, text: str) -> int:
        """Number of an action text in this position.

        Raises:
            NotationError: no action is written like this.
        """
        return action_number(text, self._states[0], self._table)

    def verify(self, move: str | int, seat: int | None = None) -> Refusal | None:
        """The reason why a move is illegal, None if it is legal.

        Args:
            move: an action text or number, or a compound move.
            seat: who wants to move; default: the seat to move.

        Raises:
            NotationError: a text of no known form.
        """
        return self._try(move, seat)[1]

    def can(self, move: str | int, seat: int | None = None) -> bool:
        """Whether a move is legal. Arguments and errors as for `verify`."""
        return self.verify(move, seat) is None

    def do(self, move: str | int, seat: int | None = None) -> Game:
        """Make a move. Arguments as for `verify`.

        Returns:
            The game itself.

        Raises:
            IllegalActionError: the move is illegal; nothing has changed.
            NotationError: a text of no known form; nothing has changed.
        """
        trial, refusal = self._try(move, seat)
        if refusal is not None:
            raise self._illegal(move, seat, refusal)
        self._move_on(trial._states, trial.history)
        return self

    def _try(self, move: str | int, seat: int | None) -> tuple[Game, Refusal | None]:
        trial = self.copy()
        seat = None if seat is None else self._seat("seat", seat, self.num_players)
        if seat is not None and seat != self.to_move and self.phase is not Phase.OVER:
            is_call = isinstance(move, str) and canonical(move) == "call"
            return trial, why_no_call(self._states, seat, self._table) if is_call else Refusal.NOT_TO_MOVE
        if isinstance(move, str):
            try:
                return trial, play_move(move, trial._states[0], trial._table, trial._act)
            except NotationError as error:
                if hint := self._other_end(move):
                    raise NotationError(f"{error}{hint}") from error
                raise
        action = action_of(move)
        return trial, trial._act(trial.action_text(action), action)

    def _act(self, text: str, action: int | None = None) -> Refusal | None:
        """Carry out one action in place."""
        if action is None:
            action = self.action_number(text)
            text = self.action_text(action)
        legal = np.empty(core.MAX_ACTIONS, np.int16)
        record, feas = self._table.record, self._table.feas
        count = core.list_lane(self._states, record, feas, 0, legal) >> 8
        if core.step_listed(self._states, record, feas, 0, action, legal, count) < 0:
            return why_illegal(self._states, action, self._table)
        self.history.append(text)
        return None

    def _illegal(self, move: str | int, seat: int | None, refusal: Refusal) -> IllegalActionError:
        text = move if isinstance(move, str) else self.action_text(move)
        own = seat is None or seat == self.to_move
        legal = self.legal_actions() if own else None
        hint = self._other_end(text) if own else ""
        who = self.to_move if own else seat
        return illegal_action_error(self._states, text, refusal, who, legal, self._table, self.seed, hint)

    def _other_end(self, move: str) -> str:
        """End of an error message: what is legal of the moves that differ from one in the end of a meld alone."""

        def is_legal(text: str) -> bool:
            trial = self.copy()
            with suppress(NotationError):
                return play_move(text, trial._states[0], trial._table, trial._act) is None
            return False

        fitting = [repr(text) for text in other_ends(canonical(move)) if is_legal(text)]
        return f"; legal here: {' and '.join(fitting)}" if fitting else ""
