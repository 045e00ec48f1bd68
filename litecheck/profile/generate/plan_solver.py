"""Solver from a rule to a plan that satisfies it: the smallest one-operator model with every input present.

It uses the same requirements as the checks but no code of theirs. Types, scales, zero points and shared parameters come
first; then each limit that is violated is set by its measurement's witness, until all hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from litecheck.profile.assemble import measurable
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement, setter_of
from litecheck.profile.operator_plan import CHANNELS, SHAPE, Plan, TensorPlan
from litecheck.profile.types import (
    Constraint,
    Exactly,
    MultipleOf,
    OneOf,
    OperatorRule,
    PowerOf,
    ProductOf,
    Profile,
    Range,
    Requirement,
    Roles,
    SameAs,
)

#: Number of passes over the limits: setting a limit can violate another.
_ROUNDS = 4
#: Type of an operand without a stated type.
_UNKNOWN = "int32"


class UnsolvableError(ValueError):
    """Error if no plan is found; the message names the requirements that remain violated."""


def requirements_of(rule: OperatorRule, alternative: int = 0) -> tuple[Requirement, ...]:
    """Return the requirements of an operator for an alternative of ``any_of``."""
    return rule.requirements + (rule.any_of[alternative].requirements if rule.any_of else ())


def conforming_plan(
    profile: Profile, rule: OperatorRule, alternative: int = 0, start: Plan | None = None
) -> Plan:
    """Return a plan that satisfies a rule by an alternative of ``any_of``.

    ``start`` has shapes, values, options and the set of present inputs; its stated types are kept. Without ``start``
    every input is present, in a shape that fits any. Raise UnsolvableError.
    """
    plan, left = repair_plan(
        initial_plan(profile, rule, alternative, start), requirements_of(rule, alternative)
    )
    if left:
        raise UnsolvableError(f"no plan keeps {', '.join(r.path for r in left)}")
    return plan


def initial_plan(
    profile: Profile, rule: OperatorRule, alternative: int = 0, start: Plan | None = None
) -> Plan:
    """Return the plan of ``conforming_plan`` before its limits are repaired."""
    requirements = requirements_of(rule, alternative)
    operands = dict(start.operands) if start else {}
    for number, role in enumerate(rule.roles):
        own = {r.verb: r.value for r in requirements if r.role == role}
        bare = (
            (TensorPlan(""),) * (2 if role in rule.repeated else 1) if start is None else start.operands[role]
        )
        operands[role] = tuple(_tensor(own, profile, role in rule.activations, number, t) for t in bare)
    plan = start or Plan(rule.opcode, rule.inputs, rule.outputs, {}, rule.intermediates, rule.optional)
    return following(plan.but(operands=operands), requirements)


def violated_limits(plan: Plan, requirements: Iterable[Requirement]) -> list[Requirement]:
    """Return the limits that a plan violates."""
    operands = measurable(plan)
    return [r for r in requirements if r.verb == "limits" and not holds(r, operands)]


def repair_plan(
    plan: Plan, requirements: tuple[Requirement, ...], target: Requirement | None = None
) -> tuple[Plan, list[Requirement]]:
    """Return the plan with its limits satisfied except ``target``, and the limits that cannot be satisfied."""
    limits = [r for r in requirements if r is not target]
    left: list[Requirement] = []
    for _ in range(_ROUNDS):
        left = violated_limits(plan, limits)
        if not left:
            break
        for r in left:
            plan = _satisfy_limit(plan, r, requirements)
    return plan, left


def _satisfy_limit(plan: Plan, r: Requirement, requirements: tuple[Requirement, ...]) -> Plan:
    """Return the plan with a limit satisfied by an allowed value, or unchanged if the setter has no such value."""
    if holds(r, measurable(plan)):
        return plan
    for value in satisfying_values(r.value):
        changed = setter_of(limit(r)).apply(plan, value)
        if changed is not None:
            changed = following(changed, requirements)
            if holds(r, measurable(changed)):
                return changed
    return plan


def limit(r: Requirement) -> str:
    """Return the name of the measurement that a requirement limits."""
    return r.path.rsplit("/", 1)[1]


def holds(r: Requirement, operands: Operands) -> bool:
    """Return True if a limit is satisfied; also if it does not apply."""
    value = measurement(limit(r))(operands)
    return value is None or admits(r.value, value)


def states(plan: Plan, r: Requirement) -> bool:
    """Return True if the tensors of a role have a type, zero points and scales that the requirement lists."""
    tensors = plan.operands.get(r.role or "", ())
    if r.verb == "dtype":
        return all(admits(r.value, tensor.dtype) for tensor in tensors)
    if r.verb == "zero_point":
        return all(admits(r.value, int(zero)) for tensor in tensors for zero in tensor.zero_point)
    if r.verb != "scale" or not isinstance(r.value, PowerOf):
        return True
    mantissas = (np.frexp(tensor.scale)[0] for tensor in tensors)
    return all(bool((m == 0.5).all()) for m in mantissas)


def admits(constraint: Constraint, value: Measured) -> bool:
    """Return True if a constraint allows a number or a word."""
    if isinstance(constraint, OneOf):
        return any(admits(part, value) for part in constraint.values)
    if isinstance(constraint, Exactly):
        return value == constraint.value
    if isinstance(value, str) or value is None:
        return False
    if isinstance(constraint, Range):
        return constraint.low <= value <= constraint.high
    return isinstance(constraint, MultipleOf) and value % constraint.n == 0


def satisfying_values(constraint: Constraint) -> Iterator[Any]:
    """Yield values that satisfy a limit, those well inside it first."""
    if isinstance(constraint, OneOf):
        for part in constraint.values:
            yield from satisfying_values(part)
    elif isinstance(constraint, Range):
        low, high = constraint.low, constraint.high
        middle = (low + high) / 2 if {low.denominator, high.denominator} != {1} else (low + high) // 2
        yield from (_as_integer(Fraction(n)) for n in (1, middle, low, high) if low <= n <= high)
    elif isinstance(constraint, MultipleOf):
        yield _as_integer(constraint.n)
    elif isinstance(constraint, Exactly):
        yield _as_integer(constraint.value)


def _as_integer(value: Fraction | str) -> Fraction | int | str:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _tensor(
    own: dict[str, Constraint], profile: Profile, activation: bool, number: int, bare: TensorPlan
) -> TensorPlan:
    """Return a tensor that satisfies its own requirements, in the shape of ``bare``; ``number`` makes its scale
    distinct."""
    if not own.keys() - {"operands"} and not activation:
        return bare.but(dtype=bare.dtype or _UNKNOWN)
    kind = "none"
    if "granularity" in own:
        kind = "any" if isinstance(own["granularity"], SameAs) else first_word(own["granularity"])
    counts = not activation and own.keys() - {"operands"} == {"granularity"} and kind == "none"
    stated = first_word(own["dtype"]) if "dtype" in own else _UNKNOWN if counts else profile.activations[0]
    tensor = bare.but(dtype=bare.dtype or stated)
    if kind != "none":
        axis = int(_number(own["axis"])) if "axis" in own else 0
        count = tensor.shape[axis] if kind == "per-axis" and axis < len(tensor.shape) else 1
        scales = [_scale(own.get("scale"), number)] * count
        tensor = tensor.with_scale(scales, _zero_point(own.get("zero_point"))).with_axis(axis)
    if "range" in own and tensor.dtype == "int8" and not bare.dtype and bare.values is None:
        tensor = tensor.holding(np.zeros(bare.shape))
    return tensor


def first_word(value: Constraint) -> str:
    """Return the word of a constraint, or the first of several."""
    part = value.values[0] if isinstance(value, OneOf) else value
    return str(part.value) if isinstance(part, Exactly) else str(part)


def _number(value: Constraint) -> Fraction:
    return value.value if isinstance(value, Exactly) and isinstance(value.value, Fraction) else Fraction(0)


def _scale(value: Constraint | None, number: int) -> float:
    if isinstance(value, OneOf):
        value = value.values[0]
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return float(value.value)
    return 2.0**-12 if isinstance(value, PowerOf) else 0.25 + number / 64


def _zero_point(value: Constraint | None) -> int:
    if isinstance(value, OneOf):
        value = value.values[0]
    if isinstance(value, Range):
        return min(max(3, int(value.low)), int(value.high))
    return int(_number(value)) if value is not None else 0


def _share_quantization(plan: Plan, requirements: Iterable[Requirement]) -> Plan:
    """Return the plan with equal quantization in roles that must share it; roles with a required zero point come
    first."""
    pinned = {r.role for r in requirements if r.verb == "zero_point" and isinstance(r.value, Exactly)}
    for r in requirements:
        if not isinstance(r.value, Roles):
            continue
        there = [role for role in r.value.roles if plan.one(role)]
        ours = sorted(there, key=lambda role: role not in pinned)
        example = next((t for role in ours for t in plan.operands[role] if t.scale.size), None)
        example = example or TensorPlan().with_scale(0.25, 0)
        q = example.quantization
        same = [t.scale.tobytes() + t.zero_point.tobytes() for role in there for t in plan.operands[role]]
        if len({*same, q.scale.tobytes() + q.zero_point.tobytes()}) > 1:
            plan = plan.edit_all(lambda t, q=q: t.but(quantization=q), there)  # type: ignore[misc]
    return plan


def following(plan: Plan, requirements: tuple[Requirement, ...]) -> Plan:
    """Return the plan with shared parameters, and parameters that follow from other tensors, recomputed."""
    return propagate_parameters(_share_quantization(plan, requirements), requirements)


def propagate_parameters(plan: Plan, requirements: Iterable[Requirement]) -> Plan:
    """Return the plan with scales and counts that follow from other tensors, except in independent roles."""
    requirements = [
        r for r in requirements if r.role and plan.one(r.role) and r.role not in plan.independent_roles
    ]
    for r in requirements:
        leader = plan.one(r.value.role) if isinstance(r.value, SameAs) else None
        if leader is None or r.role is None:
            continue
        if r.verb == "granularity" and plan.operands[r.role][0].scale.size != leader.scale.size:
            scales = [0.5] * leader.scale.size
            plan = plan.edit(r.role, lambda t, s=scales: _vector(t).with_scale(s, 0))  # type: ignore[misc]
        elif r.verb == "scale":
            plan = plan.with_scale(r.role, leader.scale)
    for r in requirements:
        if r.role and isinstance(r.value, ProductOf):
            plan = _multiply_scales(plan, r.role, r.value)
    return plan


def _vector(tensor: TensorPlan) -> TensorPlan:
    free = tensor.values is None and tensor.shape == SHAPE
    return tensor.but(shape=(CHANNELS,)) if free else tensor


def _multiply_scales(plan: Plan, role: str, product: ProductOf) -> Plan:
    """Return the plan with the scales of a role set to the float32 product of the scales of other tensors."""
    exact = np.ones(1)
    for factor in product.factors:
        tensor = plan.one(factor) if isinstance(factor, str) else None
        if isinstance(factor, str) and tensor is None:
            return plan
        exact = exact * (tensor.scale.astype(np.float64) if tensor else float(factor))
    own = plan.operands[role][0]
    if exact.size not in (1, own.scale.size):
        return plan
    return plan.with_scale(role, np.broadcast_to(exact, own.scale.shape), own.zero_point)
