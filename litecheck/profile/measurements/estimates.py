"""Estimates of measurements in float64, ten times faster: sufficient if they lie well inside the allowed range."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, prod
from typing import Protocol

from litecheck.model.types import Tensor
from litecheck.profile.measurements.windows import channels_last
from litecheck.quantization import INTEGER_RANGES

#: The smallest and the largest real value.
Interval = tuple[float, float]


class SingleScaleTensor(Protocol):
    """A tensor with its type, single scale (NaN if it has none or several) and single zero point.

    ``largest`` is the largest magnitude of its real values, with a valid single scale. ``span`` is the range of its
    real values, with such a scale and 16 bits or fewer.
    """

    tensor: Tensor
    dtype: str
    scale: float
    zero_point: int

    @property
    def largest(self) -> float | None: ...

    @property
    def span(self) -> Interval | None: ...


class EstimatedOperand(Protocol):
    """Facts about a tensor in a role."""

    @property
    def facts(self) -> SingleScaleTensor: ...


Roles = Mapping[str, Sequence[EstimatedOperand]]
Estimate = Callable[[str, Roles], "float | None"]


def scale_ratio(opcode: str, roles: Roles) -> float | None:
    """Return the largest input scale divided by the output scale.

    For example, input scales 0.1 and 0.2 and output scale 0.1 give 2.
    """
    outputs, most = roles.get("output"), 0.0
    for role, tensors in roles.items():
        if role != "output":
            for tensor in tensors:
                if most < tensor.facts.scale < inf:
                    most = tensor.facts.scale
    step = outputs[0].facts.scale if outputs else 0.0
    return most / step if most and 0 < step < inf else None


def reach(opcode: str, roles: Roles) -> float | None:
    """Return the largest sum, difference or product of two inputs, in output steps and with the zero point.

    For example, MUL of two int8 inputs with scales 0.5, output scale 0.5 and zero point 3 gives 8195.
    """
    if opcode not in _OF_TWO:
        return None
    outputs, left_hand, right_hand = roles.get("output"), roles.get("lhs"), roles.get("rhs")
    if not (outputs and left_hand and right_hand):
        return None
    output, lhs, rhs = outputs[0].facts, left_hand[0].facts, right_hand[0].facts
    if not 0 < output.scale < inf:
        return None
    left, right = lhs.largest, rhs.largest
    if left is None or right is None:
        return None
    return (left * right if opcode == "MUL" else left + right) / output.scale + abs(output.zero_point)


_OF_TWO = ("ADD", "SUB", "MUL")


def weight_sum(opcode: str, roles: Roles) -> float | None:
    """Return an upper bound of the sum of the weight magnitudes of an output channel, from their number and type.

    For example, int8 weights (8, 3, 3, 2) of CONV_2D with zero point 0 give 18 * 128 = 2304.
    """
    operands = roles.get("weight")
    weight = operands[0].facts.tensor if operands else None
    if weight is None or not weight.shape or not prod(weight.shape) or weight.dtype not in _BYTES:
        return None
    low, high = INTEGER_RANGES[weight.dtype]
    points = weight.quantization.zero_point
    point = int(points[0]) if points.size else 0
    channels = weight.shape[-1 if channels_last(opcode) else 0]
    return float(prod(weight.shape) // channels * max(abs(high - point), abs(low - point)))


_BYTES = ("int8", "uint8", "int4")


def largest_bias(opcode: str, roles: Roles) -> float | None:
    """Return an upper bound of the bias, from its type. For example, int32 gives 2147483648."""
    operands = roles.get("bias")
    bounds = INTEGER_RANGES.get(operands[0].facts.dtype) if operands else None
    return None if bounds is None else float(max(-bounds[0], bounds[1]))


#: Estimates by the measurement that they approximate; None if there is no fast estimate.
ESTIMATES: Mapping[str, Estimate] = {"scale_ratio": scale_ratio, "reach": reach}
#: Upper bounds by their measurement, which is never negative.
CEILINGS: Mapping[str, Estimate] = {
    "weight_sum": weight_sum, "weight_sum_8bit_input": weight_sum, "bias.largest": largest_bias,
}  # fmt: skip
