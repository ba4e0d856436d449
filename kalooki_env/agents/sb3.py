"""Policies of sb3-contrib's MaskablePPO as agents. Needs stable-baselines3 and sb3-contrib.

Their zip files hold pickles, and unpickling runs whatever code their maker put there: load none from strangers. So they are never
recognised by their looks, but only loaded under a name that says so, `sb3:PATH`.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.errors import AgentError
from kalooki_env.game.engine import Engine
from kalooki_env.observe.schema import VERSION, Observation

#: Member of a zip file that says what its policy was trained with; Stable-Baselines3 takes no notice of it.
INFO = "kalooki_env.json"


class SB3Agent(Agent):
    """A MaskablePPO policy for flat float32 observations.

    Args:
        model: the model; its `predict` is used.
        observation: the choice of pieces that it was trained with.
        sample: draw actions from the policy instead of taking the likeliest.
    """

    def __init__(self, model: Any, observation: str | Sequence[str] = "obs-v1", sample: bool = False) -> None:
        self.model = model
        self._choice = observation
        self.observation = observation
        self.sample = sample

    @classmethod
    def load(cls, path: str | Path, observation: str | Sequence[str] | None = None, sample: bool = False) -> SB3Agent:
        """The agent of a zip file that `MaskablePPO.save` wrote. This runs code that the file contains.

        Args:
            path: the file.
            observation: the choice of pieces that it was trained with; None for what the file says, or else `obs-v1`.
            sample: see the class.

        Raises:
            AgentError: no such file, or one that cannot be loaded.
        """
        try:
            from sb3_contrib import MaskablePPO
        except ImportError as error:
            raise AgentError(f"agent 'sb3:{path}' needs sb3-contrib: pip install 'kalooki_env[train]'") from error
        try:
            if observation is None:
                observation = _told_observation(path)
            model = MaskablePPO.load(path, device="cpu")
        except AgentError:
            raise
        except Exception as error:
            raise AgentError(f"agent 'sb3:{path}' cannot be loaded: {type(error).__name__}: {error}") from error
        return cls(model, observation, sample)

    def begin(self, engine: Engine) -> None:
        """See `Agent.begin`."""
        size = Observation.of(self._choice, engine.max_seats, engine.is_kaluki).size
        shape, actions = self.model.observation_space.shape, getattr(self.model.action_space, "n", None)
        if shape != (size,) or actions != engine.num_actions:
            raise AgentError(
                f"this SB3 policy takes observations {shape} and has {actions} actions; the table gives ({size},) and has "
                f"{engine.num_actions}: max_seats and observation must be those of its training"
            )

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `Agent.act`."""
        if self.sample:
            import torch

            torch.manual_seed(int(rng.integers(2**31)))
        actions, _ = self.model.predict(observations, action_masks=masks, deterministic=not self.sample)
        return np.asarray(actions, np.int64)


def _told_observation(path: str | Path) -> str | tuple[str, ...]:
    """The pieces that a zip file says its policy was trained with; the default if it says nothing."""
    file = Path(path) if Path(path).exists() else Path(f"{path}.zip")  # Stable-Baselines3 takes names without the ending
    with zipfile.ZipFile(file) as archive:
        if INFO not in archive.namelist():
            return VERSION
        told = json.loads(archive.read(INFO))["observation"]
    observation = Observation.from_info(told)
    if observation.schema_hash != told["schema_hash"]:
        raise AgentError(
            f"agent 'sb3:{path}' was trained with another observation schema ({told['schema_hash']}) than this version of the "
            f"package has ({observation.schema_hash}) for the pieces {', '.join(observation.pieces)} and "
            f"max_seats={observation.max_seats}"
        )
    return observation.pieces
