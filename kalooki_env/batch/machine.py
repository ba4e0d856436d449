"""What Numba does not offer by itself: memory asked for ahead of its use, and a counter that threads share.

Of thousands of positions each has left the fast caches when its turn comes again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from kalooki_env.core.compiled import kernel

#: How many lanes ahead.
AHEAD = 3
_LINE = 64  # bytes that a processor loads at once


@intrinsic  # type: ignore[untyped-decorator]
def _prefetch(context: Any, address: Any) -> Any:
    """Ask for the cache line of an address, to be written."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [pointer.type, ir.IntType(32), ir.IntType(32), ir.IntType(32)])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [pointer, ir.IntType(32)(1), ir.IntType(32)(3), ir.IntType(32)(1)])
        return context.get_dummy_value()

    return types.void(address), generate


@intrinsic  # type: ignore[untyped-decorator]
def _fetch_and_add(context: Any, address: Any) -> Any:
    """Add one to the int64 at an address, whoever else does so at the same time; what it was before."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        return builder.atomic_rmw("add", pointer, ir.IntType(64)(1), "monotonic")

    return types.int64(address), generate


@kernel
def take_number(counter):
    """The next whole number from a counter, int64 (1,), that threads share."""
    return _fetch_and_add(np.uintp(counter.ctypes.data))


@kernel
def prefetch_row(array, row, size):
    """Ask for the cache lines of the first bytes of a row."""
    address = array.ctypes.data + row * array.strides[0]
    for offset in range(0, size, _LINE):
        _prefetch(np.uintp(address + offset))
