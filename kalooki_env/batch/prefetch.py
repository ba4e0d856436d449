"""Asking for memory ahead of its use: of thousands of positions each has left the fast caches when its turn comes again."""

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


@kernel
def prefetch_row(array, row, size):
    """Ask for the cache lines of the first bytes of a row."""
    address = array.ctypes.data + row * array.strides[0]
    for offset in range(0, size, _LINE):
        _prefetch(np.uintp(address + offset))
