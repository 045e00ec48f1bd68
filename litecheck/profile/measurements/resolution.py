"""Ranges and steps of an operator's tensors in real numbers: the measurements of ``rules/notes.yaml``."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, prod
from typing import Protocol

import numpy as np

from litecheck.model.types import Tensor
from litecheck.profile.measurements.accumulators import channel_sums, largest_step
from litecheck.profile.measurements.estimates import Interval, Roles
from litecheck.profile.measurements.measured_operator import Operands, once
from litecheck.quantization import NARROW

#: Largest step for which the weights are read: with a larger step, a single weight of 127 spans 16 levels.
_COARSE = 16 / (127 * 255)


class RangedOperator(Protocol):
    """An operator with facts about its tensors by role, and as measurements see it."""

    @property
    def roles(self) -> Roles: ...

    def measurable(self) -> Operands: ...


def kept_range(operator: RangedOperator, bound: str) -> float | None:
    """Return the share of the input range that the output range covers.

    For example, int8 with scale 0.5 into int8 with scale 0.125 and equal zero points gives 0.25.
    """
    given, output = _range_of(operator.roles, "input"), _range_of(operator.roles, "output")
    if given is None or output is None:
        return None
    return max(0.0, min(given[1], output[1]) - max(given[0], output[0])) / (given[1] - given[0])


def output_levels(operator: RangedOperator, bound: str) -> float | None:
    """Return the largest number of output levels that the operator's real outputs span.

    For example, LOGISTIC's range 0..1 before QUANTIZE with an output scale of 0.75 gives 1.3.
    """
    output = _range_of(operator.roles, "output")
    span = _BOUNDS[bound](operator) if output else None
    if output is None or span is None:
        return None
    (least, most), (low, high) = span, output
    covered = (most if most < high else high) - (least if least > low else low)
    return covered / operator.roles["output"][0].facts.scale if covered > 0 else 0.0


def sum_step(operator: RangedOperator, bound: str) -> float | None:
    """Return input scale * weight scale / output scale, the median over the channels; None if no channel is above 1.

    For example, scales 0.5, 0.25 and 0.1 give 1.25.
    """
    operands = operator.measurable()
    largest, weight = _step(operands), operands.one("weight")
    if largest is None or largest <= 1 or weight is None:
        return None
    scales = weight.quantization.scale
    return largest * float(np.median(scales) / scales.max())


def weights_per_scale(operator: RangedOperator, bound: str) -> int | None:
    """Return the number of constant int4 weights that share a scale; None for blockwise scales.

    For example, weights (8, 4096) with 8 scales give 4096.
    """
    weight = operator.measurable().one("weight")
    if weight is None or weight.dtype != "int4" or not weight.is_constant:
        return None
    scales = weight.quantization.scale.size
    return weight.size // scales if scales and weight.quantization.details is None else None


def _range_of(roles: Roles, role: str) -> Interval | None:
    """Return the smallest and the largest real value of a role's first tensor, or None without a single scale."""
    tensors = roles.get(role)
    return tensors[0].facts.span if tensors else None


def _inputs(operator: RangedOperator) -> list[Interval] | None:
    """Return the ranges of all inputs except int32 and int64; None if one of them has no range."""
    found = []
    for role, tensors in operator.roles.items():
        for tensor in tensors if role != "output" else ():
            if tensor.facts.span is not None:
                found.append(tensor.facts.span)
            elif tensor.facts.dtype not in ("int32", "int64"):
                return None
    return found or None


def _input_range(operator: RangedOperator) -> Interval | None:
    given = _inputs(operator)
    return None if given is None else (min(low for low, _ in given), max(high for _, high in given))


def _sum_range(operator: RangedOperator) -> Interval | None:
    """Return the range of sums and differences, from the largest magnitudes of the inputs."""
    given = _inputs(operator)
    if given is None:
        return None
    most = 0.0
    for low, high in given:
        most += high if high > -low else -low
    return -most, most


def _product_range(operator: RangedOperator) -> Interval | None:
    given = _inputs(operator)
    if given is None:
        return None
    most = prod([high if high > -low else -low for low, high in given])
    return -most, most


def _weighted_range(operator: RangedOperator) -> Interval | None:
    """Return the range of a layer's sum with bias; None if its step alone shows that it spans enough levels."""
    operands = operator.measurable()
    step, given, weight = _step(operands), _scale(operands.one("input")), operands.one("weight")
    if step is None or given is None or weight is None or step > _COARSE:
        return None
    sums = channel_sums(operands)
    if sums is None or not sums.size or weight.quantization.scale.size not in (1, sums.size):
        return None
    most = float((sums * weight.quantization.scale.astype(np.float64)).max()) * given
    return -most, most


def _scale(tensor: Tensor | None) -> float | None:
    """Return the single valid scale of an 8-bit or narrower tensor, else None."""
    if tensor is None or tensor.dtype not in NARROW or tensor.quantization.scale.size != 1:
        return None
    scale = float(tensor.quantization.scale.item(0))
    return scale if 0 < scale < inf else None


@once
def _step(operands: Operands) -> float | None:
    """Return the largest step of a layer with 16-bit or narrower inputs and outputs, else None."""
    given, output = operands.one("input"), operands.one("output")
    narrow = given is not None and given.dtype in NARROW and output is not None and output.dtype in NARROW
    return largest_step(operands) if narrow else None


_BOUNDS: dict[str, Callable[[RangedOperator], Interval | None]] = {
    "input": _input_range, "sum": _sum_range, "product": _product_range, "weights": _weighted_range,
}  # fmt: skip
#: Resolutions by the name of their note.
RESOLUTION: dict[str, Callable[[RangedOperator, str], float | None]] = {
    "kept_range": kept_range, "output_levels": output_levels, "sum_step": sum_step,
    "weights_per_scale": weights_per_scale,
}  # fmt: skip
