"""Asking agents: observations in, checked actions out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.base import Agent
from kalooki_env.errors import AgentError, ConfigError, KalookiError
from kalooki_env.game.engine import Engine
from kalooki_env.game.position import position_text
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation


class Player:
    """An agent at a kind of table: gives it what it asks for and checks what it answers.

    Args:
        agent: the agent; any object with `act`. Without an attribute `observation` it is given the default observation.
        engine: engine of the table.
        name: name for error messages.
        reveal: whether an agent may sit here that sees hidden cards.

    Raises:
        AgentError: an agent that sees hidden cards, without `reveal`; or one that cannot play at such a table.
    """

    def __init__(self, agent: Agent, engine: Engine, name: str, *, reveal: bool = False) -> None:
        self._cheats = hasattr(agent, "act_on_positions")
        if self._cheats and not reveal:
            raise AgentError(f"agent {name!r} sees hidden cards; it plays where they may be revealed (reveal=True, --reveal)")
        self.agent = agent
        self.engine = engine
        self.name = name
        choice = getattr(agent, "observation", "obs-v1")
        self._observer = None if choice is None else Observer(engine, Observation.of(choice, engine.max_seats, engine.is_kaluki))
        self._floats = getattr(agent, "dtype", "float32") == "float32"
        begin = getattr(agent, "begin", None)
        if begin is not None:
            begin(engine)

    def act(
        self, states: NDArray[np.void], lanes: NDArray[np.int64], masks: NDArray[np.int8], rng: np.random.Generator
    ) -> NDArray[np.int64]:
        """Actions of the seats to move of some lanes.

        Args:
            states: STATE (N,). Trusted, as by all compiled code: positions from elsewhere go through
                `kalooki_env.game.sound.check_positions` first.
            lanes: lanes to act in, int64 (n,).
            masks: int8 (n, num_actions) of those lanes.
            rng: generator for the agent.

        Raises:
            ConfigError: arrays of other shapes or dtypes.
            AgentError: an answer of the wrong shape, or an illegal action.
        """
        if states.dtype != core.STATE or lanes.dtype != np.int64 or masks.dtype != np.int8:
            raise ConfigError(
                f"positions of {states.dtype.itemsize} bytes, lanes {lanes.dtype} and masks {masks.dtype} are not allowed; "
                f"allowed: STATE of {core.STATE.itemsize} bytes, int64 and int8"
            )
        if masks.shape != (len(lanes), self.engine.num_actions):
            raise ConfigError(f"masks {masks.shape} are not allowed; allowed: {(len(lanes), self.engine.num_actions)}")
        seats = states["actor"][lanes].astype(np.int64)
        observations: NDArray[Any]
        if self._observer is None:
            observations = np.zeros(len(lanes), core.VIEW)
            core.views_of_lanes(states, self.engine.record, lanes, seats, observations)
        else:
            observations = self._observer.rows(states, lanes, seats)
            if self._floats:
                observations = self._observer.floats(observations)
        try:
            # A copy: whatever the agent does to it, its answers are checked against what is legal.
            if self._cheats:
                actions = np.asarray(self.agent.act_on_positions(states[lanes], observations, masks.copy(), rng))  # type: ignore[attr-defined]
            else:
                actions = np.asarray(self.agent.act(observations, masks.copy(), rng))
        except KalookiError:
            raise
        except Exception as error:
            raise AgentError(f"agent {self.name!r} failed: {type(error).__name__}: {error}") from error
        if actions.shape != (len(lanes),) or not np.issubdtype(actions.dtype, np.integer):
            raise AgentError(f"agent {self.name!r} answered {actions.dtype} {actions.shape}; allowed: {len(lanes)} whole numbers")
        actions = actions.astype(np.int64)
        inside = (actions >= 0) & (actions < masks.shape[1])
        legal = inside & (masks[np.arange(len(lanes)), np.where(inside, actions, 0)] > 0)
        if not legal.all():
            wrong = int(np.argmin(legal))
            state = states[lanes[wrong]]
            phase = core.Phase(int(state["phase"])).name.lower()
            legal_ones = ", ".join(map(str, np.flatnonzero(masks[wrong])))
            message = f"agent {self.name!r} chose action {actions[wrong]} in phase {phase}, which is illegal; legal: {legal_ones}"
            raise AgentError(message, position_text(state, self.engine))
        return actions
