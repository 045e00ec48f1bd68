"""Defects of inputs and windows: zero points, weights, biases, scales, padding or dilation are omitted, truncated or
from another channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.profile.operators import OperatorTraits, traits_of
from litecheck.quantization import Quantization
from litecheck.reference.defects.registry import (
    BYTES,
    Arguments,
    convolves,
    defect,
    has_weights,
    rescales,
    symmetric,
    window_axes,
    with_bias,
    with_options,
    with_padding,
)
from litecheck.reference.numerics.axes import reduced_axes
from litecheck.reference.numerics.fixedpoint import round_half_away, saturate
from litecheck.reference.numerics.windows import SAME
from litecheck.reference.registry import Kernel
from litecheck.reference.runtime_tensors import Array, Operand

_STORED = (*BYTES, "int16")


def _subtracts_zero_points(facts: OperatorTraits) -> bool:
    """Return True if zero points are subtracted from inputs before the computation."""
    return rescales(facts) or bool(facts.products)


def _with_quantization(
    given: Arguments, change: Callable[[Quantization], Quantization], types: tuple[str, ...]
) -> Arguments:
    """Return the arguments with another quantization of the inputs of these types."""
    found = {
        name: replace(value, quantization=change(value.quantization), prepared={})
        for name, value in given.items()
        if name in ("input", "lhs", "rhs") and value.dtype in types
    }
    return {**given, **found}


def _with_explicit_padding(kernel: Kernel, given: Arguments) -> Arguments:
    """Return the arguments with explicit padding, so that it keeps the input's zero point if a defect changes the zero
    point."""
    return with_padding(given, given["input"].zero_point) if convolves(traits_of(kernel.opcode)) else given


@defect(
    "no-input-zero-point",
    "drops the input zero point, except in padding",
    _subtracts_zero_points,
)
def no_input_zero_point(kernel: Kernel, given: Arguments) -> Any:
    """Use zero point 0 for inputs; padding keeps the zero point."""
    return no_input_zero_point_bare(kernel, _with_explicit_padding(kernel, given))


@defect("no-input-zero-point-bare", "drops the input zero point of inputs and of padding", convolves)
def no_input_zero_point_bare(kernel: Kernel, given: Arguments) -> Any:
    """Use zero point 0 for inputs and padding."""
    return kernel.function(**_with_quantization(given, symmetric, _STORED))


@defect(
    "int8-input-zero-point",
    "negates the input zero point in int8, where -(-128) wraps to -128",
    _subtracts_zero_points,
)
def int8_input_zero_point(kernel: Kernel, given: Arguments) -> Any:
    """Replace the input zero point -128 by 128."""

    def kept(quantization: Quantization) -> Quantization:
        points = quantization.zero_point
        return replace(quantization, zero_point=np.where(points == -128, 128, points))

    return kernel.function(**_with_quantization(_with_explicit_padding(kernel, given), kept, ("int8",)))


@defect("symmetric-weights", "clamps weights to at least -127", has_weights)
def symmetric_weights(kernel: Kernel, given: Arguments) -> Any:
    """Clamp weights to at least -127."""
    weight: Operand = given["weight"]
    if weight.dtype != "int8":
        return kernel.function(**given)
    raised = replace(weight, data=np.maximum(weight.data, np.int8(-127)), prepared={})
    return kernel.function(**{**given, "weight": raised})


@defect("no-bias", "drops the bias", has_weights)
def no_bias(kernel: Kernel, given: Arguments) -> Any:
    """Omit the bias."""
    return kernel.function(**{**given, "bias": None})


@defect("bias-16", "saturates the bias to 16 bits", has_weights)
def bias_16(kernel: Kernel, given: Arguments) -> Any:
    """Saturate the bias to 16 bits. Example: 40,000 becomes 32,767."""
    return kernel.function(**with_bias(given, lambda bias: saturate(bias, -(2**15), 2**15 - 1)))


@defect("bias-16-wraps", "wraps the bias to 16 bits", has_weights)
def bias_16_wraps(kernel: Kernel, given: Arguments) -> Any:
    """Wrap the bias to 16 bits. Example: 40,000 becomes -25,536."""
    return kernel.function(**with_bias(given, lambda bias: bias.astype(np.int16).astype(bias.dtype)))


@defect(
    "mean-first",
    "rounds the mean to a stored value, half away from zero, before rescaling",
    lambda facts: facts.accumulates is not None and facts.over == "axes" and facts.accumulates.mean,
)
def mean_first(kernel: Kernel, given: Arguments) -> Any:
    """Replace the input by its rounded means. The kernel's mean along axes of length 1 then changes nothing."""
    input: Operand = given["input"]
    along = reduced_axes(given["axis"], input.data.ndim)
    if input.dtype not in BYTES or not input.data.size:
        return kernel.function(**given)
    means = round_half_away(input.data.mean(axis=along, keepdims=True, dtype=np.float64))
    pooled = replace(input, data=means.astype(input.data.dtype), prepared={})
    return kernel.function(**{**given, "input": pooled})


#: Number of channels in a block. The last block has the biases of the neighboring channels.
_BLOCK = 4


@defect(
    "neighbour-bias",
    "adds the bias of the previous channel in the last block of up to four channels",
    has_weights,
)
def neighbor_bias(kernel: Kernel, given: Arguments) -> Any:
    """Give each channel of the last block of up to four channels the bias of the previous channel."""

    def moved(stored: Array) -> Array:
        channels = np.arange(len(stored))
        last = (channels // _BLOCK == (len(stored) - 1) // _BLOCK) & (channels > 0)
        shifted: Array = stored[channels - last]
        return shifted

    return kernel.function(**with_bias(given, moved))


def _with_scales(kernel: Kernel, given: Arguments, change: Callable[[Array], Array]) -> Any:
    weight: Operand = given["weight"]
    if not weight.quantization.scale.size:
        return kernel.function(**given)
    other = replace(weight.quantization, scale=change(weight.quantization.scale))
    return kernel.function(**{**given, "weight": replace(weight, quantization=other, prepared={})})


@defect("swapped-weight-scales", "swaps the weight scales of channels 2n and 2n + 1", has_weights)
def swapped_weight_scales(kernel: Kernel, given: Arguments) -> Any:
    """Swap the weight scales of channels 2n and 2n + 1. A last channel without a partner keeps its scale."""

    def swapped(scale: Array) -> Array:
        other = np.arange(scale.size) ^ 1
        return scale[np.where(other < scale.size, other, other ^ 1)]

    return _with_scales(kernel, given, swapped)


@defect("first-weight-scale", "uses the weight scale of channel 0 for all channels", has_weights)
def first_weight_scale(kernel: Kernel, given: Arguments) -> Any:
    """Use the scale of channel 0 for all channels."""
    return _with_scales(kernel, given, lambda scale: np.full_like(scale, scale[0]))


@defect("largest-weight-scale", "uses the largest weight scale for all channels", has_weights)
def largest_weight_scale(kernel: Kernel, given: Arguments) -> Any:
    """Use the largest scale for all channels."""
    return _with_scales(kernel, given, lambda scale: np.full_like(scale, scale.max()))


def _averages(facts: OperatorTraits) -> bool:
    return facts.windows and facts.accumulates is not None and facts.accumulates.mean


@defect("zero-padding", "pads with stored zeros instead of the zero point", convolves)
@defect("counts-padding-bare", "averages padding as stored zeros", _averages)
def stored_zero_padding(kernel: Kernel, given: Arguments) -> Any:
    """Pad with stored zeros instead of zero points."""
    return kernel.function(**with_padding(given, 0))


def _has_border(facts: OperatorTraits) -> bool:
    """Return True if an operator adds a border of real zeros (PAD, SPACE_TO_BATCH_ND)."""
    kinds = tuple(facts.inputs.values())
    blocks = "size" in kinds or facts.concatenates == "margins"
    return "paddings" in facts.inputs and kinds.count("data") == 1 and blocks


@defect("zero-border", "fills the border with stored zeros instead of the zero point", _has_border)
def stored_zero_border(kernel: Kernel, given: Arguments) -> Any:
    """Fill the border with stored zeros instead of zero points."""
    output = given["output"]
    if output.dtype not in BYTES:
        return kernel.function(**given)
    bare = replace(output, quantization=symmetric(output.quantization))
    return kernel.function(**{**given, "output": bare})


@defect("counts-padding", "averages padding as the zero point", _averages)
def counts_padding(kernel: Kernel, given: Arguments) -> Any:
    """Pad with zero points, and average padding like elements of the image."""
    return kernel.function(**with_padding(given, given["input"].zero_point))


@defect(
    "padding-ahead",
    "puts the odd element of SAME padding before the image instead of after it",
    lambda facts: facts.windows,
)
def padding_ahead(kernel: Kernel, given: Arguments) -> Any:
    """Put the odd element of SAME padding before the image: the kernel runs on mirrored image and filters."""
    if given["options"] is None or given["options"].get("padding", SAME) != SAME:
        return kernel.function(**given)
    odd = tuple(at for at, axis in enumerate(window_axes(given), 1) if axis.after > axis.before)

    def mirrored(value: Operand) -> Operand:
        return replace(value, data=np.ascontiguousarray(np.flip(value.data, odd)), prepared={})

    turned = {name: mirrored(given[name]) for name in ("input", "weight") if name in given}
    return np.flip(kernel.function(**{**given, **turned}), odd)


@defect("no-dilation", "ignores the dilation", convolves)
def no_dilation(kernel: Kernel, given: Arguments) -> Any:
    """Ignore dilation. The output keeps its shape."""
    if given["options"] is None:
        return kernel.function(**given)
    near = with_options(given["options"], dilation_w_factor=1, dilation_h_factor=1)
    rows, columns = window_axes(given)
    return kernel.function(**{**given, "options": near})[:, : rows.out, : columns.out]
