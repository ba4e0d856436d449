"""Agents that answer for the seats of any table, match or environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.agents.play import Player
from kalooki_env.agents.registry import load
from kalooki_env.errors import ConfigTypeError, EnvironmentStateError
from kalooki_env.values import check_seed, shown


class SeatedAgent:
    """An agent at a table, in a match or in an environment. `seat` makes one.

    Attributes:
        agent: the agent.
        name: how messages call it.
    """

    def __init__(self, agent: Agent, name: str, place: Any, rng: np.random.Generator, reveal: bool) -> None:
        self.agent = agent
        self.name = name
        self._place = place
        self._rng = rng
        self._reveal = reveal
        self._player: Player | None = None

    def choose(self) -> Any:
        """An action for the seat to move, which the agent sees the table as.

        Returns:
            Its number; for batched environments one for each lane, int64 (N,), 0 where nothing is to be decided.

        Raises:
            EnvironmentStateError: nobody is to move: before `reset`, or at the end.
            AgentError: the agent cannot play here, failed, or answered an illegal action.
        """
        groups = self._place.open_decisions()
        count = getattr(self._place, "num_envs", None)
        if not groups and count is None:
            raise EnvironmentStateError(f"agent {self.name!r}: nobody is to move: before reset, or after the end")
        actions: NDArray[np.int64] = np.zeros(1 if count is None else count, np.int64)
        for engine, states, lanes, masks in groups:
            # In a match tables differ in size. An agent is told whenever it comes to another one.
            if self._player is None or self._player.engine is not engine:
                self._player = Player(self.agent, engine, self.name, reveal=self._reveal)
            actions[lanes] = self._player.act(states, lanes, masks, self._rng)
        return int(actions[0]) if count is None else actions


def seat(agent: str | Path | Agent, place: Any, *, seed: int | None = None, reveal: bool = False) -> SeatedAgent:
    """Seat an agent at a table: whenever it is asked, it chooses for the seat to move, and sees what that seat sees.

    Args:
        agent: a name or folder that `load` takes, or an agent: any object with `act(observations, masks, rng)`.
        place: a `Game`, a `Match`, or any environment of this package, wrapped or not.
        seed: of the lots that the agent draws; None for others each time.
        reveal: whether an agent may sit here that sees hidden cards.

    Raises:
        AgentError: no such agent; `choose` raises it for one that cannot play here.
        ConfigError: a place that is none, or a seed that is not allowed.

    Example:
        >>> from kalooki_env import Game, agents
        >>> game = Game("jamaican", num_players=4, deal=1, seed=7)
        >>> greedy = agents.seat("greedy", game)
        >>> game.action_text(greedy.choose())
        'draw stock'
    """
    inner = getattr(place, "unwrapped", place)
    if isinstance(place, type) or not callable(getattr(inner, "open_decisions", None)):
        raise ConfigTypeError(f"place {shown(place)} is not allowed; allowed: a Game, a Match, or an environment of kalooki_env")
    named = isinstance(agent, str | Path)
    found = load(agent) if isinstance(agent, str | Path) else agent
    if not callable(getattr(found, "act", None)) or isinstance(found, type):
        raise ConfigTypeError(
            f"agent {shown(agent)} is not allowed; allowed: a name, a path, or an object with act(observations, masks, rng)"
        )
    rng = np.random.default_rng(None if seed is None else check_seed(seed))
    return SeatedAgent(found, str(agent) if named else type(agent).__name__, inner, rng, reveal)
