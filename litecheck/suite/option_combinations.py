"""Choices: combinations of options of a rule, under which a form is drafted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from litecheck.profile.generate.plan_solver import first_word, requirements_of
from litecheck.profile.types import OperatorRule, Profile, Requirement, words_of
from litecheck.reference.runtime_tensors import NUMPY_TYPES


@dataclass(frozen=True, slots=True)
class Choice:
    """A combination of options of a rule: the activations' type, an alternative of ``any_of``, types by role if not
    the first listed, ``single`` (a role with a single scale although several are usual), ``several`` (the reverse)."""

    kind: str
    alternative: int = 0
    types: tuple[tuple[str, str], ...] = ()
    single: str = ""
    several: str = ""

    def words(self, rule: OperatorRule) -> tuple[str, ...]:
        """Return the deviations from the usual combination, for a name."""
        named = (rule.any_of[self.alternative].name.replace("_", "-"),) if len(rule.any_of) > 1 else ()
        types = (f"{role.replace('_', '-')}-{dtype}" for role, dtype in self.types)
        scales = ("one-scale",) if self.single else ("several-scales",) if self.several else ()
        return (*named, *types, *scales)


def choices(profile: Profile, rule: OperatorRule, kind: str) -> Iterator[Choice]:
    """Yield every type that a rule lists for a role, individually, under each alternative.

    Yield nothing if the rule does not list ``kind`` for its activations.
    """
    for number in range(max(1, len(rule.any_of))):
        demands = [
            r for r in requirements_of(rule, number) if r.verb == "dtype" and r.role in rule.activations
        ]
        if demands and not any(kind in listed_types(r) for r in demands):
            continue
        yield Choice(kind, number)
        for r in requirements_of(rule, number):
            if r.verb == "granularity" and r.role:
                yield from _other_granularity(r, r.role, Choice(kind, number))
            if r.verb != "dtype" or r.role is None:
                continue
            words = listed_types(r)
            if r.role in rule.activations and len(profile.activations) > 1:
                continue  # each of these types is a kind with choices of its own
            usual = kind if r.role in rule.activations and kind in words else first_word(r.value)
            yield from (Choice(kind, number, ((r.role, word),)) for word in words if word != usual)


def _other_granularity(r: Requirement, role: str, choice: Choice) -> Iterator[Choice]:
    """Yield a single scale if per-axis is listed first and per-tensor is accepted, and the reverse."""
    first, words = first_word(r.value), words_of(r.value)
    if first == "per-axis" and (r.level == "note" or "per-tensor" in words):
        yield replace(choice, single=role)
    if first == "per-tensor" and "per-axis" in words:
        yield replace(choice, several=role)


def listed_types(r: Requirement) -> tuple[str, ...]:
    """Return the types that a requirement lists, with those that a child profile accepts, sorted."""
    relaxed = words_of(r.relaxation.value) if r.relaxation else frozenset()
    return tuple(sorted(word for word in words_of(r.value) | relaxed if word in NUMPY_TYPES))
