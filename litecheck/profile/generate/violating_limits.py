"""Plans that violate a single requirement: a limit, or the shape law."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from litecheck.profile.assemble import measurable
from litecheck.profile.generate.plan_solver import holds, limit, propagate_parameters, repair_plan, states
from litecheck.profile.generate.violating_plan import TargetRequirement, ViolatingPlan
from litecheck.profile.measurements.registry import setter_of
from litecheck.profile.operator_plan import TensorPlan
from litecheck.profile.types import Constraint, Exactly, MultipleOf, Range, parts_of, words_of
from litecheck.quantization import INTEGER_RANGES

#: Maximum number of plans that violate a limit.
_ENOUGH = 2
_MOST = INTEGER_RANGES["int32"][1]


def violating_limits(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    """Yield plans with measured values outside the limit; the other requirements are satisfied if the setter permits
    it."""
    alone: list[ViolatingPlan] = []
    more: list[ViolatingPlan] = []
    apply, others = setter_of(limit(d.r)).apply, setter_of(limit(d.r)).rejected_words
    for value in values_outside(d.r.value, others):
        changed = apply(d.plan, value)
        if changed is None:
            continue
        changed = propagate_parameters(changed, d.all)
        if holds(d.r, measurable(changed)):
            continue
        mended, left = repair_plan(changed, d.all, d.r)
        if holds(d.r, measurable(mended)):  # also violated after the repair of all other limits
            more.append(ViolatingPlan(changed))
            continue
        changed = mended
        spoiled = any(not states(changed, r) and states(d.plan, r) for r in d.all)
        (more if left or spoiled else alone).append(ViolatingPlan(changed))
        if len(alone) == _ENOUGH:
            break
    yield from alone or more[:1]


def values_outside(constraint: Constraint, others: tuple[str, ...] = ()) -> Iterator[Any]:
    """Yield values that a constraint does not allow: words, and numbers on both sides, far and near."""
    parts = parts_of(constraint)
    taken = words_of(constraint)
    yield from (word for word in others if word not in taken)
    for part in parts:
        yield from (n for n in _values_beyond(part) if str(n) not in taken)


def _values_beyond(part: Constraint) -> Iterator[Fraction | int]:
    if isinstance(part, MultipleOf):
        yield from (int(part.n) + 1, int(part.n) // 2)
    elif isinstance(part, Range):
        if part.high != _MOST or part.low <= 0:  # a range up to the int32 maximum is a lower bound only
            yield from _values_past_end(part.high, part.high * 2 or Fraction(1), 1)
        yield from _values_past_end(part.low, part.low / 2 if part.low > 0 else part.low * 2 - 1, -1)
    elif isinstance(part, Exactly) and isinstance(part.value, Fraction):
        yield from (int(part.value) + n for n in (1, 2, -1, -2, 3))


def _values_past_end(end: Fraction, far: Fraction, toward: int) -> Iterator[Fraction | int]:
    """Yield values beyond an end of a range: a far value and the nearest."""
    if end.denominator == 1:
        yield from (int(far), int(end) + toward)
    else:
        yield far
        yield Fraction(float(np.nextafter(np.float32(float(end)), np.float32(toward * np.inf))))


def violating_shapes(d: TargetRequirement) -> Iterator[ViolatingPlan]:
    """Yield plans with an input that is longer, has a dimension more or less, or is shorter; most laws reject one of
    them."""
    for role in d.rule.inputs:
        tensor = d.plan.one(role)
        if tensor is None:
            continue
        shape = tensor.shape
        others = [(*shape[:-1], shape[-1] + 1), (shape[0] + 1, *shape[1:]), shape[1:]] if shape else []
        for other in (*others, (*shape, 2), (2, *shape)):
            plan = d.plan.edit(role, lambda t, s=other: _resize(t, s))  # type: ignore[misc]
            yield ViolatingPlan(plan)


def _resize(tensor: TensorPlan, shape: tuple[int, ...]) -> TensorPlan:
    """Return the tensor in another shape; a constant repeats its values."""
    return (
        tensor.but(shape=shape) if tensor.values is None else tensor.holding(np.resize(tensor.values, shape))
    )
