"""Findings that only one of two models has, each under the change of its operator that it follows from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from litecheck.checks.validate import validate
from litecheck.differences.change import Change, ChangeKind
from litecheck.finding import Finding
from litecheck.model.matching import ModelMatch
from litecheck.model.types import Model, Operator
from litecheck.profile.operators import traits_of

#: Kinds of changes that keep shapes and types of other tensors, so that a finding elsewhere does not follow from them.
_LOCAL: frozenset[ChangeKind] = frozenset(
    ("scale", "zero-point", "axis", "granularity", "constant", "name", "metadata", "output-values")
)


#: Options without an effect on shapes.
_SHAPELESS = frozenset(("fused_activation_function", "quantized_bias_type"))


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
    if not changes:
        return
    near = _near(match, changes)
    gone = _findings(match.first, near, None)
    new = _findings(match.second, None if near is None else {(s, forth[s, n]) for s, n in near}, back)
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


def _near(match: ModelMatch, changes: Sequence[Change]) -> set[tuple[int, int]] | None:
    """Return the operators of the first model whose findings can change: changed operators and their neighbors.

    None stands for all operators: operators were added or removed, or shapes can change.
    """
    if match.unmatched or not all(map(partial(_is_local, match), changes)):
        return None
    near = set()
    for part in match.subgraphs:
        changed = {c.operator for c in changes if c.subgraph == part.first.index and c.operator >= 0}
        tensors = {i for n in changed for i in _tensors(part.first.operators[n])}
        near |= {
            (part.first.index, op.index)
            for op in part.first.operators
            if not tensors.isdisjoint(_tensors(op))
        }
    return near


def _is_local(match: ModelMatch, change: Change) -> bool:
    """Return True if a change has no effect on shapes: values of a constant can be sizes or indices."""
    if change.kind == "option":
        return change.role in _SHAPELESS
    if change.kind != "constant":
        return change.kind in _LOCAL
    subgraph = match.subgraphs[change.subgraph].first
    operator = subgraph.operators[change.operator]
    index = traits_of(operator.kind).tensors(operator).get(change.role, -1)
    return index >= 0 and subgraph.tensors[index].quantization.scale.size > 0


def _tensors(operator: Operator) -> tuple[int, ...]:
    return tuple(i for i in (*operator.inputs, *operator.outputs) if i >= 0)


def _change(kind: str, finding: Finding, operator: int, other: int, cause: int) -> Change:
    where = finding.where
    text = f"{finding.path}: {finding.found}"
    return Change(
        "finding-new" if kind == "finding-new" else "finding-gone",
        where.subgraph, operator, other, where.opcode, where.name, where.role or "", text=text, cause=cause,
    )  # fmt: skip


def _findings(
    model: Model, only: Collection[tuple[int, int]] | None, partners: Mapping[tuple[int, int], int] | None
) -> dict[_Place, Finding]:
    found = {}
    for finding in validate(model, only=only).active:
        where = finding.where
        number = where.operator
        if partners is not None:
            number = partners.get((where.subgraph, number), -2 - number)
        found[_Place(finding.path, where.subgraph, number, where.role, where.position)] = finding
    return found
