"""Plan that violates a single requirement, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from litecheck.profile.generate.plan_solver import propagate_parameters
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.profile.types import OperatorRule, Profile, Requirement

#: ``broken`` violates the requirement, ``near`` is within its tolerance; ``malformed`` has parameters that are invalid
#: under any requirement.
Kind = Literal["broken", "near", "malformed"]


@dataclass(frozen=True, slots=True)
class ViolatingPlan:
    """Plan that violates a single requirement."""

    plan: Plan
    kind: Kind = "broken"


@dataclass(frozen=True, slots=True)
class TargetRequirement:
    """Requirement to violate, its role, and a plan that satisfies the whole rule."""

    profile: Profile
    rule: OperatorRule
    r: Requirement
    all: tuple[Requirement, ...]
    plan: Plan

    @property
    def role(self) -> str:
        """Role of the requirement, "" if it has none."""
        return self.r.role or ""

    def change_tensor(
        self, change: Callable[[TensorPlan], TensorPlan], kind: Kind = "broken"
    ) -> ViolatingPlan:
        """Return the broken plan with only this tensor changed."""
        return ViolatingPlan(self.plan.edit(self.role, change), kind)

    def change_and_propagate(self, change: Callable[[TensorPlan], TensorPlan]) -> ViolatingPlan:
        """Return the broken plan with this tensor changed, and everything that follows from it recomputed."""
        plan = self.plan.edit(self.role, change)
        return ViolatingPlan(
            propagate_parameters(plan.but(independent_roles=plan.independent_roles | {self.role}), self.all)
        )
