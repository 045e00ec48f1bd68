"""Scales of a bias that differ from input scale times weight scale, which kernels use instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.model.constant_values import constant_values
from litecheck.model.matching import SubgraphMatch
from litecheck.model.types import Tensor
from litecheck.tracing.float_forms import accumulator_scale, constants_of
from litecheck.tracing.isolated_operators import IsolatedOperator

#: Relative difference from which a scale does not fit.
MISFIT = 0.1
#: Share of the power of a constant below which its difference is rounding.
ROUNDED = 1e-2


def bias_scale_words(
    part: SubgraphMatch, matched: IsolatedOperator, stored: Tensor, real: NDArray[np.float64]
) -> str:
    """Return how far bias scales are from the scales that kernels use, if the bias is right in its own scales."""
    ratios = _bias_scale_ratios(part, matched, stored, real)
    worst = float(ratios[np.argmax(np.abs(np.log(np.maximum(ratios, 1e-9))))])
    if abs(worst - 1) < MISFIT:
        return ""
    return f"its bias scale is {worst:.3g} times input scale x weight scale, which kernels use in its place"


def _bias_scale_ratios(
    part: SubgraphMatch, matched: IsolatedOperator, stored: Tensor, real: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return bias scales over the scales that kernels use; 1 if unknown, or if the bias is wrong in its scales."""
    kernels, own = accumulator_scale(part, matched.other), constant_values(stored)
    scales = stored.quantization.scale.astype(np.float64)
    if kernels is None or own is None or kernels.size != scales.size or not kernels.all():
        return np.ones(1)
    fits = np.square(own.reshape(-1) - real.reshape(-1)).sum() <= ROUNDED * np.square(real).sum()
    return scales / kernels if fits else np.ones(1)


def input_scale_factor(part: SubgraphMatch, matched: IsolatedOperator) -> float:
    """Return the factor by which the input's scale must grow for all bias scales to fit, 1 without such a factor.

    Example: all bias scales are 2.5 times input scale x weight scale, because the input's scale was changed alone.
    """
    for held in constants_of(part, matched.one, matched.other):
        real = constant_values(held.real)
        if held.kind == "bias" and held.stored is not None and real is not None:
            ratios = _bias_scale_ratios(part, matched, held.stored, real)
            if np.ptp(ratios) < 1e-3 * ratios[0] and abs(ratios[0] - 1) >= MISFIT:
                return float(ratios[0])
    return 1.0
