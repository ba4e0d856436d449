"""What a training run is made of: pydantic models, read from YAML. Unknown keys are errors that name the closest known key."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool, ValidationError, model_validator

from kalooki_env.agents.models import MOST, MOST_LAYERS, MOST_WIDTH, Name, sentences
from kalooki_env.arena.chunks import MOST_DEALS
from kalooki_env.core import MAX_ACTIONS, SEATS, STATE
from kalooki_env.errors import ConfigError, KalookiError, RulesError
from kalooki_env.files import FileFault, read_yaml, yaml_of
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules
from kalooki_env.values import path_of, shown

#: Bytes that a network, or games and the decisions of an update, may take: more is a slip of the finger.
MOST_MEMORY = 1 << 36
#: Agents that are named, and letters of a text: no more than anybody needs.
MOST_NAMES, MOST_LETTERS = 100, 1_000


def _no_truth(value: object) -> object:
    """Truth values are no numbers, though Python counts with them."""
    if isinstance(value, bool):
        raise ValueError("expected a number")
    return value


def _path(value: object) -> object:
    """Paths are written as texts."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value


Whole = Annotated[int, BeforeValidator(_no_truth)]
Real = Annotated[float, BeforeValidator(_no_truth)]
Share = Annotated[Real, Field(ge=0, le=1)]
Positive = Annotated[Real, Field(gt=0, le=1e9)]
Amount = Annotated[Real, Field(ge=0, le=1e9)]
Count = Annotated[Whole, Field(ge=1, le=10**9)]
Seats = Annotated[Whole, Field(ge=2, le=SEATS)]
Width = Annotated[Whole, Field(ge=1, le=MOST_WIDTH)]
Decisions = Annotated[Whole, Field(ge=1, le=10**15)]
Text = Annotated[str, Field(max_length=MOST_LETTERS)]
#: The name of an agent, or a path where its checkpoint lies.
AgentName = Annotated[Text, BeforeValidator(_path)]


class Section(BaseModel):
    """Base of all parts: no unknown keys, no silent conversions of numbers to texts, no change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class TableConfig(Section):
    """The table: seats in play, and seats that the spaces have room for (null: as many)."""

    players: Seats = 4
    max_seats: Seats | None = None


class OpponentsConfig(Section):
    """Deals in which some seats are played by agents.

    Attributes:
        share: share of the deals in which one seat or more, but not all, is an agent's.
        agents: weights of the agents; one is drawn for each deal.
    """

    share: Share = 0.0
    agents: Annotated[dict[AgentName, Positive], Field(min_length=1, max_length=MOST_NAMES)] = {"greedy": 1.0}


class NetworkConfig(Section):
    """See `kalooki_env.agents.network.PolicyNetwork`."""

    hidden: Annotated[list[Width], Field(min_length=1, max_length=MOST_LAYERS)] = [256, 256]
    head_start: StrictBool = False


class PpoConfig(Section):
    """The algorithm's numbers. Values with an `_end` go there in a straight line over the run.

    Attributes:
        lanes: games played side by side.
        batch: decisions between two updates.
        minibatch: decisions in a gradient step.
        epochs: passes over a batch.
        learning_rate, learning_rate_end: of Adam.
        clip: bound of the probability ratio.
        entropy, entropy_end: weight of the entropy bonus.
        value_weight: weight of the value loss.
        max_grad_norm: bound of the gradient's norm.
        gamma, lam: discount, and lambda of the advantage estimates.
        shaping: points of reward, in hundreds, for each card of contract distance gained, as a potential.
        shaping_until: share of the run after which the shaping is gone; it fades in a straight line.
        bfloat16: bfloat16 arithmetic in the update; about half as fast again on processors that have it, slower on others.
    """

    lanes: Count = 512
    batch: Count = 32_768
    minibatch: Count = 2_048
    epochs: Count = 2
    learning_rate: Positive = 1e-3
    learning_rate_end: Amount = 1e-4
    clip: Positive = 0.2
    entropy: Amount = 0.01
    entropy_end: Amount = 0.002
    value_weight: Amount = 0.5
    max_grad_norm: Positive = 0.5
    gamma: Annotated[Real, Field(gt=0, le=1)] = 1.0
    lam: Share = 0.95
    shaping: Amount = 0.0
    shaping_until: Annotated[Real, Field(gt=0, le=1)] = 0.33
    bfloat16: StrictBool = False


class BudgetConfig(Section):
    """When to stop, whichever comes first; schedules follow the nearer limit.

    A limit in seconds that is reached makes results depend on the machine.
    """

    decisions: Decisions | None = None
    seconds: Positive | None = None

    @model_validator(mode="after")
    def _some_limit(self) -> BudgetConfig:
        if self.decisions is None and self.seconds is None:
            raise ValueError("give decisions, seconds, or both")
        return self


class EvaluationConfig(Section):
    """Evaluation against agents on duplicate deals, whose seeds no training deal has.

    Attributes:
        against: names of agents, each three times against one seat of the policy.
        every: decisions between two evaluations on the way; null: only at the end.
        deals, final_deals: how many deals of each number are played on the way and at the end, each with the policy in every
            seat.
        seed: seed of the first deal.
    """

    against: Annotated[list[AgentName], Field(max_length=MOST_NAMES)] = ["greedy"]
    every: Decisions | None = None
    deals: Annotated[Whole, Field(ge=1, le=MOST_DEALS)] = 250
    final_deals: Annotated[Whole, Field(ge=1, le=MOST_DEALS)] = 1_000
    seed: Annotated[Whole, Field(ge=0, le=2**62)] = 1_000_000_000


class RunConfig(Section):
    """What every trainer is told.

    Attributes:
        name: folder of the run inside `output`.
        rules: name of a preset, or a mapping of `preset` and the keys to change.
        deal: numbers of the deals that are played, with the weight of each in the mix.
        observation: a named choice of observation pieces or a list of their names.
        checkpoint_every: seconds between two saves on the way.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
    output: Annotated[Text, BeforeValidator(_path)] = "runs"
    seed: Annotated[Whole, Field(ge=0, le=MOST)] = 0
    rules: Text | dict[str, Any] = "jamaican"
    table: TableConfig = TableConfig()
    deal: Annotated[dict[Annotated[Whole, Field(ge=1, le=9)], Positive], Field(min_length=1)]
    observation: Name | list[Name] = "obs-v1+solver"
    budget: BudgetConfig
    evaluation: EvaluationConfig = EvaluationConfig()
    checkpoint_every: Positive = 120.0

    @property
    def folder(self) -> Path:
        """Folder of the run."""
        return Path(self.output) / self.name

    @property
    def result(self) -> Path:
        """What the run leaves for players."""
        return self.folder / "checkpoint"

    @property
    def max_seats(self) -> int:
        """Seats that the spaces have room for."""
        return self.table.max_seats or self.table.players

    def make_rules(self) -> Rules:
        """The rules of the table."""
        return Rules.preset(self.rules) if isinstance(self.rules, str) else Rules.from_mapping(self.rules)

    def make_observation(self) -> Observation:
        """The choice of observation pieces."""
        return Observation.of(self.observation, self.max_seats, self.make_rules().game == "kaluki")

    @model_validator(mode="after")
    def _is_playable(self) -> RunConfig:
        # The package's own checks; its errors are `ValueError`s, which pydantic collects.
        rules = self.make_rules()
        for deal in self.deal:
            try:
                rules.check_table(self.table.players, deal)
            except RulesError as error:
                raise ValueError(f"table.players {self.table.players} with deal.{deal}: {error}") from error
        self.make_observation()
        if self.max_seats < self.table.players:
            raise ValueError(f"table.max_seats {self.max_seats} has no room for {self.table.players} players")
        return self


class Config(RunConfig):
    """A run of `training.ppo`: self-play."""

    opponents: OpponentsConfig = OpponentsConfig()
    network: NetworkConfig = NetworkConfig()
    ppo: PpoConfig = PpoConfig()

    @model_validator(mode="after")
    def _fits_together(self) -> Config:
        observation = self.make_observation()
        pieces = observation.pieces
        rows = self.ppo.batch + self.ppo.lanes * (self.table.players + 1)
        size = self.ppo.lanes * LANE_BYTES + rows * (observation.size + observation.num_actions)
        check_memory(size, "ppo.lanes and ppo.batch")
        check_memory(network_bytes(observation, self.network.hidden), "network.hidden")
        if "hand" not in pieces:
            raise ValueError("observation: the network needs the piece hand")
        if self.ppo.shaping and "solver" not in pieces:
            raise ValueError("ppo.shaping needs the observation piece solver")
        if self.make_rules().game == "kaluki" and (self.ppo.shaping or self.network.head_start):
            raise ValueError("ppo.shaping and network.head_start rest on contract distances: they are for the Jamaican game")
        return self


#: Bytes of a game in progress.
LANE_BYTES = STATE.itemsize + 2 * MAX_ACTIONS


def network_bytes(observation: Observation, hidden: Sequence[int]) -> int:
    """Bytes of a network with layers of these widths while it is trained, its gradients and Adam's moments included."""
    widths = [observation.size, *hidden, observation.num_actions]
    return 16 * sum(before * after for before, after in pairwise(widths))


def check_memory(size: int, keys: str) -> None:
    """Refuse what no machine has room for.

    Args:
        size: bytes that are needed.
        keys: keys that decide about it.

    Raises:
        ValueError: more than `MOST_MEMORY`.
    """
    if size > MOST_MEMORY:
        raise ValueError(f"{keys}: {size / 2**30:,.0f} GiB of memory would be needed; allowed: {MOST_MEMORY >> 30} GiB")


AnyConfig = TypeVar("AnyConfig", bound=RunConfig)


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> Config:
    """Read the configuration of a run of `training.ppo`; see `read_config`."""
    return read_config(Config, path, overrides)


def make_config(data: dict[str, Any], source: str) -> Config:
    """The configuration of a run of `training.ppo` from a mapping; see `validated`."""
    return validated(Config, data, source)


def read_config(model: type[AnyConfig], path: str | Path, overrides: Sequence[str] = ()) -> AnyConfig:
    """Read a run's configuration.

    Args:
        model: what a trainer is told.
        path: YAML file.
        overrides: texts `key=value`, keys with dots into sections: `ppo.clip=0.1`. Values are read as YAML.

    Raises:
        ConfigError: the file cannot be read, or it has an unknown key or a value that is not allowed; the message gives the
            closest known key.
    """
    path = path_of("configuration", path)
    try:
        data = read_yaml(path)
    except FileFault as fault:
        raise ConfigError(f"configuration {path} {fault}") from fault
    if not isinstance(data, dict):
        raise ConfigError(f"configuration {path}: expected a mapping of keys to values, found {shown(data)}")
    for text in overrides:
        _override(data, text)
    return validated(model, data, str(path))


def validated(model: type[AnyConfig], data: dict[str, Any], source: str) -> AnyConfig:
    """A configuration from a mapping.

    Raises:
        ConfigError: as for `read_config`.
    """
    try:
        return model.model_validate(data)
    except ValidationError as error:
        lines = [f"configuration {source}: {sentence}" for sentence in sentences(model, error)]
        raise ConfigError("\n".join(lines)) from error
    except KalookiError as error:
        raise ConfigError(f"configuration {source}: {error}") from error


#: Names with dots between them in a key of an override.
_MOST_SECTIONS = 10


def _override(data: dict[str, Any], text: str) -> None:
    key, equals, value = text.partition("=")
    *sections, last = key.split(".")
    words = f"--set {text if len(text) < 100 else shown(text)}"
    if not equals or not last:
        raise ConfigError(f"{words}: not of the form key=value")
    if len(sections) >= _MOST_SECTIONS:
        raise ConfigError(f"{words}: {len(sections)} sections; there are none inside of others")
    for name in sections:
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"{words}: {name} is no section")
        data = inner
    try:
        data[_number(last)] = yaml_of(value)  # type: ignore[index]  # deal numbers are keys, too
    except FileFault as fault:
        raise ConfigError(f"{words}: the value {fault}") from fault


def _number(key: str) -> str | int:
    return int(key) if key.isdecimal() and len(key) < 10 else key
