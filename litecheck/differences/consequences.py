"""Consequences: changes that follow from another change, such as a bias scale from the scale of the weight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from litecheck.differences.change import Change, ChangeKind
from litecheck.differences.operator_changes import PlacedChange
from litecheck.differences.tensors import follows_scale
from litecheck.model.matching import SubgraphMatch
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of

#: Relative difference of a bias scale from the product of the input and weight scales that counts as equal.
_PRODUCT = 1e-3
#: Kinds of changes that change the integers of constants with the same real values, the most general first.
_STORAGE: tuple[ChangeKind, ...] = ("dtype", "granularity", "scale", "zero-point")
Numbers = Mapping[tuple[int, ChangeKind], int]


def with_causes(match: SubgraphMatch, found: Sequence[PlacedChange]) -> list[Change]:
    """Return the changes of a subgraph, each with the number of its cause."""
    numbers = {(one.tensors[0], one.change.kind): n for n, one in enumerate(found) if one.tensors[0] >= 0}
    partners = dict(match.operators)
    replaced = {c.change.operator: n for n, c in enumerate(found) if c.change.kind == "operator-replaced"}
    causes = (_cause(match, partners, n, one, numbers, replaced) for n, one in enumerate(found))
    return [replace(one.change, cause=cause) for one, cause in zip(found, causes, strict=True)]


def _cause(
    match: SubgraphMatch,
    partners: Mapping[int, int],
    number: int,
    found: PlacedChange,
    numbers: Numbers,
    replaced: Mapping[int, int],
) -> int:
    change, (old, new) = found.change, found.tensors
    if change.operator < 0:
        return -1
    if change.kind in ("operator-version", "option") and (change.operator in replaced):
        return replaced[change.operator]
    if change.kind == "operator-version":
        return _cause_of_version(match, change, numbers)
    if old < 0:
        return -1
    one, other = match.first.operators[change.operator], match.second.operators[partners[change.operator]]
    cause = -1
    own = next((numbers[old, kind] for kind in _STORAGE if (old, kind) in numbers), -1)
    if change.kind in ("granularity", "axis") and (old, "dtype") in numbers:
        cause = own
    elif change.kind == "constant" and own >= 0:
        cause = own if follows_scale(match.first.tensors[old], match.second.tensors[new]) else -1
    elif change.role == "bias":
        cause = _cause_of_bias(match, one, other, change.kind, numbers)
    elif change.kind in ("scale", "zero-point", "dtype", "shape", "granularity"):
        cause = _cause_from_input(match, one, other, (old, new), change.kind, numbers)
    return cause if cause != number else -1


def _cause_of_version(match: SubgraphMatch, change: Change, numbers: Numbers) -> int:
    """Return the change of type of an operand that an operator's version follows from."""
    operator = match.first.operators[change.operator]
    near = (numbers.get((i, "dtype"), -1) for i in (*operator.inputs, *operator.outputs))
    return next((n for n in near if n >= 0), -1)


def _cause_of_bias(
    match: SubgraphMatch, one: Operator, other: Operator, kind: ChangeKind, numbers: Numbers
) -> int:
    """Return the change of the weight or the input that a change of the bias follows from."""
    old, new = _tensors_by_role(match.first, one), _tensors_by_role(match.second, other)
    if not {"input", "weight", "bias"} <= set(old) & set(new):
        return -1
    if kind == "scale" and not _is_product(new):
        return -1
    near = (numbers.get((old[role].index, kind), -1) for role in ("weight", "input"))
    return next((n for n in near if n >= 0), -1) if kind in ("scale", "granularity", "axis", "dtype") else -1


def _is_product(tensors: Mapping[str, Tensor]) -> bool:
    source, weight, bias = (tensors[role].quantization.scale for role in ("input", "weight", "bias"))
    if source.size != 1 or bias.size != weight.size or not bias.size:
        return False
    wanted = source.astype(np.float64) * weight
    return bool(np.all(np.abs(bias - wanted) <= _PRODUCT * wanted))


def _tensors_by_role(subgraph: Subgraph, operator: Operator) -> dict[str, Tensor]:
    return {role: subgraph.tensors[i] for role, i in traits_of(operator.kind).tensors(operator).items()}


def _cause_from_input(
    match: SubgraphMatch,
    one: Operator,
    other: Operator,
    tensors: tuple[int, int],
    kind: ChangeKind,
    numbers: Numbers,
) -> int:
    """Return the same change of an input, if the operator passes quantization, type or shape on to its output."""
    old, new = tensors
    if old not in one.outputs:
        return -1
    for before, after in zip(one.inputs, other.inputs, strict=False):
        cause = numbers.get((before, kind), -1)
        if min(before, after) < 0 or cause < 0:
            continue
        if kind in ("dtype", "shape"):
            return cause
        pairs = (
            (match.first.tensors[before], match.first.tensors[old]),
            (match.second.tensors[after], match.second.tensors[new]),
        )
        if all(_has_same_quantization(*pair) for pair in pairs):
            return cause
    return -1


def _has_same_quantization(one: Tensor, other: Tensor) -> bool:
    p, q = one.quantization, other.quantization
    return p.scale.tobytes() == q.scale.tobytes() and p.zero_point.tobytes() == q.zero_point.tobytes()
