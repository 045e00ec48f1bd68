"""The search for ways that fit, also with one defect or two; the nearest one, and what tells the probes it fails apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from litecheck.compare.types import Gathering
from litecheck.diagnose.hypotheses import defective
from litecheck.diagnose.observed import Seen, compared
from litecheck.diagnose.properties import Properties, Property, properties
from litecheck.diagnose.result import Contrast, Excluded, Hypothesis, NearestHypothesis
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.operands import RunError

#: So many sentences are told of what sets failing probes apart.
_TOLD = 3
#: Two defects are tried together where this share of the outputs of so many small probes is nearly right under any
#: rounding: roundings differ by no more steps than this.
_SHARE, _STEPS, _SMALL = 0.9, 2, 4


def fitting(
    candidates: Iterable[Hypothesis], seen: Sequence[Seen]
) -> tuple[list[Hypothesis], list[Excluded]]:
    """The ways that fit all probes, and for each other one where it does not; what excluded one is tried first on
    the next."""
    order = list(seen)
    fits, excluded = [], []
    for way in candidates:
        for at, one in enumerate(order):
            found = compared(one, way)
            if found == "fits":
                continue
            if isinstance(found, Excluded):
                excluded.append(found)
            order.insert(0, order.pop(at))
            break
        else:
            fits.append(way)
    return fits, excluded


def nearest(opcode: str, possible: Sequence[Hypothesis], seen: Sequence[Seen]) -> NearestHypothesis | None:
    """The way with the fewest differences: among all without a defect, and those the best of them can have."""
    best = _least(possible, seen, None)
    return None if best is None else _least(defective(best.example.way, opcode), seen, best)


def _least(
    ways: Iterable[Hypothesis], seen: Sequence[Seen], best: NearestHypothesis | None
) -> NearestHypothesis | None:
    """The way with fewer differences than the best so far; one is given up where it has as many."""
    size = sum(one.size for one in seen)
    order = list(seen)
    for way in ways:
        differing: list[Excluded] = []
        for at, one in enumerate(order):
            found = compared(one, way)
            if isinstance(found, Excluded):
                differing.append(found)
            if found == "cannot be computed" or (
                best is not None and sum(f.differing for f in differing) >= best.differing
            ):
                # What gave one up comes first for the next.
                order.insert(0, order.pop(at))
                break
        else:
            if differing:
                first = min(differing, key=lambda f: [s.probe.name for s in seen].index(f.probe))
                best = NearestHypothesis(sum(f.differing for f in differing), size, first)
    return best


def in_pairs(
    near: Hypothesis, possible: Sequence[Hypothesis], seen: Sequence[Seen], opcode: str
) -> Iterator[Hypothesis]:
    """Ways with two defects, each of which changes something where the nearest way fails.

    One of them alone brings outputs nearer to the device's; together they are nearly right on small probes, whatever
    the rounding, and less wrong than the way without them.
    """
    base = replace(near, departure="", published=())
    order = sorted(seen, key=lambda s: s.size)
    failing = [one for one in order if compared(one, base) != "fits"]
    acting = [
        name
        for name in defects_of(opcode)
        if any(one.differ(replace(base, departure=name), base) for one in failing)
    ]
    small, any_small = failing[:_SMALL], order[:_SMALL]
    limit, far = _differing(base, small), _distance(base, small)
    helping = {name for name in acting if _distance(replace(base, departure=name), small) < far}
    for first, second in combinations(acting, 2):
        if not helping & {first, second}:
            continue
        for pair in permutations((first, second)):
            way = replace(base, departure="+".join(pair))
            if (
                all(s.near(way, _STEPS, _SHARE) for s in (*small, *any_small))
                and _differing(way, small) < limit
            ):
                yield from (replace(other, departure=way.departure, published=()) for other in possible)


def _distance(way: Hypothesis, seen: Sequence[Seen]) -> float:
    return sum(one.distance(way) for one in seen)


def _differing(way: Hypothesis, seen: Sequence[Seen]) -> float:
    found = [compared(one, way) for one in seen]
    if "cannot be computed" in found:
        return float("inf")
    return sum(f.differing for f in found if isinstance(f, Excluded))


def once(fits: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Without ways whose defects are another's in the other order, or another's and one more that does nothing."""
    found: dict[tuple[object, frozenset[str]], Hypothesis] = {}
    for way in fits:
        found.setdefault((way.stages, frozenset(way.departure.split("+"))), way)
    return list(found.values())


def contrast(way: Hypothesis, seen: Sequence[Seen]) -> Contrast:
    """Which probes a way fails on, which it passes, and what tells them apart."""
    failing = [one for one in seen if compared(one, way) != "fits"]
    passing = [one for one in seen if one not in failing]
    told = apart([properties(s.probe) for s in failing], [properties(s.probe) for s in passing])
    return Contrast(
        tuple(s.probe.name for s in failing),
        tuple(s.probe.name for s in passing),
        told,
        _patterns(way, failing),
    )


def _patterns(way: Hypothesis, failing: Sequence[Seen]) -> tuple[Gathering, ...]:
    for one in failing:
        try:
            found = one.patterns(way)
        except RunError:
            continue
        if found:
            return found
    return ()


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
            joined, all_ = " and ".join(t.sentence for t in found), "both" if size == 2 else "all three"
            return (f"all that fail have {joined}; none that passes has {all_}",)
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
    for least in (True, False):
        for name in numbers:
            rest = {n: int(one[name]) for n, one in enumerate(passing) if name in one}
            yield _bound(name, [int(one[name]) for one in failing], rest, least)


def _same(
    name: str, values: Sequence[Property | None], others: Sequence[Property | None]
) -> Iterator[_Trait]:
    """What all of them are, if they are all the same."""
    value = values[0]
    if len(set(values)) == 1:
        peculiar = name if value else f"no {name.removeprefix('no ')}"
        word = f"{name} {value}" if isinstance(value, str) else peculiar
        yield _Trait(word, frozenset(n for n, other in enumerate(others) if other == value))


def _bound(name: str, values: Sequence[int], rest: Mapping[int, int], least: bool) -> _Trait:
    """The least or the most that failing probes have; ``rest`` are the passing ones' values by their places."""
    end = min(values) if least else max(values)
    having = {n for n, v in rest.items() if (v >= end if least else v <= end)}
    beyond = [v for n, v in rest.items() if n not in having]
    next_one = f" (next is {(max if least else min)(beyond):,})" if beyond else ""
    return _Trait(f"{name} of {end:,} or {'more' if least else 'less'}{next_one}", frozenset(having))
