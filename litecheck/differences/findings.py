"""Findings that only one of two models has, each under the change of its operator that it follows from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from litecheck.checks.validate import validate
from litecheck.differences.change import Change
from litecheck.finding import Finding
from litecheck.model.matching import ModelMatch
from litecheck.model.types import Model


class _Place(NamedTuple):
    """Requirement and place of a finding. Operators of the second model have the number of their partner."""

    path: str
    subgraph: int
    operator: int
    role: str | None
    position: int | None


def finding_changes(match: ModelMatch, changes: Sequence[Change]) -> Iterator[Change]:
    """Yield the findings of one model only."""
    back = {(part.first.index, other): one for part in match.subgraphs for one, other in part.operators}
    forth = {(part.first.index, one): other for part in match.subgraphs for one, other in part.operators}
    gone, new = _findings(match.first, None), _findings(match.second, back)
    first: dict[tuple[int, int], int] = {}
    added: dict[tuple[int, int], int] = {}
    for number, change in enumerate(changes):
        side = first if change.operator >= 0 else added
        side.setdefault((change.subgraph, max(change.operator, change.other)), number)
    for place, finding in gone.items():
        if place not in new:
            number, key = finding.where.operator, (place.subgraph, finding.where.operator)
            yield _change("finding-gone", finding, number, forth.get(key, -1), first.get(key, -1))
    for place, finding in new.items():
        if place not in gone:
            key = place.subgraph, finding.where.operator
            old = back.get(key, -1)
            cause = first.get((place.subgraph, old), -1) if old >= 0 else added.get(key, -1)
            yield _change("finding-new", finding, old, finding.where.operator, cause)


def _change(kind: str, finding: Finding, operator: int, other: int, cause: int) -> Change:
    where = finding.where
    text = f"{finding.path}: {finding.found}"
    return Change(
        "finding-new" if kind == "finding-new" else "finding-gone",
        where.subgraph, operator, other, where.opcode, where.name, where.role or "", text=text, cause=cause,
    )  # fmt: skip


def _findings(model: Model, partners: Mapping[tuple[int, int], int] | None) -> dict[_Place, Finding]:
    found = {}
    for finding in validate(model).active:
        where = finding.where
        number = where.operator
        if partners is not None:
            number = partners.get((where.subgraph, number), -2 - number)
        found[_Place(finding.path, where.subgraph, number, where.role, where.position)] = finding
    return found
