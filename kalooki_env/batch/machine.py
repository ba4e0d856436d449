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
from kalooki_env.core.layout import CARDS, STATE, offset_of

#: How many lanes ahead.
AHEAD = 3
_LINE = 64  # bytes that a processor loads at once
# First bytes of fields of a STATE: each of the first three is followed by rows of seats that are not there.
_KNOWN, _DISCARDED, _DECLINED = (offset_of(STATE, name) for name in ("known", "discarded", "declined"))
_CAN_LAY, _HANDS = offset_of(STATE, "can_lay"), offset_of(STATE, "hands")


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
def prefetch_bytes(array, row, first, last):
    """Ask for the cache lines of the bytes from `first` to `last` of a row, the last one not included."""
    address = array.ctypes.data + row * array.strides[0]
    for offset in range(first, last, _LINE):
        _prefetch(np.uintp(address + offset))
    _prefetch(np.uintp(address + last - 1))


@kernel
def prefetch_row(array, row, size):
    """Ask for the cache lines of the first bytes of a row."""
    prefetch_bytes(array, row, 0, size)


@kernel
def prefetch_state(states, row, players):
    """Ask for what is read of a STATE. What stands by seat is most of it, and half of that, at a usual table, of no seat."""
    seats = CARDS * players
    prefetch_bytes(states, row, 0, _KNOWN + seats)
    prefetch_bytes(states, row, _DISCARDED, _DISCARDED + seats)
    prefetch_bytes(states, row, _DECLINED, _DECLINED + seats)
    prefetch_bytes(states, row, _CAN_LAY, _HANDS + seats)
