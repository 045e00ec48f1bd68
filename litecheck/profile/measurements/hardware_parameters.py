"""Measurements of weights, biases, states and other parameters as an accelerator's compiler packs them."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.model.build import quantized
from litecheck.profile.measurements.bound import Measured, Operands, everything, integer, short_constant, word
from litecheck.profile.measurements.feature_maps import maps_of
from litecheck.profile.measurements.register import Setter, held, measures, option
from litecheck.profile.measurements.set_axes import AXIS_TYPES, axis_typed, few_margins
from litecheck.profile.measurements.set_maps import (
    constant,
    fused_words,
    nibbles,
    offset_results,
    ranks,
)
from litecheck.profile.measurements.vocabulary import TYPES
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan


def _one(kind: str, **change: Any) -> Setter:
    """Sets the count to 1, or 0, by a change of the first weight or state there is."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        facts = facts_of(plan.opcode).inputs
        role = next((r for r in plan.inputs if facts.get(r) == kind and plan.operands.get(r)), None)
        if role is None or value not in (0, 1):
            return None
        return plan.edit(role, lambda t: t.but(**change)) if value else plan

    return sets


@measures(_one("weight", values=None))
def computed_parameters(operands: Operands) -> Measured:
    """How many weights and biases are computed."""
    return sum(t.data is None for t in (*operands.of("weight"), *operands.of("bias")))


@measures(_one("weight", dtype="bool"))
def bool_weights(operands: Operands) -> Measured:
    """How many constant weights hold truth values."""
    return sum(t.dtype == "bool" and t.data is not None for t in operands.of("weight"))


@measures(fused_words)
def fused_wide_scales(operands: Operands) -> Measured:
    """How many results are int32 and state a scale where an activation is fused into the operator."""
    if word(operands, "fused_activation_function") in (None, "NONE"):
        return 0
    results = (t for t in maps_of(operands) if t.index in operands.operator.outputs)
    return sum(t.dtype == "int32" and t.quantization.scale.size > 0 for t in results)


@measures(_one("weight", dtype="int16", values=None))
def wide_parameters(operands: Operands) -> Measured:
    """How many weights are neither int8 nor uint8, and biases neither int32 nor int64."""
    weights = sum(t.dtype not in ("int8", "uint8") for t in operands.of("weight"))
    return weights + sum(t.dtype not in ("int32", "int64") for t in operands.of("bias"))


@measures(_one("weight", quantization=quantized([0.5, 0.25])))
def per_axis_weights(operands: Operands) -> Measured:
    """How many weights state more than one scale."""
    return sum(t.quantization.scale.size > 1 for t in operands.of("weight"))


@measures(constant(nibbles))
def nibble_constants(operands: Operands) -> Measured:
    """How many constants are int4."""
    return sum(t.dtype == "int4" and t.data is not None for t in everything(operands))


def _split(operands: Operands) -> tuple[int, int] | None:
    """The length of the dimension that is split by a constant axis, and into how many parts."""
    source, axes, parts = (
        operands.one("input"),
        short_constant(operands, "axis"),
        integer(operands, "num_splits"),
    )
    if source is None or not axes or not parts or not -len(source.shape) <= axes[0] < len(source.shape):
        return None
    return source.shape[axes[0]], parts


@measures(option("num_splits"))
def parts_remainder(operands: Operands) -> Measured:
    """What is left over where a dimension is split into parts of one length; -1 where no axis of the input is named."""
    if short_constant(operands, "axis") is None:
        return None
    found = _split(operands)
    return -1 if found is None else found[0] % found[1]


def _inferring(plan: Plan, value: Any) -> Plan | None:
    """So many sizes left to be worked out."""
    sizes = plan.one("size_splits")
    if sizes is None or sizes.shape[:1] < (value,) or value < 0:
        return None
    known = [1] * (sizes.shape[0] - int(value))
    return held(plan, "size_splits", [-1] * int(value) + known)


@measures(_inferring)
def inferred_sizes(operands: Operands) -> Measured:
    """How many sizes of parts are -1: to be worked out."""
    return (short_constant(operands, "size_splits") or []).count(-1)


@measures(few_margins)
def missing_margins(operands: Operands) -> Measured:
    """How many margins constant int32 paddings lack for an input of at most four dimensions, the first of which is 1, that
    becomes longer; else 0."""
    source, margins = operands.one("input"), short_constant(operands, "paddings")
    paddings, result = operands.one("paddings"), operands.one("output")
    if source is None or margins is None or paddings is None or result is None:
        return None
    if paddings.dtype != "int32" or len(source.shape) > 4 or source.shape[:1] != (1,):
        return 0
    longer = prod(result.shape) > prod(source.shape)
    return max(2 * len(source.shape) - len(margins), 0) if longer else 0


@measures(option("depth_multiplier"))
def depth_gap(operands: Operands) -> Measured:
    """By how much the channels of a depthwise convolution's result differ from its input's times the multiplier."""
    source, result, times = (
        operands.one("input"),
        operands.one("output"),
        integer(operands, "depth_multiplier"),
    )
    if source is None or result is None or times is None:
        return None
    made = result.shape[-1] if result.shape else 0
    return abs(made - (source.shape[-1] if source.shape else 1) * times)


@measures(option("keep_num_dims"))
def kept_rank_gap(operands: Operands) -> Measured:
    """By how many dimensions a layer's result differs from its input where the number of them is to be kept, else 0."""
    source, result = operands.one("input"), operands.one("output")
    if source is None or result is None or not integer(operands, "keep_num_dims"):
        return 0
    return abs(len(result.shape) - len(source.shape))


@measures(axis_typed, *AXIS_TYPES, gives=TYPES)
def axis_type(operands: Operands) -> Measured:
    """The type of the operand that names axes."""
    axis = operands.one("axis")
    return None if axis is None else axis.dtype


@measures(ranks)
def padded_rank(operands: Operands) -> Measured:
    """The most dimensions that a feature map has; None where constant paddings add nothing."""
    margins = short_constant(operands, "paddings")
    if margins is not None and not any(margins):
        return None
    return max((len(t.shape) for t in maps_of(operands)), default=0)


@measures(offset_results)
def offset_words(operands: Operands) -> Measured:
    """How many feature maps are int16 and have a zero point other than 0."""
    return sum(t.dtype == "int16" and bool(t.quantization.zero_point.any()) for t in maps_of(operands))
