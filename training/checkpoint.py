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
from typing import Annotated, Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field, JsonValue
from safetensors.torch import save_file

from kalooki_env.agents.checkpoint import read_tensors, write_checkpoint
from kalooki_env.agents.models import Number, RunInfo, SchemaHash, Told, checked
from kalooki_env.agents.network import PolicyNetwork
from kalooki_env.core import STATE, schema_hash
from kalooki_env.errors import CheckpointError, ConfigError
from kalooki_env.files import FileFault, check_parts, read_arrays, read_json
from training.config import Config, RunConfig

#: Sections of a configuration that may differ on resuming: they do not bear on what the next batch is.
_FREE = ("output", "evaluation", "checkpoint_every")
_MOST_128 = 2**128 - 1


class ProgressInfo(Told):
    """How far a run is; see `training.runs.Progress`."""

    decisions: Number
    updates: Number
    seconds: Annotated[float, Field(ge=0)]


class _Pcg64(Told):
    state: Annotated[int, Field(ge=0, le=_MOST_128)]
    inc: Annotated[int, Field(ge=0, le=_MOST_128)]


class GeneratorInfo(Told):
    """The state of NumPy's default generator."""

    bit_generator: Literal["PCG64"]
    state: _Pcg64
    has_uint32: Literal[0, 1]
    uinteger: Annotated[int, Field(ge=0, lt=2**32)]


class ResumeInfo(Told):
    """What `resume/state.json` of a run of `training.ppo` says."""

    config: dict[str, JsonValue]
    state_schema: SchemaHash
    observation_schema: SchemaHash
    rng: GeneratorInfo
    progress: ProgressInfo


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
    config: RunConfig, algorithm: str, command: str, progress: dict[str, Any], evaluation: dict[str, Any], *packages: str
) -> RunInfo:
    """What a policy's description says of the run that made it, with the versions of these packages too."""
    return RunInfo(
        algorithm=algorithm,
        **progress,
        seed=config.seed,
        rules=str(config.make_rules()),
        num_players=config.table.players,
        command=command,
        config=config.model_dump(mode="json"),
        versions=_versions(*packages),
        evaluation=evaluation,
    )


def _versions(*others: str) -> dict[str, str]:
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
        told = ResumeInfo(
            config=config.model_dump(mode="json"),
            state_schema=schema_hash(STATE),
            observation_schema=network.observation.schema_hash,
            rng=GeneratorInfo.model_validate(rng.bit_generator.state),
            progress=ProgressInfo(**progress),
        )
        (folder / "state.json").write_text(json.dumps(told.model_dump(mode="json"), indent=1) + "\n", encoding="utf-8")

    replace_folder(config.folder / "resume", fill)


def load_resume(
    config: Config,
    network: PolicyNetwork,
    optimizer: torch.optim.Optimizer,
    rng: np.random.Generator,
    like: dict[str, NDArray[Any]],
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Read `resume/` into network, optimizer and generator.

    Args:
        config: the run.
        network, optimizer, rng: what is read into.
        like: arrays of the names, types and shapes that are to be read; the length of a list may be another.

    Returns:
        The arrays and the progress that were saved.

    Raises:
        CheckpointError: nothing to resume, or damaged files.
        ConfigError: the saved run has another configuration.
    """
    folder = config.folder / "resume"
    recover_folder(folder)
    name = "state.json"
    try:
        told = checked(ResumeInfo, read_json(folder / name))
        check_same(config, told.config, folder)
        if told.state_schema != schema_hash(STATE) or told.observation_schema != network.observation.schema_hash:
            raise FileFault("was written by another version of the package")
        name = "weights.safetensors"
        weights = read_tensors(folder / name, network.state_dict())
        name = "optimizer.safetensors"
        moments = read_tensors(folder / name, _moments(network) if told.progress.updates else {})
        name = "selfplay.npz"
        arrays = read_arrays(folder / name)
        _check_arrays(arrays, like)
    except FileFault as fault:
        raise CheckpointError(f"resume state {folder}: {name} {fault}") from fault
    network.load_state_dict(weights)
    saved = optimizer.state_dict()
    saved["state"] = {}
    for key, value in moments.items():
        index, _, moment = key.partition(".")
        saved["state"].setdefault(int(index), {})[moment] = value
    optimizer.load_state_dict(saved)
    rng.bit_generator.state = told.rng.model_dump()
    return arrays, told.progress.model_dump()


def _moments(network: PolicyNetwork) -> dict[str, torch.Tensor]:
    """Tensors like those that Adam keeps of a network's parameters."""
    found = {}
    for index, parameter in enumerate(network.parameters()):
        found[f"{index}.step"] = torch.zeros(())
        found[f"{index}.exp_avg"] = found[f"{index}.exp_avg_sq"] = parameter
    return found


def _check_arrays(found: dict[str, NDArray[Any]], like: dict[str, NDArray[Any]]) -> None:
    """Refuse arrays of other names, types or shapes.

    Raises:
        FileFault: there is one.
    """

    def words(arrays: dict[str, NDArray[Any]]) -> dict[str, str]:
        return {name: f"{array.dtype} {array.shape[name.startswith('list_') :]}" for name, array in arrays.items()}

    check_parts(words(found), words(like))
    lengths = {len(array) for name, array in found.items() if name.startswith("list_")}
    if len(lengths) > 1:
        raise FileFault(f"has lists of different lengths: {', '.join(map(str, sorted(lengths)))}")


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
