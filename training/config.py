"""What a training run is made of: pydantic models, read from YAML. Unknown keys are errors that name the closest known key."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kalooki_env.errors import ConfigError, KalookiError, closest
from kalooki_env.observe.schema import Observation
from kalooki_env.rules import Rules

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class Section(BaseModel):
    """Base of all parts: no unknown keys, no silent conversions of numbers to texts, no change afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class TableConfig(Section):
    """The table: seats in play, and seats that the spaces have room for (null: as many)."""

    players: Annotated[int, Field(ge=3, le=8)] = 4
    max_seats: Annotated[int, Field(ge=3, le=8)] | None = None


class OpponentsConfig(Section):
    """Deals in which some seats are played by agents.

    Attributes:
        share: share of the deals in which one seat or more, but not all, is an agent's.
        agents: weights of the agents; one is drawn for each deal.
    """

    share: Share = 0.0
    agents: dict[str, Positive] = {"greedy": 1.0}


class NetworkConfig(Section):
    """See `kalooki_env.agents.network.PolicyNetwork`."""

    hidden: Annotated[list[Count], Field(min_length=1)] = [256, 256]
    head_start: bool = False


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
    learning_rate_end: Annotated[float, Field(ge=0)] = 1e-4
    clip: Positive = 0.2
    entropy: Annotated[float, Field(ge=0)] = 0.01
    entropy_end: Annotated[float, Field(ge=0)] = 0.002
    value_weight: Annotated[float, Field(ge=0)] = 0.5
    max_grad_norm: Positive = 0.5
    gamma: Annotated[float, Field(gt=0, le=1)] = 1.0
    lam: Share = 0.95
    shaping: Annotated[float, Field(ge=0)] = 0.0
    shaping_until: Annotated[float, Field(gt=0, le=1)] = 0.33
    bfloat16: bool = False


class BudgetConfig(Section):
    """When to stop, whichever comes first; schedules follow the nearer limit.

    A limit in seconds that is reached makes results depend on the machine.
    """

    decisions: Count | None = None
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

    against: list[str] = ["greedy"]
    every: Count | None = None
    deals: Count = 250
    final_deals: Count = 1_000
    seed: Annotated[int, Field(ge=0)] = 1_000_000_000


class RunConfig(Section):
    """What every trainer is told.

    Attributes:
        name: folder of the run inside `output`.
        rules: name of a preset, or a mapping of `preset` and the keys to change.
        deal: numbers of the deals that are played, with the weight of each in the mix.
        observation: a named choice of observation pieces or a list of their names.
        checkpoint_every: seconds between two saves on the way.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    output: str = "runs"
    seed: Annotated[int, Field(ge=0)] = 0
    rules: str | dict[str, Any] = "jamaican"
    table: TableConfig = TableConfig()
    deal: Annotated[dict[Annotated[int, Field(ge=1, le=9)], Positive], Field(min_length=1)]
    observation: str | list[str] = "obs-v1+solver"
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
            rules.check_table(self.table.players, deal)
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
        pieces = self.make_observation().pieces
        if "hand" not in pieces:
            raise ValueError("observation: the network needs the piece hand")
        if self.ppo.shaping and "solver" not in pieces:
            raise ValueError("ppo.shaping needs the observation piece solver")
        if self.make_rules().game == "kaluki" and (self.ppo.shaping or self.network.head_start):
            raise ValueError("ppo.shaping and network.head_start rest on contract distances: they are for the Jamaican game")
        return self


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
    try:
        data = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"configuration {path}: {error}") from error
    if not isinstance(data, dict):
        raise ConfigError(f"configuration {path}: expected a mapping of keys to values, found {type(data).__name__}")
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
        sentences = [f"configuration {source}: {_sentence(model, item)}" for item in error.errors()]
        raise ConfigError("\n".join(sentences)) from error
    except KalookiError as error:
        raise ConfigError(f"configuration {source}: {error}") from error


def _override(data: dict[str, Any], text: str) -> None:
    key, equals, value = text.partition("=")
    *sections, last = key.split(".")
    if not equals or not last:
        raise ConfigError(f"--set {text}: not of the form key=value")
    for name in sections:
        inner = data.setdefault(name, {})
        if not isinstance(inner, dict):
            raise ConfigError(f"--set {text}: {name} is no section")
        data = inner
    try:
        data[_number(last)] = yaml.safe_load(value)  # type: ignore[index]  # deal numbers are keys, too
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {text}: {error}") from error


def _number(key: str) -> str | int:
    return int(key) if key.isdecimal() else key


def _sentence(model: type[BaseModel], error: Any) -> str:
    """One of pydantic's errors in the words of this package."""
    where = [str(part) for part in error["loc"]]
    name = ".".join(where)
    if error["type"] == "extra_forbidden":
        return f"unknown key {name}{closest(where[-1], _keys(model, where[:-1]))}"
    if error["type"] == "missing":
        return f"key {name} is missing"
    message = error["msg"].removeprefix("Value error, ")
    return f"{name or 'values'}: {message}" + (f", found {error['input']!r}" if where else "")


def _keys(model: type[BaseModel], path: Sequence[str]) -> list[str]:
    for name in path:
        inner = model.model_fields[name].annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model = inner
    return list(model.model_fields)
