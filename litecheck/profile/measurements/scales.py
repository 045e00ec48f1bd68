"""Measurements in steps: ratios of an operator's scales, and scaled stored values."""

from __future__ import annotations

from fractions import Fraction
from math import isfinite, log2, sqrt

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    exact_ratio,
    nearest_power,
    one_scale,
    one_zero_point,
)
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.operator_plan import Plan
from litecheck.quantization import INTEGER_RANGES, Quantization


def _step(plan: Plan) -> float:
    """Return input scale * largest weight scale. Example: 0.5 and 0.25 give 0.125."""
    data, weight = plan.one("input"), plan.one("weight")
    return float(data.scale.max(initial=0)) * float(weight.scale.max(initial=0)) if data and weight else 0.0


def _set_one_channel(plan: Plan) -> Plan:
    """Set one channel of weights with a single scale, which is both per tensor and per axis."""
    plan = plan.edit("weight", lambda t: t.but(shape=(1, 4), values=None).with_scale([0.5]))
    return plan.with_scale("bias", [1.0])


def _set_bias_drift(plan: Plan, value: Fraction | str) -> Plan | None:
    """Set a bias scale that is 0.09 % too large, and an output scale that turns this error into ``value`` output
    steps."""
    plan = _set_one_channel(plan)
    step = _step(plan)
    if isinstance(value, str):
        plan = plan.with_scale("bias", float("nan"))
        return plan.but(independent_roles=plan.independent_roles | {"bias"})
    if not value:
        return plan.with_scale("bias", step)
    plan = plan.with_scale("bias", step * 1.0009).with_scale("output", step * 0.0009 / float(value))
    return plan.but(independent_roles=plan.independent_roles | {"bias"})


def _set_unstated_drift(plan: Plan, value: Fraction) -> Plan | None:
    plan = _set_one_channel(plan).edit("bias", lambda t: t.but(quantization=Quantization()))
    if not value:
        return None
    return plan.with_scale("output", _step(plan) / value).but(
        independent_roles=plan.independent_roles | {"bias"}
    )


def _largest(plan: Plan) -> float:
    """Return the largest input scale, or 0 without scales."""
    scales = [float(t.scale[0]) for role in plan.inputs for t in plan.operands[role] if t.scale.size]
    return max(scales, default=0.0)


def _set_squared_ratio(plan: Plan, value: Fraction) -> Plan | None:
    largest = _largest(plan)
    return plan.with_scale("output", largest * largest / value) if value > 0 else None


def _set_quotient(plan: Plan, value: Fraction) -> Plan | None:
    lhs, rhs = plan.one("lhs"), plan.one("rhs")
    return (
        plan.with_scale("output", float(value * lhs.scale[0] / rhs.scale[0]))
        if lhs and rhs and value > 0
        else None
    )


def _reach_setter(steps: int) -> Setter:
    """Return a setter of the output scale: largest input scale * ``steps`` / value. Example: 0.5, 127 and 254 give
    0.25."""
    return lambda plan, n: plan.with_scale("output", _largest(plan) * steps / n) if n > 0 else None


@measures(_set_bias_drift, "not finite")
def bias_scale_drift(operands: Operands) -> Measured:
    """Distance between bias scale and input scale * weight scale, in output steps, or ``not finite``; per-tensor weights
    only. Example: scales 0.5, 0.5, bias 0.26 and output 0.5 give 0.02. A negative scale gives a negative distance."""
    data, weight, bias, output = (operands.one(role) for role in ("input", "weight", "bias", "output"))
    given = [one_scale(tensor) for tensor in (data, weight, output)]
    if bias is None or None in given or not given[2] or bias.quantization.scale.size != 1:
        return None
    own, product = one_scale(bias), given[0] * given[1]  # type: ignore[operator]
    if own is None:
        return "not finite"
    return (-1 if min(own, product) < 0 else 1) * abs(own - product) / given[2]


@measures(_set_unstated_drift)
def unstated_bias_drift(operands: Operands) -> Measured:
    """Input * weight scale / output scale, without a bias scale. Example: 0.5, 0.25 and 0.5 give 0.25."""
    bias = operands.one("bias")
    if bias is None or bias.quantization.scale.size:
        return None
    scales = [one_scale(operands.one(role)) for role in ("input", "weight", "output")]
    given = [s for s in scales if s is not None]
    return given[0] * given[1] / given[2] if len(given) == 3 and given[2] else None


@measures(lambda plan, value: plan.with_scale("output", _step(plan) / value) if value > 0 else None)
def accumulator_step(operands: Operands) -> Measured:
    """Input * largest weight scale / output scale, not int4. Example: 0.5, 0.25 and 0.5 give 0.25."""
    data, output, weight = (
        _finite_scale(operands.one("input")),
        _finite_scale(operands.one("output")),
        operands.one("weight"),
    )
    if not data or not output or weight is None or not weight.quantization.scale.size:
        return None
    if weight.dtype == "int4":
        return None
    largest = float(weight.quantization.scale.max())
    if not isfinite(largest):
        return None
    return exact_ratio((data, largest), output)


@measures(lambda plan, value: plan.with_scale("output", _largest(plan) / value) if value > 0 else None)
def scale_ratio(operands: Operands) -> Measured:
    """Largest input scale / output scale. Example: inputs 0.5 and 0.25 and output 0.125 give 4."""
    output = _finite_scale(operands.one("output"))
    given = [_finite_scale(t) for role in operands.roles if role != "output" for t in operands.roles[role]]
    scales = [s for s in given if s is not None]
    return exact_ratio((max(scales),), output) if scales and output else None


@measures(lambda plan, value: plan.with_scale("output", _largest(plan) * float(value)) if value > 0 else None)
def inverse_scale_ratio(operands: Operands) -> Measured:
    """Output scale / largest input scale. Example: input 0.5 and output 2 give 4."""
    ratio = scale_ratio(operands)
    return 1 / ratio if isinstance(ratio, Fraction) and ratio else None


@measures(_set_squared_ratio)
def squared_scale_ratio(operands: Operands) -> Measured:
    """Square of the largest input scale / output scale. Example: input 0.5, output 0.125 give 2."""
    ratio, output = scale_ratio(operands), one_scale(operands.one("output"))
    return ratio * ratio * output if isinstance(ratio, Fraction) and output else None


@measures(
    lambda plan, n: plan.with_scale("lhs", 0.25).with_scale("rhs", 0.125).with_scale("output", 0.25 / 2.0**n)
)
def power_of_two_gap(operands: Operands) -> Measured:
    """Exponent of the largest input scale - exponent of the output scale, if all are near powers of two and
    ``pot_scale_int16`` is set or absent. Example: inputs 2^-2 and 2^-3 and output 2^-4 give 2."""
    scales = [one_scale(operands.one(role)) for role in ("lhs", "rhs", "output")]
    exponents = [
        exponent for s in scales if s and s > 0 and (exponent := nearest_power(float(s))) is not None
    ]
    if len(exponents) < 3:
        return None
    return max(exponents[:2]) - exponents[2] if operands.option("pot_scale_int16", 1) else None


@measures(_set_quotient)
def quotient_step(operands: Operands) -> Measured:
    """Rhs scale * output scale / lhs scale. Example: lhs 0.5, rhs 0.25 and output 0.125 give 0.0625."""
    lhs, rhs, output = (one_scale(operands.one(role)) for role in ("lhs", "rhs", "output"))
    return rhs * output / lhs if lhs and rhs is not None and output is not None else None


@measures(_reach_setter(64))
def reach(operands: Operands) -> Measured:
    """Largest magnitude of an output, in output steps and with the zero point. Example: ADD of int8 with
    scale 0.5 and zero point 0, output scale 0.25 and zero point 3 gives 515.

    For REDUCE_PROD without the zero point, or the magnitude of the running product if it is larger.
    """
    output = operands.one("output")
    magnitudes = (_magnitude(operands.one(role)) for role in ("input", "lhs", "rhs"))
    sizes = [size for size in magnitudes if size is not None]
    if output is None or not sizes:
        return None
    opcode = operands.operator.opcode
    if opcode == "REDUCE_PROD":
        return _carried_product(operands, output, Fraction(*sizes[0]))
    largest, per = sizes[0]
    for more, unit in sizes[1:]:
        largest = largest * unit + more * per if opcode in ("ADD", "SUB") else largest * more
        per *= unit
    given, lhs = operands.one("input"), operands.one("lhs")
    if opcode == "SUM" and given is not None and output.size:
        largest, per = largest * given.size, per * output.size
    if opcode == "BATCH_MATMUL" and lhs is not None and len(lhs.shape) > 1:
        largest *= lhs.shape[-2 if operands.option("adj_x") else -1]
    return _in_steps(operands, (largest, per))


@measures(_reach_setter(64))
def sloped_reach(operands: Operands) -> Measured:
    """Largest input magnitude, below 0 times ``alpha``, in output steps and with the zero point. Example:
    int8 with scale 0.5 and zero point 0, alpha 0.25 and output scale 0.25 give 254."""
    given, slope = operands.one("input"), operands.one("alpha")
    scale, zero = _ratio(given), one_zero_point(given)
    steepest = _magnitude(slope) if slope is not None else _stated_slope(operands)
    if given is None or scale is None or zero is None or steepest is None:
        return None
    if given.dtype not in INTEGER_RANGES:
        return None
    low, high = INTEGER_RANGES[given.dtype]
    largest = max(abs(high - zero) * steepest[1], abs(zero - low) * steepest[0])
    return _in_steps(operands, (largest * scale[0], scale[1] * steepest[1]))


def _stated_slope(operands: Operands) -> tuple[int, int] | None:
    alpha = float(operands.operator.options.get("alpha", 0.0)) if operands.operator.options else 0.0
    return abs(alpha).as_integer_ratio() if isfinite(alpha) else None


@measures(_reach_setter(64))
def quotient_reach(operands: Operands) -> Measured:
    """Largest magnitude of lhs / rhs scale, in output steps and with the zero point. Example: int8 lhs with
    scale 0.5, rhs scale 0.25 and output scale 0.5 give 512."""
    lhs, divisor = _magnitude(operands.one("lhs")), _ratio(operands.one("rhs"))
    if lhs is None or divisor is None:
        return None
    return _in_steps(operands, (lhs[0] * divisor[1], lhs[1] * divisor[0]))


@measures(_reach_setter(1))
def root_reach(operands: Operands) -> Measured:
    """Largest square root of an input in float64, in output steps and with the zero point. Example: int8 with
    scale 0.5 and zero point 0 and output scale 0.25 give 32."""
    largest = _magnitude(operands.one("input"))
    return None if largest is None else _in_steps(operands, sqrt(largest[0] / largest[1]).as_integer_ratio())


@measures(_reach_setter(1))
def inverse_root_reach(operands: Operands) -> Measured:
    """1 / sqrt(input scale) in output steps, plus zero point. Example: input 0.25, output 0.5 give 4."""
    scale = _ratio(operands.one("input"))
    return None if scale is None else _in_steps(operands, sqrt(scale[1] / scale[0]).as_integer_ratio())


@measures(
    lambda plan, value: plan.with_scale("output", value / sqrt(_largest(plan) or 1)) if value > 0 else None
)
def inverse_root_step(operands: Operands) -> Measured:
    """Output scale * sqrt(input scale). Example: input scale 0.25 and output scale 0.5 give 0.25."""
    given, step = _finite_scale(operands.one("input")), _finite_scale(operands.one("output"))
    return Fraction(step * sqrt(given)) if step and given and given > 0 else None


def _finite_scale(tensor: Tensor | None) -> float | None:
    """Return a tensor's single finite scale, else None."""
    if tensor is None or tensor.quantization.scale.size != 1:
        return None
    scale = float(tensor.quantization.scale[0])
    return scale if isfinite(scale) else None


def _ratio(tensor: Tensor | None) -> tuple[int, int] | None:
    """Return a tensor's single scale as numerator and denominator; None if it is not a finite number above 0."""
    if tensor is None or tensor.quantization.scale.size != 1:
        return None
    scale = float(tensor.quantization.scale[0])
    return scale.as_integer_ratio() if 0 < scale < float("inf") else None


def _magnitude(tensor: Tensor | None) -> tuple[int, int] | None:
    """Return the largest real magnitude of a tensor's values as numerator and denominator.

    A Fraction would take ten times as long.
    """
    ratio, zero_point = _ratio(tensor), one_zero_point(tensor)
    if tensor is None or ratio is None or zero_point is None or tensor.dtype not in INTEGER_RANGES:
        return None
    low, high = INTEGER_RANGES[tensor.dtype]
    return ratio[0] * max(abs(high - zero_point), abs(low - zero_point)), ratio[1]


def _in_steps(operands: Operands, magnitude: tuple[int, int]) -> Fraction | None:
    """Return a magnitude (numerator, denominator) in output steps, plus the magnitude of the zero point."""
    output, (largest, per) = operands.one("output"), magnitude
    step, zero = _ratio(output), abs(one_zero_point(output) or 0)
    return Fraction(largest * step[1] + zero * per * step[0], per * step[0]) if step else None


def _carried_product(operands: Operands, output: Tensor, size: Fraction) -> Fraction | None:
    """Return the largest running product of REDUCE_PROD in output steps.

    The kernel rescales every product by input scale / n-th root of the output scale, and the last product twice.
    """
    given, scale, step = operands.one("input"), one_scale(operands.one("input")), _ratio(output)
    if given is None or not scale or step is None or min(given.size, output.size) < 1 or not size:
        return None
    factors = given.size / output.size
    unit = log2(Fraction(*step))
    final = factors * log2(size) - unit
    largest = max(final, final - log2(scale) + unit / factors)
    return Fraction(2.0 ** min(max(largest, -1000.0), 1000.0))
