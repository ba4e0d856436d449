"""Saved states: plain arrays, what they belong to, and a digest, so that nothing else is taken for them."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from kalooki_env.errors import ConfigError, ConfigTypeError

#: What reading arrays and texts of somebody else's making may raise.
UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, RecursionError)


def pack(about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """A saved state.

    Args:
        about: what it belongs to, and whatever is no array, as JSON knows it.
        arrays: the rest, by name.

    Returns:
        The arrays, `about` as uint8, and `digest`, uint8 (32,), of all that: sha256.
    """
    return seal({"about": np.frombuffer(json.dumps(about).encode(), np.uint8).copy(), **arrays})


def seal(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays with a digest of their own."""
    return {**arrays, "digest": _digest(arrays)}


def arrays_of(state: Any) -> dict[str, NDArray[Any]]:
    """A saved state as a dict; what `np.load` gives is one too.

    Raises:
        ConfigError: something else, or a file that cannot be read.
    """
    if not isinstance(state, Mapping):
        raise ConfigTypeError(f"state {type(state).__name__} is not allowed; allowed: what get_state gave, or np.load of it")
    try:
        return dict(state)
    except (*UNREADABLE, OSError, EOFError, BadZipFile, zlib.error) as error:
        raise not_saved(error) from error


def unpack(
    saved: Mapping[str, Any], name: str, schema: str, forms: Mapping[str, NDArray[Any]]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `pack` was given. Whether the digest is right is looked at later, by `check_digest`: other checks say more.

    Args:
        saved: the state.
        name: what it must belong to.
        schema: of the record types.
        forms: arrays of the shapes and dtypes that must be in it, by name.

    Raises:
        ConfigError: something else than a saved state, or one of something else or of another version.
    """
    try:
        about = json.loads(np.asarray(saved["about"], np.uint8).tobytes())
        found = about["name"], about["schema"]
        arrays = {key: np.asarray(saved[key]) for key in (*forms, "digest")}
    except UNREADABLE as error:
        raise not_saved(error) from error
    if found != (name, schema):
        raise ConfigError(
            f"this state is of another environment or version: {found[0]}, schema {found[1]}; here: {name}, schema {schema}"
        )
    for key, form in forms.items():
        if arrays[key].shape != form.shape or arrays[key].dtype != form.dtype:
            raise ConfigError(f"{key} {arrays[key].dtype} {arrays[key].shape}; allowed: {form.dtype} {form.shape}")
    return about, arrays


def not_saved(error: Exception) -> ConfigError:
    """The error for something that cannot be read as a saved state."""
    return ConfigError(f"this is not a state that an environment saved: {type(error).__name__}: {error}")


def check_digest(saved: Mapping[str, NDArray[Any]]) -> None:
    """Refuse a state that is not what was saved, though it could be one.

    Raises:
        ConfigError: bytes have changed since.
    """
    found = np.asarray(saved["digest"])
    if found.dtype != np.uint8 or not np.array_equal(found, _digest(saved)):
        raise ConfigError("digest of the state is not that of its arrays; allowed: a state as it was saved, unchanged")


def record_bytes(records: NDArray[np.void]) -> NDArray[np.uint8]:
    """Records as rows of bytes, uint8 (N, size): the same memory."""
    return records.view(np.uint8).reshape(len(records), -1)


def records_of(rows: NDArray[np.uint8], dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """The inverse of `record_bytes`: a new array."""
    return np.frombuffer(rows.tobytes(), dtype).copy()


def _digest(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint8]:
    found = hashlib.sha256()
    for key in sorted(set(arrays) - {"digest"}):
        array = np.asarray(arrays[key])
        found.update(f"{key} {array.dtype.str} {array.shape}\n".encode())
        found.update(array.tobytes())
    return np.frombuffer(found.digest(), np.uint8).copy()
