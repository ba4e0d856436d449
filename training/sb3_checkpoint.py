"""What a run of `training.sb3_ppo` leaves on disk: the policy for players, and the state that an exact resume needs.

MaskablePPO's zip files hold pickles: unpickling runs whatever code their maker put there, so load only what you trust.
"""

from __future__ import annotations

import json
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from kalooki_env.agents.sb3 import INFO
from kalooki_env.errors import CheckpointError, ConfigError
from training.checkpoint import check_same, recover_folder, replace_folder, run_info, versions
from training.runs import Progress
from training.sb3_config import Sb3Config


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
    info = {
        **run_info(config, "MaskablePPO", command, asdict(progress), evaluation),
        "versions": versions("stable_baselines3", "sb3_contrib"),
        "observation": observation.as_info(),
        "num_actions": observation.num_actions,
    }
    # Written beside its place, then put there: an interruption leaves the old file or the new one.
    fresh = config.result.with_name(".policy.new.zip")
    model.save(fresh)
    with zipfile.ZipFile(fresh, "a") as archive:
        archive.writestr(INFO, json.dumps(info, indent=1) + "\n")
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
        told = {"config": config.model_dump(mode="json"), "numpy": generator, "progress": asdict(progress)}
        (folder / "state.json").write_text(json.dumps(told) + "\n", encoding="utf-8")

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
    try:
        told = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        check_same(config, told["config"], folder)
        model = MaskablePPO.load(folder / "model.zip", device="cpu")
        with np.load(folder / "state.npz", allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        state = {name.removeprefix("env."): array for name, array in arrays.items() if name.startswith("env.")}
        env.env_method("set_state", state)
        env.episode_returns, env.episode_lengths = arrays["returns"], arrays["lengths"]
        model.set_env(env, force_reset=False)
        torch.set_rng_state(torch.from_numpy(arrays["torch"]))
        np.random.set_state(told["numpy"])
        progress = Progress(**told["progress"])
    except (CheckpointError, ConfigError):
        raise
    except Exception as error:
        raise CheckpointError(f"resume state {folder} cannot be read: {type(error).__name__}: {error}") from error
    return model, progress
