"""Measurements that compare parameters and types of an operator's tensors."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod

import numpy as np

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.links import parameters_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import (
    Measured,
    Operands,
    count_axes_outside,
    one_scale,
    one_zero_point,
    stated_axes,
)
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.measurements.vocabulary import CONVERSIONS, of
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan
from litecheck.quantization import BITS, INTEGER_RANGES, Quantization

_CODES = load_schema("tflite").enums["TensorType"]
#: Types of tables whose rows EMBEDDING_LOOKUP dequantizes.
_DEQUANTIZED = ("int8", "uint8", "int4", "int2")
#: Suffix for a type that no option states.
UNSET = " by default"
_TYPES = {code: name.lower() for name, code in _CODES.items()}


def _set_opposite(plan: Plan, value: int) -> Plan | None:
    given = plan.one("input")
    return (
        plan.edit("output", lambda t: t.with_zero_point(value - int(given.zero_point[0]))) if given else None
    )


def _set_int16(plan: Plan, value: int) -> Plan | None:
    plan = plan.edit_all(lambda tensor: tensor.but(dtype="int16", values=None).with_zero_point(0))
    return plan.edit("output", lambda tensor: tensor.with_zero_point(value))


def _set_different_scales(plan: Plan, value: int) -> Plan | None:
    count = 0
    for role in plan.inputs:
        for at in range(len(plan.operands[role])):
            scale = 0.25 + min(count, value - 1) / 4
            plan, count = plan.edit(role, lambda t, s=scale: t.with_scale(s), at), count + 1  # type: ignore[misc]
    return plan if 0 < value <= count else None


def _set_conversion(plan: Plan, value: str) -> Plan | None:
    given, _, made = value.partition("_to_")
    return plan.edit("input", lambda t: t.but(dtype=given)).edit("output", lambda t: t.but(dtype=made))


def _first_inputs_setter(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    """Return a setter of the number of changed inputs."""
    return lambda plan, value: (
        plan.edit_all(change, plan.inputs[:value]) if 0 <= value <= len(plan.inputs) else None
    )


def _set_bias_type(plan: Plan, value: str) -> Plan | None:
    bias = plan.one("bias")
    dtype, _, read = (
        value.partition(" read as ") if bias is None or value != "no" else (bias.dtype, "", bias.dtype)
    )
    plan = plan.edit("bias", lambda tensor: tensor.but(dtype=dtype))
    code = 0 if read.endswith(UNSET) else _CODES.get(read.upper())
    return plan.option(quantized_bias_type=code) if code is not None else None


@measures(_set_opposite)
def zero_point_sum(operands: Operands) -> Measured:
    """Input zero point + output zero point, which is 0 if negating stored integers negates real values.
    Example: zero points 3 and -3 give 0."""
    a, b = one_zero_point(operands.one("input")), one_zero_point(operands.one("output"))
    return None if a is None or b is None else a + b


@measures(_set_int16)
def int16_zero_point(operands: Operands) -> Measured:
    """Zero point farthest from 0 in a conversion from int16 to int16. Example: zero points 0 and -5 give -5."""
    tensors = [t for role in operands.roles.values() for t in role]
    zero_points = [z for t in tensors for z in t.quantization.zero_point.tolist()]
    return max(zero_points, key=abs, default=0) if {t.dtype for t in tensors} == {"int16"} else None


@measures(_set_different_scales)
def different_scales(operands: Operands) -> Measured:
    """Number of different scales of the inputs. Example: scales 0.5, 0.25 and 0.5 give 2."""
    tensors = operands.operator.inputs
    given = [operands.subgraph.tensors[i].quantization.scale for i in tensors if i >= 0]
    return len({scale.tobytes() for scale in given if scale.size}) or None


def _set_copied_rows(plan: Plan, scales: int = 1, apart: int = 0) -> Plan:
    """Set a constant table with ``scales`` scales, and an output of its type with a scale that is ``apart`` larger."""
    plan = plan.edit(
        "table", lambda t: t.holding(np.ones((CHANNELS, 3)), "int8").with_scale([0.25] * scales, 0)
    )
    return plan.edit("output", lambda t: t.but(dtype="int8").with_scale(0.25 + apart, 0))


@measures(lambda plan, value: _set_copied_rows(plan, apart=value) if 0 <= value < 2 else None)
def copied_row_mismatches(operands: Operands) -> Measured:
    """1 if a per-tensor table and an output of its integer dtype have a different scale or zero point, else 0. Example:
    an int8 table with scale 0.5 and an int8 output with scale 0.25 give 1."""
    table, output = _copied_tensors(operands)
    if table is None or output is None or table.quantization.scale.size > 1:
        return None
    return int(parameters_of(table) != parameters_of(output))


@measures(lambda plan, value: _set_copied_rows(plan, scales=value) if value >= 0 else None)
def copied_row_scales(operands: Operands) -> Measured:
    """Number of scales of an integer table whose rows the kernel does not dequantize into a float output. Example: int8
    rows with a scale for each of 4 and an int8 output give 4."""
    table, output = operands.one("table"), operands.one("output")
    if table is None or output is None or table.dtype not in INTEGER_RANGES:
        return None
    dequantized = table.dtype in _DEQUANTIZED and output.dtype in ("float32", "float16")
    return None if dequantized else int(table.quantization.scale.size)


def _narrow_rows(plan: Plan, value: int) -> Plan | None:
    """Set int4 rows of one or two values, copied into an int4 output."""
    if not 0 <= value <= 4:
        return None
    shape = (CHANNELS, 1 if value else 2)
    for role in ("table", "input"):
        plan = plan.edit(role, lambda t: t.but(dtype="int4", shape=shape, values=None).with_scale(0.25, 0))
    return plan.edit("output", lambda t: t.but(dtype="int4").with_scale(0.25, 0))


@measures(_narrow_rows)
def row_bits_beyond_bytes(operands: Operands) -> Measured:
    """Number of bits of a gathered row after its last whole byte; a row holds the dimensions behind the axis. Example:
    int4 rows of 3 values give 4."""
    rows = operands.one("table") or operands.one("input")
    axes = [0] if "table" in operands.roles else stated_axes(operands)
    if rows is None or not axes or count_axes_outside(axes, len(rows.shape)):
        return None
    return prod(rows.shape[axes[0] % len(rows.shape) + 1 :]) * BITS.get(rows.dtype, 0) % 8


def _set_dequantized_rows(plan: Plan, value: int) -> Plan | None:
    """Set an int8 table with this zero point, and float32 rows."""
    plan = plan.edit("table", lambda t: t.but(dtype="int8").with_scale(0.25, value))
    return (
        plan.edit("output", lambda t: t.but(dtype="float32", quantization=Quantization()))
        if abs(value) < 128
        else None
    )


@measures(_set_dequantized_rows)
def dequantized_zero_point(operands: Operands) -> Measured:
    """Zero point of a table whose rows the kernel dequantizes. Example: int8 rows with zero point 3 and a float32 output
    give 3."""
    table, output = operands.one("table"), operands.one("output")
    if table is None or output is None or output.dtype != "float32":
        return None
    return one_zero_point(table)


def _copied_tensors(operands: Operands) -> tuple[Tensor | None, Tensor | None]:
    """Return the table and the output if the kernel copies stored integers."""
    table, output = operands.one("table"), operands.one("output")
    copied = table is not None and output is not None and table.dtype == output.dtype
    return (table, output) if copied and table is not None and table.dtype in INTEGER_RANGES else (None, None)


@measures(_set_conversion, "uint8_to_int16", gives=CONVERSIONS)
def conversion(operands: Operands) -> Measured:
    """Input dtype and output dtype. Example: ``int8_to_int16``."""
    given, made = operands.one("input"), operands.one("output")
    return f"{given.dtype}_to_{made.dtype}" if given is not None and made is not None else None


@measures(_first_inputs_setter(lambda t: t.but(quantization=Quantization())))
def unquantized_integers(operands: Operands) -> Measured:
    """Number of integer tensors without a scale. Example: an int8 input without quantization gives 1."""
    tensors = [t for role in operands.roles.values() for t in role]
    return sum(t.dtype in INTEGER_RANGES and not t.quantization.scale.size for t in tensors)


def _rescaled_axis(plan: Plan, value: int) -> Plan | None:
    count = max(value, 1)
    scales = Quantization(np.full(count, 0.5, np.float32), np.zeros(count, np.int64), 0)
    plan = plan.edit("input", lambda t: t.but(dtype="int8", shape=(count, *t.shape[1:])))
    plan = plan.edit("output", lambda t: t.but(shape=(count, *t.shape[1:]), quantization=scales))
    return plan if value >= 1 else None


@measures(_rescaled_axis)
def requantized_scales(operands: Operands) -> Measured:
    """Number of output scales in a conversion from integer to integer. Example: int8 to int8 with 2 output
    scales gives 2."""
    given, output = operands.one("input"), operands.one("output")
    if given is None or output is None or given.dtype not in INTEGER_RANGES:
        return None
    return int(output.quantization.scale.size) or None


@measures(_first_inputs_setter(lambda t: t.but(dtype="int8").with_zero_point(200)))
def zero_points_outside_type(operands: Operands) -> Measured:
    """Number of tensors with a zero point outside the range of their dtype. Example: an int8 input with zero
    point 200 gives 1."""
    count = 0
    for tensor in (t for role in operands.roles.values() for t in role):
        low, high = INTEGER_RANGES.get(tensor.dtype, (-(2**63), 2**63 - 1))
        count += any(not low <= z <= high for z in tensor.quantization.zero_point.tolist())
    return count


@measures(
    _set_bias_type,
    f"int32 read as int64{UNSET}",
    "int32 read as int64",
    "int64 read as int32",
    "int64 read as int16",
    gives=of("no", "no"),
)
def bias_type_mismatch(operands: Operands) -> Measured:
    """``no`` if ``quantized_bias_type`` is the bias dtype, else the bias dtype and the dtype that the kernel
    reads. Example: an int32 bias without the option gives ``int32 read as int64 by default``.

    Without the option, kernels read int64 (int32 with int16 weights).
    """
    bias, weight, code = operands.one("bias"), operands.one("weight"), operands.option("quantized_bias_type")
    unset = "int32" if weight is not None and weight.dtype == "int16" else "int64"
    read = _TYPES.get(code, f"type {code}") if code else unset
    if bias is None:
        return None if read in ("int32", "int64") else f"stated as {read}"
    if read == bias.dtype and read in ("int32", "int64"):
        return "no"
    return f"{bias.dtype} read as {read}{'' if code else UNSET}"


def _is_zero(tensor: Tensor) -> bool:
    """Return True for a constant whose real values are all 0."""
    values, zero = stored_integers(tensor), one_zero_point(tensor)
    return values is not None and zero is not None and bool((values == zero).all())


@measures(lambda plan, value: plan.with_scale(plan.inputs[0], float(value)) if value > 0 else None)
def finest_scale(operands: Operands) -> Measured:
    """Smallest input scale, without constants of zeros, which are exact. Example: inputs 0.5 and 0.25 give 0.25."""
    inputs = [t for role in operands.roles if role != "output" for t in operands.roles[role]]
    given = [one_scale(t) for t in inputs if not _is_zero(t)]
    return Fraction(min(scales)) if (scales := [s for s in given if s is not None]) else None
