"""What a rule states of one role, looked up once for each rule."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from litecheck.profile.types import Constraint, Exactly, OneOf, OperatorRule, Requirement


def words(value: Constraint) -> frozenset[str]:
    """The words a constraint allows."""
    parts = value.values if isinstance(value, OneOf) else (value,)
    return frozenset(p.value for p in parts if isinstance(p, Exactly) and isinstance(p.value, str))


def dimension(value: Constraint) -> int | None:
    """The dimension an ``axis`` constraint names."""
    return int(value.value) if isinstance(value, Exactly) and isinstance(value.value, Fraction) else None


def requirement_of(rule: OperatorRule, role: str, verb: str) -> Requirement | None:
    """The last requirement of a rule that holds a role to a verb."""
    path = f"{rule.opcode}/{role}/{verb}"
    return next((r for r in reversed(rule.requirements) if r.path == path), None)


# Rules hash by identity.
@lru_cache(maxsize=1024)
def types(rule: OperatorRule, role: str) -> frozenset[str] | None:
    """The types a rule allows for a role, relaxed ones included; None for any."""
    requirement = requirement_of(rule, role, "dtype")
    if requirement is None:
        return None
    allowed = words(requirement.value)
    return allowed | words(requirement.relaxed.value) if requirement.relaxed else allowed


@lru_cache(maxsize=1024)
def axis(rule: OperatorRule, role: str) -> int | None:
    """The quantized dimension the rule wants for a role, if it wants one."""
    requirement = requirement_of(rule, role, "axis")
    return None if requirement is None else dimension(requirement.value)


@lru_cache(maxsize=1024)
def may_lack_quantization(rule: OperatorRule, role: str) -> bool:
    """Whether the rule lets a role be plain integers."""
    requirement = requirement_of(rule, role, "granularity")
    return requirement is None or bool(words(requirement.value) & {"none", "any"})
