"""Measurements in steps: what the scales of an operator make of each other, and of stored values."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, log2, prod

from litecheck.model.types import Tensor
from litecheck.profile.operands import Measured, Operands, one_scale, one_zero_point
from litecheck.quantization import INTEGER_RANGES


def bias_scale_drift(operands: Operands) -> Measured:
    """How far one bias step is from one accumulator step, in output steps; per-tensor weights only."""
    scales = [one_scale(operands.one(role)) for role in ("input", "weight", "bias", "output")]
    given = [s for s in scales if s is not None]
    if len(given) < 4 or given[3] == 0:
        return None
    return abs(given[2] - given[0] * given[1]) / given[3]


def accumulator_step(operands: Operands) -> Measured:
    """One accumulator step, input scale times the largest weight scale, in output steps."""
    data, output, weight = (
        one_scale(operands.one("input")),
        one_scale(operands.one("output")),
        operands.one("weight"),
    )
    if not data or not output or weight is None or not weight.quantization.scale.size:
        return None
    largest = float(weight.quantization.scale.max())
    return data * Fraction(largest) / output if isfinite(largest) else None


def scale_ratio(operands: Operands) -> Measured:
    """The largest scale that goes in over the scale of the output."""
    output = one_scale(operands.one("output"))
    given = [one_scale(t) for role in operands.roles if role != "output" for t in operands.roles[role]]
    scales = [s for s in given if s is not None]
    return max(scales) / output if scales and output else None


def squared_scale_ratio(operands: Operands) -> Measured:
    """The square of the largest scale that goes in over the scale of the output."""
    ratio, output = scale_ratio(operands), one_scale(operands.one("output"))
    return ratio * ratio * output if isinstance(ratio, Fraction) and output else None


def power_of_two_gap(operands: Operands) -> Measured:
    """How many bits the coarsest input scale lies above the output scale where all are powers of two and the option
    ``pot_scale_int16`` is set, as it is unless stated."""
    scales = [one_scale(operands.one(role)) for role in ("lhs", "rhs", "output")]
    exponents = [log2(s) for s in scales if s is not None and s > 0]
    if len(exponents) < 3 or not all(e.is_integer() for e in exponents):
        return None
    return int(max(exponents[:2]) - exponents[2]) if operands.option("pot_scale_int16", 1) else None


def quotient_step(operands: Operands) -> Measured:
    """One output step among the quotients of stored values: rhs scale times output scale over lhs scale."""
    lhs, rhs, output = (one_scale(operands.one(role)) for role in ("lhs", "rhs", "output"))
    return rhs * output / lhs if lhs and rhs is not None and output is not None else None


def reach(operands: Operands) -> Measured:
    """The largest magnitude a result of stored values can have, in output steps and with the zero point.

    For REDUCE_PROD without the zero point, or what is carried from factor to factor if that is larger.
    """
    output, step = operands.one("output"), one_scale(operands.one("output"))
    magnitudes = (_magnitude(operands.one(role)) for role in ("input", "lhs", "rhs"))
    sizes = [size for size in magnitudes if size is not None]
    if output is None or not step or not sizes:
        return None
    opcode = operands.operator.opcode
    if opcode == "REDUCE_PROD":
        return _carried(operands, output, sizes[0], step)
    largest = sum(sizes, Fraction()) if opcode in ("ADD", "SUB") else prod(sizes, start=Fraction(1))
    given, lhs = operands.one("input"), operands.one("lhs")
    if opcode == "SUM" and given is not None and output.size:
        largest *= Fraction(given.size, output.size)
    if opcode == "BATCH_MATMUL" and lhs is not None and len(lhs.shape) > 1:
        largest *= lhs.shape[-2 if operands.option("adj_x") else -1]
    return largest / step + abs(one_zero_point(output) or 0)


def _magnitude(tensor: Tensor | None) -> Fraction | None:
    """The largest real magnitude a tensor can hold."""
    scale, zero_point = one_scale(tensor), one_zero_point(tensor)
    if tensor is None or scale is None or zero_point is None or tensor.dtype not in INTEGER_RANGES:
        return None
    return scale * max(abs(end - zero_point) for end in INTEGER_RANGES[tensor.dtype])


def _carried(operands: Operands, output: Tensor, size: Fraction, step: Fraction) -> Fraction | None:
    """Every product is rescaled by input scale over the n-th root of the output scale, the last one twice."""
    given, scale = operands.one("input"), one_scale(operands.one("input"))
    if given is None or not scale or min(scale, step) < 0 or min(given.size, output.size) < 1:
        return None
    factors = given.size / output.size
    final = factors * log2(size) - log2(step)
    largest = max(final, final - log2(scale) + log2(step) / factors)
    return Fraction(2.0 ** min(max(largest, -1000.0), 1000.0))


#: By their names, in the order the documentation lists them.
STEPS = (
    bias_scale_drift, accumulator_step, scale_ratio, squared_scale_ratio, power_of_two_gap, quotient_step, reach,
)  # fmt: skip
