"""What the agents of the AEC environment see: spaces, observations, the global state, and pictures of the table."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from kalooki_env import core
from kalooki_env.envs.match import MatchEpisode
from kalooki_env.envs.rendering import ONE_TABLE, RenderMode, rendered, require_mode
from kalooki_env.errors import EnvironmentStateError, UnknownAgentIDError, closest
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.game.engine import Engine
from kalooki_env.game.notation import action_text
from kalooki_env.observe.batch import observe_and_mask
from kalooki_env.observe.observer import Observer
from kalooki_env.observe.schema import Observation
from kalooki_env.values import shown

AgentID: TypeAlias = str
OVER = int(core.Phase.OVER)
_LANE = np.zeros(1, np.int64)


class AgentViews(AECEnv):  # type: ignore[type-arg]
    """The half of the environment that looks at the table and never changes it; `raw_env` is the other half."""

    _engine: Engine
    _match: MatchEpisode | None
    _layout: Observation
    _observer: Observer
    _form: str
    _dtype: Literal["float32", "uint8"]
    _size: int
    _num_actions: int
    _is_plain: bool
    _idle_ones: bool
    _mask_in_observation: bool
    _mask_in_infos: bool
    _reveal: bool
    _is_reset: bool
    render_mode: RenderMode | None
    _seats: dict[AgentID, int]  # at the table; in a sudden death not all agents have one
    _states: NDArray[np.void]
    _views: NDArray[np.void]
    _work: NDArray[np.void]
    _record: NDArray[np.void]
    _legal: NDArray[np.int16]
    _legal_count: int
    _phase: int
    _actor: int

    def _make_spaces(self) -> None:
        """One and the same space object for all agents and calls."""
        actions = self._engine.num_actions
        observation = self._layout.dict_space() if self._form == "dict" else self._layout.space(self._dtype)
        space: spaces.Space[Any] = observation
        if self._mask_in_observation:
            space = spaces.Dict({"observation": observation, "action_mask": spaces.Box(0, 1, (actions,), np.int8)})
        action_space = spaces.Discrete(actions)
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = dict.fromkeys(self.possible_agents, action_space)
        hands = core.CARDS * self._engine.max_seats
        self.state_space = spaces.Box(0.0, 1.0, (hands + self._layout.size,), np.float32)

    def observation_space(self, agent: AgentID) -> spaces.Space[Any]:
        """Space of the observations, the same for all agents.

        Raises:
            UnknownAgentIDError: no such agent.
        """
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: AgentID) -> spaces.Space[Any]:
        """Space of the actions, the same for all agents.

        Raises:
            UnknownAgentIDError: no such agent.
        """
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: Any) -> AgentID:
        if not isinstance(agent, str) or agent not in self.possible_agents:
            raise UnknownAgentIDError(f"no agent {shown(agent)}{closest(agent, self.possible_agents)}")
        return agent

    def _mask(self, seat: int) -> NDArray[np.int8]:
        mask = np.zeros(self._engine.num_actions, np.int8)
        if seat != self._actor or self._phase == OVER:
            if self._idle_ones:
                mask[:] = 1
        else:
            mask[self._legal[: self._legal_count]] = 1
        return mask

    def observe(self, agent: AgentID) -> Any:
        """What an agent sees at this moment, to move or not: new arrays.

        Raises:
            EnvironmentStateError: before `reset`.
            UnknownAgentIDError: no such agent.
        """
        if not self._is_reset:
            raise EnvironmentStateError("observe before reset: call reset() first")
        try:
            seat = self._seats[agent]
        except (KeyError, TypeError):
            self._known(agent)
            seat = -1  # sits out a sudden death
        if self._is_plain and seat >= 0:
            out = np.empty(self._size, np.float32)
            mask = np.empty(self._num_actions, np.int8)
            count = self._legal_count if seat == self._actor else 0
            observe_and_mask(self._states, self._record, 0, seat, self._work, count, out, mask)
            return {"observation": out, "action_mask": mask} if self._mask_in_observation else out
        row = self._row(seat)
        vector = row if self._dtype == "uint8" else self._formed(self._observer.floats(row))
        return {"observation": vector, "action_mask": self._mask(seat)} if self._mask_in_observation else vector

    def open_decisions(self) -> list[OpenDecisions]:
        """The decision that is due, as agents are asked for it; none before `reset` and at the end."""
        if self._phase == OVER:
            return []
        return [OpenDecisions(self._engine, self._states, _LANE, self._mask(self._actor)[None])]

    def _row(self, seat: int) -> NDArray[np.uint8]:
        """What a seat sees; zeros for an agent that has none."""
        if seat < 0:
            return np.zeros(self._size, np.uint8)
        row: NDArray[np.uint8] = self._observer.rows(self._states, _LANE, np.array([seat]))[0]
        return row

    def _formed(self, vector: NDArray[np.float32]) -> NDArray[np.float32] | dict[str, NDArray[np.float32]]:
        if self._form == "flat":
            return vector
        return {name: vector[self._layout.slice_of(name)].copy() for name in self._layout.pieces}

    def _info(self, agent: AgentID) -> dict[str, Any]:
        """Numbers under constant keys: how the deal ended is known at its end only."""
        if self._match is not None:
            return self._match.info(self.possible_agents.index(agent))
        state = self._states[0]
        over = state["phase"] == OVER
        winner = int(state["winner"]) if over else -1
        return {
            "deal": int(state["deal"]),
            "score": int(state["scores"][self._seats[agent]]) if over else 0,
            "winner": winner,
            "blocked": int(over and winner < 0),
            "turns": int(state["turns"]) if over else 0,
            "illegal": 0,
        }

    def state(self) -> NDArray[np.float32]:
        """The global state, hidden cards included: all hands by agent, then the observation of `player_0`, float32."""
        if not self._is_reset:
            raise EnvironmentStateError("state before reset: call reset() first")
        hands = np.zeros((self._engine.max_seats, core.CARDS), np.float32)
        for row, agent in enumerate(self.possible_agents):
            if agent in self._seats:
                hands[row] = self._states[0]["hands"][self._seats[agent]]
        hands /= np.array([3] * 52 + [6], np.float32)
        seen = self._observer.floats(self._row(self._seats.get(self.possible_agents[0], -1)))
        return np.concatenate([hands.ravel(), seen])

    def render(self) -> str | NDArray[np.uint8] | None:
        """The table as `agent_selection` sees it.

        Returns:
            A string in mode `ansi`; uint8 (height, width, 3) in mode `rgb_array`; None in mode `human`, which prints.

        Raises:
            EnvironmentStateError: before `reset`, or without a render mode.
        """
        mode = require_mode(self.render_mode, ONE_TABLE)
        if not self._is_reset:
            raise EnvironmentStateError("render before reset: call reset() first")
        core.views_of_lanes(self._states, self._record, _LANE, np.array([self._actor]), self._views)
        return rendered(
            mode,
            self._views[0],
            self._engine,
            legal=[self._text(int(action)) for action in self._legal[: self._legal_count]],
            reveal=self._states[0] if self._reveal else None,
            heading="" if self._match is None else self._match.heading(),
            seats=len(self.possible_agents),
        )

    def _text(self, number: int) -> str:
        try:
            return action_text(number, self._states[0], self._engine)
        except ValueError:
            return f"action {number}"
