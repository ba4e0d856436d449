"""Options of environments: checked, with errors that name what is allowed."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from kalooki_env.errors import ConfigError, RulesError, closest, nearest
from kalooki_env.game.game import whole_number
from kalooki_env.rules import Rules

T = TypeVar("T")


def one_of(name: str, value: T, allowed: Sequence[Any]) -> T:
    """The value, if it is one of the allowed ones.

    Raises:
        ConfigError: if not.
    """
    if not any(type(value) is type(item) and value == item for item in allowed):
        raise ConfigError(f"{name} {value!r} is not allowed{closest(value, allowed)}")
    return value


def number(name: str, value: Any) -> float:
    """A finite number.

    Raises:
        ConfigError: something else.
    """
    if isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value):
        return float(value)
    raise ConfigError(f"{name} {value!r} is not allowed; allowed: a number")


def shaping_of(value: Any) -> float:
    """A weight of shaping: a number from 0 on.

    Raises:
        ConfigError: something else.
    """
    if number("shaping", value) < 0:
        raise ConfigError(f"shaping {value!r} is not allowed; allowed: a number from 0 on")
    return float(value)


def check_observation(form: Any, dtype: Any) -> None:
    """Refuse unknown forms and dtypes of an observation, and pairs that do not go together.

    Raises:
        ConfigError: such a one.
    """
    one_of("observation_form", form, ("flat", "dict"))
    one_of("observation_dtype", dtype, ("float32", "uint8"))
    if (form, dtype) == ("dict", "uint8"):
        raise ConfigError("observation_form 'dict' goes with observation_dtype 'float32' only")


def warn_of_misspelt(options: Mapping[str, Any], known: Sequence[str]) -> None:
    """Warn of keys that are not known but nearly so; others may belong to somebody else."""
    for key in options:
        near = nearest(str(key), known)
        if key not in known and near is not None:
            warnings.warn(f"reset option {key!r} is ignored; did you mean {near!r}?", stacklevel=3)


def deals_of(deal: Any, rules: Rules, num_players: int) -> tuple[int, ...]:
    """Numbers of the deals that may be drawn: from a number, a list of numbers, or "random" for all that the table may play.

    Raises:
        RulesError: a deal that does not exist or that this table cannot play, or rules whose deals have yet to be supplied.
    """
    rules.contract(1)
    if isinstance(deal, str):
        if deal != "random":
            raise RulesError(f"deal {deal!r} is not allowed; allowed: 1 to {rules.num_deals}, a list of these, or 'random'")
        deals = (rules.num_deals,) if num_players == 2 else tuple(range(1, rules.num_deals + 1))
    elif isinstance(deal, Sequence | np.ndarray):
        deals = tuple(whole_number("deal", number) for number in deal)
    else:
        deals = (whole_number("deal", deal),)
    if not deals:
        raise RulesError(
            f"deal {deal!r} is not allowed: an empty list; allowed: 1 to {rules.num_deals}, a list of these, or 'random'"
        )
    for number in deals:
        rules.check_table(num_players, number)
    return deals


def seat_of(name: str, value: Any, num_players: int) -> int | None:
    """A fixed seat, such as the dealer's; None for "rotate".

    Args:
        name: what it is the seat of, for messages.
        value: a seat, or "rotate".
        num_players: seats at the table.

    Raises:
        RulesError: no such seat.
    """
    if isinstance(value, str) and value == "rotate":
        return None
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer) or not 0 <= value < num_players:
        raise RulesError(f"{name} {value!r} is not allowed; allowed: 0 to {num_players - 1}, or 'rotate'")
    return int(value)
