"""Outlier channels between two layers, rescaled by powers of two, so that they cost the other channels no resolution.

A tensor has one scale, which its largest channel sets. If only a RELU is between two layers, a channel of the first layer is
divided by a factor, and the weights of the second layer that read the channel are multiplied by the factor. A power of two
changes only exponents, so that the outputs of the float model stay equal bit for bit. No weight of the second layer exceeds
the largest weight of its output channel, so that all weight scales of the second layer stay.

For example, a channel with weights 400 times those of the others, and 4,000 times smaller weights in the second layer: the
factor is 256, and the other channels gain 8 bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.conversion_plan import ConstantChange
from litecheck.conversion.equalize import (
    Equalization,
    EqualizedLayer,
    LayerPair,
    channel_changes,
    channel_spread,
    layer_pairs,
)
from litecheck.conversion.outlier_weights import SMALLEST, has_outlier
from litecheck.conversion.weight_edits import with_edited_weights
from litecheck.model.graph import name_of
from litecheck.model.types import Model
from litecheck.summary_text import count_of


def rescale_outliers(model: Model) -> Equalization | None:
    """Return the float model with its outlier channels rescaled, or None if no channel is rescaled."""
    changes: list[ConstantChange] = []
    pairs: list[LayerPair] = []
    for subgraph in model.subgraphs:
        for first, second in layer_pairs(model, subgraph) if has_outlier(subgraph) else ():
            factors = outlier_factors(first, second)
            if not (factors > 1).any():
                continue
            changes += channel_changes(subgraph, [(first, second)], {0: factors})
            before = channel_spread(first)
            first.scale(first.out, 1 / factors)
            second.scale(second.into, factors)
            operators = first.operator, second.operator
            one, other = (name_of(subgraph, op) for op in operators)
            numbers = operators[0].index, operators[1].index
            pairs.append(
                LayerPair(
                    subgraph.index, *numbers, (one, other), "", before, channel_spread(first), _text(factors)
                )
            )
    if not changes:
        return None
    return Equalization(with_edited_weights(model, changes), tuple(changes), tuple(pairs))


def _text(factors: NDArray[np.float64]) -> str:
    """Return ``channel 5 of 24 divided by 256``, of the channel with the largest factor."""
    worst, more = int(factors.argmax()), int((factors > 1).sum()) - 1
    others = f" and {count_of(more, 'other channel')}" if more else ""
    return f"channel {worst} of {factors.size} divided by {factors[worst]:g}{others}"


def outlier_factors(first: EqualizedLayer, second: EqualizedLayer) -> NDArray[np.float64]:
    """Return the factor of each channel between two layers: a power of two from 16 on, or 1.

    It is at most the ratio to the largest channel below 16 times the median, so that the outlier keeps its resolution. It is
    also at most the ratio of an output channel's largest weight to its weights that read the channel.
    """
    ranges = first.ranges(first.out)
    factors = np.ones(ranges.size)
    if second.out == second.into or not ranges.any():  # one weight for each channel sets the scale
        return factors
    own = second.magnitudes
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(own > 0, own.max(axis=second.into, keepdims=True) / own, np.inf)
    others = tuple(n for n in range(own.ndim) if n != second.into)
    usual = ranges[ranges < SMALLEST * np.median(ranges[ranges > 0])].max()
    most = np.minimum(ranges / usual, room.min(axis=others))
    large = most >= SMALLEST
    factors[large] = 2.0 ** np.floor(np.log2(most[large]))
    return factors
