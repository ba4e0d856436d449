"""`SelfPlayEnv`: many tables at once, each offering whichever seat is to move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from kalooki_env.batch.layout import INFOS, Autoreset
from kalooki_env.envs.batch_options import (
    BatchOptions,
    formed,
    lanes_of,
    mask_of,
    observation_space,
    seeds_of,
    settings_for,
)
from kalooki_env.envs.options import reset_options, with_options
from kalooki_env.envs.over_lanes import OverLanes
from kalooki_env.game.saved import arrays_of


class Decisions(NamedTuple):
    """Where the lanes of a `SelfPlayEnv` stand, and what their last step gave.

    Attributes:
        observation: of the seats to move: (N, size), or a dict by piece.
        action_mask: int8 (N, A), never empty.
        acting_seat: int64 (N,).
        rewards: float64 (N, seats), of every seat since the last decision of the lane.
        deal_over: bool (N,): a deal, or a whole match, ended in this step; the lane stands at the first decision of the next.
    """

    observation: Any
    action_mask: NDArray[np.int8]
    acting_seat: NDArray[np.int64]
    rewards: NDArray[np.float64]
    deal_over: NDArray[np.bool_]


@with_options(BatchOptions)
class SelfPlayEnv(OverLanes):
    """Many deals side by side; each step carries out one decision in each lane, of whatever seat was to move.

    Consecutive rows of a lane belong to different seats: keep one stream per lane and seat, and close a decision when the same
    seat decides again or the deal ends, with all the rewards that the seat was given meanwhile. A lane whose deal ends deals
    anew in the same step; `finished()` tells how the deals ended. Lane `i` plays exactly what `kalooki_env.env` plays with the
    same options, seed and actions. With `episode="match"` whole matches follow each other; seats are those of the match.

    Args:
        num_envs: number of lanes, N.
        rules: a preset's name, perhaps with changed keys, or `Rules`.
        num_players: seats at the table.
        deal: number of the deal, a list, a dict of weights, or `"random"`.
        observation: a named choice of pieces, or their names.
        observation_dtype: `"float32"`, or `"uint8"`: a learner that stores what it sees needs a quarter of the memory, and
            scales it with `observation_scale`.
        reward: what the end of a deal pays: `"score"`, `"zero_sum"`, `"win"`.
        episode: `"deal"` or `"match"`.
        on_illegal: what becomes of an illegal action: `"raise"`, `"lose"`, `"replace"`.
        copy: hand out new arrays; without it the next call overwrites them.
        options: beside these everyday ones, of the table `max_seats`, `dealer` and `lane_deals`; of what is seen
            `observation_form` and `mask_in` (`Decisions` has the mask in any case); of what is paid `shaping`,
            `match_reward` and `illegal_reward`; of what is asked `skip_forced` and `call_windows`; of speed `threads`; of
            records `record` and `record_lanes`. All are explained in `kalooki_env.envs.batch_options.BatchOptions` and
            `kalooki_env.envs.options.EnvOptions`.

    Attributes:
        single_observation_space, single_action_space: of one decision.
        observation_space, action_space: of all lanes.
        metadata: as Gymnasium's environments have it.
        observation_scale: float32 (size,): what a byte of the observation is multiplied with to lie in [0, 1].

    Raises:
        RulesError: unknown rules, an impossible table, deal or dealer.
        ConfigError: an option with a value that is not allowed.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (Gymnasium's form)
        "name": "kalooki_v0",
        "render_modes": [],
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }
    render_mode = None

    def __init__(self, num_envs: int = 1, **options: Any) -> None:
        self._options = BatchOptions.of(options)
        self.lanes = lanes_of(self._options, num_envs, autoreset=Autoreset.SAME_STEP, asks_all=True)
        self._name = self._options.text(num_envs=num_envs, mode="selfplay")
        self.num_envs = self.lanes.count
        self.num_players = self.lanes.engine.num_players
        self.single_observation_space = observation_space(self._options, self.lanes)
        self.single_action_space = spaces.Discrete(self.lanes.engine.num_actions)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_scale = self.lanes.layout.scale

    @cached_property
    def observation_space(self) -> spaces.Space[Any]:
        """Space of all lanes' observations. Made when first asked for: its bounds take more memory than all positions."""
        return batch_space(self.single_observation_space, self.num_envs)

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None) -> Decisions:
        """Deal anew.

        Args:
            seed: lane `i` gets `seed + i`; or a list, None for lanes whose generators go on.
            options: `"reset_mask"`: bool (N,), the lanes to reset; `"deal"` and `"dealer"` override the constructor's for these
                deals; other keys are ignored, with a warning if they look like one of these.

        Returns:
            Where all lanes stand, those that were not reset too.

        Raises:
            RulesError: a deal or dealer that is not allowed.
            ConfigError: a seed that is not allowed, a list of seeds or a mask of the wrong shape, or options that are no dict.
        """
        options = reset_options(options, ("reset_mask", "deal", "dealer"))
        which = mask_of(options["reset_mask"], self.num_envs) if "reset_mask" in options else None
        settings = settings_for(self._options, self.lanes, options, ("dealer",))
        if seed is not None:
            seeds = seeds_of(seed, self.num_envs)
            self.lanes.seed([one if which is None or which[lane] else None for lane, one in enumerate(seeds)])
        self.lanes.reset(which, settings)
        return self.decisions()

    def step(self, actions: Any) -> Decisions:
        """Carry out one decision in each lane. `actions`: int (N,).

        Raises:
            IllegalActionError: an illegal action under `on_illegal="raise"`; no lane has changed.
            EnvironmentStateError: before `reset`.
            ActionTypeError: actions that are no whole numbers; no lane has changed.
            ConfigError: not one for each lane; no lane has changed.
        """
        self.lanes.step(actions)
        return self.decisions()

    def decisions(self) -> Decisions:
        """Where the lanes stand now.

        Raises:
            EnvironmentStateError: before the first `reset`.
        """
        self.lanes.require_reset("decisions")
        return self._decisions()

    def _decisions(self) -> Decisions:
        lanes = self.lanes
        seen = formed(self._options, lanes, lanes.observations, lanes.masks)
        return Decisions(seen, lanes.masks, lanes.infos[INFOS.index("seat")], lanes.rewards, lanes.over)

    def finished(self) -> dict[str, NDArray[Any]]:
        """How the deals ended that were over in the last step.

        Returns:
            int64 (n,) under `lane`, `deal`, `winner` (-1: blocked), `blocked`, `turns` and `illegal` (1: the last action
            was illegal: it ended the deal, or was replaced), and `scores`, int64 (n, seats). Of matches, the same of their last
            deals, and `match`, `match_deal`, `totals` and `place`, the latter two int64 (n, seats), and `chips`, float64.
        """
        ended = np.flatnonzero(self.lanes.over)
        found = self.lanes.last_told(ended)
        if self._options.episode == "deal":
            found["score"] = self.lanes.final_scores[ended]
        scores = found.pop("score")
        return {"lane": ended, **{name: row for name, row in found.items() if name not in ("seat", "total")}, "scores": scores}

    def set_state(self, state: Mapping[str, NDArray[Any]]) -> Decisions:
        """Go on from a saved state, in an environment with the same options.

        Returns:
            Where the lanes stand; of lanes that have to be reset it says nothing.

        Raises:
            ConfigError: not such a state, one of an environment with other options or of another version, or one with a lane
                that cannot be, which is named with the field. Nothing has changed.
        """
        self.lanes.restore(arrays_of(state), self._name)
        return self._decisions()

    def close(self) -> None:
        """End the threads and the record."""
        self.lanes.close()


def make_selfplay(num_envs: int, **options: Any) -> SelfPlayEnv:
    """Many tables, each offering whichever seat is to move. Arguments as for `SelfPlayEnv`."""
    return SelfPlayEnv(num_envs, **options)


make_selfplay.__signature__ = signature(SelfPlayEnv)  # type: ignore[attr-defined]
