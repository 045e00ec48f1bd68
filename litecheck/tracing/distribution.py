"""Distributions of stored values: counts in equal parts of the type's range, saturation, and effective bits by channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.graph import name_of
from litecheck.model.matching import SubgraphMatch
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.saturation_limits import saturable_ends
from litecheck.tracing.storage import is_quantized

#: Parts of a type's range that are counted.
BINS = 64
#: Number of values or pairs that are counted at a time, so that their indices stay in the cache.
_TILE = 1 << 17
#: Number of 8-bit values from which counting pairs is faster, although the table has 65,536 counts.
_PAIRS = 1 << 17
#: Number of values in a row of the reduction to the smallest and largest value.
_ROW = 1 << 10


@dataclass(frozen=True, slots=True)
class TensorDistribution:
    """The distribution of an operator's outputs, or of one of its weights, named by ``role``.

    ``low`` and ``high`` are the ends of the range, real values for outputs and stored values for weights, whose channels
    may have unlike scales. ``at_low`` and ``at_high`` are shares of values at the type's limits, 0 to 1, without
    limits that an activation sets. ``bits`` are
    the effective bits of each channel.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    role: str
    dtype: str
    low: float
    high: float
    counts: tuple[int, ...]
    at_low: float
    at_high: float
    bits: tuple[float, ...]


class StoredValues:
    """Counts and extents of stored values so far; the last dimension has the channels."""

    def __init__(self, dtype: str) -> None:
        self._dtype, (self._low, self._high) = dtype, INTEGER_RANGES[dtype]
        self._levels = np.zeros(min(self._high - self._low + 1, 1 << 16), np.int64)
        self._least: NDArray[np.int64] | None = None
        self._most: NDArray[np.int64] | None = None

    def add(self, stored: NDArray[Any]) -> None:
        """Add the values of one call. A list that a loop begins with may be empty."""
        if not stored.size:
            return
        flat = np.ascontiguousarray(stored).reshape(-1)
        self._count(flat)
        channels = stored.shape[-1] if stored.ndim > 1 else 1
        least = _reduce_channels(np.minimum, flat, channels).astype(np.int64)
        most = _reduce_channels(np.maximum, flat, channels).astype(np.int64)
        if self._least is None or self._most is None:
            self._least, self._most = least, most
        elif least.shape == self._least.shape:
            self._least, self._most = np.minimum(least, self._least), np.maximum(most, self._most)

    def _count(self, flat: NDArray[Any]) -> None:
        """Count the levels. Many 8-bit values are counted in pairs of neighbors, which halves the number of indices."""
        paired = flat.size & ~1 if self._levels.size == 256 and flat.size >= _PAIRS else 0
        for start in range(0, paired, 2 * _TILE):
            codes = flat[start : min(start + 2 * _TILE, paired)].view(np.uint16)
            pairs = np.bincount(codes, minlength=1 << 16).reshape(256, 256)
            self._levels += np.roll(pairs.sum(axis=0) + pairs.sum(axis=1), -self._low)
        for start in range(paired, flat.size, _TILE):
            places = flat[start : start + _TILE].astype(np.intp) - self._low
            self._levels += np.bincount(places, minlength=self._levels.size)

    def finish(self, subgraph: Subgraph, operator: Operator, role: str, tensor: Tensor) -> TensorDistribution:
        """Return the distribution of a tensor."""
        q, total = tensor.quantization, max(int(self._levels.sum()), 1)
        scale, zero = (float(q.scale[0]), int(q.zero_point.sum())) if role == "output" else (1.0, 0)
        at_low, at_high = self._levels[0].item() / total, self._levels[-1].item() / total
        if role == "output":
            ends = saturable_ends(subgraph, operator, tensor)
            at_low, at_high = at_low * ends[0], at_high * ends[1]
        extents = np.ones(0) if self._least is None or self._most is None else self._most - self._least + 1
        return TensorDistribution(
            subgraph.index, operator.index, operator.kind, name_of(subgraph, operator), role, self._dtype,
            scale * (self._low - zero), scale * (self._high - zero),
            tuple(part.sum().item() for part in np.array_split(self._levels, min(BINS, self._levels.size))),
            at_low, at_high,
            tuple(np.round(np.log2(extents), 1).tolist()),
        )  # fmt: skip


def _reduce_channels(reduce: np.ufunc, flat: NDArray[Any], channels: int) -> NDArray[Any]:
    """Return the reduction of each channel. Rows of several positions are faster than one row of few channels each."""
    positions = gcd(flat.size // channels, max(1, _ROW // channels))
    reduced = reduce.reduce(flat.reshape(-1, positions * channels), axis=0)
    return np.asarray(reduce.reduce(reduced.reshape(positions, channels), axis=0))


def is_counted(tensor: Tensor) -> bool:
    """Return True if a tensor stores integers of at most 16 bits with a scale."""
    return is_quantized(tensor) and BITS[tensor.dtype] <= 16


def weights_of(part: SubgraphMatch) -> Iterator[TensorDistribution]:
    """Yield the distribution of the weights of each quantized operator."""
    for operator in part.second.operators:
        facts = traits_of(operator.kind)
        for role, index in facts.tensors(operator).items():
            tensor = part.second.tensors[index] if index >= 0 else None
            if tensor is None or facts.inputs.get(role) != "weight" or not is_counted(tensor):
                continue
            stored = stored_integers(tensor)
            if stored is None or not stored.size:
                continue
            values = StoredValues(tensor.dtype)
            values.add(np.moveaxis(stored, _channel_dimension(tensor), -1) if stored.ndim else stored)
            yield values.finish(part.second, operator, role, tensor)


def _channel_dimension(tensor: Tensor) -> int:
    """Return the dimension of the output channels: that of the scales, else the first that is not 1, as in depthwise."""
    if tensor.quantization.scale.size > 1:
        return tensor.quantization.axis
    return 0 if tensor.shape[0] > 1 else len(tensor.shape) - 1
