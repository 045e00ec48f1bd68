"""Ranges and steps of an operator's tensors in real numbers: the measurements of ``rules/notes.yaml``."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.model.types import Tensor
from litecheck.profile.measurements.accumulators import channel_sums, largest_step
from litecheck.profile.measurements.measured_operator import Operands, everything, once
from litecheck.quantization import INTEGER_RANGES

#: Types with so few values that their use matters.
_NARROW = frozenset(name for name in INTEGER_RANGES if name.endswith(("int2", "int4", "int8", "int16")))
#: Largest step for which the weights are read: with a larger step, a single weight of 127 spans 16 levels.
_COARSE = 16 / (127 * 255)

Interval = tuple[float, float]


def kept_range(operands: Operands, bound: str) -> float | None:
    """Return the share of the input range that the output range covers.

    For example, int8 with scale 0.5 into int8 with scale 0.125 and equal zero points gives 0.25.
    """
    given, output = _range(operands.one("input")), _range(operands.one("output"))
    if given is None or output is None:
        return None
    return max(0.0, min(given[1], output[1]) - max(given[0], output[0])) / (given[1] - given[0])


def output_levels(operands: Operands, bound: str) -> float | None:
    """Return the largest number of output levels that the operator's real outputs span.

    For example, LOGISTIC's range 0..1 before QUANTIZE with an output scale of 0.75 gives 1.3.
    """
    span = _BOUNDS[bound](operands)
    if span is None:
        return None
    stored = operands.one("output")
    output = _range(stored)
    if stored is None or output is None:
        return None
    return max(0.0, min(span[1], output[1]) - max(span[0], output[0])) / stored.quantization.scale.item(0)


def sum_step(operands: Operands, bound: str) -> float | None:
    """Return input scale * weight scale / output scale, the median over the channels; None if no channel is above 1.

    For example, scales 0.5, 0.25 and 0.1 give 1.25.
    """
    largest, weight = _step(operands), operands.one("weight")
    if largest is None or largest <= 1 or weight is None:
        return None
    scales = weight.quantization.scale
    return largest * float(np.median(scales) / scales.max())


def weights_per_scale(operands: Operands, bound: str) -> int | None:
    """Return the number of constant int4 weights that share a scale; None for blockwise scales.

    For example, weights (8, 4096) with 8 scales give 4096.
    """
    weight = operands.one("weight")
    if weight is None or weight.dtype != "int4" or not weight.is_constant:
        return None
    scales = weight.quantization.scale.size
    return weight.size // scales if scales and weight.quantization.details is None else None


def _scale(tensor: Tensor | None) -> float | None:
    """Return the single valid scale of an 8-bit or narrower tensor, else None."""
    if tensor is None or tensor.dtype not in _NARROW or tensor.quantization.scale.size != 1:
        return None
    scale = float(tensor.quantization.scale.item(0))
    return scale if 0 < scale < float("inf") else None


def _range(tensor: Tensor | None) -> Interval | None:
    """Return the smallest and the largest real value of a tensor, or None without a single scale."""
    scale = _scale(tensor)
    if tensor is None or scale is None or tensor.quantization.zero_point.size != 1:
        return None
    (low, high), zero = INTEGER_RANGES[tensor.dtype], int(tensor.quantization.zero_point.item(0))
    return scale * (low - zero), scale * (high - zero)


def _inputs(operands: Operands) -> list[Interval] | None:
    """Return the ranges of all inputs except int32 and int64; None if one of them has no range."""
    output = operands.one("output")
    given = [_range(t) for t in everything(operands) if t is not output and t.dtype not in ("int32", "int64")]
    found = [one for one in given if one is not None]
    return found if found and len(found) == len(given) else None


def _input_range(operands: Operands) -> Interval | None:
    given = _inputs(operands)
    return None if given is None else (min(low for low, _ in given), max(high for _, high in given))


def _sum_range(operands: Operands) -> Interval | None:
    """Return the range of sums and differences, from the largest magnitudes of the inputs."""
    given = _inputs(operands)
    most = sum(max(-low, high) for low, high in given or ())
    return None if given is None else (-most, most)


def _product_range(operands: Operands) -> Interval | None:
    given = _inputs(operands)
    most = float(np.prod([max(-low, high) for low, high in given or ()]))
    return None if given is None else (-most, most)


def _weighted_range(operands: Operands) -> Interval | None:
    """Return the range of a layer's sum with bias; None if its step alone shows that it spans enough levels."""
    step, given, weight = _step(operands), _scale(operands.one("input")), operands.one("weight")
    if step is None or given is None or weight is None or step > _COARSE:
        return None
    sums = channel_sums(operands)
    if sums is None or not sums.size or weight.quantization.scale.size not in (1, sums.size):
        return None
    most = float((sums * weight.quantization.scale.astype(np.float64)).max()) * given
    return -most, most


@once
def _step(operands: Operands) -> float | None:
    """Return the largest step of a layer with 8-bit or narrower inputs and outputs, else None."""
    given, output = operands.one("input"), operands.one("output")
    narrow = given is not None and given.dtype in _NARROW and output is not None and output.dtype in _NARROW
    return largest_step(operands) if narrow else None


_BOUNDS: dict[str, Callable[[Operands], Interval | None]] = {
    "input": _input_range, "sum": _sum_range, "product": _product_range, "weights": _weighted_range,
}  # fmt: skip
#: Resolutions by the name of their note.
RESOLUTION: dict[str, Callable[[Operands, str], float | None]] = {
    "kept_range": kept_range, "output_levels": output_levels, "sum_step": sum_step,
    "weights_per_scale": weights_per_scale,
}  # fmt: skip
