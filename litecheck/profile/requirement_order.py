"""Order of an operator's requirements, and the requirement of a type that only selects the rule."""

from __future__ import annotations

from litecheck.profile.rule_drafts import OperatorDraft
from litecheck.profile.types import ProductOf, Requirement, SameAs, words_of


def check_order(requirement: Requirement) -> int:
    """Return a sort key: requirements that compare with another input follow those of that input; shapes come last."""
    return 2 if requirement.verb == "shapes" else int(isinstance(requirement.value, (ProductOf, SameAs)))


def without_scope_dtype(
    requirements: tuple[Requirement, ...],
    activations: tuple[str, ...],
    draft: OperatorDraft,
    types: frozenset[str],
) -> tuple[Requirement, ...]:
    """Remove the dtype requirement of an input whose type alone decides if the rule applies: this type is scope.

    It is kept if the rule allows fewer types than the profile covers.
    """
    if len(activations) != 1 or activations[0] in draft.repeated:
        return requirements
    apart = f"{draft.opcode}/{activations[0]}/dtype"
    return tuple(r for r in requirements if r.path != apart or not types <= words_of(r.value))
