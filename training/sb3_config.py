"""What a run of `training.sb3_ppo` is made of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from kalooki_env.agents.models import MOST_LAYERS
from training.config import (
    LANE_BYTES,
    MOST_NAMES,
    AgentName,
    Amount,
    Count,
    Positive,
    Real,
    RunConfig,
    Section,
    Share,
    Whole,
    Width,
    check_memory,
    network_bytes,
    read_config,
)


class Sb3NetworkConfig(Section):
    """Widths of the hidden layers, of policy and value function each, with ReLU between them."""

    hidden: Annotated[tuple[Width, ...], Field(min_length=1, max_length=MOST_LAYERS)] = (128, 128)


class Sb3PpoConfig(Section):
    """Arguments of sb3-contrib's MaskablePPO, under its names. Values with an `_end` go there in a straight line over the run.

    Attributes:
        num_envs: lanes, that is games played side by side.
        n_steps: decisions of each lane between two updates.
        batch_size: decisions in a gradient step; a divisor of `num_envs * n_steps`.
        n_epochs: passes over the decisions of an update.
        learning_rate, learning_rate_end: of Adam.
        gamma, gae_lambda: discount, and lambda of the advantage estimates.
        clip_range: bound of the probability ratio.
        ent_coef, ent_coef_end: weight of the entropy bonus.
        vf_coef: weight of the value loss.
        max_grad_norm: bound of the gradient's norm.
    """

    num_envs: Count = 128
    n_steps: Count = 64
    batch_size: Annotated[Whole, Field(ge=2, le=10**9)] = 4_096
    n_epochs: Count = 4
    learning_rate: Positive = 1e-3
    learning_rate_end: Amount = 1e-4
    gamma: Annotated[Real, Field(gt=0, le=1)] = 1.0
    gae_lambda: Share = 0.95
    clip_range: Positive = 0.2
    ent_coef: Amount = 0.005
    ent_coef_end: Amount = 0.0005
    vf_coef: Amount = 0.5
    max_grad_norm: Positive = 0.5

    @property
    def per_update(self) -> int:
        """Decisions between two updates."""
        return self.num_envs * self.n_steps

    @model_validator(mode="after")
    def _divides(self) -> Sb3PpoConfig:
        if self.per_update % self.batch_size:
            raise ValueError(f"batch_size {self.batch_size} is no divisor of num_envs * n_steps = {self.per_update}")
        return self


class Sb3Config(RunConfig):
    """A run of `training.sb3_ppo`: one learning seat against agents.

    Attributes:
        opponents: one agent, or one for each other seat, clockwise from the learning one.
        reward, shaping: as for `kalooki_env.env`.
    """

    opponents: AgentName | Annotated[list[AgentName], Field(max_length=MOST_NAMES)] = "greedy"
    reward: Literal["score", "zero_sum", "win"] = "zero_sum"
    shaping: Amount = 0.0
    network: Sb3NetworkConfig = Sb3NetworkConfig()
    ppo: Sb3PpoConfig = Sb3PpoConfig()

    @property
    def result(self) -> Path:
        """What the run leaves for players."""
        return self.folder / "policy.zip"

    @model_validator(mode="after")
    def _fits_in_memory(self) -> Sb3Config:
        observation = self.make_observation()
        size = self.ppo.num_envs * LANE_BYTES + self.ppo.per_update * 4 * (observation.size + observation.num_actions)
        check_memory(size, "ppo.num_envs and ppo.n_steps")
        check_memory(2 * network_bytes(observation, self.network.hidden), "network.hidden")  # policy and values
        return self


def load_sb3_config(path: str | Path, overrides: Sequence[str] = ()) -> Sb3Config:
    """Read the configuration of a run; see `read_config`."""
    return read_config(Sb3Config, path, overrides)
