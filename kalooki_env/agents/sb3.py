"""Policies of sb3-contrib's MaskablePPO as agents. Needs stable-baselines3 and sb3-contrib.

Their zip files hold pickles, and unpickling runs whatever code their maker put there: load none from strangers. So they are never
recognised by their looks, but only loaded under a name that says so, `sb3:PATH`.
"""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from kalooki_env.agents.base import Agent
from kalooki_env.errors import AgentError, ConfigError
from kalooki_env.files import MOST_BYTES, FileFault, decoded, is_file, json_of, read_at_most
from kalooki_env.game.engine import Engine
from kalooki_env.observe.schema import VERSION, Observation
from kalooki_env.values import path_of, shown

if TYPE_CHECKING:
    from kalooki_env.agents.models import PolicyInfo

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
        path = path_of("policy", path)
        name = shown(f"sb3:{path}")
        try:
            import pydantic  # noqa: F401  (asked for further below)
            from sb3_contrib import MaskablePPO
        except ImportError as error:
            raise AgentError(f"agent {name} needs {error.name}: pip install 'kalooki_env[train]'") from error
        file = file_of(path)
        try:
            # Looked at whether or not it is needed, and before anything is unpickled.
            trained = _told(file)
            if observation is None:
                observation = VERSION if trained is None else trained.observation.make(trained.num_actions).pieces
        except (FileFault, ConfigError) as fault:
            raise AgentError(f"agent {name} cannot be loaded: {fault}") from fault
        try:
            model = MaskablePPO.load(file, device="cpu")
        except Exception as error:
            raise AgentError(f"agent {name} cannot be loaded: {type(error).__name__}: {error}") from error
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


def file_of(path: str | Path) -> Path:
    """The zip file that is meant: like Stable-Baselines3, this takes names without the ending."""
    return Path(path) if is_file(path) else Path(f"{path}.zip")


def _told(file: Path) -> PolicyInfo | None:
    """What a zip file says of its policy; None if it says nothing.

    Raises:
        FileFault: no zip file, or it says what nobody can read.
    """
    from kalooki_env.agents.models import PolicyInfo, checked

    try:
        with zipfile.ZipFile(file) as archive:
            if INFO not in archive.namelist():
                return None
            with archive.open(INFO) as member:
                return checked(PolicyInfo, json_of(decoded(read_at_most(member, MOST_BYTES))))
    except OSError as error:
        raise FileFault(f"it cannot be read: {error.strerror or error}") from error
    except FileFault as fault:
        raise FileFault(f"{INFO} in it {fault}") from fault
    except Exception as error:  # zipfile raises many kinds for damaged files
        raise FileFault(f"it is no zip file that can be read: {type(error).__name__}: {error}") from error
