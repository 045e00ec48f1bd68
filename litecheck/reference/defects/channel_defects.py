"""Parameters taken for others: a channel's bias or scale for its neighbour's, numbers kept in too few bits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.engine.registry import Kernel
from litecheck.reference.engine.values import Value

Arguments = Mapping[str, Any]

#: Channels that a block holds, the last of which has neighbours' biases.
_BLOCK = 4


def neighbour_bias(kernel: Kernel, given: Arguments) -> Any:
    """The last block of four channels, or what is left over for it, has the bias of the channel before."""

    def moved(stored: NDArray[Any]) -> NDArray[Any]:
        channels = np.arange(len(stored))
        last = (channels // _BLOCK == (len(stored) - 1) // _BLOCK) & (channels > 0)
        shifted: NDArray[Any] = stored[channels - last]
        return shifted

    return kernel.function(**_with_bias(given, moved))


def wrapped_bias(kernel: Kernel, given: Arguments) -> Any:
    """The lowest 16 bits of the bias are kept, the highest of them a sign."""
    return kernel.function(**_with_bias(given, lambda stored: stored.astype(np.int16).astype(stored.dtype)))


def _with_bias(given: Arguments, change: Callable[[NDArray[Any]], NDArray[Any]]) -> Arguments:
    bias: Value | None = given["bias"]
    if bias is None:
        return given
    data = change(bias.data.reshape(-1)).reshape(bias.data.shape)
    return {**given, "bias": replace(bias, data=data, prepared={})}


def swapped_scales(kernel: Kernel, given: Arguments) -> Any:
    """The weight scales of channels 2n and 2n + 1 change places; a last one without another keeps its own."""
    weight: Value = given["weight"]
    scale = weight.quantization.scale
    other = np.arange(scale.size) ^ 1
    swapped = replace(weight.quantization, scale=scale[np.where(other < scale.size, other, other ^ 1)])
    return kernel.function(**{**given, "weight": replace(weight, quantization=swapped, prepared={})})


def int8_zero_point(kernel: Kernel, given: Arguments) -> Any:
    """The negated zero point of an input is kept in int8, where that of -128 is -128 again."""
    found = {
        name: replace(value, quantization=_kept(value), prepared={})
        for name, value in given.items()
        if name in ("input", "lhs", "rhs") and value.dtype == "int8"
    }
    return kernel.function(**{**given, **found})


def _kept(value: Value) -> Any:
    points = value.quantization.zero_point
    return replace(value.quantization, zero_point=np.where(points == -128, 128, points))
