"""Defects of outputs: not clamped, not saturated, saturated too early, without a zero point, or rounded twice."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.defects.registry import (
    BYTES,
    Arguments,
    defect,
    rescales,
    sums_products,
    symmetric,
    with_options,
)
from litecheck.reference.numerics.fixedpoint import saturate
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.registry import Kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, OutputSpec, RunError


def _without_activation(given: Arguments) -> Arguments:
    """Return the arguments without a fused activation."""
    options = given.get("options")
    if options is None or "fused_activation_function" not in options:
        return given
    return {**given, "options": with_options(options, fused_activation_function=0)}


@defect(
    "no-activation",
    "ignores the fused activation, and saturates to the output type",
    lambda facts: facts.fuses == "activation",
)
def no_activation(kernel: Kernel, given: Arguments) -> Any:
    """Ignore the fused activation."""
    return kernel.function(**_without_activation(given))


#: Variants of QUANTIZE that differ for outputs of more than 8 bits.
_NARROW_ONLY = ("half-up-body", "8-bit-multipliers")


def _compute_int32(kernel: Kernel, given: Arguments, zero_point: bool = True) -> Array:
    """Return the output in 32 bits, before saturation and clamping."""
    output: OutputSpec = given["output"]
    if traits_of(kernel.opcode).element == "quantize" and given["variants"].get("requantize") in _NARROW_ONLY:
        raise RunError(f"{kernel.opcode} in 32 bits is not computed by {given['variants']['requantize']!r}")
    quantization = output.quantization if zero_point else symmetric(output.quantization)
    wide = OutputSpec("int32", output.shape, quantization)
    return np.asarray(kernel.function(**{**_without_activation(given), "output": wide}))


def _clamp_output(stored: Array, given: Arguments) -> Array:
    low, high = stored_bounds(given.get("options"), given["output"])
    return np.clip(stored, low, high)


@defect(
    "wraps",
    "wraps the output instead of saturating it, before the fused activation",
    rescales,
)
def wraps(kernel: Kernel, given: Arguments) -> Any:
    """Keep the lowest bits of the output, then apply the fused activation."""
    if given["output"].dtype not in (*BYTES, "int16"):
        return kernel.function(**given)
    low_bits = _compute_int32(kernel, given).astype(np.int64).astype(NUMPY_TYPES[given["output"].dtype])
    return _clamp_output(low_bits, given)


@defect("no-output-zero-point", "drops the output zero point", rescales)
def no_output_zero_point(kernel: Kernel, given: Arguments) -> Any:
    """Omit the output's zero point."""
    if given["output"].dtype not in BYTES:
        return kernel.function(**given)
    return _clamp_output(_compute_int32(kernel, given, zero_point=False), given)


@defect(
    "saturates-first",
    "saturates the output before adding the output zero point, and again after",
    rescales,
)
def saturates_first(kernel: Kernel, given: Arguments) -> Any:
    """Saturate before the zero point is added, and again after it."""
    output: OutputSpec = given["output"]
    if output.dtype not in BYTES:
        return kernel.function(**given)
    rescaled = saturate(_compute_int32(kernel, given, zero_point=False), *INTEGER_RANGES[output.dtype])
    return _clamp_output(rescaled.astype(np.int64) + output.zero_point, given).astype(
        NUMPY_TYPES[output.dtype]
    )


@defect(
    "symmetric-output",
    "clamps the output to at least -127",
    lambda facts: facts.result in ("rescaled", "rounded"),
)
def symmetric_output(kernel: Kernel, given: Arguments) -> Any:
    """Replace -128 by -127 in the output."""
    made = kernel.function(**given)
    return np.maximum(made, np.int8(-127)) if given["output"].dtype == "int8" else made


@defect("bias-apart", "rescales the bias and the sum of products separately, then adds both", sums_products)
def bias_apart(kernel: Kernel, given: Arguments) -> Any:
    """Rescale the bias and the sum of products separately, then add both."""
    output, input = given["output"], given["input"]
    if output.dtype not in BYTES or given["bias"] is None:
        return kernel.function(**given)
    dark = replace(input, data=np.full_like(input.data, input.zero_point), prepared={})
    products = _compute_int32(kernel, {**given, "bias": None}, zero_point=False).astype(np.int64)
    biases = _compute_int32(kernel, {**given, "input": dark}, zero_point=False)
    return _clamp_output(products + biases + output.zero_point, given).astype(NUMPY_TYPES[output.dtype])
