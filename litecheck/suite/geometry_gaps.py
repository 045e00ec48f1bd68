"""Geometry not exercised: values and pairs of values of an operator's design that no case with outputs has."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from litecheck.cases.geometry.design import Design, design_of
from litecheck.suite.manifest import CaseEntry, by_operator


@dataclass(frozen=True, slots=True)
class GeometryGap:
    """Geometry of an operator on a type that no case with outputs has.

    ``values`` are values of single factors (``batch 5``) and ranks (``rank 5``). ``pairs`` is the number of pairs of
    values, out of ``of``; both are 0 for an operator without a design. ``never`` are properties that no suite has.
    """

    opcode: str
    kind: str
    values: tuple[str, ...]
    pairs: int
    of: int
    never: tuple[str, ...]


def geometry_gaps(cases: Sequence[CaseEntry], answered: Collection[str]) -> Iterator[GeometryGap]:
    """Yield the gaps of every operator and type; ``answered`` are the names of the cases with outputs."""
    for (opcode, kind), several in by_operator([case for case in cases if not case.broken]).items():
        rows = [case.factors for case in several if case.factors and case.name in answered]
        design = design_of(opcode)
        if design is None:
            yield GeometryGap(opcode, kind, (), 0, 0, ("shapes beyond the forms of its cases",))
            continue
        pairs = {part for row in rows for part in combinations(row.items(), 2)}
        values = {value for row in rows for value in row.items()}
        known = sum(1 for pair in _pairs(design) if pair in pairs)
        missing = [
            f"{name.replace('_', ' ')} {value}"
            for name, value in design.values()
            if (name, value) not in values
        ]
        ranks = {_rank(case) for case in several if case.name in answered}
        missing += [f"rank {rank}" for rank in design.ranks if rank not in ranks]
        of = design.combinations()
        yield GeometryGap(opcode, kind, tuple(dict.fromkeys(missing)), of - known, of, design.never)


def _rank(case: CaseEntry) -> int:
    """Return the largest rank of an input. Example: shape (33, 2, 5, 7, 3), of 33 runs, has rank 4."""
    return max((len(array.shape) - 1 for array in case.inputs), default=0)


def _pairs(design: Design) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
    listed = [(name, value) for name, values in design.factors.items() for value in values]
    yield from ((one, other) for one, other in combinations(listed, 2) if one[0] != other[0])
