"""`SeatVectorEnv`: many tables as a `gymnasium.vector.VectorEnv`, with one learning seat at each, and agents in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.batch.layout import Autoreset
from kalooki_env.envs.batch_options import (
    BatchOptions,
    agent_name,
    formed,
    lanes_of,
    observation_space,
    opponents_of,
    seeds_of,
    set_deals,
    with_options,
)
from kalooki_env.envs.options import one_of, seat_of, warn_of_misspelt
from kalooki_env.envs.over_lanes import OverLanes
from kalooki_env.errors import ConfigError, RulesError
from kalooki_env.game.saved import arrays_of


def autoreset_of(mode: Any) -> AutoresetMode:
    """Gymnasium's autoreset mode: a member, or its name in small letters, or its value.

    Raises:
        ConfigError: no such mode.
    """
    if isinstance(mode, AutoresetMode):
        return mode
    by_name = {member.name.lower(): member for member in AutoresetMode} | {member.value: member for member in AutoresetMode}
    return by_name[one_of("autoreset_mode", mode, tuple(by_name))]


@with_options()
class SeatVectorEnv(OverLanes, VectorEnv):
    """Many deals side by side: each lane asks one seat, and plays the others itself.

    | Fact | Value |
    |---|---|
    | Actions | `Discrete(171 + 16 * max_seats)` a lane, int `(N,)`; masked |
    | Masks | `action_masks()`, and `infos["action_mask"]`: int8 `(N, A)`; ones where a deal is over |
    | Rewards | float64 `(N,)`: all that the seat was given since its last decision |
    | Infos | int64 `(N,)` under `deal`, `seat`, `score`, `winner` (-1: nobody yet), `blocked`, `turns`, `illegal` |
    | Ends | `terminations`; deals are never truncated |

    A deal that ends before the seat had a decision is not shown: another is dealt, and `skipped_deals` counts it. Lane `i` plays
    exactly what `SeatEnv` plays with the same seed and actions, whatever its neighbours do, unless an outside agent draws lots.

    With `episode="match"` an episode is a whole match: its deals follow each other without an end, observations hold the totals
    (`kalooki_env.env`), and a seat that does not play a sudden death is not asked until the match is over; then it sees zeros.
    Infos also have `match`, `match_deal`, `total`, `place` (0 until the end) and, as float64, `chips` of the seat, and `totals`,
    `(N, seats)`; `score`, `winner`, `blocked` and `turns` are those of the last deal that ended. Seats are those of the match.

    Args:
        num_envs: number of lanes, N.
        opponents: who plays the other seats: `"random"`, `"greedy"` and `"expert"` play inside compiled code; other names that
            `kalooki_env.agents.load` takes, and agents themselves, are asked in batches. One, or a list of `num_players - 1`,
            clockwise from the learning seat.
        seat: the learning seat, or `"rotate"`: a place behind the dealer at random after a seeded reset, then one further from
            deal to deal; in a match behind its first dealer, from match to match.
        autoreset_mode: Gymnasium's modes: `"next_step"`, `"same_step"` or `"disabled"`.
        options: see `kalooki_env.envs.batch_options.BatchOptions`.

    Attributes:
        autoreset_mode: the mode, as in `metadata`.

    Raises:
        RulesError: unknown rules, an impossible table, deal, dealer or seat.
        ConfigError: an option with a value that is not allowed.
        AgentError: an unknown opponent.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  (Gymnasium's form)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponents: str | Agent | Sequence[str | Agent] = "greedy",
        seat: int | Literal["rotate"] = "rotate",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        self.autoreset_mode = autoreset_of(autoreset_mode)
        self._options = BatchOptions.of(options, ("opponents", "seat", "autoreset_mode"))
        code = Autoreset[self.autoreset_mode.name]
        self.lanes = lanes_of(self._options, num_envs, autoreset=code, seat=seat, opponents=opponents)
        names = [agent_name(agent) for agent in opponents_of(opponents, self.lanes.engine.num_players)]
        self._name = self._options.text(opponents=names, seat=seat, num_envs=num_envs, mode=self.autoreset_mode.value)
        self.num_envs = self.lanes.count
        self.metadata = {"render_modes": [], "autoreset_mode": self.autoreset_mode}
        self.render_mode = None
        self.single_observation_space = observation_space(self._options, self.lanes)
        self.single_action_space = spaces.Discrete(self.lanes.engine.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._never = np.zeros(self.num_envs, np.bool_)

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
            RulesError: a negative seed, or a deal, dealer or seat that is not allowed.
            ConfigError: a list of seeds or a mask of the wrong shape.
        """
        options = options or {}
        warn_of_misspelt(options, ("reset_mask", "deal", "dealer", "seat"))
        which = self._mask_of(options["reset_mask"]) if "reset_mask" in options else None
        settings = self._settings_for(options)
        if seed is not None:
            seeds = seeds_of(seed, self.num_envs)
            self.lanes.seed([s if which is None or which[lane] else None for lane, s in enumerate(seeds)])
        self.lanes.reset(which, settings)
        return self.observations(), self._infos()

    def step(self, actions: Any) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Carry out one decision in each lane and play on to the next one.

        Args:
            actions: int (N,). Under NEXT_STEP those of lanes whose deal is over are ignored: these lanes deal anew.

        Raises:
            IllegalActionError: an illegal action under `on_illegal="raise"`; no lane has changed.
            EnvironmentStateError: before `reset`; or, with autoreset disabled, in a lane whose deal is over.
            ConfigError: not one whole number per lane.
        """
        lanes = self.lanes
        lanes.step(actions)
        infos = self._infos()
        if self.autoreset_mode is AutoresetMode.SAME_STEP and lanes.over.any():
            self._add_final(infos)
        never = self._never.copy() if self._options.copy else self._never
        return self.observations(), lanes.rewards[:, 0], lanes.over, never, infos

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

    # ---- saving --------------------------------------------------------------------------------------------------

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> tuple[Any, dict[str, Any]]:
        """Go on from a saved state, in an environment with the same options.

        Returns:
            Observations and infos, as after `reset`.

        Raises:
            ConfigError: not such a state, one of an environment with other options or of another version, or one with a lane
                that cannot be, which is named with the field. Nothing has changed.
        """
        self.lanes.restore(arrays_of(state), self._name)
        return self.observations(), self._infos()

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads and the record."""
        self.lanes.close()

    # ---- details -------------------------------------------------------------------------------------------------

    def _infos(self) -> dict[str, Any]:
        everyone = np.ones(self.num_envs, np.bool_)
        infos: dict[str, Any] = {"action_mask": self.lanes.masks, "_action_mask": everyone}
        for name, row in self.lanes.told().items():
            infos[name] = row
            infos[f"_{name}"] = everyone
        return infos

    def _add_final(self, infos: dict[str, Any]) -> None:
        """Observations and infos of the deals that ended, in Gymnasium's form."""
        lanes = self.lanes
        over = lanes.over.copy()
        ended = np.flatnonzero(over)
        finals = np.full(self.num_envs, None, object)
        for lane, seen in zip(ended, self.last_observations(ended), strict=True):
            finals[lane] = seen
        masks = np.zeros_like(lanes.masks)
        masks[ended] = 1
        final: dict[str, Any] = {"action_mask": masks, "_action_mask": over}
        for name, rows in lanes.last_told(ended).items():
            final[name] = np.zeros((self.num_envs, *rows.shape[1:]), rows.dtype)
            final[name][ended] = rows
            final[f"_{name}"] = over
        infos |= {"final_obs": finals, "_final_obs": over, "final_info": final, "_final_info": over}

    def _mask_of(self, mask: Any) -> NDArray[np.bool_]:
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
            shown = f"{mask.dtype} {mask.shape}" if isinstance(mask, np.ndarray) else repr(mask)
            raise ConfigError(f"reset_mask {shown} is not allowed; allowed: bool ({self.num_envs},), True at least once")
        return mask

    def _settings_for(self, options: Mapping[str, Any]) -> NDArray[np.void] | None:
        """Settings for one reset, if its options say something."""
        if not {"deal", "dealer", "seat"} & set(options):
            return None
        settings = self.lanes.settings.copy()
        players = self.lanes.engine.num_players
        if "deal" in options:
            if self._options.episode == "match":
                raise RulesError("reset option 'deal' is not allowed in a match, whose deals follow from the rules")
            if self._options.lane_deals is not None:
                raise ConfigError(
                    f"reset option deal {options['deal']!r} is not allowed: each lane has a deal of its own (lane_deals)"
                )
            set_deals(settings, options["deal"], self.lanes.engine)
        for key in ("dealer", "seat"):
            if key in options:
                seat = seat_of(key, options[key], players)
                settings[0][key] = -1 if seat is None else seat
        return settings


def make_vec(num_envs: int, **options: Any) -> SeatVectorEnv:
    """Many tables with one learning seat at each. Arguments as for `SeatVectorEnv`."""
    return SeatVectorEnv(num_envs, **options)
