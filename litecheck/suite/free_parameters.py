"""Free quantization parameters: scales and zero points that a rule leaves open, and plans with new values for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litecheck.profile.generate.plan_solver import following, repair_plan
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.profile.types import Constraint, Exactly, OneOf, PowerOf, Range, Roles
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.suite.draft_constants import depth
from litecheck.suite.drafts import Draft

#: Function from a role and its scales to new scales; function from a role and its zero point limits to a zero point.
Rescaling = Callable[[str, NDArray[np.float64]], ArrayLike]
Zeroing = Callable[[str, tuple[int, int]], int]
#: Approximate largest real values of data, of sums of products with weights, and of states.
_REALS, _SUMS, _STATES = 8.0, 2.0, 1.0


@dataclass(frozen=True, eq=False)
class FreeParameters:
    """Roles of a draft whose scales and zero points are free; roles that share parameters change together."""

    draft: Draft

    @cached_property
    def groups(self) -> dict[str, frozenset[str]]:
        """Roles that share their parameters with a role, including the role."""
        groups = {role: frozenset((role,)) for role in self.draft.plan.operands}
        shared = [r.value.roles for r in self.draft.requirements if isinstance(r.value, Roles)]
        for roles in (*shared, *self.draft.equal_pairs):
            joint = frozenset().union(*(groups[role] for role in roles if role in groups))
            groups |= dict.fromkeys(joint, joint)
        return groups

    @cached_property
    def scales(self) -> frozenset[str]:
        """Roles whose scale is free."""
        return frozenset(
            role for role in self.draft.plan.operands if all(map(self._has_free_scale, self.groups[role]))
        )

    @cached_property
    def powers(self) -> frozenset[str]:
        """Roles whose scale must be a power of two."""
        return frozenset(r.role for r in self.draft.requirements if r.role and isinstance(r.value, PowerOf))

    def zeros(self, role: str) -> tuple[int, int]:
        """Return the smallest and the largest zero point of a role; equal if there is no choice."""
        spans = [self._zeros(one) for one in self.groups[role] if self.draft.plan.one(one)]
        if not spans:
            return 0, 0
        low, high = max(low for low, _ in spans), min(high for _, high in spans)
        return (low, high) if low <= high else spans[0]

    def _value(self, role: str, verb: str) -> Constraint | None:
        return next((r.value for r in self.draft.requirements if r.role == role and r.verb == verb), None)

    def _has_free_scale(self, role: str) -> bool:
        tensor = self.draft.plan.one(role)
        if tensor is None:
            return True
        value = self._value(role, "scale")
        stated = isinstance(value, Exactly) and isinstance(value.value, Fraction)
        return (
            bool(tensor.scale.size)
            and not stated
            and (value is None or isinstance(value, (Exactly, PowerOf)))
        )

    def _zeros(self, role: str) -> tuple[int, int]:
        tensor = self.draft.plan.operands[role][0]
        low, high = INTEGER_RANGES.get(tensor.dtype, (0, 0))
        zero = int(tensor.zero_point[0]) if tensor.zero_point.size else 0
        value = self._value(role, "zero_point")
        if isinstance(value, OneOf):
            value = next((v for v in value.values if isinstance(v, Range)), None)
        if tensor.scale.size > 1:
            return zero, zero
        if (
            value is None
            and self._is_data_input(role)
            and tensor.scale.size
            and BITS.get(tensor.dtype, 64) <= 8
        ):
            return low, high
        if not isinstance(value, Range) or BITS.get(tensor.dtype, 64) > 8:
            return zero, zero
        return max(low, int(value.low)), min(high, int(value.high))

    def _is_data_input(self, role: str) -> bool:
        """Return True if a role is input data: without a rule, any zero point is valid."""
        return self.draft.facts.inputs.get(role) == "data"

    def base(self, role: str) -> NDArray[np.float64]:
        """Return scales, as many as the role has, with which its values are a few units."""
        tensor = self.draft.plan.operands[role][0]
        kind = self.draft.facts.inputs.get(role, "")
        bits = min(BITS.get(tensor.dtype, 8), 16)
        reach = _REALS
        if kind == "weight":
            reach = _SUMS / self._terms(role, tensor) ** 0.5
        elif kind == "state":
            reach = _REALS if bits == 16 else _STATES
        count = tensor.scale.size
        base: NDArray[np.float64] = np.full(count, reach / 2.0 ** (bits - 1))
        return np.exp2(np.round(np.log2(base))) if role in self.powers else base

    def _terms(self, role: str, tensor: TensorPlan) -> int:
        """Return the number of products that are summed with a weight."""
        if role in self.draft.facts.products:
            return depth(self.draft, self.draft.plan)
        return tensor.shape[-1] if len(tensor.shape) > 1 else 1

    def move_parameters(self, scales: Rescaling, zeros: Zeroing) -> Plan:
        """Return the draft's plan with new values of all free parameters, and of the parameters that depend on them."""
        plan, seen = self.draft.plan, set[str]()
        for role in plan.operands:
            if role in seen or not (plan.one(role) and plan.operands[role][0].scale.size):
                continue
            group = self.groups[role]
            seen |= group
            low, high = self.zeros(role)
            zero = min(max(zeros(role, (low, high)), low), high)
            for at in range(max(len(plan.operands[one]) for one in group)):
                scale = self._scale(role, scales) if role in self.scales else None
                for one in group:
                    if at < len(plan.operands[one]):
                        plan = plan.edit(one, lambda t, s=scale, z=zero: _set_parameters(t, s, z), at)  # type: ignore[misc]
        return following(plan, self.draft.requirements)

    def _scale(self, role: str, scales: Rescaling) -> NDArray[np.float64]:
        made = np.asarray(scales(role, self.base(role)), np.float64)
        return np.exp2(np.round(np.log2(made))) if role in self.powers else made

    def repair_plan(self, plan: Plan) -> Plan | None:
        """Return the plan repaired to satisfy all limits without changing shapes; None if that is impossible."""
        if not self.draft.violated_limits(plan):
            return plan
        changed, left = repair_plan(plan, self.draft.requirements)
        return changed if not left and _shapes(changed) == _shapes(plan) else None


def _set_parameters(tensor: TensorPlan, scale: ArrayLike | None, zero: int) -> TensorPlan:
    if not tensor.scale.size:
        return tensor
    return tensor.with_scale(tensor.scale if scale is None else np.resize(scale, tensor.scale.size), zero)


def _shapes(plan: Plan) -> dict[str, tuple[tuple[int, ...], ...]]:
    return {role: tuple(t.shape for t in tensors) for role, tensors in plan.operands.items()}
