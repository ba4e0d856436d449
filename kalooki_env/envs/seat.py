"""`SeatEnv`: one seat at one table as a `gymnasium.Env`, with agents in the others."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

from kalooki_env import core
from kalooki_env.agents.base import Agent
from kalooki_env.envs.batch_options import with_options
from kalooki_env.envs.match_lanes import MatchLanes
from kalooki_env.envs.options import one_of
from kalooki_env.envs.vector import SeatVectorEnv
from kalooki_env.errors import ConfigError, EnvironmentStateError
from kalooki_env.game.game import check_seed
from kalooki_env.game.notation import action_text
from kalooki_env.records.recorder import Policy
from kalooki_env.render.text import table_text, takes_colours

_LANE = np.zeros(1, np.int64)


@with_options()
class SeatEnv(gymnasium.Env):
    """One seat against agents: lane 0 of a `SeatVectorEnv` of one lane, without autoreset.

    `action_masks()` and `info["action_mask"]` are the mask, int8 (A,): ones once the deal is over. Infos are numbers under the
    names of `SeatVectorEnv`. Gymnasium's and SB3's checkers draw unmasked actions: give them an environment with
    `on_illegal="replace"` or `"lose"`.

    Args:
        opponents, seat: as for `SeatVectorEnv`.
        render_mode: `"ansi"` for a string, `"human"` to print after each step, None.
        reveal: show all hands when rendering.
        options: see `kalooki_env.envs.batch_options.BatchOptions`.

    Raises:
        RulesError, ConfigError, AgentError: as for `SeatVectorEnv`.
    """

    metadata = {"render_modes": ["ansi", "human"], "render_fps": 4}  # noqa: RUF012  (Gymnasium's form)

    def __init__(
        self,
        *,
        opponents: str | Agent | Sequence[str | Agent] = "greedy",
        seat: int | Literal["rotate"] = "rotate",
        render_mode: Literal["ansi", "human"] | None = None,
        reveal: bool = False,
        **options: Any,
    ) -> None:
        self.render_mode = one_of("render_mode", render_mode, (None, "ansi", "human"))
        self._reveal = bool(reveal)
        self._vector = SeatVectorEnv(1, opponents=opponents, seat=seat, autoreset_mode="disabled", **options)
        self.observation_space = self._vector.single_observation_space
        self.action_space = self._vector.single_action_space
        self._is_over = True

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal anew and play to the seat's first decision.

        Args:
            seed: from 0 on; fixes everything that follows. None goes on with the present generators.
            options: `"deal"`, `"dealer"` and `"seat"` override the constructor's for this deal.

        Raises:
            RulesError: a negative seed, or a deal, dealer or seat that is not allowed.
        """
        super().reset(seed=None if seed is None else check_seed(seed))
        observations, infos = self._vector.reset(seed=seed, options=options)
        self._is_over = False
        if self.render_mode == "human":
            self.render()
        return _first(observations), self._info(infos)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out a decision and play on to the seat's next one.

        Raises:
            IllegalActionError: an illegal action under `on_illegal="raise"`; nothing has changed.
            EnvironmentStateError: before `reset`, or after the end.
            ConfigError: not a whole number.
        """
        if self._is_over:
            raise EnvironmentStateError("step before reset, or after the end of the deal: call reset() first")
        given = np.asarray(action)
        if given.size != 1 or not np.issubdtype(given.dtype, np.integer):
            raise ConfigError(f"action {action!r} is not allowed; allowed: a whole number")
        observations, rewards, over, _, infos = self._vector.step(given.reshape(1))
        self._is_over = bool(over[0])
        if self.render_mode == "human":
            self.render()
        return _first(observations), float(rewards[0]), self._is_over, False, self._info(infos)

    def action_masks(self) -> NDArray[np.int8]:
        """The mask, int8 (A,)."""
        mask: NDArray[np.int8] = self._vector.lanes.masks[0].copy()
        return mask

    @property
    def illegal_actions(self) -> int:
        """Illegal actions so far."""
        return self._vector.illegal_actions

    def get_state(self) -> dict[str, NDArray[Any]]:
        """See `SeatVectorEnv.get_state`."""
        return self._vector.get_state()

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> tuple[Any, dict[str, Any]]:
        """See `SeatVectorEnv.set_state`."""
        observations, infos = self._vector.set_state(state)
        lanes = self._vector.lanes
        self._is_over = bool(lanes.lanes[0]["over"]) or not lanes.states[0]["deal"]
        return _first(observations), self._info(infos)

    def note(self, policy: Policy | None = None, value: float | None = None) -> None:
        """Say what the learner thinks of its decision: written into the record with its action. See `SeatVectorEnv.note`."""
        self._vector.note(0, policy, value)

    def render(self) -> Any:
        """The table as the seat sees it; a string in mode `ansi`, printed in mode `human`.

        Raises:
            EnvironmentStateError: before `reset`, or without a render mode.
        """
        if self.render_mode is None:
            raise EnvironmentStateError("render without a mode: make the environment with render_mode='ansi' or 'human'")
        lanes = self._vector.lanes
        table, state, lane = lanes.table_of(0), lanes.states[0], lanes.lanes[0]
        if not state["deal"]:
            raise EnvironmentStateError("render before reset: call reset() first")
        views = np.zeros(1, core.VIEW)
        seat = int(lane["at_table"][lane["seat"]] if lane["table"] else lane["seat"])
        if seat < 0:  # a match that has ended without it
            seat = int(state["actor"])
        core.views_of_lanes(lanes.states, table.record, _LANE, np.array([seat]), views)
        legal = [action_text(int(action), state, table) for action in lane["legal"][: lane["n"]]]
        text = lanes.heading(0) if isinstance(lanes, MatchLanes) else ""
        colour = takes_colours(sys.stdout) if self.render_mode == "human" else None
        text += table_text(views[0], table, legal=legal, reveal=state if self._reveal else None, colour=colour)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        return None

    def close(self) -> None:
        """End the threads, if there are any, and the record."""
        self._vector.close()

    def _info(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Numbers, in a match an array as well, and the mask."""
        found = {name: _plain(values[0]) for name, values in infos.items() if not name.startswith("_") and name != "action_mask"}
        return {"action_mask": infos["action_mask"][0], **found}


def _plain(value: Any) -> Any:
    """Python's number for one of NumPy's; arrays as they are."""
    return value.item() if isinstance(value, np.generic) else value


def _first(observations: Any) -> Any:
    """The only row."""
    if isinstance(observations, dict):
        return {name: _first(part) for name, part in observations.items()}
    return observations[0]
