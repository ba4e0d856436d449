"""The protocol of agents: they answer batches of decisions, each for the seat to move at one of many tables."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.game.engine import Engine


class Agent(ABC):
    """Somebody who plays seats.

    One object answers for all its seats at all tables of a batch, and keeps nothing between decisions.

    Attributes:
        observation: what `act` is given: a named choice of observation pieces or a list of their names
            (`kalooki_env.observe.schema`), for vectors as the environments give them; or None, for VIEW records
            (`kalooki_env.core.layout`).
        dtype: "float32" for vectors scaled to [0, 1], "uint8" for counts and flags.
    """

    observation: str | Sequence[str] | None = "obs-v1"
    dtype: str = "float32"

    def begin(self, engine: Engine) -> None:  # noqa: B027  (most agents need no preparation)
        """Called before the first decision at a table: its rules, size and spaces.

        Raises:
            AgentError: the agent cannot play at such a table.
        """

    @abstractmethod
    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """Choose an action for each row.

        Args:
            observations: float32 or uint8 (n, size), or VIEW (n,); see `observation`.
            masks: int8 (n, num_actions), each row with at least one legal action.
            rng: the only source of randomness, so that results repeat.

        Returns:
            Action numbers, (n,).
        """

    def opinions(
        self, observations: NDArray[Any], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None] | None:
        """What the agent thinks of decisions, for records of games. It must draw nothing and change nothing.

        Args:
            observations: as for `act`.
            masks: as for `act`.

        Returns:
            Probabilities of its policy, float32 (n, num_actions), zero where an action is illegal; and value estimates of
            the seats to move, float32 (n,), or None. None in place of both if it has no such numbers, as most agents.
        """
        return None
