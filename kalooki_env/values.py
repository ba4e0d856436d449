"""What counts as a number, a truth value, a word, a path, a seed or an action, in every argument of the package.

NumPy's numbers, truth values and strings are taken wherever Python's are, and so are arrays and tensors that hold
one whole number. Nothing else is converted: `True` is no number, `1` is no truth value, `"1"` is neither, and
`2.0` is no whole number. A wrong type raises an error that is a `TypeError` too.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from kalooki_env.errors import (
    ActionTypeError,
    ConfigError,
    ConfigTypeError,
    RulesError,
    RulesTypeError,
    closest,
)

T = TypeVar("T")
#: The error for a wrong type in the place of the one for a wrong value.
_FOR_TYPES: dict[type[ConfigError] | type[RulesError], type[ConfigError] | type[RulesError]] = {
    ConfigError: ConfigTypeError,
    RulesError: RulesTypeError,
}
MAX_SEED = 2**63 - 1


def plain(value: Any) -> Any:
    """Python's number, truth value or string for one of NumPy's; anything else as it is."""
    if isinstance(value, np.str_):
        return str(value)
    return value.item() if isinstance(value, np.number | np.bool_) else value


def shown(value: object) -> str:
    """A value for a message: cut where it is long, since what is passed may be anything."""
    try:
        text = repr(plain(value))
    except ValueError:  # an integer of more digits than Python writes
        text = f"<a whole number of {value.bit_length()} bits>" if isinstance(value, int) else f"<{type(value).__name__}>"
    return text if len(text) <= 200 else f"{text[:150]}… ({len(text)} characters)"


def integer_of(value: Any) -> int | None:
    """The whole number that a value is, None if it is none.

    Args:
        value: an integer of Python or NumPy, or an array or tensor (NumPy, torch and others) of one of these.
    """
    if type(value) is int:
        return value
    if isinstance(value, np.integer):  # what policies give, at each step
        return int(value)
    if isinstance(value, bool):
        return None
    dtype = getattr(value, "dtype", None)
    try:
        if dtype is None:
            return operator.index(value)
        # "int64", "torch.uint8", ...; without asking the libraries, which need not be there.
        return int(value.item()) if str(dtype).rpartition(".")[2].startswith(("int", "uint")) else None
    except (AttributeError, TypeError, ValueError, RuntimeError):
        return None


def whole_number(
    name: str,
    value: object,
    least: int | None = None,
    most: int | None = None,
    error: type[ConfigError] | type[RulesError] = ConfigError,
) -> int:
    """A whole number, within bounds if there are any.

    Args:
        name: of what, for messages.
        value: see `integer_of`.
        least, most: bounds that belong to it.
        error: raised if it is not allowed.

    Raises:
        ConfigError: something else, or beyond the bounds; or `error`. Of a wrong type also a TypeError.
    """
    found = integer_of(value)
    if found is not None and (least is None or found >= least) and (most is None or found <= most):
        return found
    if least is None and most is None:
        allowed = "a whole number"
    elif most is None:
        allowed = f"a whole number from {least} on"
    else:
        allowed = f"a whole number from {least} to {most}"
    kind = error if found is not None else _FOR_TYPES[error]
    raise kind(f"{name} {shown(value)} is not allowed; allowed: {allowed}")


def check_seed(seed: object) -> int:
    """A seed: a whole number from 0 to 2**63 - 1.

    Raises:
        ConfigError: anything else.
    """
    return whole_number("seed", seed, 0, MAX_SEED)


def number(name: str, value: Any, least: float | None = None) -> float:
    """A finite number, whole or not.

    Raises:
        ConfigError: something else, or less than `least`.
    """
    found = plain(value)
    if isinstance(found, int | float) and not isinstance(found, bool):
        # Integers too large for a float are none.
        try:
            if math.isfinite(found) and (least is None or found >= least):
                return float(found)
        except OverflowError:
            pass
        kind: type[ConfigError] = ConfigError
    else:
        kind = ConfigTypeError
    raise kind(f"{name} {shown(value)} is not allowed; allowed: a number{'' if least is None else f' from {least:g} on'}")


def truth(name: str, value: object) -> bool:
    """True or False.

    Raises:
        ConfigError: anything else, 0 and 1 included.
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ConfigTypeError(f"{name} {shown(value)} is not allowed; allowed: True or False")


def one_of(name: str, value: T, allowed: Sequence[Any]) -> T:
    """The value, if it is one of the allowed ones.

    Raises:
        ConfigError: if not.
    """
    found = plain(value)
    # `True == 1`: compare types too, so that a number never passes for a yes.
    if any(type(found) is type(item) and found == item for item in allowed):
        return found  # type: ignore[no-any-return]
    kind = ConfigError if type(found) in map(type, allowed) else ConfigTypeError
    names = [item if isinstance(item, str) else repr(item) for item in allowed]
    hint = closest(found, names) if isinstance(found, str) else f"; allowed: {', '.join(names)}"
    raise kind(f"{name} {shown(value)} is not allowed{hint}")


def path_of(name: str, value: Any) -> Path:
    """A path from a string or whatever else Python takes for one.

    Raises:
        ConfigError: something else, bytes included.
    """
    if isinstance(value, str | os.PathLike):
        found = os.fspath(value)
        if isinstance(found, str) and found and "\0" not in found:
            return Path(found)
        if isinstance(found, str):
            raise ConfigError(f"{name} {shown(value)} is not allowed; allowed: a path")
    raise ConfigTypeError(f"{name} {shown(value)} is not allowed; allowed: a path, as a string or pathlib.Path")


def action_of(value: Any) -> int:
    """The number of an action, legal or not.

    Args:
        value: see `integer_of`.

    Raises:
        ActionTypeError: no whole number.
    """
    found = integer_of(value)
    if found is None:
        kind = type(value).__name__
        raise ActionTypeError(f"action {shown(value)} ({kind}) is not allowed; allowed: a whole number, the action's number")
    return found


def actions_of(values: Any, count: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The numbers of the actions of all lanes, legal or not: int64 (count,).

    Args:
        values: an array, tensor or list of whole numbers, one a lane.
        count: number of lanes.

    Raises:
        ActionTypeError: not of whole numbers.
        ConfigError: not one for each lane.
    """
    try:
        given = np.asarray(values)
    except (TypeError, ValueError, RuntimeError):  # ragged lists, tensors on another device
        given = np.empty(0, object)
    wanted = f"allowed: {count} whole number{'' if count == 1 else 's'}"
    if given.dtype.kind not in "iu":
        # An empty list is a float array.
        raise ActionTypeError(f"actions {shown(values)} ({given.dtype}) are not allowed; {wanted}")
    if given.shape != (count,):
        raise ConfigError(f"actions of shape {given.shape} are not allowed; {wanted}")
    return np.ascontiguousarray(given, np.int64)
