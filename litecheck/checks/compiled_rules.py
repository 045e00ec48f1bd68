"""Compiled rules: the check of each requirement is built once per rule, not once per operator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from litecheck.checks import (
    axis,
    dtype,
    granularity,
    limits,
    operands,
    same_quantization,
    scale,
    shapes,
    unsupported,
    zero_point,
)
from litecheck.checks import range as stored_range
from litecheck.checks.bound_operator import Check, Verb, types
from litecheck.checks.bound_operator import axis as axis_of
from litecheck.profile.types import Exactly, OperatorRule, ProductOf, Requirement, SameAs

VERBS: dict[str, Verb] = {
    "operands": operands.checker,
    "dtype": dtype.checker,
    "granularity": granularity.checker,
    "axis": axis.checker,
    "zero_point": zero_point.checker,
    "scale": scale.checker,
    "range": stored_range.checker,
    "same_quantization": same_quantization.checker,
    "limits": limits.checker,
    "shapes": shapes.checker,
    "unsupported": unsupported.checker,
}

#: Checks of a single tensor, unless the required value names another role.
_OF_A_TENSOR = frozenset(("dtype", "granularity", "axis", "zero_point", "scale", "range"))
#: Bit of each check of a single tensor.
_BITS: dict[Hashable, int] = {}


@dataclass(frozen=True, slots=True)
class CompiledRequirement:
    """Requirement with its check, and the check of the relaxed requirement if a profile relaxes it."""

    requirement: Requirement
    check: Check
    relaxed_check: Check | None


class CompiledRule:
    """Compiled checks of one operator.

    ``any_of`` are the alternatives by name, ``telling`` the paths of the limits that distinguish them. ``settled`` are
    the checks, each with its shortcut (measurement and only allowed value), if any. ``alone`` are the roles with
    checks that need a single tensor, each with one bit per check; equal checks have the same bit in all rules.
    ``structured`` is True if the rule has structure limits.
    """

    def __init__(self, rule: OperatorRule) -> None:
        required = tuple(rule.own_requirements())
        self.checks = _compile_requirements(rule, required)
        self.settled = tuple((one, limits.fast_path(one.requirement)) for one in self.checks)
        alternatives = () if rule.unsupported else rule.any_of
        self.any_of = tuple((a.name, _compile_requirements(rule, a.requirements)) for a in alternatives)
        self.telling = _distinguishing_limits([a.requirements for a in alternatives])
        asked: dict[str, list[Hashable]] = {}
        for r in filter(_needs_one_tensor, required):
            asked.setdefault(r.role or "", []).append((r.verb, r.value))
        self.alone = tuple(
            (
                role,
                _BITS.setdefault(
                    (rule.strict, types(rule, role), axis_of(rule, role), *what), 1 << len(_BITS)
                ),
            )
            for role, what in asked.items()
        )
        self.structured = any(map(limits.is_structural, required))
        self._remaining: dict[Hashable, tuple[CompiledRequirement, ...]] = {}

    def remaining(
        self, structure: bool, complete: bool, unproved: tuple[tuple[str, int], ...]
    ) -> tuple[CompiledRequirement, ...]:
        """Return the checks that remain.

        Structure limits are omitted if ``structure`` is True, and the check of operands if ``complete`` is True. Checks
        of a single tensor are omitted for all roles but those in ``unproved``.
        """
        known = structure, complete, unproved
        checks = self._remaining.get(known)
        if checks is None:
            roles = {role for role, _ in unproved}
            checks = self._remaining[known] = tuple(
                ready for ready in self.checks
                if not (structure and limits.is_structural(ready.requirement))
                and not (complete and ready.requirement.verb == "operands")
                and (not _needs_one_tensor(ready.requirement) or ready.requirement.role in roles)
            )  # fmt: skip
        return checks


def _distinguishing_limits(alternatives: Sequence[Sequence[Requirement]]) -> frozenset[str]:
    """Return the limits with exact values that some alternatives do not have: they distinguish the alternatives."""
    stated = Counter(
        pair for of_one in alternatives for pair in {(r.path, r.value) for r in of_one if r.verb == "limits"}
    )
    return frozenset(
        path for (path, value), times in stated.items()
        if isinstance(value, Exactly) and times < len(alternatives)
    )  # fmt: skip


def _needs_one_tensor(requirement: Requirement) -> bool:
    """Return True if the requirement depends on the tensor only, not on its operator."""
    return requirement.verb in _OF_A_TENSOR and not isinstance(requirement.value, ProductOf | SameAs)


# Rules hash by identity.
@lru_cache(maxsize=2048)
def compiled_rule(rule: OperatorRule) -> CompiledRule:
    """Return the compiled rule (cached)."""
    return CompiledRule(rule)


def _compile_requirements(
    rule: OperatorRule, requirements: Iterable[Requirement]
) -> tuple[CompiledRequirement, ...]:
    return tuple(
        CompiledRequirement(
            r,
            VERBS[r.verb](rule, r, r.value),
            VERBS[r.verb](rule, r, r.relaxation.value) if r.relaxation else None,
        )
        for r in requirements
    )
