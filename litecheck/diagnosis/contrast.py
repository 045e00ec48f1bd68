"""Contrast between the probes that the nearest candidate fails and the probes it passes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations, product

from litecheck.comparison.types import MismatchCluster
from litecheck.comparison.vector_tails import VECTORS, SharedTail, shared_tail
from litecheck.diagnosis.observed_output import ObservedOutput, compare_candidate
from litecheck.diagnosis.properties import Properties, Property, properties
from litecheck.diagnosis.result import Contrast, Hypothesis, PropertyBound, SharedTraits
from litecheck.reference.runtime_tensors import RunError

#: Largest number of traits kept.
_MOST = 3
#: Smallest number of passing probes whose numbers are multiples of a vector length.
_MULTIPLES = 3
#: Smallest ratio of all passing probes to passing probes with a trait, for a trait that separates.
_RARE = 4


def contrast(hypothesis: Hypothesis, seen: Sequence[ObservedOutput]) -> Contrast:
    """Return the probes that a candidate fails, the probes it passes, and the traits that separate them.

    If a designed probe fails, operators in other shapes do not count for the traits: each has many unusual factors.
    """
    failing = [one for one in seen if compare_candidate(one, hypothesis) != "fits"]
    passing = [one for one in seen if one not in failing]
    shared = distinguishing_traits(
        *(_traits(some, all(one.probe.resized for one in failing)) for some in (failing, passing))
    )
    return Contrast(
        tuple(s.probe.name for s in failing),
        tuple(s.probe.name for s in passing),
        shared,
        *_patterns(hypothesis, failing),
        _tail(hypothesis, failing),
    )


def _traits(seen: Sequence[ObservedOutput], resized: bool) -> list[Properties]:
    return [properties(one.probe) for one in seen if resized or not one.probe.resized]


def _patterns(
    hypothesis: Hypothesis, failing: Sequence[ObservedOutput]
) -> tuple[tuple[MismatchCluster, ...], str]:
    """Return the patterns of the first failing probe with any, and its name."""
    for one in failing:
        with suppress(RunError):
            if found := one.patterns(hypothesis):
                return found, one.probe.name
    return (), ""


def _tail(hypothesis: Hypothesis, failing: Sequence[ObservedOutput]) -> SharedTail | None:
    """Return the tail that has all differences of the failing probes."""
    with suppress(RunError):
        return shared_tail([one.differing(hypothesis) for one in failing])
    return None


@dataclass(frozen=True, slots=True)
class _FailingTrait:
    """A trait of all failing probes; ``failing_probes`` has the positions of passing probes with the same trait."""

    trait: PropertyBound
    failing_probes: frozenset[int]


def distinguishing_traits(
    failing: Sequence[Properties], passing: Sequence[Properties]
) -> tuple[SharedTraits, ...]:
    """Return traits of all failing probes that no passing probe has (alone, or two or three together).

    If there are none, return traits that at most a quarter of the passing probes have, and fewer passing than failing
    probes. Example: 6 failing and 18 of 83 passing probes with several inferences give nothing.
    """
    if not failing or not passing:
        return ()
    held = list(_common_traits(failing, passing))
    every = [*held, *_remainders(failing, passing)]
    alone = [SharedTraits((one.trait,), 0) for one in every if not one.failing_probes]
    if alone:
        return tuple(alone[:_MOST])
    for size in (2, 3):
        several = (
            group
            for group in combinations(held, size)
            if not frozenset.intersection(*(one.failing_probes for one in group))
        )
        found = next(several, None)
        if found:
            return (SharedTraits(tuple(one.trait for one in found), 0),)
    rare = (
        one
        for one in every
        if _RARE * len(one.failing_probes) <= len(passing) and len(one.failing_probes) < len(failing)
    )
    rarest = sorted(rare, key=lambda one: len(one.failing_probes))
    return tuple(SharedTraits((one.trait,), len(one.failing_probes)) for one in rarest[:_MOST])


def _common_traits(failing: Sequence[Properties], passing: Sequence[Properties]) -> Iterator[_FailingTrait]:
    """Yield traits of all failing probes: bools and words first, then lower bounds of numbers, then upper bounds."""
    names = dict.fromkeys(name for one in failing for name in one)
    numbers: list[str] = []
    for name in names:
        values = [one.get(name) for one in failing]
        if any(value is None for value in values):
            continue
        if isinstance(values[0], (bool, str)):
            yield from _common_value(name, values, [one.get(name) for one in passing])
        else:
            numbers.append(name)
    for least in (True, False):
        for name in numbers:
            rest = {n: int(one[name]) for n, one in enumerate(passing) if name in one}
            yield _bound(name, [int(one[name]) for one in failing], rest, least)


def _remainders(failing: Sequence[Properties], passing: Sequence[Properties]) -> Iterator[_FailingTrait]:
    """Yield lengths of vectors of which no failing probe's number is a multiple, the shortest first.

    For example, failing depths of 17 and 35 and passing depths of 16 and 64 give "not a multiple of 16".
    """
    names = [
        name for name, value in failing[0].items() if isinstance(value, int) and not isinstance(value, bool)
    ]
    for name, vector in product(names, sorted(VECTORS)):
        values = [one.get(name) for one in failing]
        if all(isinstance(value, int) and value % vector for value in values):
            rest = {n: int(one[name]) for n, one in enumerate(passing) if name in one}
            having = frozenset(n for n, value in rest.items() if value % vector)
            if len(rest) - len(having) >= _MULTIPLES:
                yield _FailingTrait(PropertyBound(name, "not a multiple of", vector), having)


def _common_value(
    name: str, values: Sequence[Property | None], others: Sequence[Property | None]
) -> Iterator[_FailingTrait]:
    """Yield the common value of all failing probes, if they agree."""
    value = values[0]
    if len(set(values)) == 1:
        peculiar = PropertyBound(name, "has" if value else "has not")
        trait = PropertyBound(name, "is", value) if isinstance(value, str) else peculiar
        yield _FailingTrait(trait, frozenset(n for n, other in enumerate(others) if other == value))


def _bound(name: str, values: Sequence[int], rest: Mapping[int, int], least: bool) -> _FailingTrait:
    """Return the smallest or the largest value of failing probes; ``rest`` has the passing probes' values by position.

    For example, failing values 300 and 400 and passing values 100 and 200 give "at least 300, next 200".
    """
    end = min(values) if least else max(values)
    having = {n for n, v in rest.items() if (v >= end if least else v <= end)}
    beyond = [v for n, v in rest.items() if n not in having]
    nearest = (max if least else min)(beyond) if beyond else None
    return _FailingTrait(
        PropertyBound(name, "at least" if least else "at most", end, nearest), frozenset(having)
    )
