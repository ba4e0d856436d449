"""What a run of `training.sb3_ppo` leaves on disk: the policy for players, and the state that an exact resume needs.

MaskablePPO's zip files hold pickles: unpickling runs whatever code their maker put there, so load only what you trust.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import torch
from pydantic import Field, JsonValue
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from kalooki_env.agents.models import PolicyInfo, Told, checked
from kalooki_env.agents.sb3 import INFO
from kalooki_env.errors import CheckpointError, ConfigError
from kalooki_env.files import FileFault, read_arrays, read_json
from training.checkpoint import ProgressInfo, check_same, recover_folder, replace_folder, run_info
from training.runs import Progress
from training.sb3_config import Sb3Config


class _MersenneKey(Told):
    key: Annotated[list[Annotated[int, Field(ge=0, lt=2**32)]], Field(min_length=624, max_length=624)]
    pos: Annotated[int, Field(ge=0, le=624)]


class MersenneInfo(Told):
    """The state of NumPy's global generator."""

    bit_generator: Literal["MT19937"]
    state: _MersenneKey
    has_gauss: Literal[0, 1]
    gauss: float


class Sb3ResumeInfo(Told):
    """What `resume/state.json` of a run of `training.sb3_ppo` says."""

    config: dict[str, JsonValue]
    numpy: MersenneInfo
    progress: ProgressInfo


def save_policy(config: Sb3Config, model: MaskablePPO, command: str, progress: Progress, evaluation: dict[str, Any]) -> None:
    """Write `policy.zip`: MaskablePPO's own file, and in it a description that tells players what the policy looks at.

    Args:
        config: the run.
        model: what was trained.
        command: the command line.
        progress: decisions, updates and seconds of training.
        evaluation: results of the last evaluation, if any.
    """
    observation = config.make_observation()
    packages = ("stable_baselines3", "sb3_contrib")
    run = run_info(config, "MaskablePPO", command, asdict(progress), evaluation, *packages)
    told = {**run.model_dump(mode="json"), "observation": observation.as_info(), "num_actions": observation.num_actions}
    PolicyInfo.model_validate(told)
    # Written beside its place, then put there: an interruption leaves the old file or the new one.
    fresh = config.result.with_name(".policy.new.zip")
    model.save(fresh)
    with zipfile.ZipFile(fresh, "a") as archive:
        archive.writestr(INFO, json.dumps(told, indent=1, allow_nan=False) + "\n")
    fresh.replace(config.result)


def save_resume(config: Sb3Config, model: MaskablePPO, env: VecMonitor, progress: Progress) -> None:
    """Write `resume/`: with it a run goes on as if it had never stopped."""

    def fill(folder: Path) -> None:
        model.save(folder / "model.zip")
        arrays = {f"env.{name}": array for name, array in env.env_method("get_state")[0].items()}
        arrays |= {"returns": env.episode_returns, "lengths": env.episode_lengths, "torch": torch.get_rng_state().numpy()}
        np.savez(folder / "state.npz", **arrays)
        generator = np.random.get_state(legacy=False)  # Stable-Baselines3 orders its minibatches by NumPy's global generator
        generator["state"]["key"] = generator["state"]["key"].tolist()
        told = Sb3ResumeInfo(
            config=config.model_dump(mode="json"),
            numpy=MersenneInfo.model_validate(generator),
            progress=ProgressInfo(**asdict(progress)),
        )
        (folder / "state.json").write_text(json.dumps(told.model_dump(mode="json")) + "\n", encoding="utf-8")

    replace_folder(config.folder / "resume", fill)


def load_resume(config: Sb3Config, env: VecMonitor) -> tuple[MaskablePPO, Progress]:
    """Read `resume/`, and bring the environment and the global generators to where they were.

    Returns:
        The model, which plays in `env`, and how far the run is.

    Raises:
        CheckpointError: nothing to resume, or damaged files.
        ConfigError: the saved run has another configuration, or is of another version of the package.
    """
    folder = config.folder / "resume"
    recover_folder(folder)
    name = "state.json"
    try:
        told = checked(Sb3ResumeInfo, read_json(folder / name))
        check_same(config, told.config, folder)
        name = "state.npz"
        arrays = read_arrays(folder / name)
        name = "model.zip"
        model = MaskablePPO.load(folder / name, device="cpu")
        name = "state.npz"
        state = {name.removeprefix("env."): array for name, array in arrays.items() if name.startswith("env.")}
        env.env_method("set_state", state)
        env.episode_returns, env.episode_lengths = arrays["returns"], arrays["lengths"]
        model.set_env(env, force_reset=False)
        torch.set_rng_state(torch.from_numpy(arrays["torch"]))
        np.random.set_state(told.numpy.model_dump())
    except ConfigError:
        raise
    except FileFault as fault:
        raise CheckpointError(f"resume state {folder}: {name} {fault}") from fault
    except Exception as error:
        raise CheckpointError(f"resume state {folder}: {name} cannot be read: {type(error).__name__}: {error}") from error
    return model, Progress(**told.progress.model_dump())
