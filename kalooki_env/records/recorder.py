"""`DealRecorder`: follows one table and makes the lines of its deals. Where they go is somebody else's business."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from kalooki_env.errors import RecordError
from kalooki_env.game.cards import CARD_NAMES, seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.game import Game
from kalooki_env.game.position import pile_cards, position_text

#: The keys of a line.
Line: TypeAlias = dict[str, Any]
#: Probabilities by action text, or of all action numbers.
Policy: TypeAlias = Mapping[str, float] | NDArray[Any]


def game_at(state: Any, table: Engine) -> Game:
    """A game at a position. Made from its text, so that whoever reads the text plays the same.

    Args:
        state: STATE record.
        table: engine of the table.

    Raises:
        PositionError, NotationError: a position that cannot be.
        RecordError: a record that holds more than its text says.
    """
    game = Game.from_text(position_text(state, table), table.max_seats)
    if game.states.tobytes() != state.tobytes():
        raise RecordError("a position that is not what its text says cannot be recorded")
    return game


def chance_of(before: Any, after: Any) -> tuple[list[str], list[str]]:
    """What chance decided in an action: cards drawn from the stock, in order, and the stock if it was renewed first, top first.

    Args:
        before: STATE record before the action.
        after: STATE record after it.
    """
    if after["reshuffles"] != before["reshuffles"]:
        # The called card of an allowed call leaves the pile as well, and is not drawn.
        left = Counter(pile_cards(before, "stock") + pile_cards(before, "pile"))
        left.subtract(pile_cards(after, "stock") + pile_cards(after, "pile"))
        if left.total() > 1:
            left[pile_cards(before, "pile")[0]] -= 1
        drawn = [CARD_NAMES[card] for card in left.elements()]
        return drawn, drawn + [CARD_NAMES[card] for card in pile_cards(after, "stock")]
    count = int(before["stock_n"]) - int(after["stock_n"])
    return [CARD_NAMES[card] for card in pile_cards(before, "stock")[:count]] if count > 0 else [], []


def clean(text: object) -> str:
    """A text that every reader can print: names of files may hold what is no Unicode."""
    return str(text).encode("utf-8", "replace").decode("utf-8")


class DealRecorder:
    """Plays along at one table, and makes a line of each action.

    Args:
        emit: called with each line.
    """

    def __init__(self, emit: Callable[[Line], None]) -> None:
        self._emit = emit
        self.game: Game | None = None
        self._noted: Line = {}

    def begin(
        self,
        game: Game,
        *,
        seats: Sequence[str] | None = None,
        seed: int | None = None,
        lane: int | None = None,
        match: int | None = None,
        sits: Sequence[int] | None = None,
        totals: Sequence[int] | None = None,
    ) -> None:
        """Begin a deal where a game stands; the game itself is left alone.

        Args:
            game: the position.
            seats: names of who plays, by seat, if not as in the first line of the record.
            seed: seed of the shuffles, if known.
            lane: table that this is, of several side by side.
            match: number of the match in a series, from 1 on; 0 for a deal that decides the series.
            sits: seats of the match that sit at this table, if not all do.
            totals: of the match before this deal, by seat of the match; in a deal that decides a series, of the series.

        Raises:
            RecordError: a deal runs already, or the game is over.
        """
        if self.game is not None:
            raise RecordError("a deal begins before the one before it has ended")
        if game.to_move is None:
            raise RecordError("a deal that is over cannot begin a record")
        state = game.states[0]
        line: Line = {"kind": "deal", "deal": int(state["deal"]), "dealer": seat_name(int(state["dealer"]))}
        if seats is not None:
            line["seats"] = [clean(name) for name in seats]
        for key, value in (("seed", seed), ("lane", lane), ("match", match)):
            if value is not None:
                line[key] = int(value)
        if sits is not None:
            line["sits"] = [seat_name(seat) for seat in sits]
        if totals is not None:
            line["totals"] = [int(total) for total in totals]
        line["position"] = game.text()
        self.game = game.copy()
        self._noted = {}
        self._emit(line)

    def note(self, policy: Policy | None = None, value: float | None = None) -> None:
        """Say what was thought of the decision that is due: written with the next action.

        Args:
            policy: probabilities of the legal actions: by text, or an array over all action numbers.
            value: an estimate for the seat to move.

        Raises:
            RecordError: no deal runs, or something that is no such number.
        """
        game = self._running()
        if policy is not None:
            self._noted["policy"] = _by_text(policy, game)
        if value is not None:
            if not np.isfinite(value):
                raise RecordError(f"value {value!r} is not allowed; allowed: a number")
            self._noted["value"] = round(float(value), 6)

    def act(self, move: str | int, policy: Policy | None = None, value: float | None = None) -> None:
        """Carry out an action, and end the deal if it is over then.

        Args:
            move: an action text or number. Not a compound move.
            policy, value: as for `note`.

        Raises:
            RecordError: no deal runs, or as for `note`.
            IllegalActionError: the action is illegal; nothing has changed.
            NotationError: a text of no known form.
        """
        game = self._running()
        self.note(policy, value)
        seat, before = game.to_move, game.states[0].copy()
        assert seat is not None
        number = game.action_number(move) if isinstance(move, str) else move
        text = game.action_text(number)
        game.do(number).forget()
        line: Line = {"kind": "action", "seat": seat_name(seat), "action": text}
        for key, cards in zip(("drawn", "renewed"), chance_of(before, game.states[0]), strict=True):
            if cards:
                line[key] = cards
        line |= self._noted
        self._noted = {}
        self._emit(line)
        outcome = game.outcome
        if outcome is not None:
            self.game = None
            out = None if outcome.winner is None else seat_name(outcome.winner)
            self._emit({"kind": "end", "out": out, "scores": list(outcome.scores)})

    def abandon(self, reason: str) -> None:
        """End a deal that is not over, if one runs: it is not played on, and has no scores."""
        if self.game is not None:
            self.game = None
            self._emit({"kind": "end", "abandoned": clean(reason)})

    def _running(self) -> Game:
        if self.game is None:
            raise RecordError("no deal runs: begin one first")
        return self.game


def _by_text(policy: Policy, game: Game) -> dict[str, float]:
    """Probabilities by action text, checked."""
    legal = {game.action_text(number): number for number in game.legal_numbers()}
    if isinstance(policy, Mapping):
        found = {text: float(share) for text, share in policy.items()}
    else:
        shares = np.asarray(policy, np.float64)
        if shares.shape != (game.engine.num_actions,):
            raise RecordError(f"policy {shares.shape} is not allowed; allowed: ({game.engine.num_actions},), or a dict by text")
        found = {text: float(shares[number]) for text, number in legal.items()}
    unknown = [text for text in found if text not in legal]
    if unknown:
        raise RecordError(f"policy for {unknown[0]!r}, which is not legal here; legal: {', '.join(legal)}")
    total = sum(found.values())
    if not abs(total - 1) < 0.001 or not all(0 <= share <= 1.001 for share in found.values()):
        raise RecordError(f"policy adds up to {total}; allowed: probabilities that add up to 1 over the legal actions")
    return {text: round(min(1.0, share), 6) for text, share in found.items()}
