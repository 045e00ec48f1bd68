"""Plan that violates a single requirement, and its source."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from litecheck.profile.plan import Plan, TensorPlan
from litecheck.profile.solve import settled
from litecheck.profile.types import OperatorRule, Profile, Requirement

#: ``near`` is within what a requirement tolerates; ``malformed`` breaks more than the requirement speaks of: parameters
#: that make no sense whatever is demanded of them.
Kind = Literal["broken", "near", "malformed"]


@dataclass(frozen=True, slots=True)
class BrokenPlan:
    """Plan that violates a single requirement."""

    plan: Plan
    kind: Kind = "broken"


@dataclass(frozen=True, slots=True)
class Demanded:
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

    def edited(self, change: Callable[[TensorPlan], TensorPlan], kind: Kind = "broken") -> BrokenPlan:
        """Return the broken plan with only this tensor changed."""
        return BrokenPlan(self.plan.edit(self.role, change), kind)

    def followed(self, change: Callable[[TensorPlan], TensorPlan]) -> BrokenPlan:
        """Return the broken plan with this tensor changed, and all that follows from it."""
        plan = self.plan.edit(self.role, change)
        return BrokenPlan(settled(plan.but(set=plan.set | {self.role}), self.all))
