"""The environment under PettingZoo's parallel API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from kalooki_env.envs.aec import TableOptions, raw_env
from kalooki_env.envs.aec_views import AgentID
from kalooki_env.envs.options import with_options
from kalooki_env.errors import ConfigError, ConfigTypeError, EnvironmentStateError
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.rules import Rules
from kalooki_env.values import shown


@with_options(TableOptions, mask_in="observation", idle_mask="ones")
class parallel_env(ParallelEnv):  # type: ignore[type-arg]  # noqa: N801  (PettingZoo's name)
    """`raw_env` under PettingZoo's parallel API: all agents are asked at once, and the action of the one to move counts.

    Facts, options and endings are those of `raw_env`. `infos` also have `active_agent`, the seat to move as a number,
    from reset on; -1 at the end. All dicts and arrays handed out are new ones and never change later.

    Learners under this API sample an action for every agent, and none can be sampled from an empty mask: here the masks of
    agents that are not to move are all ones by default (`idle_mask`).

    Args:
        rules, num_players, options: see `raw_env`.

    Attributes:
        aec_env: the environment behind it.
        agents: the agents, none before `reset` and after the end.

    Raises:
        RulesError, ConfigError, RecordError: as for `raw_env`.
    """

    metadata: dict[str, Any] = {**raw_env.metadata, "is_parallelizable": True}  # noqa: RUF012  (PettingZoo's form)

    def __init__(self, rules: Rules | str = "jamaican", num_players: int = 4, **options: Any) -> None:
        self.aec_env = raw_env(rules, num_players, **{"idle_mask": "ones", **options})
        self.possible_agents = self.aec_env.possible_agents
        self.agents: list[AgentID] = []
        self.render_mode = self.aec_env.render_mode
        self.state_space = self.aec_env.state_space
        self.observation_spaces = self.aec_env.observation_spaces
        self.action_spaces = self.aec_env.action_spaces

    def observation_space(self, agent: AgentID) -> spaces.Space[Any]:
        """Space of the observations, the same for all agents. Raises as that of `raw_env`."""
        return self.aec_env.observation_space(agent)

    def action_space(self, agent: AgentID) -> spaces.Space[Any]:
        """Space of the actions, the same for all agents. Raises as that of `raw_env`."""
        return self.aec_env.action_space(agent)

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[AgentID, Any], dict[AgentID, dict[str, Any]]]:
        """Deal anew, or begin a new match. Arguments and errors as for `raw_env`.

        Returns:
            Observations and infos of all agents.
        """
        self.aec_env.reset(seed=seed, options=options)
        self.agents = self.aec_env.agents[:]
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[AgentID, Any]
    ) -> tuple[
        dict[AgentID, Any],
        dict[AgentID, float],
        dict[AgentID, bool],
        dict[AgentID, bool],
        dict[AgentID, dict[str, Any]],
    ]:
        """Make the move of the agent to move.

        Args:
            actions: actions by agent. That of the agent to move must be there; those of others are not looked at.

        Returns:
            Observations, rewards, terminations, truncations and infos of all agents.

        Raises:
            EnvironmentStateError: before `reset`, or after the end.
            ConfigError: no mapping, one without the agent to move, or one with an agent that does not exist.
            IllegalActionError, ActionTypeError: as for `raw_env`; nothing has changed.
        """
        table = self.aec_env
        if not self.agents:
            when = "after the end" if table.possible_agents and table._is_reset else "before reset"
            raise EnvironmentStateError(f"step {when}: call reset() first")
        if not isinstance(actions, Mapping):
            raise ConfigTypeError(f"actions {shown(actions)} are not allowed; allowed: a dict with an action for each agent")
        for agent in actions:
            table._known(agent)
        mover = table.agent_selection
        if mover not in actions:
            given = ", ".join(actions) or "none"
            raise ConfigError(f"actions without {mover}, the agent to move, are not allowed; given: {given}")
        table.step(actions[mover])
        found = (
            self._observations(),
            dict(table.rewards),
            dict(table.terminations),
            dict(table.truncations),
            self._infos(),
        )
        while table.agents and table.terminations[table.agent_selection]:
            table.step(None)
        self.agents = table.agents[:]
        return found

    def _observations(self) -> dict[AgentID, Any]:
        return {agent: self.aec_env.observe(agent) for agent in self.agents}

    def _infos(self) -> dict[AgentID, dict[str, Any]]:
        table = self.aec_env
        is_over = table.terminations[table.agent_selection]
        active = -1 if is_over else self.possible_agents.index(table.agent_selection)
        return {agent: {**table.infos[agent], "active_agent": active} for agent in self.agents}

    def open_decisions(self) -> list[OpenDecisions]:
        """The decision that is due, as agents are asked for it; none before `reset` and at the end."""
        return self.aec_env.open_decisions()

    def copy(self) -> Self:
        """An independent environment that goes on identically. See `raw_env`."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.aec_env, other.agents = self.aec_env.copy(), self.agents[:]
        return other

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Everything that what follows depends on. See `raw_env`."""
        return self.aec_env.get_state()

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from a saved state. Arguments and errors as for `raw_env`."""
        self.aec_env.set_state(state)
        self.agents = [agent for agent in self.aec_env.agents if not self.aec_env.terminations[agent]]

    def state(self) -> NDArray[np.float32]:
        """The global state. See `raw_env`."""
        return self.aec_env.state()

    def render(self) -> Any:
        """The table as the agent to move sees it. See `raw_env`."""
        return self.aec_env.render()

    def close(self) -> None:
        """Complete the record, if there is one."""
        self.aec_env.close()
