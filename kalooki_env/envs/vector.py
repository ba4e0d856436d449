"""`SeatVectorEnv`: many tables as a `gymnasium.vector.VectorEnv`, with one learning seat at each, and agents in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from inspect import signature
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kalooki_env.batch.layout import Autoreset
from kalooki_env.envs.batch_options import (
    BatchOptions,
    Opponents,
    agent_name,
    formed,
    lanes_of,
    mask_of,
    observation_space,
    opponents_of,
    seeds_of,
    settings_for,
)
from kalooki_env.envs.options import reset_options, with_options
from kalooki_env.envs.over_lanes import OverLanes
from kalooki_env.envs.rendering import MANY_TABLES, RenderMode, render_mode_of, rendered_lane, require_mode
from kalooki_env.errors import ConfigError, EnvironmentStateError
from kalooki_env.game.saved import arrays_of, seal
from kalooki_env.values import one_of, truth, whole_number


def autoreset_of(mode: Any) -> AutoresetMode:
    """Gymnasium's autoreset mode: a member, or its name in small letters, or its value.

    Raises:
        ConfigError: no such mode.
    """
    if isinstance(mode, AutoresetMode):
        return mode
    by_name = {member.name.lower(): member for member in AutoresetMode} | {member.value: member for member in AutoresetMode}
    return by_name[one_of("autoreset_mode", mode, tuple(by_name))]


@with_options(BatchOptions)
class SeatVectorEnv(OverLanes, VectorEnv):
    """Many deals side by side: each lane asks one seat, and plays the others itself.

    | Fact | Value |
    |---|---|
    | Actions | `Discrete(171 + 16 * max_seats)` a lane, int `(N,)`; masked |
    | Masks | `action_masks()`, and `infos["action_mask"]`: int8 `(N, A)`; ones where a deal is over |
    | Rewards | float64 `(N,)`: all that the seat was given since its last decision |
    | Infos | int64 `(N,)` under `deal`, `seat`, `score`, `winner` (-1: nobody yet), `blocked`, `turns`, `illegal` |
    | Ends | `terminations`; `truncations` with `max_episode_steps` only |

    A deal that ends before the seat had a decision is not shown: another is dealt, and `skipped_deals` counts it. Lane `i` plays
    exactly what `SeatEnv` plays with the same seed and actions, whatever its neighbours do, unless an outside agent draws lots.

    With `episode="match"` an episode is a whole match: its deals follow each other without an end, observations hold the totals
    (`kalooki_env.env`), and a seat that does not play a sudden death is not asked until the match is over; then it sees zeros.
    Infos also have `match`, `match_deal`, `total`, `place` (0 until the end) and, as float64, `chips` of the seat, and `totals`,
    `(N, seats)`; `score`, `winner`, `blocked` and `turns` are those of the last deal that ended. Seats are those of the match.

    Args:
        num_envs: number of lanes, N.
        opponents: who plays the other seats: `"random"`, `"greedy"` and `"expert"` play inside compiled code; other names and
            folders that `kalooki_env.agents.load` takes, and agents themselves, are asked in batches. One, or a list of
            `num_players - 1`, clockwise from the learning seat.
        seat: the learning seat, or `"rotate"`: a place behind the dealer at random after a seeded reset, then one further from
            deal to deal; in a match behind its first dealer, from match to match.
        autoreset_mode: Gymnasium's modes: `"next_step"`, `"same_step"` or `"disabled"`.
        rules: a preset's name, perhaps with changed keys, or `Rules`.
        num_players: seats at the table.
        deal: number of the deal, a list, a dict of weights, or `"random"`.
        observation: a named choice of pieces, or their names.
        reward: what the end of a deal pays: `"score"`, `"zero_sum"`, `"win"`.
        mask_in: where the mask stands: `"infos"`, the default here, `"observation"`, `"both"`.
        options: beside these everyday ones, of the table `max_seats`, `dealer` and `lane_deals`; of what is seen
            `observation_form` and `observation_dtype`; of episodes `episode`, `max_episode_steps` (decisions of the
            learning seat after which an episode is truncated) and `match_reward`; of what is paid `shaping`, `on_illegal` and
            `illegal_reward`; of what is asked `skip_forced` and `call_windows`; of speed `threads` and `copy`; of pictures
            `render_mode` (`"ansi"` for strings, `"rgb_array"` for pictures, which need Pillow) and `reveal`, to show all
            hands; of records `record` and `record_lanes`. All others are explained in
            `kalooki_env.envs.batch_options.BatchOptions` and `kalooki_env.envs.options.EnvOptions`.

    Attributes:
        autoreset_mode: the mode, as in `metadata`.

    Raises:
        RulesError: unknown rules, an impossible table, deal, dealer or seat.
        ConfigError: an option with a value that is not allowed.
        AgentError: an unknown opponent.
    """

    metadata: dict[str, Any] = {"render_modes": list(MANY_TABLES), "render_fps": 4}  # noqa: RUF012  (Gymnasium's form)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: Opponents = "greedy",
        seat: int | Literal["rotate"] = "rotate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        render_mode: RenderMode | None = None,
        reveal: bool = False,
        **options: Any,
    ) -> None:
        self.autoreset_mode = autoreset_of(autoreset_mode)
        self.render_mode = render_mode_of(render_mode, MANY_TABLES)
        self._reveal = truth("reveal", reveal)
        others = ("opponents", "seat", "autoreset_mode", "max_episode_steps", "render_mode", "reveal")
        self._options = BatchOptions.of(options, others)
        self._limit = None if max_episode_steps is None else whole_number("max_episode_steps", max_episode_steps, 1)
        code = Autoreset[self.autoreset_mode.name]
        self.lanes = lanes_of(self._options, num_envs, autoreset=code, seat=seat, opponents=opponents)
        names = [agent_name(agent) for agent in opponents_of(opponents, self.lanes.engine.num_players)]
        limit = {} if self._limit is None else {"max_episode_steps": self._limit}
        self._name = self._options.text(opponents=names, seat=seat, num_envs=num_envs, mode=self.autoreset_mode.value, **limit)
        self.num_envs = self.lanes.count
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space = observation_space(self._options, self.lanes)
        self.single_action_space = spaces.Discrete(self.lanes.engine.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._truncated = np.zeros(self.num_envs, np.bool_)
        self._taken = np.zeros(self.num_envs, np.int64)  # decisions of the episode, where they are limited

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:  # type: ignore[override]
        """Space of all lanes' observations. Made when first asked for: its bounds take more memory than all positions."""
        return batch_space(self.single_observation_space, self.num_envs)

    # ---- play ----------------------------------------------------------------------------------------------------

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Deal anew.

        Args:
            seed: lane `i` gets `seed + i`; or a list, None for lanes whose generators go on.
            options: `"reset_mask"`: bool (N,), the lanes to reset; `"deal"`, `"dealer"` and `"seat"` override the constructor's
                for these deals; other keys are ignored, with a warning if they look like one of these.

        Returns:
            Observations and infos of all lanes, those that were not reset too.

        Raises:
            RulesError: a deal, dealer or seat that is not allowed.
            ConfigError: a seed that is not allowed, a list of seeds or a mask of the wrong shape, or options that are no dict.
        """
        options = reset_options(options, ("reset_mask", "deal", "dealer", "seat"))
        which = mask_of(options["reset_mask"], self.num_envs) if "reset_mask" in options else None
        settings = settings_for(self._options, self.lanes, options, ("dealer", "seat"))
        if seed is not None:
            seeds = seeds_of(seed, self.num_envs)
            self.lanes.seed([s if which is None or which[lane] else None for lane, s in enumerate(seeds)])
        self.lanes.reset(which, settings)
        self._taken[:] = 0 if which is None else np.where(which, 0, self._taken)
        return self.observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Carry out one decision in each lane and play on to the next one.

        Args:
            actions: int (N,). Under NEXT_STEP those of lanes whose deal is over are ignored: these lanes deal anew.

        Raises:
            IllegalActionError: an illegal action under `on_illegal="raise"`; no lane has changed.
            EnvironmentStateError: before `reset`; or, with autoreset disabled, in a lane whose deal is over.
            ActionTypeError: actions that are no whole numbers; no lane has changed.
            ConfigError: not one for each lane; no lane has changed.
        """
        lanes = self.lanes
        truncated = self._truncated.copy() if self._options.copy else self._truncated
        if self._limit is None:
            lanes.step(actions)
        else:
            truncated[:] = self._step_counted(actions, self._limit)
        ends_at_once = self.autoreset_mode is AutoresetMode.SAME_STEP and (lanes.over.any() or truncated.any())
        infos = self._deal_at_once(truncated) if ends_at_once else self._infos()
        return self.observations(), lanes.rewards[:, 0], lanes.over, truncated, infos

    def _step_counted(self, actions: Any, limit: int) -> NDArray[np.bool_]:
        """A step where episodes have a limit. Returns which of them reached it: bool (N,)."""
        lanes = self.lanes
        due = self._taken >= limit  # truncated by the step before
        if due.any() and self.autoreset_mode is AutoresetMode.DISABLED:
            raise EnvironmentStateError(
                f"step in lane {int(np.argmax(due))}, whose episode was truncated, and autoreset is disabled: call "
                'reset(options={"reset_mask": mask}) with True for such lanes'
            )
        began = due | (lanes.lanes["over"] > 0)
        lanes.step(actions, due)
        self._taken += 1
        self._taken[began | lanes.over] = 0
        return self._taken >= limit

    def observations(self) -> Any:
        """Observations of all lanes as they stand."""
        return formed(self._options, self.lanes, self.lanes.observations, self.lanes.masks)

    def last_observations(self, ended: NDArray[np.int64]) -> list[Any]:
        """Last observations of episodes that ended in the last step, where others have begun since: of these lanes."""
        rows = self.lanes.final_observations[ended]
        ones = np.ones((len(ended), self.lanes.engine.num_actions), np.int8)
        return [formed(self._options, self.lanes, row, mask) for row, mask in zip(rows, ones, strict=True)]

    @property
    def skipped_deals(self) -> int:
        """Deals, or matches, so far that ended before the seat had a decision."""
        return int(self.lanes.lanes["skipped"].sum())

    def render(self) -> tuple[Any, ...]:
        """The tables of all lanes, each as its learning seat sees it.

        Returns:
            For each lane a string in mode `ansi`; uint8 (height, width, 3) in mode `rgb_array`.

        Raises:
            EnvironmentStateError: before `reset`, or without a render mode.
        """
        mode = require_mode(self.render_mode, MANY_TABLES)
        self.lanes.require_reset("render")
        return tuple(rendered_lane(mode, self.lanes, lane, self._reveal) for lane in range(self.num_envs))

    # ---- saving --------------------------------------------------------------------------------------------------

    def get_state(self) -> dict[str, NDArray[Any]]:
        """See `OverLanes.get_state`."""
        found = super().get_state()
        if self._limit is None:
            return found
        del found["digest"]
        return seal({**found, "taken": self._taken.copy()})

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> tuple[Any, dict[str, Any]]:
        """Go on from a saved state, in an environment with the same options.

        Returns:
            Observations and infos, as after `reset`.

        Raises:
            ConfigError: not such a state, one of an environment with other options or of another version, or one with a lane
                that cannot be, which is named with the field. Nothing has changed.
        """
        saved = arrays_of(state)
        taken = self._taken
        if self._limit is not None:
            taken = np.asarray(saved.get("taken"))
            if taken.shape != self._taken.shape or taken.dtype != np.int64 or not ((taken >= 0) & (taken <= self._limit)).all():
                raise ConfigError(f"taken of a state: allowed are {self.num_envs} whole numbers from 0 to {self._limit}")
        self.lanes.restore(saved, self._name)
        self._taken[:] = taken
        return self.observations(), self._infos()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads and the record."""
        self.lanes.close()

    # ---- details -------------------------------------------------------------------------------------------------

    def _infos(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        infos: dict[str, Any] = {}
        if self._options.mask_in != "observation":
            infos = {"action_mask": self.lanes.masks, "_action_mask": everyone}
        for name, row in self.lanes.told().items():
            infos[name] = row
            infos[f"_{name}"] = everyone
        return infos

    def _deal_at_once(self, truncated: NDArray[np.bool_]) -> dict[str, Any]:
        """Deal anew where an episode was truncated; infos with the last observations and infos of all that ended."""
        lanes = self.lanes
        over = lanes.over | truncated
        ended, cut = np.flatnonzero(over), truncated[over]
        seen = np.full(self.num_envs, None, object)
        for lane, last in zip(ended[~cut], self.last_observations(ended[~cut]), strict=True):
            seen[lane] = last
        told = {name: rows[ended] for name, rows in lanes.told().items()}
        for name, rows in lanes.last_told(ended[~cut]).items():
            told[name][~cut] = rows
        masks = np.ones((len(ended), lanes.engine.num_actions), np.int8)
        if cut.any():
            for lane in ended[cut]:
                seen[lane] = formed(self._options, lanes, lanes.observations[lane].copy(), lanes.masks[lane].copy())
            masks[cut] = lanes.masks[truncated]
            rewards = lanes.rewards[truncated]
            lanes.reset(truncated)
            lanes.rewards[truncated] = rewards
            self._taken[truncated] = 0
        shown = told if self._options.mask_in == "observation" else {"action_mask": masks, **told}
        final: dict[str, Any] = {}
        for name, rows in shown.items():
            final[name] = np.zeros((self.num_envs, *rows.shape[1:]), rows.dtype)
            final[name][ended] = rows
            final[f"_{name}"] = over
        return self._infos() | {"final_obs": seen, "_final_obs": over, "final_info": final, "_final_info": over}


def make_vec(num_envs: int, **options: Any) -> SeatVectorEnv:
    """Many tables with one learning seat at each. Arguments as for `SeatVectorEnv`."""
    return SeatVectorEnv(num_envs, **options)


make_vec.__signature__ = signature(SeatVectorEnv)  # type: ignore[attr-defined]
