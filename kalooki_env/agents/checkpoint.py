"""Checkpoint folders as agents: `weights.safetensors` and `checkpoint.json`. Needs torch and safetensors.

Loading a checkpoint runs no code of its maker.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save

from kalooki_env.agents.base import Agent
from kalooki_env.agents.models import FORMAT, CheckpointInfo, RunInfo, checked
from kalooki_env.agents.network import PolicyNetwork, best_actions, legal_logits
from kalooki_env.errors import AgentError, CheckpointError, ConfigError
from kalooki_env.files import FileFault, check_parts, read_bytes, read_json
from kalooki_env.game.engine import Engine
from kalooki_env.values import path_of, shown

INFO, WEIGHTS = "checkpoint.json", "weights.safetensors"
#: Bytes that the header of the weights may take beside them.
_MOST_HEADER = 1 << 20


class CheckpointAgent(Agent):
    """A trained network.

    Args:
        network: the network.
        info: what `checkpoint.json` says of it.
        sample: draw actions from the policy instead of taking the likeliest.
    """

    dtype = "uint8"

    def __init__(self, network: PolicyNetwork, info: dict[str, Any], sample: bool = False) -> None:
        self.network = network.eval()
        self.info = info
        self.sample = sample
        self.observation = network.observation.pieces

    @classmethod
    def load(cls, folder: str | Path, sample: bool = False) -> CheckpointAgent:
        """The agent of a checkpoint folder. Nothing is allocated for it before its files are known to fit each other.

        Raises:
            CheckpointError: the folder is incomplete, or what it holds is damaged, edited, or of another version.
        """
        folder = path_of("checkpoint", folder)
        try:
            info = read_info(folder)
            network = _read_network(folder, info)
        except FileFault as fault:
            raise CheckpointError(f"checkpoint {folder}: {fault}") from fault
        return cls(network, info.model_dump(mode="json", exclude_unset=True), sample)

    def begin(self, engine: Engine) -> None:
        """See `Agent.begin`."""
        trained = self.network.observation
        if engine.max_seats != trained.max_seats or engine.num_actions != trained.num_actions:
            raise AgentError(
                f"this checkpoint was trained with max_seats={trained.max_seats} and {trained.num_actions} actions; the table "
                f"has max_seats={engine.max_seats} and {engine.num_actions} actions"
            )

    def act(self, observations: NDArray[Any], masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
        """See `Agent.act`."""
        if not self.sample:
            return best_actions(self.network, observations, masks)
        with torch.inference_mode():
            logits = legal_logits(self.network(torch.from_numpy(observations))[0], torch.from_numpy(masks > 0)).numpy()
        # The largest sum of logit and Gumbel noise is a draw from the softmax.
        return cast("NDArray[np.int64]", np.argmax(logits + rng.gumbel(size=logits.shape), axis=1))

    def opinions(
        self, observations: NDArray[Any], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None] | None:
        """See `Agent.opinions`: the policy of the network, whether or not actions are drawn from it, and its values."""
        with torch.inference_mode():
            logits, values = self.network(torch.from_numpy(observations))
            # In double precision, so that the numbers of a row add up to 1.
            policy = torch.softmax(legal_logits(logits, torch.from_numpy(masks > 0)).double(), 1)
        return policy.float().numpy(), values.numpy()


def read_info(folder: Path) -> CheckpointInfo:
    """What a checkpoint says of itself, checked against the digest that it was written with.

    Raises:
        FileFault: no such file, or a damaged, edited or foreign one.
    """
    try:
        told = read_json(folder / INFO)
        if not isinstance(told, dict) or told.get("format") != FORMAT:
            found = shown(told.get("format")) if isinstance(told, dict) else type(told).__name__
            raise FileFault(f"is of format {found}; this version reads {FORMAT!r}")
        if told.get("info_sha256") != info_digest(told):
            raise FileFault("has been edited, or is damaged: it is not what was written by the trainer")
        return checked(CheckpointInfo, told)
    except FileFault as fault:
        raise FileFault(f"{INFO} {fault}") from fault


def info_digest(info: dict[str, Any]) -> str:
    """Digest of a checkpoint's description, its own digest left out. It guards against accidents, not against forgers."""
    text = json.dumps({key: value for key, value in info.items() if key != "info_sha256"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_checkpoint(folder: Path, network: PolicyNetwork, run: RunInfo) -> None:
    """Write the two files into an existing folder.

    Args:
        folder: where to.
        network: the network.
        run: what to say of the run beside what `load` needs, which is added here.
    """
    data = save({name: value.contiguous() for name, value in network.state_dict().items()})
    observation = network.observation
    told: dict[str, Any] = {
        "format": FORMAT,
        **run.model_dump(mode="json"),
        "observation": observation.as_info(),
        "num_actions": observation.num_actions,
        "network": {"hidden": list(network.hidden), "features": list(network.features)},
        "weights_sha256": hashlib.sha256(data).hexdigest(),
    }
    told["info_sha256"] = info_digest(told)
    CheckpointInfo.model_validate(told)
    (folder / WEIGHTS).write_bytes(data)
    (folder / INFO).write_text(json.dumps(told, indent=1, allow_nan=False) + "\n", encoding="utf-8")


def _read_network(folder: Path, info: CheckpointInfo) -> PolicyNetwork:
    """The network that a checkpoint describes, with its weights.

    Raises:
        FileFault: the weights cannot be read, or are not those that it describes.
    """
    try:
        observation = info.observation.make(info.num_actions)
        with torch.device("meta"):  # shapes without memory, however large they are
            network = PolicyNetwork(observation, info.network.hidden)
    except ConfigError as error:
        raise FileFault(f"{INFO}: {error}") from error
    if list(network.features) != info.network.features:
        raise FileFault(f"{INFO}: network.features are {info.network.features}; this version has {list(network.features)}")
    try:
        weights = read_tensors(folder / WEIGHTS, network.state_dict(), info.weights_sha256)
    except FileFault as fault:
        raise FileFault(f"{WEIGHTS} {fault}") from fault
    network.load_state_dict(weights, assign=True)
    return network


def read_tensors(path: Path, like: Mapping[str, torch.Tensor], sha256: str | None = None) -> dict[str, torch.Tensor]:
    """The tensors of a file that safetensors wrote. Nothing is allocated for a file that is larger than they can be.

    Args:
        path: the file.
        like: tensors of the names, types and shapes that it must hold, no others; they need not have memory.
        sha256: digest that the file must have.

    Raises:
        FileFault: it cannot be read, or holds something else, or numbers that are not finite.
    """
    data = read_bytes(path, sum(value.nbytes for value in like.values()) + _MOST_HEADER)
    if sha256 is not None and hashlib.sha256(data).hexdigest() != sha256:
        raise FileFault(f"({len(data)} bytes) is not the file that was described: it is truncated, edited, or of another network")
    try:
        tensors = load(data)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise FileFault(f"is truncated or damaged: {type(error).__name__}: {error}") from error
    check_parts(*({name: _words(value) for name, value in parts.items()} for parts in (tensors, like)))
    endless = [name for name, value in tensors.items() if not value.isfinite().all()]
    if endless:
        raise FileFault(f"has numbers in {endless[0]} that are not finite")
    return {name: value.clone() for name, value in tensors.items()}


def _words(tensor: torch.Tensor) -> str:
    return f"{tuple(tensor.shape)} {str(tensor.dtype).removeprefix('torch.')}"
