"""The half of `Game` that leaves the present position: back and forth between moves, saved states, other hidden cards."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.core import Phase
from kalooki_env.errors import ConfigTypeError, EnvironmentStateError
from kalooki_env.game.cards import seat_name
from kalooki_env.game.engine import Engine
from kalooki_env.game.saved import UNREADABLE, arrays_of, check_digest, not_saved, pack, record_bytes, records_of, unpack
from kalooki_env.game.sound import check_positions
from kalooki_env.values import check_seed, integer_of, shown

#: Draws of hidden cards before `resample` gives up. One is enough but in the midst of another seat's lay-down.
TRIES = 10_000


class GameStates:
    """What `Game` does with positions other than its own."""

    seed: int | None
    history: list[str]
    _table: Engine
    _states: NDArray[np.void]
    # Positions that `undo` goes back to, with the length of the history there, and those that `redo` goes on to, with what the
    # move added to it. A move leaves the array of before as it was, so games that share a past share its arrays.
    _past: list[tuple[NDArray[np.void], int]]
    _future: list[tuple[NDArray[np.void], list[str]]]

    @staticmethod
    def _seat(name: str, seat: object, num_players: int) -> int:
        """A seat at a table of this size."""
        raise NotImplementedError

    def copy(self) -> Self:
        """An independent copy: the history, and what `undo` and `redo` go to, included."""
        other = type(self).__new__(type(self))
        other._table = self._table
        other._states = self._states.copy()
        other.seed = self.seed
        other.history = list(self.history)
        other._past, other._future = list(self._past), list(self._future)
        return other

    # ---- back and forth ------------------------------------------------------------------------------------------

    def _move_on(self, states: NDArray[np.void], history: list[str]) -> None:
        """Go on to the position after a move."""
        self._past.append((self._states, len(self.history)))
        self._future.clear()
        self._states, self.history = states, history

    def undo(self) -> Self:
        """Take the last move back: of a compound move all actions, and whatever was drawn or shuffled by it.

        A position is kept for each move. `redo` makes the move again; another move in its place forgets those that were taken
        back. Copies go back and forth by themselves.

        Returns:
            The game itself.

        Raises:
            EnvironmentStateError: no move to take back.
        """
        if not self._past:
            raise EnvironmentStateError("undo: there is no move to take back")
        states, length = self._past.pop()
        self._future.append((self._states, self.history[length:]))
        self._states, self.history = states, self.history[:length]
        return self

    def redo(self) -> Self:
        """Make the move again that was taken back last, with the same outcome.

        Returns:
            The game itself.

        Raises:
            EnvironmentStateError: no move was taken back, or another one has been made since.
        """
        if not self._future:
            raise EnvironmentStateError("redo: there is no move that was taken back")
        states, added = self._future.pop()
        self._past.append((self._states, len(self.history)))
        self._states, self.history = states, self.history + added
        return self

    def forget(self) -> Self:
        """Free the positions that `undo` and `redo` go to; the history of actions stays.

        Returns:
            The game itself.
        """
        self._past, self._future = [], []
        return self

    # ---- saving --------------------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Position, history and seed, as plain arrays: `np.savez(path, **game.get_state())`."""
        about = {"name": self._kind(), "schema": _schema(), "seed": self.seed, "history": self.history}
        return pack(about, {"state": record_bytes(self._states).copy()})

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> Self:
        """Go on from a saved state, in a game of the same rules and size; there is nothing to undo then.

        Returns:
            The game itself.

        Raises:
            ConfigError: not such a state, of another table or version, or a position that cannot be. It names the field, what
                was found and what is allowed; nothing has changed.
        """
        saved = arrays_of(state)
        about, arrays = unpack(saved, self._kind(), _schema(), {"state": record_bytes(self._states)})
        try:
            history, seed = about["history"], about["seed"]
            if not isinstance(history, list) or not all(isinstance(text, str) for text in history):
                raise TypeError(f"history {history!r} is no list of texts")
            seed = None if seed is None else check_seed(seed)
        except UNREADABLE as error:
            raise not_saved(error) from error
        states = records_of(arrays["state"], core.STATE)
        table = self._table
        check_positions(states, table.record, table.feas, is_dealt=False, name=lambda _: "position")
        check_digest(saved)
        self._states, self.history, self.seed = states, history, seed
        return self.forget()

    def _kind(self) -> str:
        return f"game of {self._table.rules}, {self._table.num_players} players, {self._table.max_seats} seats"

    # ---- what might be -------------------------------------------------------------------------------------------

    def resample(self, seat: int, rng: np.random.Generator | int) -> Self:
        """An independent game in which the cards that a seat cannot see are others, as likely as any that agree with its view.

        Nothing that the seat knows is different, and what the future draws from is new as well. Whether placements of a lay-down
        had an alternative is not taken into account.

        Args:
            seat: the observer.
            rng: a generator, or a seed.

        Returns:
            The other game, with the same history and nothing to undo.

        Raises:
            RulesError: no such seat.
            ConfigError: neither a generator nor a seed.
            EnvironmentStateError: the deal is over, or no cards that agree were found.
        """
        seat = self._seat("seat", seat, self._table.num_players)
        if not isinstance(rng, np.random.Generator):
            if integer_of(rng) is None:
                raise ConfigTypeError(f"rng {shown(rng)} is not allowed; allowed: a NumPy generator, or a seed")
            rng = np.random.default_rng(check_seed(rng))
        if self._states[0]["phase"] == Phase.OVER:
            raise EnvironmentStateError("resample: the deal is over, and its scores say what the hands hold")
        other = self.copy().forget()
        other.seed = None
        other._states["rng"], lots = rng.integers(2**63, size=2, dtype=np.uint64)
        source = np.zeros(1, core.STATE)
        source["rng"] = lots
        table = self._table
        trial = np.zeros(1, core.STATE)
        if not core.resample_lane(other._states, table.record, table.feas, 0, seat, source, trial, TRIES):
            actor = seat_name(int(self._states[0]["actor"]))
            raise EnvironmentStateError(
                f"resample for {seat_name(seat)}: none of {TRIES} draws agrees with what {actor} has begun, in phase "
                f"{Phase(int(self._states[0]['phase'])).name.lower()}"
            )
        return other


@cache
def _schema() -> str:
    return core.schema_hash(core.STATE)
