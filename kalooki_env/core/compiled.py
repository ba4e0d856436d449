"""The only decorator for compiled code: `@kernel`.

Importing this module compiles nothing; a kernel is compiled, or loaded from the cache (`core.cache`), at its first call.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

from kalooki_env.core.cache import LazyCache, is_warm

F = TypeVar("F", bound=Callable[..., Any])

#: Kernels widen every field that they read: Numba's `int` keeps unsigned numbers unsigned, and those mixed with signed ones
#: become floats.
i64 = np.int64


def kernel(function: F) -> F:
    """Compile a function with Numba: no Python objects, no GIL, cached on disk under the hash of all kernel sources.

    Kernels take arrays and integers, never single records from Python; read fields as `s["name"]` and widen them with `i64`
    at once; return codes and never print; do not call themselves. They allocate nothing (`memory.stack_array`), nor do they copy
    arrays by assignment to a slice, for which Numba allocates.
    """
    # Without `_nrt=False` each call of a kernel counts references to the arrays that it is given, up and down again, by atomic
    # instructions: a quarter of the time of a decision. Nothing but allocation needs these counts, and Numba says so.
    compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False)(function)
    compiled._cache = LazyCache(compiled)
    return compiled


@kernel
def wrap(seat, num_players):
    """A seat from 0 to 2n - 1 brought back to the table: a division would cost as much as all the rest of a small kernel."""
    return seat - num_players if seat >= num_players else seat


def announce_compilation() -> None:
    """Say once on standard error that the first use compiles, if nothing is cached yet."""
    global _announced
    if not _announced and not is_warm():
        print("kalooki_env: compiling the engine, once; this takes some minutes ...", file=sys.stderr, flush=True)
    _announced = True


_announced = False
