"""Search for candidates that fit, with up to two defects, and for the nearest candidate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

from litecheck.diagnosis.hypotheses import defective
from litecheck.diagnosis.observed_output import ObservedOutput, compare_candidate
from litecheck.diagnosis.result import ExcludedCandidate, Hypothesis, NearestHypothesis
from litecheck.reference.defects.defects import defects_of

#: Two defects are tried together if this share of the outputs of the smallest probes is within this number of steps
#: (roundings differ by at most as many), and the number of smallest probes compared.
_SHARE, _STEPS, _SMALL = 0.9, 2, 4


def fitting(
    candidates: Iterable[Hypothesis], seen: Sequence[ObservedOutput]
) -> tuple[list[Hypothesis], list[ExcludedCandidate]]:
    """Return the candidates that fit all probes, and an excluding difference for each excluded candidate.

    A probe that excluded a candidate is tried first on the next candidate.
    """
    order = list(seen)
    fits, excluded = [], []
    for hypothesis in candidates:
        for at, one in enumerate(order):
            found = compare_candidate(one, hypothesis)
            if found == "fits":
                continue
            if isinstance(found, ExcludedCandidate):
                excluded.append(found)
            order.insert(0, order.pop(at))
            break
        else:
            fits.append(hypothesis)
    return fits, excluded


def nearest(
    opcode: str, possible: Sequence[Hypothesis], seen: Sequence[ObservedOutput]
) -> NearestHypothesis | None:
    """Return the candidate with the fewest differences: the best without a defect, or that candidate with one defect."""
    best = _keep_better(possible, seen, None)
    return None if best is None else _keep_better(defective(best.example.way, opcode), seen, best)


def _keep_better(
    ways: Iterable[Hypothesis], seen: Sequence[ObservedOutput], best: NearestHypothesis | None
) -> NearestHypothesis | None:
    """Return the candidate with fewer differences than ``best``; a candidate with as many is abandoned early."""
    size = sum(one.size for one in seen)
    order = list(seen)
    for hypothesis in ways:
        differing: list[ExcludedCandidate] = []
        for at, one in enumerate(order):
            found = compare_candidate(one, hypothesis)
            if isinstance(found, ExcludedCandidate):
                differing.append(found)
            if found == "cannot be computed" or (
                best is not None and sum(f.differing for f in differing) >= best.differing
            ):
                # The probe that excluded this candidate is tried first on the next.
                order.insert(0, order.pop(at))
                break
        else:
            if differing:
                first = min(differing, key=lambda f: [s.probe.name for s in seen].index(f.probe))
                best = NearestHypothesis(sum(f.differing for f in differing), size, first)
    return best


def in_pairs(
    near: Hypothesis, possible: Sequence[Hypothesis], seen: Sequence[ObservedOutput], opcode: str
) -> Iterator[Hypothesis]:
    """Yield candidates with two defects, each of which changes outputs on the nearest candidate's failing probes.

    At least one defect alone makes outputs nearer to the device's. Together, most outputs of small probes are within
    rounding of the device's, and fewer differ than without defects.
    """
    base = replace(near, defect="", published=())
    order = sorted(seen, key=lambda s: s.size)
    failing = [one for one in order if compare_candidate(one, base) != "fits"]
    acting = [
        name
        for name in defects_of(opcode)
        if any(one.differ(replace(base, defect=name), base) for one in failing)
    ]
    small, any_small = failing[:_SMALL], order[:_SMALL]
    limit, far = _count_differing(base, small), _distance(base, small)
    helping = {name for name in acting if _distance(replace(base, defect=name), small) < far}
    for first, second in combinations(acting, 2):
        if not helping & {first, second}:
            continue
        for pair in permutations((first, second)):
            hypothesis = replace(base, defect="+".join(pair))
            if (
                all(s.near(hypothesis, _STEPS, _SHARE) for s in (*small, *any_small))
                and _count_differing(hypothesis, small) < limit
            ):
                yield from (replace(other, defect=hypothesis.defect, published=()) for other in possible)


def _distance(hypothesis: Hypothesis, seen: Sequence[ObservedOutput]) -> float:
    return sum(one.distance(hypothesis) for one in seen)


def _count_differing(hypothesis: Hypothesis, seen: Sequence[ObservedOutput]) -> float:
    found = [compare_candidate(one, hypothesis) for one in seen]
    if "cannot be computed" in found:
        return float("inf")
    return sum(f.differing for f in found if isinstance(f, ExcludedCandidate))


def once(fits: Sequence[Hypothesis]) -> list[Hypothesis]:
    """Remove candidates with the same variants and the same set of defects as an earlier candidate."""
    found: dict[tuple[object, frozenset[str]], Hypothesis] = {}
    for hypothesis in fits:
        found.setdefault((hypothesis.stages, frozenset(hypothesis.defect.split("+"))), hypothesis)
    return list(found.values())
