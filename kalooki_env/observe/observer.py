"""`Observer`: observations of many lanes or views at once, of any choice of pieces."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.game.engine import Engine
from kalooki_env.observe.batch import observe_lanes
from kalooki_env.observe.schema import Observation
from kalooki_env.observe.solver_piece import SCRATCH, solve_lanes


class Observer:
    """Writes observations for one table and one choice of pieces.

    Args:
        engine: engine of the table.
        layout: the choice of pieces.
    """

    def __init__(self, engine: Engine, layout: Observation) -> None:
        self.engine = engine
        self.layout = layout
        self._views = np.zeros(1, core.VIEW)
        self._scratch = np.zeros((SCRATCH, core.CARDS), np.uint8)
        self._first = layout.slice_of("solver").start if layout.has_solver else -1

    def rows(self, states: NDArray[np.void], lanes: NDArray[np.int64], seats: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Observations of one seat of each listed lane: uint8 (n, size), a new array.

        Args:
            states: STATE (N,).
            lanes: indices into `states`, int64 (n,).
            seats: the observers, int64 (n,).
        """
        rows = np.empty((len(lanes), self.layout.size), np.uint8)
        table = self.engine
        observe_lanes(states, table.record, lanes, seats, self._views, self.layout.offsets, rows)
        if self._first >= 0:
            solve_lanes(states, table.record, table.feas, table.dist, lanes, seats, self._views, rows, self._first, self._scratch)
        return rows

    def floats(self, rows: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Observations scaled to [0, 1], float32 (n, size)."""
        return rows * self.layout.scale
