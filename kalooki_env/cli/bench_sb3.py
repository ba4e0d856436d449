"""Part `sb3` of `kalooki bench`: how much of a learner's time the environment takes."""

from __future__ import annotations

import statistics
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.cli.bench_loops import Loop, NotInstalledError, Results, Timed, in_turn, repeated


def rollouts_of(games: int, steps: int, rounds: int, seconds: float, reference_seconds: float) -> Results:
    """Rollouts of sb3-contrib's MaskablePPO, its default network, on one thread.

    Args:
        games: number of games.
        steps: decisions of each in a rollout.
        rounds, seconds, reference_seconds: as for `in_turn`.

    Returns:
        Against three of two agents, and on an environment that does nothing, and each rate as a share of the last one's.

    Raises:
        NotInstalledError: Stable-Baselines3 is not installed.
    """
    try:
        import torch
        from sb3_contrib import MaskablePPO
        from stable_baselines3.common.vec_env import VecEnv

        from kalooki_env.envs.sb3 import SB3VecEnv
    except ImportError as error:
        raise NotInstalledError(f"it needs sb3-contrib: pip install 'kalooki_env[train]' ({error})") from error

    class EmptyVecEnv(VecEnv):
        """Random observations, masks and rewards of the sizes of another environment; no episode ends."""

        def __init__(self, like: VecEnv, masks: NDArray[np.int8]) -> None:
            rng = np.random.default_rng(1)
            self.observations = rng.random((8, *masks.shape[:1], *(like.observation_space.shape or ())), np.float32)
            self.rewards = rng.random(like.num_envs, np.float32)
            self.masks, self.dones = masks, np.zeros(like.num_envs, np.bool_)
            self.steps = 0
            self.render_mode = None
            super().__init__(like.num_envs, like.observation_space, like.action_space)

        def reset(self) -> Any:
            return self.observations[0]

        def step_async(self, actions: Any) -> None:
            self.steps += 1

        def step_wait(self) -> Any:
            observations = self.observations[self.steps % len(self.observations)]
            return observations, self.rewards, self.dones, [{} for _ in range(self.num_envs)]

        def close(self) -> None:
            pass

        def action_masks(self) -> NDArray[np.int8]:
            return self.masks

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(self, attr_name)] * self.num_envs

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            setattr(self, attr_name, value)

        def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
            found = getattr(self, method_name)(*method_args, **method_kwargs)
            return list(found) if method_name == "action_masks" else [found] * self.num_envs

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * self.num_envs

    def loop(env: VecEnv) -> Loop:
        model: Any = MaskablePPO("MlpPolicy", env, n_steps=steps, device="cpu", seed=1)
        model.train = lambda: None  # what remains of `learn` is `collect_rollouts`

        def play(seconds: float) -> Timed:
            calls, elapsed = repeated(lambda: model.learn(games * steps, reset_num_timesteps=False), seconds)
            return {"steps": calls * games * steps}, elapsed

        play(seconds)  # the deals come apart
        return play

    torch.set_num_threads(1)
    envs: dict[str, VecEnv] = {name: SB3VecEnv(games, opponents=name) for name in ("random", "greedy")}
    some = envs["random"]
    some.reset()
    envs["nobody"] = EmptyVecEnv(some, np.stack(some.env_method("action_masks")))
    found = in_turn([loop(env) for env in envs.values()], rounds, seconds, reference_seconds)
    for one in found:
        pairs = zip(one["rounds"], found[-1]["rounds"], strict=True)
        one["of_empty"] = statistics.median(own["steps"] / empty["steps"] for own, empty in pairs)
    about = {"env": "sb3", "num_envs": games, "n_steps": steps, "clock": "cpu"}
    return [{**about, "opponents": name, **one} for name, one in zip(envs, found, strict=True)]
