"""A plan that breaks one requirement, and what it is made from."""

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
    """A plan that breaks one requirement."""

    plan: Plan
    kind: Kind = "broken"


@dataclass(frozen=True, slots=True)
class Demanded:
    """What is to be broken: by a plan that keeps it, for a requirement with the role it speaks of."""

    profile: Profile
    rule: OperatorRule
    r: Requirement
    all: tuple[Requirement, ...]
    plan: Plan

    @property
    def role(self) -> str:
        """The role that it speaks of."""
        return self.r.role or ""

    def edited(self, change: Callable[[TensorPlan], TensorPlan], kind: Kind = "broken") -> BrokenPlan:
        """Only this operand changed."""
        return BrokenPlan(self.plan.edit(self.role, change), kind)

    def followed(self, change: Callable[[TensorPlan], TensorPlan]) -> BrokenPlan:
        """This operand changed, and what follows from it."""
        plan = self.plan.edit(self.role, change)
        return BrokenPlan(settled(plan.but(set=plan.set | {self.role}), self.all))
