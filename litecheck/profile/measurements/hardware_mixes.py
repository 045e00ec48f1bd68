"""Measurements of types and scales that an accelerator's compiler does not compute with each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands, number, word
from litecheck.profile.measurements.feature_maps import NARROW, fused_results, maps_of
from litecheck.profile.measurements.map_quantizations import POINTS
from litecheck.profile.measurements.register import measures, option_stated
from litecheck.profile.measurements.set_axes import first_typed
from litecheck.profile.measurements.set_maps import all_typed, first_map, map_roles, typed
from litecheck.profile.plan import Plan
from litecheck.quantization import Quantization


def _inputs(operands: Operands) -> list[Tensor]:
    return [t for t in maps_of(operands) if t.index not in operands.operator.outputs]


def _unscaled(tensors: Sequence[Tensor]) -> int:
    return sum(not t.quantization.scale.size for t in tensors)


@measures(first_typed("int32"))
def wide_inputs(operands: Operands) -> Measured:
    """How many feature maps that go in are int32."""
    return sum(t.dtype == "int32" for t in _inputs(operands))


@measures(first_map(lambda t: typed(t, "bool").but(values=None)))
def bool_inputs(operands: Operands) -> Measured:
    """How many feature maps that go in hold truth values."""
    return sum(t.dtype == "bool" for t in _inputs(operands))


def _bare(plan: Plan, value: Any) -> Plan | None:
    roles = [*map_roles(plan), *plan.outputs]
    if not 0 <= value <= 1:
        return None
    plan = all_typed(plan, "int32").edit_all(lambda t: t.scaled([0.5], 0), roles)
    return plan.edit(roles[0], lambda t: t.but(quantization=Quantization())) if value else plan


@measures(_bare)
def unscaled_maps(operands: Operands) -> Measured:
    """How many feature maps state no scale."""
    return _unscaled(maps_of(operands))


def _leaking(slope: float, scaled: bool) -> Any:
    """Sets the count to 1, or 0, by a slope below 0, all feature maps being int32."""

    def sets(plan: Plan, value: Any) -> Plan | None:
        leaking = option_stated(all_typed(plan, "int32"), slope if value else 0.5, "alpha")
        if value not in (0, 1) or leaking is None:
            return None
        roles = {*map_roles(plan), *plan.outputs}
        return leaking.edit_all(
            lambda t: t.scaled([0.5], 0) if scaled else t.but(quantization=Quantization()), roles
        )

    return sets


def _leaks(operands: Operands) -> tuple[float, str] | None:
    """The slope and the input's type, of an input whose integers may stand for themselves."""
    slope, tensors = number(operands, "alpha"), _inputs(operands)
    if slope is None or not tensors or tensors[0].dtype not in ("int32", "int64", "bool"):
        return None
    return float(slope), tensors[0].dtype


@measures(_leaking(-0.3, scaled=True))
def turned_slope(operands: Operands) -> Measured:
    """1 where an input that is int32, int64 or of truth values has a slope below 0 other than -1, and all feature maps
    state a scale, else 0."""
    found = _leaks(operands)
    if found is None or found[0] >= 0 or found[0] == -1:
        return 0
    return int(not _unscaled(maps_of(operands)))


@measures(_leaking(-0.3, scaled=False))
def unscaled_slope(operands: Operands) -> Measured:
    """1 where an input that is int32, int64 or of truth values has a slope below 0 other than -1, and a feature map states
    no scale; or where the slope is 0, and the input int32 or int64 or the result without scale; else 0."""
    found = _leaks(operands)
    if found is None or found[0] > 0 or found[0] == -1:
        return 0
    maps = maps_of(operands)
    if found[0]:
        return int(_unscaled(maps) > 0)
    return int(found[1] != "bool" or not maps[-1].quantization.scale.size)


def _fused_words(plan: Plan, value: Any) -> Plan | None:
    if value not in (0, 1) or not plan.outputs:
        return None
    plan = plan.option(fused_activation_function="RELU")
    return plan.edit(plan.outputs[0], lambda t: typed(t, "int64" if value else "int8"))


@measures(_fused_words)
def fused_words(operands: Operands) -> Measured:
    """How many results are int32 or int64 where an activation is fused into the operator, or hold truth values where it is
    TANH."""
    tanh = word(operands, "fused_activation_function") == "TANH"
    return sum(t.dtype in ("int32", "int64") or (tanh and t.dtype == "bool") for t in fused_results(operands))


def _fused_offset(plan: Plan, value: Any) -> Plan | None:
    if value not in (0, 1) or not plan.outputs:
        return None
    plan = plan.option(fused_activation_function="RELU")
    return plan.edit(
        plan.outputs[0], lambda t: typed(t, "int16").scaled([0.5], 3) if value else t.scaled([0.5], 0)
    )


@measures(_fused_offset)
def fused_zero_points(operands: Operands) -> Measured:
    """How many results have a zero point outside int8 or uint8, or of another type one other than 0, where an activation
    is fused into the operator."""
    points = [(t.dtype, t.quantization.zero_point[:1].tolist()) for t in fused_results(operands)]
    return sum(bool(z) and z[0] not in POINTS.get(dtype, (0,)) for dtype, z in points)


def _truths(plan: Plan, value: Any) -> Plan | None:
    roles = list(map_roles(plan))
    if value not in (1, 2) or len(roles) < 2:
        return None
    plan = plan.edit_all(lambda t: typed(t, "bool").but(values=None), roles)
    return plan.edit(roles[0], lambda t: typed(t, "int32")) if value == 2 else plan


@measures(_truths)
def truth_types(operands: Operands) -> Measured:
    """How many types the feature maps that go in have, truth values taken for int8."""
    return len({"int8" if t.dtype == "bool" else t.dtype for t in _inputs(operands)})


def _chosen(plan: Plan, value: Any) -> Plan | None:
    if value not in (0, 1) or plan.one("on_false") is None:
        return None
    return plan.edit("on_true", lambda t: typed(t.but(values=None), "int16" if value else "int8"))


@measures(_chosen)
def choice_types(operands: Operands) -> Measured:
    """1 where what is chosen from has two types, or the result another, or the condition another and is not int8 beside
    a signed one, else 0; truth values are taken for int8, and a result of 8 bits may have either sign."""
    roles = ("condition", "on_true", "on_false", "output")
    tensors = [operands.one(role) for role in roles]
    condition, one, other, result = ("int8" if t and t.dtype == "bool" else t and t.dtype for t in tensors)
    if one is None or other is None:
        return 0
    narrow = {one, result} <= {"int8", "uint8"}
    asked = condition == one or (condition == "int8" and one != "uint8")
    return int(one != other or not (one == result or narrow) or not asked)


def _cast_truths(plan: Plan, value: Any) -> Plan | None:
    cast = option_stated(all_typed(plan, "bool"), "BOOL", "in_data_type", "out_data_type")
    return None if value not in (0, 1) or cast is None else cast if value else plan


@measures(_cast_truths)
def truth_casts(operands: Operands) -> Measured:
    """1 where truth values go in and come out, else 0."""
    maps = maps_of(operands)
    return int(len(maps) > 1 and all(t.dtype == "bool" for t in maps))


@measures(_fused_words)
def fused_word_scales(operands: Operands) -> Measured:
    """How many results are int32 or int64 and state a scale where an activation is fused into the operator."""
    return sum(
        t.dtype in ("int32", "int64") and t.quantization.scale.size > 0 for t in fused_results(operands)
    )


@measures(first_typed("int32"))
def wide_product_maps(operands: Operands) -> Measured:
    """1 where the first feature map that goes in is neither int8, int16 nor uint8, or the result holds truth values."""
    first, made = next(iter(_inputs(operands)), None), operands.one("output")
    if first is None or made is None:
        return None
    return int(first.dtype not in NARROW or made.dtype == "bool")
