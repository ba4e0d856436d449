"""`SeatEnv`: one seat at one table as a `gymnasium.Env`, with agents in the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

from kalooki_env.envs.batch_options import BatchOptions, Opponents
from kalooki_env.envs.options import with_options
from kalooki_env.envs.rendering import ONE_TABLE, RenderMode, render_mode_of, rendered_lane, require_mode
from kalooki_env.envs.vector import SeatVectorEnv
from kalooki_env.errors import EnvironmentStateError
from kalooki_env.game.decisions import OpenDecisions
from kalooki_env.records.recorder import Policy
from kalooki_env.values import action_of, check_seed, plain, truth


@with_options(BatchOptions)
class SeatEnv(gymnasium.Env):
    """One seat against agents: lane 0 of a `SeatVectorEnv` of one lane, without autoreset.

    `action_masks()` and `info["action_mask"]` are the mask, int8 (A,): ones once the deal is over. Infos are numbers under the
    names of `SeatVectorEnv`. Gymnasium's and SB3's checkers draw unmasked actions: give them an environment with
    `on_illegal="replace"` or `"lose"`.

    Args:
        opponents: who plays the other seats; see `SeatVectorEnv`.
        seat: the learning seat, or `"rotate"`; see `SeatVectorEnv`.
        render_mode: `"ansi"` for a string, `"human"` to print after each step, `"rgb_array"` for a picture, None.
        rules: a preset's name, perhaps with changed keys, or `Rules`.
        num_players: seats at the table.
        deal: number of the deal, a list, a dict of weights, or `"random"`.
        observation: a named choice of pieces, or their names.
        reward: what the end of a deal pays: `"score"`, `"zero_sum"`, `"win"`.
        mask_in: where the mask stands: `"infos"`, the default here, `"observation"`, `"both"`.
        record: file for a record of the deals.
        options: beside these everyday ones `reveal`, to show all hands when rendering, and those of `SeatVectorEnv`;
            `threads`, `copy` and `record_lanes` have no use here.

    Raises:
        RulesError, ConfigError, AgentError: as for `SeatVectorEnv`.
    """

    metadata = {"render_modes": list(ONE_TABLE), "render_fps": 4}  # noqa: RUF012  (Gymnasium's form)

    def __init__(
        self,
        *,
        opponents: Opponents = "greedy",
        seat: int | Literal["rotate"] = "rotate",
        render_mode: RenderMode | None = None,
        reveal: bool = False,
        **options: Any,
    ) -> None:
        self.render_mode = render_mode_of(render_mode, ONE_TABLE)
        self._reveal = truth("reveal", reveal)
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
            RulesError: a deal, dealer or seat that is not allowed.
            ConfigError: a seed that is no whole number from 0 on, or options that are no dict.
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
            ActionTypeError: no whole number; nothing has changed.
        """
        if self._is_over:
            raise EnvironmentStateError("step before reset, or after the end of the deal: call reset() first")
        given = action_of(action)
        # A number too large for an array is as illegal as any other that no action has.
        observations, rewards, over, _, infos = self._vector.step([given if abs(given) < 2**63 else -1])
        self._is_over = bool(over[0])
        if self.render_mode == "human":
            self.render()
        return _first(observations), float(rewards[0]), self._is_over, False, self._info(infos)

    def open_decisions(self) -> list[OpenDecisions]:
        """The decision that is due, as agents are asked for it; none before `reset` and at the end."""
        return [] if self._is_over else self._vector.open_decisions()

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
        """The table as the seat sees it.

        Returns:
            A string in mode `ansi`; uint8 (height, width, 3) in mode `rgb_array`; None in mode `human`, which prints.

        Raises:
            EnvironmentStateError: before `reset`, or without a render mode.
        """
        return rendered_lane(require_mode(self.render_mode, ONE_TABLE), self._vector.lanes, 0, self._reveal)

    def close(self) -> None:
        """End the threads, if there are any, and the record."""
        self._vector.close()

    def _info(self, infos: dict[str, Any]) -> dict[str, Any]:
        """Numbers, in a match an array as well, and the mask."""
        return {name: plain(values[0]) for name, values in infos.items() if not name.startswith("_")}


def _first(observations: Any) -> Any:
    """The only row."""
    if isinstance(observations, dict):
        return {name: _first(part) for name, part in observations.items()}
    return observations[0]
