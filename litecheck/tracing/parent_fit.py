"""Weights of a quantized model beside those of its float model: a doubt that the two files belong together."""

from __future__ import annotations

import numpy as np

from litecheck.conversion.powers import Values
from litecheck.model.constant_values import constant_values
from litecheck.model.matching import ModelMatch
from litecheck.summary_text import counted
from litecheck.tracing.float_forms import HeldConstant, constants_of
from litecheck.tracing.moved_constants import moved_words

#: Cosine of two sets of weights below which they have nothing in common, and elements from which this is no chance.
_UNLIKE, _TELLING = 0.5, 64


def parent_doubt(match: ModelMatch) -> str:
    """Return a sentence if most weights of a quantized model have nothing in common with those of the float model.

    Example: a model that was trained again. Weights with wrong scales, few levels or swapped dimensions are like the float
    model's.
    """
    alike = [
        cosine
        for part in match.subgraphs
        for one, other in part.operators
        for held in constants_of(part, one, other)
        if held.kind == "weight" and (cosine := _cosine(held)) is not None
    ]
    unlike = sum(cosine < _UNLIKE for cosine in alike)
    if unlike < 2 or 2 * unlike <= len(alike):
        return ""
    return (
        f"weights of {unlike} of {counted(len(alike), 'operator')} have nothing in common with those of "
        f"{match.first.file or 'the float model'}: is it the float model of {match.second.file or 'the quantized model'}?"
    )


def _cosine(held: HeldConstant) -> float | None:
    """Return the cosine of float and stored weights, 1 for weights in another order, None if they are not known."""
    stored = None if held.stored is None else constant_values(held.stored)
    real = constant_values(held.real)
    if stored is None or real is None or stored.shape != real.shape or real.size < _TELLING:
        return None
    cosine = _product(real, stored) / max(
        float(np.sqrt(_product(real, real) * _product(stored, stored))), 1e-300
    )
    return 1.0 if cosine < _UNLIKE and moved_words(held, 0) else cosine


def _product(one: Values, other: Values) -> float:
    return float(np.einsum("i,i->", one.reshape(-1), other.reshape(-1)))
