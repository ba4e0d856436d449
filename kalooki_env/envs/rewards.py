"""Rewards of one lane: what the end of a deal pays, and potential-based shaping on the way."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from kalooki_env.batch.layout import SCALE
from kalooki_env.game.engine import Engine
from kalooki_env.observe.solver_piece import distances_of_lane


class Rewards:
    """Rewards of a table.

    Args:
        kind: what the end of a deal pays; see `raw_env`.
        shaping: weight of the contract distance in the potential.
        engine: engine of the table.
    """

    def __init__(self, kind: Literal["score", "zero_sum", "win"], shaping: float, engine: Engine) -> None:
        self.kind = kind
        self.shaping = shaping
        self._engine = engine
        self._potential = np.zeros(engine.num_players)
        self._distances = np.zeros(engine.num_players, np.int64)

    def begin(self, states: NDArray[np.void]) -> None:
        """Note the potentials at the start of a deal."""
        if self.shaping:
            self._potential = self._potentials(states)

    def shaped(self, states: NDArray[np.void], over: bool) -> list[float]:
        """The shaping reward of every seat for the last step: the rise of its potential, which is 0 at the end."""
        after = np.zeros(self._engine.num_players) if over else self._potentials(states)
        rise = after - self._potential
        self._potential = after
        return [float(reward) for reward in rise]

    def final(self, state: Any) -> list[float]:
        """What the end of the deal pays to every seat."""
        scores = [int(score) for score in state["scores"][: self._engine.num_players]]
        if self.kind == "win":
            return [1.0 if seat == int(state["winner"]) else 0.0 for seat in range(len(scores))]
        level = sum(scores) / len(scores) if self.kind == "zero_sum" else 0.0
        return [(level - score) / SCALE for score in scores]

    def _potentials(self, states: NDArray[np.void]) -> NDArray[np.float64]:
        table = self._engine
        distances_of_lane(states, table.record, table.feas, table.dist, 0, self._distances)
        return np.multiply(-self.shaping, self._distances, dtype=np.float64)
