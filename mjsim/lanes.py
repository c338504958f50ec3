"""Rows of 34 small counts (int8) at memory addresses, worked on as vectors.

LLVM leaves loops over record fields scalar: it cannot know that they do not overlap with what is written. An observation is
mostly such rows, so the four operations that it needs are spelled out as vector code. No kernel here checks anything.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from mjsim.tiles import N_KINDS

_BYTE = ir.IntType(8)
#: A row as pieces that registers hold: (offset, lanes).
_PIECES = ((0, 32), (32, N_KINDS - 32))


def _each_piece(builder: Any, target: Any, sources: list, make: Callable[..., Any]) -> None:
    for offset, lanes in _PIECES:
        vector = ir.VectorType(_BYTE, lanes)

        def at(address: Any, offset: int = offset, vector: Any = vector) -> Any:
            moved = builder.add(address, ir.Constant(address.type, offset))
            return builder.inttoptr(moved, vector.as_pointer())

        loaded = [builder.load(at(source), align=1) for source in sources]
        builder.store(make(vector, *loaded), at(target), align=1)


def _all(vector: Any, value: int) -> Any:
    return ir.Constant(vector, [value] * vector.count)


@intrinsic
def address_of(typingctx, array):
    """Address (int64) of the first element of an array."""

    def codegen(context, builder, sig, args):
        data = context.make_array(sig.args[0])(context, builder, args[0]).data
        return builder.ptrtoint(data, context.get_value_type(types.int64))

    return types.int64(array), codegen


@intrinsic
def stack_row(typingctx):
    """Address (int64) of room for one row on the stack, good until the kernel that asked returns: np.empty costs 25 ns."""

    def codegen(context, builder, sig, args):
        room = cgutils.alloca_once(builder, ir.ArrayType(_BYTE, N_KINDS))
        return builder.ptrtoint(room, context.get_value_type(types.int64))

    return types.int64(), codegen


@intrinsic
def copy_row(typingctx, target, source):
    """Copy the row at address `source` to address `target`."""

    def codegen(context, builder, sig, args):
        _each_piece(builder, args[0], [args[1]], lambda vector, row: row)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


@intrinsic
def row_exceeds(typingctx, target, source, threshold):
    """Write 1 where the row at `source` is more than `threshold`, else 0."""

    def codegen(context, builder, sig, args):
        limit = builder.trunc(args[2], _BYTE)

        def make(vector, row):
            limits = ir.Constant(vector, ir.Undefined)
            for lane in range(vector.count):
                limits = builder.insert_element(limits, limit, ir.Constant(ir.IntType(32), lane))
            return builder.zext(builder.icmp_signed(">", row, limits), vector)

        _each_piece(builder, args[0], [args[1]], make)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen


@intrinsic
def row_left(typingctx, target, a, b):
    """Write 4 - a - b of the rows at addresses `a` and `b`: the copies of each kind that are in neither."""

    def codegen(context, builder, sig, args):
        def make(vector, first, second):
            return builder.sub(_all(vector, 4), builder.add(first, second))

        _each_piece(builder, args[0], [args[1], args[2]], make)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64), codegen
