"""What stands beside a network in files, as models: those who write it and those who read it use the same. Needs pydantic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from kalooki_env.core import SEATS
from kalooki_env.errors import ConfigError, closest
from kalooki_env.files import FileFault
from kalooki_env.observe.schema import Observation
from kalooki_env.values import shown

#: Format of `checkpoint.json`; it changes with any change of what its keys mean.
FORMAT = "kalooki-checkpoint-v1"
#: Widest layer and most layers that a network may have.
MOST_WIDTH, MOST_LAYERS = 1 << 16, 64
#: Largest whole number that counts something.
MOST = 2**63 - 1

Number = Annotated[int, Field(ge=0, le=MOST)]
#: A name of our own: of a piece or a feature.
Name = Annotated[str, Field(max_length=100)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
SchemaHash = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class Told(BaseModel):
    """Base of what a program wrote: no unknown keys, nothing converted, no number that is none."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


AnyModel = TypeVar("AnyModel", bound=BaseModel)


class RunInfo(Told):
    """What is told of the run that made a policy.

    Attributes:
        algorithm: what trained it.
        decisions, updates, seconds: how far the training went.
        seed: seed of the run.
        rules, num_players: the table.
        command: the command line.
        config: the configuration.
        versions: of Python and of packages.
        evaluation: results of the last evaluation.
    """

    algorithm: str
    decisions: Number
    updates: Number
    seconds: Annotated[float, Field(ge=0)]
    seed: Number
    rules: str
    num_players: Annotated[int, Field(ge=2, le=SEATS)]
    command: str
    config: dict[str, JsonValue]
    versions: dict[str, str]
    evaluation: dict[str, JsonValue]


class ObservationInfo(Told):
    """What a policy looks at; see `Observation.as_info`."""

    pieces: Annotated[list[Name], Field(min_length=1, max_length=100)]
    max_seats: Annotated[int, Field(ge=2, le=SEATS)]
    size: Number
    schema_hash: SchemaHash
    game: Literal["kaluki"] | None = None

    def make(self, num_actions: int) -> Observation:
        """The observation.

        Args:
            num_actions: size of the action space that is told beside it.

        Raises:
            ConfigError: unknown pieces, or another schema or action space than this version of the package has.
        """
        observation = Observation.of(self.pieces, self.max_seats, self.game == "kaluki")
        names = f"the pieces {', '.join(observation.pieces)} and max_seats={observation.max_seats}"
        if (observation.schema_hash, observation.size) != (self.schema_hash, self.size):
            raise ConfigError(
                f"it was trained with another observation schema ({self.schema_hash}, {self.size} numbers) than this version of "
                f"the package has ({observation.schema_hash}, {observation.size} numbers) for {names}"
            )
        if num_actions != observation.num_actions:
            raise ConfigError(
                f"it has {num_actions} actions; this version of the package has {observation.num_actions} for "
                f"max_seats={observation.max_seats}"
            )
        return observation


class PolicyInfo(RunInfo):
    """What a policy's own file says: the run, and what the policy looks at."""

    observation: ObservationInfo
    num_actions: Number


class NetworkInfo(Told):
    """The shape of a `PolicyNetwork`: widths of its layers, and the features of cards that it computes."""

    hidden: Annotated[list[Annotated[int, Field(ge=1, le=MOST_WIDTH)]], Field(min_length=1, max_length=MOST_LAYERS)]
    features: Annotated[list[Name], Field(max_length=100)]


class _Format(Told):
    format: Literal["kalooki-checkpoint-v1"]


class CheckpointInfo(PolicyInfo, _Format):
    """What `checkpoint.json` says.

    Attributes:
        network: what the network is built like.
        weights_sha256: digest of the file of the weights.
        info_sha256: digest of all this, itself left out.
    """

    network: NetworkInfo
    weights_sha256: Sha256
    info_sha256: Sha256


def checked(model: type[AnyModel], data: Any) -> AnyModel:
    """What a file says, as a model.

    Raises:
        FileFault: it is not what the model allows; the keys are named, and for an unknown one the closest that there is.
    """
    if not isinstance(data, dict):
        raise FileFault(f"is {shown(data)}; expected a mapping of keys to values")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise FileFault("is not allowed: " + "; ".join(sentences(model, error))) from None


#: Faults of one file that are told.
_MOST_FAULTS = 10


def sentences(model: type[BaseModel], error: ValidationError) -> list[str]:
    """What is wrong, in the words of this package: one sentence for each key."""
    faults = [_sentence(model, fault) for fault in error.errors()[:_MOST_FAULTS]]
    more = error.error_count() - _MOST_FAULTS
    return [*faults, f"and {more} more"] if more > 0 else faults


def _sentence(model: type[BaseModel], error: Any) -> str:
    where = [str(part) if isinstance(part, str) else shown(part) for part in error["loc"]]
    name = ".".join(part if len(part) < 60 else shown(part) for part in where)
    if error["type"] == "extra_forbidden":
        return f"unknown key {name}{closest(where[-1], _keys(model, where[:-1]))}"
    if error["type"] == "missing":
        return f"key {name} is missing"
    message = error["msg"].removeprefix("Value error, ")
    return f"{name or 'values'}: {message}" + (f", found {shown(error['input'])}" if where else "")


def _keys(model: type[BaseModel], path: Sequence[str]) -> list[str]:
    for name in path:
        inner = model.model_fields[name].annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            model = inner
    return list(model.model_fields)
