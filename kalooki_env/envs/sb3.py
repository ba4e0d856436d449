"""`SB3VecEnv`: many tables as a `VecEnv` of Stable-Baselines3, for sb3-contrib's MaskablePPO. Needs stable-baselines3."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from kalooki_env.envs.batch_options import BatchOptions, Opponents
from kalooki_env.envs.options import with_options
from kalooki_env.envs.vector import SeatVectorEnv
from kalooki_env.errors import ConfigError, ConfigTypeError, EnvironmentStateError
from kalooki_env.game.decisions import OpenDecisions

#: Options of `SeatVectorEnv` that Stable-Baselines3 leaves no choice about.
_FIXED = {"autoreset_mode", "copy", "max_episode_steps", "render_mode", "reveal"}


@with_options(BatchOptions, without=_FIXED)
class SB3VecEnv(VecEnv):
    """A `SeatVectorEnv` in the form of Stable-Baselines3: it deals anew in the step in which a deal ends.

    | Fact | Value |
    |---|---|
    | Observations | float32 `(N, size)`, unless `observation_form` or `observation_dtype` say otherwise |
    | Actions | `Discrete(171 + 16 * max_seats)` a lane, int `(N,)`; masked |
    | Masks | `env_method("action_masks")`: a list of N arrays, int8 `(A,)` |
    | Rewards, dones | float32 `(N,)`, bool `(N,)`; deals are never truncated |
    | Infos | where a deal ended `terminal_observation`, `TimeLimit.truncated`, and its numbers as in `SeatVectorEnv` |

    All arrays are the caller's to keep. The lanes are one object: `get_attr` gives the same value for each of them, `env_method`
    calls any other method once for all and gives its result for each lane, and `set_attr` is for all lanes only.

    Args:
        num_envs: number of lanes, N.
        opponents, seat, options: as for `SeatVectorEnv`, without `autoreset_mode`, `copy` and pictures, and with the mask in
            `env_method("action_masks")` where that says `infos`.

    Attributes:
        vector: the `SeatVectorEnv`.

    Raises:
        RulesError, ConfigError, AgentError: as for `SeatVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int,
        *,
        opponents: Opponents = "greedy",
        seat: int | Literal["rotate"] = "rotate",
        **options: Any,
    ) -> None:
        for name in _FIXED & set(options):
            why = "Stable-Baselines3 needs same_step, arrays to keep and no more"
            raise ConfigTypeError(f"unexpected keyword argument {name!r}: {why}")
        self.vector = SeatVectorEnv(num_envs, opponents=opponents, seat=seat, autoreset_mode="same_step", **options)
        self.render_mode = None  # the constructor of VecEnv asks for it
        self._actions: NDArray[np.int64] | None = None
        super().__init__(self.vector.num_envs, self.vector.single_observation_space, self.vector.single_action_space)

    # ---- play ----------------------------------------------------------------------------------------------------

    def reset(self) -> Any:
        """Deal anew in all lanes, with the seeds of `seed` and the options of `set_options`; these are used once.

        Returns:
            Observations, float32 (N, size). `reset_infos` holds the infos.
        """
        seeds = None if all(seed is None for seed in self._seeds) else self._seeds
        for options in (one for lane, one in enumerate(self._options) if one not in self._options[:lane]):
            which = np.array([one == options for one in self._options])
            observations, _ = self.vector.reset(seed=seeds, options={**options, "reset_mask": which})
        self.reset_infos = _rows(self.vector.lanes.told())
        self._actions = None
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[np.int64]) -> None:
        """Take the actions of all lanes, int (N,)."""
        self._actions = actions

    def step_wait(self) -> tuple[Any, NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Carry out the actions, and play on to the next decision in each lane.

        Returns:
            Observations float32 (N, size), rewards float32 (N,), dones bool (N,), and infos; see the class.

        Raises:
            EnvironmentStateError: without actions, or before `reset`.
            IllegalActionError, ConfigError: as for `SeatVectorEnv.step`.
        """
        if self._actions is None:
            raise EnvironmentStateError("step_wait without actions: call step_async(actions) first")
        actions, self._actions = self._actions, None
        lanes = self.vector.lanes
        lanes.step(actions)  # not `vector.step`: most of what is in its infos is not asked for here
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = np.flatnonzero(lanes.over)
        if len(ended):
            numbers, seen = _rows(lanes.last_told(ended)), self.vector.last_observations(ended)
            for lane, row, last in zip(ended, numbers, seen, strict=True):
                infos[lane] = {**row, "terminal_observation": last, "TimeLimit.truncated": False}
        return self.vector.observations(), lanes.rewards[:, 0].astype(np.float32), lanes.over, infos

    def close(self) -> None:
        """End the threads, if there are any."""
        self.vector.close()

    def open_decisions(self) -> list[OpenDecisions]:
        """The decisions that are due, as agents are asked for them."""
        return self.vector.open_decisions()

    # ---- what wrappers and algorithms ask ------------------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of this object or of the `SeatVectorEnv`, once for each lane."""
        value = getattr(self if hasattr(self, attr_name) else self.vector, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute where `get_attr` finds it; a new one on this object."""
        if set(self._get_indices(indices)) != set(range(self.num_envs)):
            raise ConfigError(f"set_attr({attr_name!r}) for lanes {indices!r} is not allowed; allowed: for all {self.num_envs}")
        is_inner = hasattr(self.vector, attr_name) and not hasattr(self, attr_name)
        setattr(self.vector if is_inner else self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """Call a method once for all lanes.

        Returns:
            A list with an entry for each lane, or for those of `indices`: for `"action_masks"` its mask, int8 (A,), else the one
            result.
        """
        lanes = self._get_indices(indices)
        if method_name == "action_masks":
            masks = self.vector.action_masks()
            return [masks[lane] for lane in lanes]
        found = getattr(self if hasattr(self, method_name) else self.vector, method_name)(*method_args, **method_kwargs)
        return [found for _ in lanes]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """False for each lane: no Gymnasium wrapper is around any."""
        return [False for _ in self._get_indices(indices)]


def _rows(numbers: dict[str, NDArray[Any]]) -> list[dict[str, Any]]:
    """The numbers of some lanes by name, a dict for each lane."""
    rows = zip(*(values.tolist() for values in numbers.values()), strict=True)
    return [dict(zip(numbers, row, strict=True)) for row in rows]
