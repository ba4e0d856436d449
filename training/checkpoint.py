"""What a run leaves on disk: the checkpoint for players, and the state that an exact resume needs.

Folders are replaced as a whole. Nothing is pickled.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from kalooki_env.agents.checkpoint import write_checkpoint
from kalooki_env.agents.network import PolicyNetwork
from kalooki_env.core import STATE, schema_hash
from kalooki_env.errors import CheckpointError, ConfigError
from training.config import Config, RunConfig

#: Sections of a configuration that may differ on resuming: they do not bear on what the next batch is.
_FREE = ("output", "evaluation", "checkpoint_every")


def replace_folder(folder: Path, fill: Callable[[Path], None]) -> None:
    """Write a folder beside its place, then swap it in, so that an interruption leaves the old one or the new one."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    fresh, old = (folder.with_name(f".{folder.name}.{word}") for word in ("new", "old"))
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir()
    fill(fresh)
    for path in fresh.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    if folder.exists():
        folder.rename(old)
    fresh.rename(folder)
    shutil.rmtree(old, ignore_errors=True)


def recover_folder(folder: Path) -> None:
    """Put the old folder back if the swap was interrupted between its two renames."""
    old = folder.with_name(f".{folder.name}.old")
    if old.is_dir() and not folder.exists():
        old.rename(folder)


def save_checkpoint(
    config: Config, network: PolicyNetwork, command: str, progress: dict[str, Any], evaluation: dict[str, Any]
) -> None:
    """Write `checkpoint/`, which `kalooki_env.agents.load` reads.

    Args:
        config: the run.
        network: what was trained.
        command: the command line.
        progress: decisions, updates and seconds of training.
        evaluation: results of the last evaluation, if any.
    """
    info = run_info(config, "ppo", command, progress, evaluation)
    replace_folder(config.folder / "checkpoint", lambda folder: write_checkpoint(folder, network, info))


def run_info(
    config: RunConfig, algorithm: str, command: str, progress: dict[str, Any], evaluation: dict[str, Any]
) -> dict[str, Any]:
    """What a policy's description says of the run that made it."""
    return {
        "algorithm": algorithm,
        **progress,
        "seed": config.seed,
        "rules": str(config.make_rules()),
        "num_players": config.table.players,
        "command": command,
        "config": config.model_dump(mode="json"),
        "versions": versions(),
        "evaluation": evaluation,
    }


def versions(*others: str) -> dict[str, str]:
    """Versions of what results depend on, and of other packages."""
    found = {"python": platform.python_version(), "torch": str(torch.__version__), "numpy": np.__version__}
    for name in ("numba", "kalooki_env", *others):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:  # run from a source tree that is not installed
            found[name] = "unknown"
    return found


def save_resume(
    config: Config,
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    arrays: dict[str, NDArray[Any]],
    rng: np.random.Generator,
    progress: dict[str, Any],
) -> None:
    """Write `resume/`: with it a run goes on as if it had never stopped."""

    def fill(folder: Path) -> None:
        save_file({name: value.contiguous() for name, value in network.state_dict().items()}, folder / "weights.safetensors")
        states = optimizer.state_dict()["state"]
        moments = {f"{index}.{name}": value for index, state in states.items() for name, value in state.items()}
        save_file(moments, folder / "optimizer.safetensors")
        np.savez(folder / "selfplay.npz", **arrays)  # type: ignore[arg-type]  # its stubs take the arrays for `allow_pickle`
        told = {
            "config": config.model_dump(mode="json"),
            "state_schema": schema_hash(STATE),
            "observation_schema": network.observation.schema_hash,
            "rng": rng.bit_generator.state,
            "progress": progress,
        }
        (folder / "state.json").write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")

    replace_folder(config.folder / "resume", fill)


def load_resume(
    config: Config, network: PolicyNetwork, optimizer: torch.optim.Optimizer, rng: np.random.Generator
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read `resume/` into network, optimizer and generator.

    Returns:
        The arrays and the progress that were saved.

    Raises:
        CheckpointError: nothing to resume, or damaged files.
        ConfigError: the saved run has another configuration.
    """
    folder = config.folder / "resume"
    recover_folder(folder)
    try:
        told = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        check_same(config, told["config"], folder)
        if told["state_schema"] != schema_hash(STATE) or told["observation_schema"] != network.observation.schema_hash:
            raise CheckpointError(f"resume state {folder}: written by another version of the package")
        network.load_state_dict(load_file(folder / "weights.safetensors"))
        saved = optimizer.state_dict()
        saved["state"] = {}
        for name, value in load_file(folder / "optimizer.safetensors").items():
            index, _, key = name.partition(".")
            saved["state"].setdefault(int(index), {})[key] = value
        optimizer.load_state_dict(saved)
        rng.bit_generator.state = told["rng"]
        with np.load(folder / "selfplay.npz", allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (CheckpointError, ConfigError):
        raise
    except Exception as error:
        raise CheckpointError(f"resume state {folder} cannot be read: {type(error).__name__}: {error}") from error
    return arrays, told["progress"]


def check_same(config: RunConfig, saved: dict[str, Any], folder: Path) -> None:
    """Refuse to resume a run that was started with another configuration.

    Raises:
        ConfigError: what bears on the next batch is not what was saved.
    """
    now = config.model_dump(mode="json")
    different = [key for key in now if key not in _FREE and now[key] != saved.get(key)]
    if different:
        lines = "; ".join(f"{key}: {saved.get(key)!r} saved, {now[key]!r} now" for key in different)
        raise ConfigError(f"the run in {folder} was started with another configuration, which cannot change now: {lines}")
