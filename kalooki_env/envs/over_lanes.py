"""What the batched environments have in common: both stand over `Lanes`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.batch.lanes import Lanes
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.envs.match_recording import RecordedMatchLanes
from kalooki_env.envs.recording import RecordedLanes
from kalooki_env.errors import ConfigError
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.records.recorder import Policy


class OverLanes:
    """Masks, sampled actions, counts and saved states of all lanes.

    Attributes:
        lanes: the lanes.
    """

    lanes: Lanes
    _name: str  # all options, as a text: what a saved state belongs to

    def action_masks(self) -> NDArray[np.int8]:
        """Masks of all lanes, int8 (N, A).

        Raises:
            EnvironmentStateError: before the first `reset`.
        """
        self.lanes.require_reset("action_masks")
        return self.lanes.masks

    def open_decisions(self) -> list[OpenDecisions]:
        """The decisions that are due, as agents are asked for them, by kind of table. Lanes whose episode is over have none.

        Raises:
            EnvironmentStateError: before the first `reset`.
        """
        lanes = self.lanes
        lanes.require_reset("open_decisions")
        due = np.flatnonzero(lanes.lanes["over"] == 0)
        tables = lanes.lanes["table"][due]
        found = []
        for size in np.unique(tables):
            which = due[tables == size]
            found.append(OpenDecisions(lanes.table_of(int(which[0])), lanes.states, which, lanes.masks[which]))
        return found

    def sample_actions(self) -> NDArray[np.int64]:
        """A random legal action for each lane, from the lanes' own generators: int64 (N,)."""
        return self.lanes.random_actions()

    @property
    def illegal_actions(self) -> int:
        """Illegal actions so far, of all lanes."""
        return int(self.lanes.lanes["illegal"].sum())

    @property
    def choices(self) -> int:
        """Decisions with more than one legal action so far, of all seats of all lanes."""
        return int(self.lanes.lanes["choices"].sum())

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Everything that what follows depends on, as plain arrays: `np.savez(path, **env.get_state())`.

        Outside agents with a memory of their own are not in it.
        """
        return self.lanes.saved(self._name)

    def standing(self) -> dict[str, NDArray[Any]]:
        """Where the matches stand: int64 (N,) under `match`, `match_deal` and `deal`, (N, seats) under `totals`, float64 `chips`.

        Raises:
            ConfigError: episodes are single deals.
        """
        if not isinstance(self.lanes, MatchLanes):
            raise ConfigError("standing without a match: make the environment with episode='match'")
        return {name: self.lanes.standing[name].copy() for name in ("match", "match_deal", "deal", "totals", "chips")}

    def note(self, lane: int = 0, policy: Policy | None = None, value: float | None = None) -> None:
        """Say what the learner thinks of the decision that a recorded lane stands at: written with its action.

        Args:
            lane: a recorded lane.
            policy: probabilities of the legal actions: a dict by action text, or an array over all action numbers.
            value: an estimate for the seat that decides.

        Raises:
            ConfigError: nothing is recorded, or not this lane.
            RecordError: no deal runs there, or something that is no such number.
        """
        if not isinstance(self.lanes, RecordedLanes | RecordedMatchLanes):
            raise ConfigError("note without a record: make the environment with record=PATH")
        self.lanes.note(lane, policy, value)
