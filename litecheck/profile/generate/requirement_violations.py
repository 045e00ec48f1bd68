"""Plans that violate a single requirement, for each kind of requirement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.generate.plan_solver import propagate_parameters, requirements_of
from litecheck.profile.generate.violating_limits import violating_limits, violating_shapes
from litecheck.profile.generate.violating_plan import TargetRequirement, ViolatingPlan
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan
from litecheck.profile.types import (
    Constraint,
    Exactly,
    OperatorRule,
    PowerOf,
    ProductOf,
    Profile,
    Range,
    Requirement,
    Roles,
    SameAs,
    parts_of,
    words_of,
)
from litecheck.quantization import INTEGER_RANGES, Quantization

#: Types that few rules allow.
_OTHER_TYPES = ("float64", "uint32", "complex64")


def violating_plans(
    profile: Profile, rule: OperatorRule, requirement: Requirement, plan: Plan, alternative: int = 0
) -> Iterator[ViolatingPlan]:
    """Yield plans like ``plan`` (which satisfies the rule by that alternative) that violate a single requirement."""
    demand = TargetRequirement(profile, rule, requirement, requirements_of(rule, alternative), plan)
    return _VERBS[requirement.verb](demand)


def _operands(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    if d.r.role:
        yield ViolatingPlan(d.plan.without_inputs(d.role))
        return
    surplus = {"surplus": (TensorPlan(),)}
    plan = d.plan.but(operands={**d.plan.operands, **surplus}, explicit_absent=True)
    repeated = any(role in d.rule.repeated for role in d.rule.inputs)
    span_of = {"outputs": (*plan.outputs, "surplus")} if repeated else {"inputs": (*plan.inputs, "surplus")}
    yield ViolatingPlan(plan.but(**span_of))


def _dtype(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    alone = d.rule.activations == (d.role,)  # the type of this role alone decides if the rule applies
    taken = words_of(d.r.value).union(*(e.dtypes for e in d.rule.exemptions if e.role == d.role))
    dtype = next(t for t in (d.profile.activations if alone else _OTHER_TYPES) if t not in taken)
    yield d.change_tensor(lambda tensor: tensor.but(dtype=dtype, values=None))


def _granularity(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    axes = (int(r.value.value) for r in d.all if r.role == d.role and r.verb == "axis")  # type: ignore[union-attr]
    axis = next(axes, 0)

    def scales(count: int) -> Callable[[TensorPlan], TensorPlan]:
        """Return a function that sets this number of scales; 0 sets a scale for each slice along the axis."""

        def change(t: TensorPlan) -> TensorPlan:
            return t.with_axis(axis).with_scale(
                [float(t.scale[0]) if t.scale.size else 0.5] * (count or _length(t, axis))
            )

        return change

    if words_of(d.r.value) == {"none"}:
        yield d.change_tensor(scales(1))
        return
    yield d.change_tensor(
        lambda t: _set_parameters(t, t.scale, np.zeros(_other_count(t.scale.size), np.int64)), "malformed"
    )
    if d.rule.strict:
        yield d.change_tensor(lambda t: t.with_axis(len(t.shape)), "malformed")
    yield d.change_tensor(lambda t: scales(_other_count(_length(t, axis)))(t), "malformed")
    if isinstance(d.r.value, SameAs):
        yield d.change_tensor(lambda t: scales(1 if len(t.scale) > 1 else 0)(t))
        return
    allowed = words_of(d.r.value) | (words_of(d.r.relaxation.value) if d.r.relaxation else set())
    leads = any(r.verb == "granularity" and r.value == SameAs(d.role) for r in d.all)
    for word, count in {"none": 0, "per-tensor": 1, "per-axis": 0}.items():
        if word in allowed or "any" in allowed:
            continue
        if word == "none":
            yield d.change_tensor(lambda t: t.but(quantization=Quantization()), "malformed")
        else:
            yield (d.change_and_propagate if leads else d.change_tensor)(scales(count))


def _length(tensor: TensorPlan, axis: int) -> int:
    """Return the number of slices along an axis."""
    return tensor.shape[axis] if axis < len(tensor.shape) else CHANNELS


def _other_count(count: int) -> int:
    """Return a number of scales that differs from ``count``: 3, or 2 for 3."""
    return 3 if count != 3 else 2


def _set_parameters(
    tensor: TensorPlan, scale: NDArray[np.float32], zero_point: NDArray[np.int64]
) -> TensorPlan:
    return tensor.but(quantization=Quantization(scale, zero_point, tensor.quantization.axis))


def _axis(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    """Yield a plan with another quantized dimension of the same length: LiteRT loads it and computes along its own
    axis."""
    plan = d.plan
    axis = int(d.r.value.value)  # type: ignore[union-attr]
    for r in d.all:
        if r.role == d.role and isinstance(r.value, SameAs):
            plan = plan.edit(r.value.role, _resize_scales)
    plan = propagate_parameters(plan, d.all)

    def change(tensor: TensorPlan) -> TensorPlan:
        rank, length = max(2, len(tensor.shape)), _length(tensor, axis)
        alike = [n for n, size in enumerate(tensor.shape) if n != axis and size == length]
        if not alike:
            tensor = tensor.but(shape=(length,) * rank, values=None)
        return _resize_scales(tensor.with_axis(axis)).with_axis(alike[0] if alike else (axis + 1) % rank)

    yield ViolatingPlan(plan.edit(d.role, change))


def _resize_scales(tensor: TensorPlan) -> TensorPlan:
    return tensor.with_scale(np.resize(tensor.scale, _length(tensor, tensor.quantization.axis)), 0)


def _zero_point(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    value = d.r.relaxation.value if d.r.relaxation else d.r.value
    low, high = span_of(value)
    for zero in (low - 1, high + 1, *((200,) if isinstance(value, Range) and high == 127 else ())):
        yield d.change_tensor(lambda tensor, zero=zero: tensor.with_zero_point(zero))  # type: ignore[misc]


def span_of(value: Constraint) -> tuple[int, int]:
    """Return the smallest and the largest number that a constraint allows. For example, -127..-1 or 5 gives (-127, 5)."""
    spans = [(p.low, p.high) if isinstance(p, Range) else (p.value, p.value) for p in parts_of(value)]  # type: ignore[union-attr]
    return int(min(low for low, _ in spans)), int(max(high for _, high in spans))


def _scale(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    value, near = d.r.value, "near" if getattr(d.r.value, "tolerance", 0) else "broken"
    bad: list[tuple[float, int]] = [(np.nan, 0), (np.inf, 0), (0.0, 0), (-0.5, 0), (np.nan, -1)]
    for number, at in (*bad, *(((1e-40, 0),) if value == Exactly("normal") else ())):
        yield d.change_tensor(lambda t, number=number, at=at: _set_scales(t, _put_scale(t.scale, at, number)))  # type: ignore[misc]
    stated = isinstance(value, Exactly) and isinstance(value.value, Fraction)
    if isinstance(value, (ProductOf, PowerOf, SameAs)) or stated:
        ulps = value.ulps + 1 if isinstance(value, ProductOf) else 1
        for n in (ulps, -ulps):
            yield d.change_tensor(lambda t, n=n: _set_scales(t, _nudge(t.scale, n)), near)  # type: ignore[misc,arg-type]
        yield d.change_tensor(lambda t: _set_scales(t, t.scale * np.float32(1.5)))


def _set_scales(tensor: TensorPlan, scale: NDArray[np.float32]) -> TensorPlan:
    return _set_parameters(tensor, scale.astype(np.float32), tensor.zero_point)


def _put_scale(scale: NDArray[np.float32], at: int, number: float) -> NDArray[np.float32]:
    scale = scale.copy()
    scale[at] = number
    return scale


def _nudge(scale: NDArray[np.float32], ulps: int) -> NDArray[np.float32]:
    moved: NDArray[np.float32] = (scale.view(np.int32) + np.int32(ulps)).view(np.float32)
    return moved


def _range(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    low, high = span_of(d.r.value)
    types = {t for r in d.all if r.role == d.role and r.verb == "dtype" for t in words_of(r.value)}
    for number in (low - 1, high + 1):
        dtype = "int8" if number <= INTEGER_RANGES["int8"][1] else "uint8"
        if number >= INTEGER_RANGES["int8"][0] and (dtype == "int8" or dtype in types) and number < 256:
            yield d.change_tensor(lambda t, dtype=dtype, n=number: t.holding(_insert_value(t, n), dtype))  # type: ignore[misc]


def _insert_value(tensor: TensorPlan, number: int) -> NDArray[np.int64]:
    """Return the values of a constant with ``number`` at three quarters of its length.

    If ``number`` exceeds the int8 range, negative values become 0.
    """
    held = np.zeros(tensor.shape) if tensor.values is None else tensor.values
    values = held.astype(np.int64).reshape(-1)
    values[len(values) * 3 // 4] = number
    return (np.maximum(values, 0) if number > INTEGER_RANGES["int8"][1] else values).reshape(tensor.shape)


def _same_quantization(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    """Yield plans that differ by an ulp of scale, or by a step of zero point."""
    assert isinstance(d.r.value, Roles)
    roles = d.r.value.roles
    pinned = {r.role for r in d.all if r.verb == "zero_point" and isinstance(r.value, Exactly)}
    for role in roles:
        yield ViolatingPlan(d.plan.edit(role, _move_scales, -1))
    shared = d.plan.edit_all(lambda t: t if t.scale.size else t.with_scale([0.5], 3), roles)
    for role in (role for role in roles if role not in pinned):
        yield ViolatingPlan(shared.edit(role, lambda t: _set_parameters(t, t.scale, t.zero_point + 1), -1))


def _move_scales(tensor: TensorPlan) -> TensorPlan:
    if not tensor.scale.size:
        return tensor.with_scale([0.5], 3)
    return _set_scales(tensor, np.nextafter(tensor.scale, np.float32(1)))


_VERBS: dict[str, Callable[[TargetRequirement], Iterator[ViolatingPlan]]] = {
    "operands": _operands,
    "dtype": _dtype,
    "granularity": _granularity,
    "axis": _axis,
    "zero_point": _zero_point,
    "scale": _scale,
    "range": _range,
    "same_quantization": _same_quantization,
    "limits": violating_limits,
    "shapes": violating_shapes,
    "unsupported": lambda d: iter((ViolatingPlan(d.plan),)),
}
