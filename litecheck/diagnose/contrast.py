"""What tells probes that fail from those that pass: a property, or two together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from litecheck.diagnose.properties import Properties, Property

#: So many sentences are told.
_TOLD = 3


@dataclass(frozen=True, slots=True)
class _Trait:
    """Something all failing probes have: ``having`` are the passing ones that have it too, by their places."""

    sentence: str
    having: frozenset[int]


def apart(failing: Sequence[Properties], passing: Sequence[Properties]) -> tuple[str, ...]:
    """What all failing probes have and no passing one has; else what they have that fewest of the passing ones have."""
    if not failing:
        return ()
    if not passing:
        return ("no probe passes",)
    traits = list(_traits(failing, passing))
    alone = [f"all that fail have {t.sentence}; none that passes has" for t in traits if not t.having]
    if alone:
        return tuple(alone[:_TOLD])
    for size in (2, 3):
        several = (
            group
            for group in combinations(traits, size)
            if not frozenset.intersection(*(t.having for t in group))
        )
        found = next(several, None)
        if found:
            joined = " and ".join(t.sentence for t in found)
            return (
                f"all that fail have {joined}; none that passes has {'both' if size == 2 else 'all three'}",
            )
    rarest = sorted((t for t in traits if len(t.having) < len(passing)), key=lambda t: len(t.having))
    return tuple(
        f"all that fail have {t.sentence}; so have {len(t.having)} of {len(passing)} that pass"
        for t in rarest[:_TOLD]
    ) or ("nothing that is measured of them",)


def _traits(failing: Sequence[Properties], passing: Sequence[Properties]) -> Iterator[_Trait]:
    """Peculiarities and words first, then numbers from below, numbers from above last."""
    names = dict.fromkeys(name for one in failing for name in one)
    numbers: list[str] = []
    for name in names:
        values = [one.get(name) for one in failing]
        if any(value is None for value in values):
            continue
        if isinstance(values[0], (bool, str)):
            yield from _same(name, values, [one.get(name) for one in passing])
        else:
            numbers.append(name)
    for bound in (_from_below, _from_above):
        for name in numbers:
            rest = {n: int(one[name]) for n, one in enumerate(passing) if name in one}
            yield bound(name, [int(one[name]) for one in failing], rest)


def _same(
    name: str, values: Sequence[Property | None], others: Sequence[Property | None]
) -> Iterator[_Trait]:
    """What all of them are, if they are all the same."""
    value = values[0]
    if len(set(values)) == 1:
        word = (
            f"{name} {value}"
            if isinstance(value, str)
            else name
            if value
            else f"no {name.removeprefix('no ')}"
        )
        yield _Trait(word, frozenset(n for n, other in enumerate(others) if other == value))


def _from_below(name: str, values: Sequence[int], rest: Mapping[int, int]) -> _Trait:
    least = min(values)
    below = [v for v in rest.values() if v < least]
    next_one = f" (next is {max(below):,})" if below else ""
    return _Trait(
        f"{name} of {least:,} or more{next_one}", frozenset(n for n, v in rest.items() if v >= least)
    )


def _from_above(name: str, values: Sequence[int], rest: Mapping[int, int]) -> _Trait:
    most = max(values)
    above = [v for v in rest.values() if v > most]
    next_one = f" (next is {min(above):,})" if above else ""
    return _Trait(f"{name} of {most:,} or less{next_one}", frozenset(n for n, v in rest.items() if v <= most))
