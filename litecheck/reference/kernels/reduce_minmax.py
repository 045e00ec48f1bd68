"""Reductions by selection or product: REDUCE_MAX, _MIN, _PROD, _ANY, _ALL, ARG_MAX, ARG_MIN (tflite/kernels/)."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.axes import reduced_axes, reduction_view, shape_after
from litecheck.reference.numerics.fixedpoint import multiply_reduced, quantize_multiplier, saturate, wrap32
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

_ORDERED = ("int8", "uint8", "int16", "int32", "int64", "float32")


def _ends(data: Array) -> tuple[Any, Any]:
    limits = np.finfo(data.dtype) if data.dtype.kind == "f" else np.iinfo(data.dtype)
    return limits.min, limits.max


@kernel("REDUCE_MAX", *_ORDERED)
def reduce_max(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the largest stored value along the axes; the type's smallest value for no elements. Source: reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    largest = np.max(input.data, axis=axes, initial=_ends(input.data)[0])
    return np.asarray(largest).reshape(shape_after(input.shape, axes, options))


@kernel("REDUCE_MIN", *_ORDERED)
def reduce_min(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the smallest stored value along the axes; the type's largest value for no elements. Source: reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    smallest = np.min(input.data, axis=axes, initial=_ends(input.data)[1])
    return np.asarray(smallest).reshape(shape_after(input.shape, axes, options))


@kernel("REDUCE_ANY", "bool")
def reduce_any(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = true if any value along the axes is true, else false. Source: tflite/kernels/reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    return np.asarray(np.any(input.data, axis=axes)).reshape(shape_after(input.shape, axes, options))


@kernel("REDUCE_ALL", "bool")
def reduce_all(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = true if all values along the axes are true, else false. Source: tflite/kernels/reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    return np.asarray(np.all(input.data, axis=axes)).reshape(shape_after(input.shape, axes, options))


@kernel("REDUCE_PROD", "int8", "int16", one_factor=("rescale", "copy"))
def reduce_prod(
    input: Operand, axis: Operand, output: OutputSpec, options: Options, variants: Variants
) -> Array:
    """output = the product along the axes.

    The product is rescaled by input scale / (output scale)^(1/n) after each factor and again at the end, with a 16-bit
    multiplier. Source: tflite/kernels/internal/reference/reduce.h, QuantizedReduceProd.
    """
    axes = reduced_axes(axis, input.data.ndim)
    shape = shape_after(input.shape, axes, options)
    rows = reduction_view(input.data, axes).astype(np.int64) - input.zero_point
    if rows.shape[-1] == 1 and variants["one_factor"] == "copy":
        return input.data.reshape(shape)
    if rows.size == 0:
        return np.zeros(shape, output.dtype)
    multiplier = quantize_multiplier(float(input.scale) / float(output.scale) ** (1.0 / rows.shape[-1]))
    product = rows[..., 0]
    for at in range(1, rows.shape[-1]):
        product = wrap32(multiply_reduced(product * rows[..., at], *multiplier))
    stored = wrap32(multiply_reduced(product, *multiplier)) + output.zero_point
    return saturate(stored, *INTEGER_RANGES[output.dtype]).reshape(shape)


@kernel("REDUCE_PROD", "float32", "int32", "int64")
def reduce_prod_plain(input: Operand, axis: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the product along the axes, in row-major order; integers wrap. Source: tflite/kernels/reduce.cc."""
    axes = reduced_axes(axis, input.data.ndim)
    rows = reduction_view(input.data, axes)
    shape = shape_after(input.shape, axes, options)
    if rows.shape[-1] == 0:
        return np.ones(shape, output.dtype)
    with np.errstate(over="ignore"):
        product = np.multiply.accumulate(rows, axis=-1, dtype=rows.dtype)[..., -1]
    return np.asarray(product).reshape(shape)


@kernel("ARG_MAX", "int8", "uint8", "int32", "float32", "bool")
def arg_max(input: Operand, axis: Operand, output: OutputSpec) -> Array:
    """output = index of the largest value along an axis, the first of equal values. Source: arg_min_max.cc.

    For example, (3, 7, 7) gives 1.
    """
    return np.asarray(np.argmax(input.data, axis=_one_axis(input, axis)))


@kernel("ARG_MIN", "int8", "uint8", "int32", "float32", "bool")
def arg_min(input: Operand, axis: Operand, output: OutputSpec) -> Array:
    """output = index of the smallest value along an axis, the first of equal values. Source: arg_min_max.cc."""
    return np.asarray(np.argmin(input.data, axis=_one_axis(input, axis)))


def _one_axis(input: Operand, axis: Operand) -> int:
    axes = reduced_axes(axis, input.data.ndim)
    if len(axes) != 1:
        raise RunError(f"one axis is needed, not {len(axes)}")
    if input.shape[axes[0]] == 0:
        raise RunError("the axis is empty")
    return axes[0]
