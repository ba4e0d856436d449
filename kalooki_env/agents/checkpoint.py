"""Checkpoint folders as agents: `weights.safetensors` and `checkpoint.json`. Needs torch and safetensors.

Loading a checkpoint runs no code of its maker.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load, save

from kalooki_env.agents.base import Agent
from kalooki_env.agents.network import PolicyNetwork, best_actions, legal_logits
from kalooki_env.errors import AgentError, CheckpointError, ConfigError
from kalooki_env.game.engine import Engine
from kalooki_env.observe.schema import Observation

FORMAT = "kalooki-checkpoint-v1"
INFO, WEIGHTS = "checkpoint.json", "weights.safetensors"


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
        """The agent of a checkpoint folder.

        Raises:
            CheckpointError: the folder is incomplete, or what it holds is damaged, edited, or of another version.
        """
        folder = Path(folder)
        info = read_info(folder)
        observation = _observation(folder, info)
        try:
            data = (folder / WEIGHTS).read_bytes()
        except OSError as error:
            raise CheckpointError(f"checkpoint {folder}: {WEIGHTS} cannot be read: {error.strerror or error}") from error
        if hashlib.sha256(data).hexdigest() != info["weights_sha256"]:
            raise CheckpointError(
                f"checkpoint {folder}: {WEIGHTS} ({len(data)} bytes) is not the file that {INFO} describes: it is truncated, "
                f"edited, or of another checkpoint"
            )
        try:
            weights = load(data)
            network = PolicyNetwork(observation, [int(width) for width in info["network"]["hidden"]])
        except (SafetensorError, KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"checkpoint {folder}: {type(error).__name__}: {error}") from error
        _check_shapes(folder, network, weights)
        network.load_state_dict(weights)
        return cls(network, info, sample)

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


def read_info(folder: Path) -> dict[str, Any]:
    """What a checkpoint says of itself, checked against the digest that it was written with.

    Raises:
        CheckpointError: no such file, or a damaged, edited or foreign one.
    """
    try:
        info = json.loads((folder / INFO).read_text(encoding="utf-8"))
    except OSError as error:
        raise CheckpointError(f"checkpoint {folder}: {INFO} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise CheckpointError(f"checkpoint {folder}: {INFO} is truncated or damaged: {error}") from error
    if not isinstance(info, dict) or info.get("format") != FORMAT:
        found = info.get("format") if isinstance(info, dict) else type(info).__name__
        raise CheckpointError(f"checkpoint {folder}: {INFO} is of format {found!r}; this version reads {FORMAT!r}")
    if info.get("info_sha256") != info_digest(info):
        raise CheckpointError(f"checkpoint {folder}: {INFO} has been edited: it is not what was written by the trainer")
    return info


def info_digest(info: dict[str, Any]) -> str:
    """Digest of a checkpoint's description, its own digest left out. It guards against accidents, not against forgers."""
    text = json.dumps({key: value for key, value in info.items() if key != "info_sha256"}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def write_checkpoint(folder: Path, network: PolicyNetwork, info: dict[str, Any]) -> None:
    """Write the two files into an existing folder.

    Args:
        folder: where to.
        network: the network.
        info: what to say of it beside what `load` needs, which is added here.
    """
    data = save({name: value.contiguous() for name, value in network.state_dict().items()})
    observation = network.observation
    info = {
        "format": FORMAT,
        **info,
        "observation": observation.as_info(),
        "num_actions": observation.num_actions,
        "network": {"hidden": list(network.hidden), "features": list(network.features)},
        "weights_sha256": hashlib.sha256(data).hexdigest(),
    }
    info["info_sha256"] = info_digest(info)
    (folder / WEIGHTS).write_bytes(data)
    (folder / INFO).write_text(json.dumps(info, indent=1) + "\n", encoding="utf-8")


def _observation(folder: Path, info: dict[str, Any]) -> Observation:
    try:
        told = info["observation"]
        observation = Observation.from_info(told)
        known, actions = told["schema_hash"], info["num_actions"]
    except (KeyError, TypeError, ConfigError) as error:
        raise CheckpointError(f"checkpoint {folder}: {INFO}: {type(error).__name__}: {error}") from error
    if observation.schema_hash != known:
        raise CheckpointError(
            f"checkpoint {folder}: it was trained with another observation schema ({known}) than this version of the package has "
            f"({observation.schema_hash}) for the pieces {', '.join(observation.pieces)} and max_seats={observation.max_seats}"
        )
    if actions != observation.num_actions:
        raise CheckpointError(
            f"checkpoint {folder}: it has {actions} actions; this version of the package has "
            f"{observation.num_actions} for max_seats={observation.max_seats}"
        )
    return observation


def _check_shapes(folder: Path, network: PolicyNetwork, weights: dict[str, torch.Tensor]) -> None:
    needed = {name: tuple(value.shape) for name, value in network.state_dict().items()}
    found = {name: tuple(value.shape) for name, value in weights.items()}
    wrong = [name for name in sorted(needed.keys() | found.keys()) if needed.get(name) != found.get(name)]
    if wrong:
        lines = "; ".join(f"{name}: found {found.get(name, 'nothing')}, needed {needed.get(name, 'nothing')}" for name in wrong)
        raise CheckpointError(f"checkpoint {folder}: {WEIGHTS} does not fit the network: {lines}")
