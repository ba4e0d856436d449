"""What kernels do with memory and Numba does not offer by itself: arrays on the stack, and records copied as runs of bytes.

Arrays on the stack are gone when the kernel that made them returns; kernels that it calls may use them.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.npydecl import parse_dtype
from numba.extending import intrinsic
from numba.np import numpy_support

_ALIGNMENT = 16  # of the widest field of a record and more


def _array(size: Any, dtype: Any, is_zeroed: bool) -> Any:
    """Signature and code of an array of a constant size."""
    kind = types.Array(parse_dtype(dtype), 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        element = context.get_data_type(kind.dtype)
        item_size = context.get_abi_sizeof(element)
        memory = cgutils.alloca_once(builder, ir.ArrayType(element, size.literal_value))
        memory.align = _ALIGNMENT
        if is_zeroed:
            cgutils.memset(builder, memory, context.get_constant(types.intp, item_size * size.literal_value), 0)
        array = context.make_array(kind)(context, builder)
        context.populate_array(
            array,
            data=builder.bitcast(memory, array.data.type),
            shape=[context.get_constant(types.intp, size.literal_value)],
            strides=[context.get_constant(types.intp, item_size)],
            itemsize=context.get_constant(types.intp, item_size),
            meminfo=None,
        )
        return array._getvalue()

    return kind(size, dtype), generate


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_array(context: Any, size: Any, dtype: Any) -> Any:
    """As `np.empty`, of a constant size."""
    return _array(size, dtype, False)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]
def stack_zeros(context: Any, size: Any, dtype: Any) -> Any:
    """As `np.zeros`, of a constant size."""
    return _array(size, dtype, True)


@intrinsic  # type: ignore[untyped-decorator]
def copy_shared_fields(context: Any, source: Any, target: Any) -> Any:
    """Copy the fields that two record types have in common, `zeros` aside: of neighbours all bytes at once."""
    shared = [name for name in target.fields if name in source.fields and name != "zeros"]
    runs: list[tuple[int, int, int]] = []  # first byte in the source, in the target, number of bytes
    for name in sorted(shared, key=target.offset):
        start, to, size = source.offset(name), target.offset(name), numpy_support.as_dtype(target.typeof(name)).itemsize
        if runs and (start, to) == (runs[-1][0] + runs[-1][2], runs[-1][1] + runs[-1][2]):
            last_start, last_to, last_size = runs.pop()
            start, to, size = last_start, last_to, last_size + size
        runs.append((start, to, size))

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        for start, to, size in runs:
            cgutils.raw_memcpy(
                builder,
                cgutils.get_record_member(builder, arguments[1], to, ir.IntType(8)),
                cgutils.get_record_member(builder, arguments[0], start, ir.IntType(8)),
                context.get_constant(types.intp, size),
                1,
            )
        return context.get_dummy_value()

    return types.void(source, target), generate
