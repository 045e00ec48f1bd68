"""Search for weights with an outlier channel. Most models have none, and need none of the modules that rescale channels."""

from __future__ import annotations

import numpy as np

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Subgraph
from litecheck.profile.operators import traits_of

#: Smallest factor of an outlier channel: it costs the other channels 4 of 8 bits.
SMALLEST = 16.0


def has_outlier(subgraph: Subgraph) -> bool:
    """Return True if constant weights have an outlier channel, without copies of the weights.

    For example, output channels with largest values 1, 1, 2 and 400: the last is 266 times the median of 1.5.
    """
    for operator in subgraph.operators:
        facts = traits_of(operator.kind)
        if facts.accumulates is None or len(facts.products) != 2:
            continue
        index = facts.tensors(operator).get(facts.products[1], -1)
        values = stored_integers(subgraph.tensors[index]) if index >= 0 else None
        if values is None or values.ndim < 2 or not values.any():
            continue
        others = tuple(n for n in range(values.ndim) if n != facts.accumulates.channels % values.ndim)
        ranges = np.sort(np.maximum(values.max(axis=others), -values.min(axis=others)))
        ranges = ranges[ranges > 0]
        # The median; np.median imports numpy.ma, which takes 15 ms.
        median = (ranges[(ranges.size - 1) // 2] + ranges[ranges.size // 2]) / 2
        if ranges[-1] >= SMALLEST * median:
            return True
    return False
