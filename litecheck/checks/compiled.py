"""A rule made ready to judge with: each requirement put to its verb once, not once for every operator."""

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
from litecheck.profile.load import STRUCTURE
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

#: The verbs that look at one operand, where what they ask names no other.
_OF_A_TENSOR = frozenset(("dtype", "granularity", "axis", "zero_point", "scale", "range"))
#: A number of one bit for all that is asked of a tensor.
_BITS: dict[Hashable, int] = {}


@dataclass(frozen=True, slots=True)
class Ready:
    """A requirement with what checks it, and what checks the relaxed one where a profile relaxes it."""

    requirement: Requirement
    check: Check
    relaxed: Check | None


class ReadyRule:
    """All that is checked of one operator; ``any_of`` are the alternatives by name, ``telling`` the paths of the limits
    that tell them apart. ``settled`` are the checks, each with what settles it without more ado where it can.

    ``alone`` are the roles of which something is asked that their tensor itself answers, each with the number of what is
    asked: one bit, the same for all rules that ask the same. ``structured`` is whether limits of structure are asked.
    """

    def __init__(self, rule: OperatorRule) -> None:
        required = tuple(rule.own_requirements())
        self.checks = _ready(rule, required)
        self.settled = tuple((one, limits.usual(one.requirement)) for one in self.checks)
        alternatives = () if rule.unsupported else rule.any_of
        self.any_of = tuple((a.name, _ready(rule, a.requirements)) for a in alternatives)
        self.telling = _telling([a.requirements for a in alternatives])
        asked: dict[str, list[Hashable]] = {}
        for r in filter(_alone, required):
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
        self.structured = any(map(_structural, required))
        self._remaining: dict[Hashable, tuple[Ready, ...]] = {}

    def remaining(
        self, structure: bool, complete: bool, unproved: tuple[tuple[str, int], ...]
    ) -> tuple[Ready, ...]:
        """The checks that are left: without those of a structure known to be sound, of operands that are all there, and
        of the tensors of other roles than the unproved ones."""
        known = structure, complete, unproved
        checks = self._remaining.get(known)
        if checks is None:
            roles = {role for role, _ in unproved}
            checks = self._remaining[known] = tuple(
                ready for ready in self.checks
                if not (structure and _structural(ready.requirement))
                and not (complete and ready.requirement.verb == "operands")
                and (not _alone(ready.requirement) or ready.requirement.role in roles)
            )  # fmt: skip
        return checks


def _telling(alternatives: Sequence[Sequence[Requirement]]) -> frozenset[str]:
    """The limits that are one value in an alternative and another value, or none, in the next: they count operands."""
    stated = Counter(
        pair for of_one in alternatives for pair in {(r.path, r.value) for r in of_one if r.verb == "limits"}
    )
    return frozenset(
        path for (path, value), times in stated.items()
        if isinstance(value, Exactly) and times < len(alternatives)
    )  # fmt: skip


def _structural(requirement: Requirement) -> bool:
    return requirement.verb == "limits" and requirement.demand.profile == STRUCTURE


def _alone(requirement: Requirement) -> bool:
    """Whether the tensor itself tells if it is kept, whatever operator it belongs to."""
    return requirement.verb in _OF_A_TENSOR and not isinstance(requirement.value, ProductOf | SameAs)


# Rules hash by identity.
@lru_cache(maxsize=2048)
def compiled(rule: OperatorRule) -> ReadyRule:
    """The rule, ready; made once."""
    return ReadyRule(rule)


def _ready(rule: OperatorRule, requirements: Iterable[Requirement]) -> tuple[Ready, ...]:
    return tuple(
        Ready(
            r, VERBS[r.verb](rule, r, r.value), VERBS[r.verb](rule, r, r.relaxed.value) if r.relaxed else None
        )
        for r in requirements
    )
