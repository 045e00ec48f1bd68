"""Similarity of the weights of a quantized model and a float model: a doubt that both are forms of one model."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from litecheck.conversion.powers import Values
from litecheck.model.constant_values import constant_values
from litecheck.model.matching import ModelMatch, SubgraphMatch
from litecheck.model.tensor_matching import origin_of
from litecheck.profile.operators import traits_of
from litecheck.summary_text import count_of
from litecheck.tracing.float_forms import HeldConstant, constants_of
from litecheck.tracing.moved_constants import order_text

#: Cosine of two sets of weights below which they have nothing in common, and the smallest number of elements compared.
_UNLIKE, _MIN_ELEMENTS = 0.5, 64


def parent_doubt(match: ModelMatch) -> str:
    """Return a sentence if most weights of a quantized model have nothing in common with those of the float model.

    Examples: a model that was trained again, or another network. Weights with wrong scales, few levels or swapped
    dimensions are like the float model's.
    """
    names = match.first.file or "the float model", match.second.file or "the quantized model"
    alike = [
        cosine
        for part in match.subgraphs
        for one, other in part.operators
        for held in constants_of(part, one, other)
        if held.kind == "weight" and (cosine := _cosine(held)) is not None
    ]
    unlike = sum(cosine < _UNLIKE for cosine in alike)
    if _is_majority(unlike, len(alike)):
        return (
            f"weights of {unlike} of {count_of(len(alike), 'operator')} have nothing in common with those of "
            f"{names[0]}: is it the float model of {names[1]}?"
        )
    weighted = [place for part in match.subgraphs for place in _operators_with_weights(part)]
    without = len(
        set(weighted) - {place for part in match.subgraphs for place in _operators_with_matched_weights(part)}
    )
    if _is_majority(without, len(weighted)):
        return (
            f"{without} of {count_of(len(weighted), 'operator')} with weights of {names[0]} have no partner in "
            f"{names[1]}: are both files forms of one model?"
        )
    return ""


def _is_majority(count: int, whole: int) -> bool:
    return count >= 2 and 2 * count > whole


def _operators_with_weights(part: SubgraphMatch) -> Iterator[tuple[int, int]]:
    """Yield the float operators that have constant weights as (subgraph, operator)."""
    for operator in part.first.operators:
        facts = traits_of(operator.kind)
        found = facts.tensors(operator)
        weights = (found[role] for role, kind in facts.inputs.items() if kind == "weight" and role in found)
        if any(part.first.tensors[origin_of(part.first, i)].is_constant for i in weights if i >= 0):
            yield part.first.index, operator.index


def _operators_with_matched_weights(part: SubgraphMatch) -> Iterator[tuple[int, int]]:
    """Yield the float operators whose partner has weights of the same size as (subgraph, operator)."""
    for one, other in part.operators:
        if any(held.kind == "weight" for held in constants_of(part, one, other)):
            yield part.first.index, one


def _cosine(held: HeldConstant) -> float | None:
    """Return the cosine of float and stored weights, 1 for weights in another order, None if they are not known."""
    stored = None if held.stored is None else constant_values(held.stored)
    real = constant_values(held.real)
    if stored is None or real is None or stored.shape != real.shape or real.size < _MIN_ELEMENTS:
        return None
    cosine = _dot_product(real, stored) / max(
        float(np.sqrt(_dot_product(real, real) * _dot_product(stored, stored))), 1e-300
    )
    return 1.0 if cosine < _UNLIKE and order_text(held, 0) else cosine


def _dot_product(one: Values, other: Values) -> float:
    return float(np.einsum("i,i->", one.reshape(-1), other.reshape(-1)))
