"""QUANTIZE between all types, DEQUANTIZE and CAST: formulas of LiteRT, its vector loops and XNNPACK.

Vector loops round differently, so the output for a value can depend on its position. The *body* are the elements that
fill whole vectors from the start on, the *tail* are the remaining elements.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer import litert
from litecheck.quantizer.litert_vectors import Grid, dequantize_body, quantize_body, quantize_tail
from litecheck.quantizer.types import Parameters, QuantizerError
from litecheck.reference.backends import ALL_BACKENDS, XNNPACK, BackendSet
from litecheck.reference.numerics.fixedpoint import (
    MULTIPLY,
    WITHOUT_FLOAT32,
    Ints,
    multiply_double,
    multiply_double_half_up,
    quantize_multiplier,
    round_half_away,
    saturate,
)
from litecheck.reference.numerics.lookup import each_value
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, OutputSpec, RunError

Part = Callable[[Array], Array]


def _apply_in_parts(data: Array, lanes: int, body: Part, tail: Part) -> Array:
    """Return ``body`` of all elements that fill vectors of ``lanes``, and ``tail`` of the remaining elements."""
    flat, end = data.reshape(-1), data.size // lanes * lanes
    return np.concatenate([body(flat[:end]), tail(flat[end:])]).reshape(data.shape)


@kernel(
    "QUANTIZE",
    "float32",
    in_vectors=True,
    round=("half-away", "half-even-body", "half-even", "half-even-quotient"),
)
def quantize(
    input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS
) -> Array:
    """output = x / scale rounded, plus the zero point, saturated; any shape, per tensor or per channel.

    - ``half-away``: the float32 quotient, also for per-channel and int4 outputs;
    - ``half-even-body``: the product with the reciprocal of the scale, half to even, in vectors of eight; the float64
      quotient, half away, in the tail;
    - ``half-even``: XNNPACK, for int8 and uint8, computes all elements like vectors;
    - ``half-even-quotient``: the float32 quotient, half to even, as in ONNX.

    Source: tflite/kernels/quantize.cc; tflite/kernels/internal/optimized/optimized_ops.h; XNNPACK, src/f32-qs8-vcvt.
    """
    x, parameters = input.data, Parameters.of(output.quantization)
    if variants["round"] == "half-away" or parameters.axis is not None or output.dtype == "int4":
        try:
            return litert.quantize(x, parameters, output.dtype)
        except QuantizerError as error:
            raise RunError(str(error)) from error

    def add_zero_point(rounded: Array) -> Array:
        low, high = (end - output.zero_point for end in INTEGER_RANGES[output.dtype])
        stored = np.clip(rounded, low, high).astype(np.int64) + output.zero_point
        return np.asarray(stored, NUMPY_TYPES[output.dtype])

    grid = Grid(output.scale, output.zero_point, output.dtype)

    def body(x: Array, flush: bool = False) -> Array:
        out: Array = np.empty(x.shape, NUMPY_TYPES[output.dtype])
        quantize_body(x, out, grid, flush)
        return out

    def tail(x: Array) -> Array:
        out: Array = np.empty(x.shape, NUMPY_TYPES[output.dtype])
        quantize_tail(x, out, grid)
        return out

    if variants["round"] == "half-even-quotient":
        return add_zero_point(np.rint(x / output.scale))
    if variants["round"] == "half-even" and XNNPACK in backends:
        return body(x, flush=True)
    return _apply_in_parts(x, 8, body, tail)


@kernel(
    "QUANTIZE",
    *("int8", "uint8", "int16", "int32"),
    in_vectors=True,
    requantize=(*WITHOUT_FLOAT32, "half-up-body", "8-bit-multipliers", "float32", "float32-half-away"),
)
def requantize(
    input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS
) -> Array:
    """output = the input's stored integers in the output's parameters; any shape, per tensor.

    - ``double``, ``single`` and so on: times the float64 quotient of the scales, by the fixed-point variant of that name;
      ``float32``: times the float32 quotient, rounded half to even, ``float32-half-away``: half away;
    - ``half-up-body``: between 8-bit types, vectors of sixteen use half up in the second rounding;
    - ``8-bit-multipliers``: XNNPACK rounds the quotient to a multiple of 1/256 and shifts once, half up; operators that
      XNNPACK does not run use ``half-up-body``.

    Source: tflite/kernels/internal/reference/requantize.h; XNNPACK, src/qs8-vcvt.
    """
    real = float(input.scale) / float(output.scale)
    low, high = INTEGER_RANGES[output.dtype]
    m, shift = quantize_multiplier(real)

    def rescale_with(multiply: Callable[[Ints, int, int], Ints]) -> Part:
        def at(x: Ints) -> Ints:
            return saturate(multiply(x - input.zero_point, m, shift) + output.zero_point, low, high)

        return lambda data: each_value(data, at, output.dtype)

    def multiply_8_bit(x: Ints, _m: int, _shift: int) -> Ints:
        return (x * int(np.rint(np.float32(256) * (input.scale / output.scale))) + 128) >> 8

    def multiply_float32(x: Ints, _m: int, _shift: int) -> Ints:
        scaled = x.astype(np.float32) * (input.scale / output.scale)
        away = variants["requantize"] == "float32-half-away"
        return (round_half_away(scaled) if away else np.rint(scaled)).astype(np.int64)

    variant = variants["requantize"]
    if variant.startswith("float32"):
        return rescale_with(multiply_float32)(input.data)
    if variant == "8-bit-multipliers":
        if XNNPACK in backends:
            return rescale_with(multiply_8_bit)(input.data)
        variant = "half-up-body"
    if variant == "half-up-body":
        eight = all(dtype in ("int8", "uint8") for dtype in (input.dtype, output.dtype))
        exact, vector = rescale_with(multiply_double), rescale_with(multiply_double_half_up)
        return _apply_in_parts(input.data, 16, vector, exact) if eight else exact(input.data)
    return rescale_with(MULTIPLY[variant])(input.data)


@kernel(
    "DEQUANTIZE",
    *("int8", "uint8", "int16", "int4", "float16"),
    in_vectors=True,
    product=("exact", "split-body", "split-int4-body"),
)
def dequantize(
    input: Operand, output: OutputSpec, variants: Variants, backends: BackendSet = ALL_BACKENDS
) -> Array:
    """output = scale * (q - zero_point), rounded once to float32; any shape, per tensor or per channel; float16 is widened.

    ``split-body``: vectors of eight values of up to 8 bits compute scale * q - scale * zero_point, each rounded.
    ``split-int4-body``: the same for operators that XNNPACK does not run.
    Source: tflite/kernels/internal/reference/dequantize.h, optimized_ops.h.
    """
    if input.dtype == "float16":
        return input.data.astype(np.float32)
    parameters = Parameters.of(input.quantization)

    def exact(q: Array) -> Array:
        try:
            return litert.products(q, parameters)
        except QuantizerError as error:
            raise RunError(str(error)) from error

    def split(q: Array) -> Array:
        out = np.empty(q.shape, np.float32)
        dequantize_body(q, out, Grid(input.scale, input.zero_point, input.dtype))
        return out

    taking = variants["product"] == "exact" or (
        variants["product"] == "split-int4-body" and XNNPACK in backends
    )
    if parameters.axis is not None or input.dtype == "int16" or taking:
        return exact(input.data)
    return _apply_in_parts(input.data, 8, split, exact)


_TYPES = (
    "float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool", "int4",
)  # fmt: skip


@kernel("CAST", *_TYPES)
def cast(input: Operand, output: OutputSpec) -> Array:
    """output = stored values converted to another type: integers wrap, floats truncate toward zero and saturate.

    NaN becomes the type's largest integer. Any shape. Source: tflite/kernels/cast.cc.

    For example, 2.7 and -2.7 give 2 and -2 in int32.
    """
    if output.dtype not in NUMPY_TYPES:
        raise RunError(f"CAST to {output.dtype} has no numpy type")
    stored_type = np.dtype(NUMPY_TYPES[output.dtype])
    x = input.data
    with np.errstate(all="ignore"):
        if x.dtype.kind != "f" or stored_type.kind not in "iu":
            return x.astype(stored_type)
        low, high = INTEGER_RANGES[output.dtype]
        wide = x.astype(np.float64)
        inside = np.where((wide > low) & (wide < high), wide, 0).astype(stored_type)
        beyond = np.where(wide <= low, low, high).astype(stored_type)
        return np.where((wide > low) & (wide < high), inside, beyond)
