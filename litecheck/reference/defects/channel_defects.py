"""Defects of channels: a channel's bias or scale is its neighbour's, or one scale serves all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.reference.defects.arguments import with_bias
from litecheck.reference.defects.registry import Arguments, defect, weighted
from litecheck.reference.operands import Array, Operand
from litecheck.reference.registry import Kernel

#: Channels that a block holds, the last of which has neighbours' biases.
_BLOCK = 4


@defect("neighbour-bias", "the last block of four channels has the bias of the channel before", weighted)
def neighbour_bias(kernel: Kernel, given: Arguments) -> Any:
    """The last block of four channels, or what is left over for it, has the bias of the channel before."""

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


@defect("swapped-weight-scales", "the weight scales of channels 2n and 2n + 1 are swapped", weighted)
def swapped_weight_scales(kernel: Kernel, given: Arguments) -> Any:
    """The weight scales of channels 2n and 2n + 1 change places; a last one without another keeps its own."""

    def swapped(scale: Array) -> Array:
        other = np.arange(scale.size) ^ 1
        return scale[np.where(other < scale.size, other, other ^ 1)]

    return _with_scales(kernel, given, swapped)


@defect("first-weight-scale", "the first channel's weight scale serves all channels", weighted)
def first_weight_scale(kernel: Kernel, given: Arguments) -> Any:
    """All channels have the first one's scale."""
    return _with_scales(kernel, given, lambda scale: np.full_like(scale, scale[0]))


@defect("largest-weight-scale", "the largest weight scale serves all channels", weighted)
def largest_weight_scale(kernel: Kernel, given: Arguments) -> Any:
    """All channels have the largest scale."""
    return _with_scales(kernel, given, lambda scale: np.full_like(scale, scale.max()))
