"""Elementwise operators without rescaling: SELECT, WHERE, LOGICAL_AND, BITWISE_XOR, RIGHT_SHIFT, POW, ATAN2, ADD_N."""

from __future__ import annotations

import numpy as np

from litecheck.reference.compute_limits import reserve
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec, RunError

_ANY = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "bool")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


def _reserve_chosen(condition: Array, on_true: Operand, on_false: Operand) -> None:
    shape = np.broadcast_shapes(condition.shape, on_true.shape, on_false.shape)
    reserve(shape, on_true.data.itemsize)


@kernel("SELECT", *_ANY, type_role="on_true")
def select(condition: Operand, on_true: Operand, on_false: Operand, output: OutputSpec) -> Array:
    """output = on_true if condition is true, else on_false; stored values are copied.

    condition has the shape of the values, or is a scalar, or has their first dimension. Source: tflite/kernels/select.cc.

    For example, (false, true), (1, 2) and (3, 4) give (3, 2).
    """
    condition_data = condition.data
    if condition_data.ndim == 1 and on_true.data.ndim > 1:
        condition_data = condition_data.reshape(-1, *(1,) * (on_true.data.ndim - 1))
    _reserve_chosen(condition_data, on_true, on_false)
    return np.where(condition_data, on_true.data, on_false.data)


@kernel("SELECT_V2", *_ANY, type_role="on_true")
def select_v2(condition: Operand, on_true: Operand, on_false: Operand, output: OutputSpec) -> Array:
    """output = on_true if condition is true, else on_false; all three broadcast. Source: tflite/kernels/select.cc.

    For example, (false, true), (1, 2) and (3, 4) give (3, 2).
    """
    _reserve_chosen(condition.data, on_true, on_false)
    return np.where(condition.data, on_true.data, on_false.data)


@kernel("WHERE", *_ANY)
def where(condition: Operand, output: OutputSpec) -> Array:
    """output = indices (n, rank) of the elements that are not 0, in row-major order. Source: where.cc.

    For example, (false, true) gives ((1)).
    """
    reserve((condition.data.size, condition.data.ndim), 16)
    return np.argwhere(condition.data)


@kernel("LOGICAL_AND", "bool")
def logical_and(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs and rhs; shapes broadcast. Source: tflite/kernels/logical.cc."""
    return np.asarray(np.logical_and(lhs.data, rhs.data))


@kernel("LOGICAL_OR", "bool")
def logical_or(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs or rhs; shapes broadcast. Source: tflite/kernels/logical.cc."""
    return np.asarray(np.logical_or(lhs.data, rhs.data))


@kernel("BITWISE_XOR", *_INTEGERS)
def bitwise_xor(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs xor rhs, bit by bit; shapes broadcast. Source: tflite/kernels/bitwise_xor.cc."""
    return lhs.data ^ rhs.data


@kernel("RIGHT_SHIFT", *_INTEGERS)
def right_shift(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs shifted right by rhs bits, arithmetically; rhs is clamped to 0 .. width - 1.

    Source: tflite/kernels/right_shift.cc. For example, -8 shifted by 1 gives -4.
    """
    return np.asarray(np.right_shift(lhs.data, np.clip(rhs.data, 0, lhs.data.dtype.itemsize * 8 - 1)))


@kernel("POW", "float32", "int32")
def power(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs to the power of rhs. Negative int32 exponents raise RunError.

    LiteRT multiplies int32 powers with a single broadcast exponent, so that they wrap beyond 32 bits. Other int32
    powers beyond 32 bits are -2^31. Source: tflite/kernels/pow.cc.

    Example: 46341 to the power of the scalar 2 gives -2147479015.
    """
    if output.dtype == "float32":
        with np.errstate(all="ignore"):
            return np.asarray(np.power(lhs.data, rhs.data))
    if (rhs.data < 0).any():
        raise RunError("an int32 exponent is negative")
    if rhs.data.size == 1 and lhs.shape != rhs.shape:
        return np.asarray(np.power(lhs.data, rhs.data))
    real = np.power(lhs.data.astype(np.float64), rhs.data.astype(np.float64))
    return np.where(np.abs(real) < 2.0**31, real, -(2.0**31)).astype(np.int32)


@kernel("ATAN2", "float32", "float64")
def atan2(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = angle of the point (rhs, lhs), in (-pi, pi]; shapes are equal. Source: tflite/kernels/atan2.cc."""
    if lhs.shape != rhs.shape:
        raise RunError(f"shapes {list(lhs.shape)} and {list(rhs.shape)} differ")
    return np.asarray(np.arctan2(lhs.data, rhs.data))


@kernel("ADD_N", "float32", "int32")
def add_n(values: tuple[Operand, ...], output: OutputSpec) -> Array:
    """output = sum of all values, in their order; shapes are equal. Source: tflite/kernels/add_n.cc."""
    reserve(values[0].shape, values[0].data.itemsize)
    total = values[0].data.copy()
    for value in values[1:]:
        total += value.data
    return np.asarray(total)
