"""From a requirement to plans that break it and nothing else: for each verb the ways in which a model goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.assemble import measurable
from litecheck.profile.measurements.registry import witness
from litecheck.profile.plan import CHANNELS, Plan, TensorPlan
from litecheck.profile.solve import holds, limit, repaired, requirements_of, settled, states
from litecheck.profile.types import (
    Constraint,
    Exactly,
    MultipleOf,
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

#: ``near`` is within what a requirement tolerates; ``malformed`` breaks more than the requirement speaks of: parameters
#: that make no sense whatever is demanded of them.
Kind = Literal["broken", "near", "malformed"]
#: Types that hardly any rule allows.
_OTHER_TYPES = ("float64", "uint32", "complex64")
#: Breaks of one limit that are worth having.
_ENOUGH = 2
_MOST = INTEGER_RANGES["int32"][1]


@dataclass(frozen=True, slots=True)
class BrokenPlan:
    """A plan that breaks one requirement."""

    plan: Plan
    kind: Kind = "broken"


@dataclass(frozen=True, slots=True)
class _Demand:
    """What is to be broken: by a plan that keeps it, for a requirement with the role it speaks of."""

    profile: Profile
    rule: OperatorRule
    r: Requirement
    all: tuple[Requirement, ...]
    plan: Plan

    @property
    def role(self) -> str:
        return self.r.role or ""

    def edited(self, change: Callable[[TensorPlan], TensorPlan], kind: Kind = "broken") -> BrokenPlan:
        """Only this operand changed."""
        return BrokenPlan(self.plan.edit(self.role, change), kind)

    def followed(self, change: Callable[[TensorPlan], TensorPlan]) -> BrokenPlan:
        """This operand changed, and what follows from it."""
        plan = self.plan.edit(self.role, change)
        return BrokenPlan(settled(plan.but(set=plan.set | {self.role}), self.all))


def breaks(
    profile: Profile, rule: OperatorRule, requirement: Requirement, plan: Plan, alternative: int = 0
) -> Iterator[BrokenPlan]:
    """Plans like ``plan``, which keeps the rule by that alternative, that break one requirement and no other."""
    demand = _Demand(profile, rule, requirement, requirements_of(rule, alternative), plan)
    return _VERBS[requirement.verb](demand)


def _operands(d: _Demand) -> Iterator[BrokenPlan]:
    if d.r.role:
        yield BrokenPlan(d.plan.without(d.role))
        return
    surplus = {"surplus": (TensorPlan(),)}
    plan = d.plan.but(operands={**d.plan.operands, **surplus}, lists_absent=True)
    repeated = any(role in d.rule.repeated for role in d.rule.inputs)
    span_of = {"outputs": (*plan.outputs, "surplus")} if repeated else {"inputs": (*plan.inputs, "surplus")}
    yield BrokenPlan(plan.but(**span_of))


def _dtype(d: _Demand) -> Iterator[BrokenPlan]:
    alone = d.rule.activations == (d.role,)  # its type decides whether the rule speaks
    taken = words_of(d.r.value).union(*(e.dtypes for e in d.rule.exemptions if e.role == d.role))
    dtype = next(t for t in (d.profile.activations if alone else _OTHER_TYPES) if t not in taken)
    yield d.edited(lambda tensor: tensor.but(dtype=dtype, values=None))


def _granularity(d: _Demand) -> Iterator[BrokenPlan]:
    axes = (int(r.value.value) for r in d.all if r.role == d.role and r.verb == "axis")  # type: ignore[union-attr]
    axis = next(axes, 0)

    def scales(count: int) -> Callable[[TensorPlan], TensorPlan]:
        return lambda t: t.along(axis).scaled([float(t.scale[0]) if t.scale.size else 0.5] * count)

    if words_of(d.r.value) == {"none"}:
        yield d.edited(scales(1))
        return
    yield d.edited(lambda t: _stating(t, t.scale, np.zeros(3, np.int64)), "malformed")
    if d.rule.strict:
        yield d.edited(lambda t: t.along(len(t.shape)), "malformed")
    yield d.edited(scales(3), "malformed")
    if isinstance(d.r.value, SameAs):
        yield d.edited(lambda t: scales(1 if len(t.scale) > 1 else CHANNELS)(t))
        return
    allowed = words_of(d.r.value) | (words_of(d.r.relaxed.value) if d.r.relaxed else set())
    leads = any(r.verb == "granularity" and r.value == SameAs(d.role) for r in d.all)
    for word, count in {"none": 0, "per-tensor": 1, "per-axis": CHANNELS}.items():
        if word in allowed or "any" in allowed:
            continue
        if count == 0:
            yield d.edited(lambda t: t.but(quantization=Quantization()), "malformed")
        else:
            yield (d.followed if leads else d.edited)(scales(count))


def _stating(tensor: TensorPlan, scale: NDArray[np.float32], zero_point: NDArray[np.int64]) -> TensorPlan:
    return tensor.but(quantization=Quantization(scale, zero_point, tensor.quantization.axis))


def _axis(d: _Demand) -> Iterator[BrokenPlan]:
    """Another dimension of the same length: LiteRT loads it and computes along its own."""
    plan = d.plan
    axis = int(d.r.value.value)  # type: ignore[union-attr]
    for r in d.all:
        if r.role == d.role and isinstance(r.value, SameAs):
            plan = plan.edit(r.value.role, _of_channels)
    plan = settled(plan, d.all)

    def change(tensor: TensorPlan) -> TensorPlan:
        rank = max(2, len(tensor.shape))
        return _of_channels(tensor.but(shape=(CHANNELS,) * rank, values=None)).along((axis + 1) % rank)

    yield BrokenPlan(plan.edit(d.role, change))


def _of_channels(tensor: TensorPlan) -> TensorPlan:
    return tensor.scaled(np.broadcast_to(tensor.scale, CHANNELS), 0)


def _zero_point(d: _Demand) -> Iterator[BrokenPlan]:
    value = d.r.relaxed.value if d.r.relaxed else d.r.value
    low, high = span_of(value)
    for zero in (low - 1, high + 1, *((200,) if isinstance(value, Range) and high == 127 else ())):
        yield d.edited(lambda tensor, zero=zero: tensor.zeroed(zero))  # type: ignore[misc]


def span_of(value: Constraint) -> tuple[int, int]:
    """The smallest and the largest number a constraint allows."""
    spans = [(p.low, p.high) if isinstance(p, Range) else (p.value, p.value) for p in parts_of(value)]  # type: ignore[union-attr]
    return int(min(low for low, _ in spans)), int(max(high for _, high in spans))


def _scale(d: _Demand) -> Iterator[BrokenPlan]:
    value, near = d.r.value, "near" if getattr(d.r.value, "tolerated", 0) else "broken"
    bad: list[tuple[float, int]] = [(np.nan, 0), (np.inf, 0), (0.0, 0), (-0.5, 0), (np.nan, -1)]
    for number, at in (*bad, *(((1e-40, 0),) if value == Exactly("normal") else ())):
        yield d.edited(lambda t, number=number, at=at: _rescaled(t, _put(t.scale, at, number)))  # type: ignore[misc]
    stated = isinstance(value, Exactly) and isinstance(value.value, Fraction)
    if isinstance(value, (ProductOf, PowerOf, SameAs)) or stated:
        ulps = value.ulps + 1 if isinstance(value, ProductOf) else 1
        for n in (ulps, -ulps):
            yield d.edited(lambda t, n=n: _rescaled(t, _nudged(t.scale, n)), near)  # type: ignore[misc,arg-type]
        yield d.edited(lambda t: _rescaled(t, t.scale * np.float32(1.5)))


def _rescaled(tensor: TensorPlan, scale: NDArray[np.float32]) -> TensorPlan:
    return _stating(tensor, scale.astype(np.float32), tensor.zero_point)


def _put(scale: NDArray[np.float32], at: int, number: float) -> NDArray[np.float32]:
    scale = scale.copy()
    scale[at] = number
    return scale


def _nudged(scale: NDArray[np.float32], ulps: int) -> NDArray[np.float32]:
    moved: NDArray[np.float32] = (scale.view(np.int32) + np.int32(ulps)).view(np.float32)
    return moved


def _range(d: _Demand) -> Iterator[BrokenPlan]:
    low, high = span_of(d.r.value)
    types = {t for r in d.all if r.role == d.role and r.verb == "dtype" for t in words_of(r.value)}
    for number in (low - 1, high + 1):
        dtype = "int8" if number <= INTEGER_RANGES["int8"][1] else "uint8"
        if number >= INTEGER_RANGES["int8"][0] and (dtype == "int8" or dtype in types) and number < 256:
            values = np.zeros((CHANNELS,) * 4)
            values[-1, 0, -1, 0] = number
            yield d.edited(lambda t, dtype=dtype, v=values: t.holding(v, dtype))  # type: ignore[misc]


def _same_quantization(d: _Demand) -> Iterator[BrokenPlan]:
    """One ulp of scale is enough, and so is one step of zero point."""
    assert isinstance(d.r.value, Roles)
    roles = d.r.value.roles
    pinned = {r.role for r in d.all if r.verb == "zero_point" and isinstance(r.value, Exactly)}
    for role in roles:
        yield BrokenPlan(d.plan.edit(role, _moved, -1))
    shared = d.plan.edit_all(lambda t: t if t.scale.size else t.scaled([0.5], 3), roles)
    for role in (role for role in roles if role not in pinned):
        yield BrokenPlan(shared.edit(role, lambda t: _stating(t, t.scale, t.zero_point + 1), -1))


def _moved(tensor: TensorPlan) -> TensorPlan:
    if not tensor.scale.size:
        return tensor.scaled([0.5], 3)
    return _rescaled(tensor, np.nextafter(tensor.scale, np.float32(1)))


def _limits(d: _Demand) -> Iterator[BrokenPlan]:
    """Values outside that the witness knows how to set, if anyhow possible with all else kept beside them."""
    alone: list[BrokenPlan] = []
    more: list[BrokenPlan] = []
    sets, others = witness(limit(d.r)).sets, witness(limit(d.r)).words
    for value in outside(d.r.value, others):
        changed = sets(d.plan, value)
        if changed is None:
            continue
        changed = settled(changed, d.all)
        if holds(d.r, measurable(changed)):
            continue
        mended, left = repaired(changed, d.all, d.r)
        if holds(d.r, measurable(mended)):  # with all else kept it is, too
            more.append(BrokenPlan(changed))
            continue
        changed = mended
        spoiled = any(not states(changed, r) and states(d.plan, r) for r in d.all)
        (more if left or spoiled else alone).append(BrokenPlan(changed))
        if len(alone) == _ENOUGH:
            break
    yield from alone or more[:1]


def outside(constraint: Constraint, others: tuple[str, ...] = ()) -> Iterator[Any]:
    """Values that a constraint does not allow: words, and numbers at either side, far off and close by."""
    parts = parts_of(constraint)
    taken = words_of(constraint)
    yield from (word for word in others if word not in taken)
    for part in parts:
        yield from (n for n in _beyond(part) if str(n) not in taken)


def _beyond(part: Constraint) -> Iterator[Fraction | int]:
    if isinstance(part, MultipleOf):
        yield from (int(part.n) + 1, int(part.n) // 2)
    elif isinstance(part, Range):
        if part.high != _MOST or part.low <= 0:  # at least so much, for all that an int32 holds
            yield from _past(part.high, part.high * 2 or Fraction(1), 1)
        yield from _past(part.low, part.low / 2 if part.low > 0 else part.low * 2 - 1, -1)
    elif isinstance(part, Exactly) and isinstance(part.value, Fraction):
        yield from (int(part.value) + n for n in (1, 2, -1, -2, 3))


def _past(end: Fraction, far: Fraction, toward: int) -> Iterator[Fraction | int]:
    """Beyond one end of a range."""
    if end.denominator == 1:
        yield from (int(far), int(end) + toward)
    else:
        yield far
        yield Fraction(float(np.nextafter(np.float32(float(end)), np.float32(toward * np.inf))))


_VERBS: dict[str, Callable[[_Demand], Iterator[BrokenPlan]]] = {
    "operands": _operands,
    "dtype": _dtype,
    "granularity": _granularity,
    "axis": _axis,
    "zero_point": _zero_point,
    "scale": _scale,
    "range": _range,
    "same_quantization": _same_quantization,
    "limits": _limits,
    "unsupported": lambda d: iter((BrokenPlan(d.plan),)),
}
