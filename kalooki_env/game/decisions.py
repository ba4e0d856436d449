"""The decisions that tables and environments wait for, in the form in which agents are asked."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kalooki_env.game.engine import Engine


class OpenDecisions(NamedTuple):
    """Decisions that are due at tables of one kind.

    Attributes:
        engine: engine of the tables.
        states: STATE (N,), hidden cards included: for `kalooki_env.agents`, which shows agents what their seats see.
        lanes: the positions that wait for a decision, int64 (n,).
        masks: int8 (n, num_actions).
    """

    engine: Engine
    states: NDArray[np.void]
    lanes: NDArray[np.int64]
    masks: NDArray[np.int8]


class HasDecisions(Protocol):
    """A table, a match or an environment that agents can play at."""

    def open_decisions(self) -> list[OpenDecisions]:
        """The decisions that are due now, by kind of table; none where all is over."""
        ...
