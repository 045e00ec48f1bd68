"""Distortion of a converted model relative to the float model: sums over values, added batch by batch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.channel_sums import ChannelSums, channel_sums
from litecheck.conversion.powers import float32_power
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.litert import products
from litecheck.quantizer.types import Parameters

#: Values compared at once, so that intermediate arrays stay in the cache.
_BLOCK = 1 << 15


@dataclass(frozen=True, slots=True)
class Distortion:
    """Distortion of stored values y relative to float values x, over all elements with finite x.

    ``signal`` is the sum of x^2, ``noise`` the sum of (x - y)^2, ``largest`` the largest abs(x - y). ``on_rail`` counts
    elements stored as the type's smallest or largest value, ``clipped`` elements with x beyond these values (for a single
    scale). ``left_out`` counts elements with x not finite, ``equal`` elements with equal integers above the zero point,
    if both sides store integers. ``mean`` is the mean of x, ``variation`` the sum of (x - mean)^2.
    """

    signal: float = 0.0
    noise: float = 0.0
    largest: float = 0.0
    elements: int = 0
    on_rail: int = 0
    clipped: int = 0
    left_out: int = 0
    equal: int = 0
    mean: float = 0.0
    variation: float = 0.0

    def merge(self, other: Distortion) -> Distortion:
        """Return the distortion over the elements of both."""
        elements, apart = self.elements + other.elements, other.mean - self.mean
        share = other.elements / max(1, elements)
        return Distortion(
            self.signal + other.signal,
            self.noise + other.noise,
            max(self.largest, other.largest),
            elements,
            self.on_rail + other.on_rail,
            self.clipped + other.clipped,
            self.left_out + other.left_out,
            self.equal + other.equal,
            self.mean + apart * share,
            self.variation + other.variation + apart * apart * share * self.elements,
        )

    @property
    def snr(self) -> float:
        """Signal over noise in dB: infinite without noise, minus infinite if there is only noise."""
        return decibels(self.signal, self.noise)

    @property
    def snr_without_dc(self) -> float:
        """Like ``snr`` with the signal's mean removed. The noise keeps its mean: an offset of the output is an error."""
        return decibels(self.variation, self.noise)

    @property
    def mostly_dc(self) -> bool:
        """True if the mean has more than half of the signal's power, so that it dominates the SNR."""
        return 2 * self.variation < self.signal


def decibels(signal: float, noise: float) -> float:
    """Return signal over noise in dB: infinite without noise, minus infinite without a signal or with infinite noise."""
    if not noise:
        return math.inf
    if not signal or noise == math.inf:
        return -math.inf
    return 10 * (math.log10(signal) - math.log10(noise))


def distortion(x: NDArray[Any], stored: NDArray[Any], tensor: Tensor) -> Distortion:
    """Return the distortion of a tensor's stored values from float32 values in the same order, using its own parameters."""
    equal = 0
    if x.dtype.kind in "biu":  # indices and bools, which have no scale
        equal = int(np.count_nonzero(x.reshape(-1) == stored.reshape(-1)))
        x, stored = x.astype(np.float64), stored.astype(np.float64)
    flat, codes = x.reshape(-1), stored.reshape(-1)
    quantized = _is_quantized(tensor)
    alike = quantized and tensor.quantization.scale.size == 1 and stored.itemsize <= 2
    whole = stored
    if quantized and not alike:
        whole = products(stored, Parameters.of(tensor.quantization), tensor.dtype)
    found = Distortion()
    for at in range(0, flat.size, _BLOCK):
        block = slice(at, at + _BLOCK)
        y = real_values(codes[block], tensor) if alike else whole.reshape(-1)[block]
        found = found.merge(_block_distortion(flat[block], codes[block], y, tensor))
    return replace(found, equal=equal)


def real_values(codes: NDArray[Any], tensor: Tensor) -> NDArray[np.float32]:
    """Return the real values of a tensor with a single scale as float32: the quantizer's product, without its checks."""
    values = codes.astype(np.float32)
    values -= np.float32(tensor.quantization.zero_point.sum())
    values *= tensor.quantization.scale[0]
    return values


def _block_distortion(x: NDArray[Any], codes: NDArray[Any], y: NDArray[Any], tensor: Tensor) -> Distortion:
    with np.errstate(invalid="ignore", over="ignore"):
        off = x - y
    signal, noise = float32_power(x), float32_power(off)
    left_out = 0
    if signal is None or noise is None:
        # Values are not finite, their squares overflow or underflow float32, or all are exact.
        finite = np.isfinite(x)
        left_out = int(x.size - np.count_nonzero(finite))
        x, codes = x[finite].astype(np.float64), codes[finite]
        off = x - y[finite]
        signal, noise = float(np.dot(x, x)), float(np.dot(off, off))
    if not x.size:
        return Distortion(left_out=left_out)
    rails = _count_saturated(x, codes, tensor) if _is_quantized(tensor) else (0, 0)
    largest = float(max(off.max(), -off.min()))
    return Distortion(signal, noise, largest, x.size, *rails, left_out, 0, *_mean_and_squares(x))


def _mean_and_squares(x: NDArray[Any]) -> tuple[float, float]:
    """Return the mean of finite values, and the sum of squared differences from it: exactly 0 if all are equal.

    For example, 1 and 3 give (2, 2).
    """
    first = float(x[0])
    with np.errstate(over="ignore"):
        off = x - x[0]
    squares = float32_power(off)
    if squares is None:
        off = x.astype(np.float64) - first
        squares = float(np.dot(off, off))
    total = float(off.sum())
    return first + total / x.size, max(0.0, squares - total * total / x.size)


def distortion_of_stored(
    codes: NDArray[Any], reference: Tensor, stored: NDArray[Any], tensor: Tensor
) -> Distortion:
    """Return the ``distortion`` from integers of a quantized tensor, with the number of integers that are equal in both."""
    found = distortion(real_values(codes, reference), stored, tensor)
    one, other = (
        values.astype(np.int32) - int(t.quantization.zero_point.sum())
        for values, t in ((codes, reference), (stored, tensor))
    )
    return replace(found, equal=int(np.count_nonzero(one == other)))


def _is_quantized(tensor: Tensor) -> bool:
    return tensor.dtype in INTEGER_RANGES and tensor.quantization.scale.size > 0


def _count_saturated(x: NDArray[Any], codes: NDArray[Any], tensor: Tensor) -> tuple[int, int]:
    """Count the values stored as a limit of the type, and the real values more than half a step beyond a limit."""
    low, high = INTEGER_RANGES[tensor.dtype]
    on_rail = np.count_nonzero(codes == low) + np.count_nonzero(codes == high)
    if tensor.quantization.scale.size != 1:
        return int(on_rail), 0
    scale, zero = float(tensor.quantization.scale[0]), int(tensor.quantization.zero_point.sum())
    least, most = scale * (low - zero - 0.5), scale * (high - zero + 0.5)
    clipped = 0
    if x.min() < least or x.max() > most:
        clipped = int(np.count_nonzero(x < least) + np.count_nonzero(x > most))
    return int(on_rail), clipped


@dataclass(frozen=True, slots=True)
class TopAgreement:
    """Number of rows of an output whose largest value is at the same position as in the float model.

    If several values are the largest, the first counts. ``classes`` has (class, agreeing, rows) for each class of the
    float model.
    """

    agreeing: int
    rows: int
    classes: tuple[tuple[int, int, int], ...]

    def merge(self, other: TopAgreement) -> TopAgreement:
        """Return the agreement over the rows of both."""
        found: dict[int, tuple[int, int]] = {}
        for number, agreeing, rows in (*self.classes, *other.classes):
            before = found.get(number, (0, 0))
            found[number] = before[0] + agreeing, before[1] + rows
        classes = tuple((number, *counts) for number, counts in sorted(found.items()))
        return TopAgreement(self.agreeing + other.agreeing, self.rows + other.rows, classes)


def top_agreement(x: NDArray[Any], stored: NDArray[Any]) -> TopAgreement | None:
    """Return the agreement of rows along the last axis, or None if a row has a single value.

    For example, (0.1, 0.9) and (0.8, 0.2), stored as (1, 9) and (2, 8), agree in 1 of 2 rows.
    """
    if not x.ndim or x.shape[-1] < 2 or not x.size or x.shape != stored.shape:
        return None
    wanted = x.reshape(-1, x.shape[-1]).argmax(axis=1)
    same = stored.reshape(-1, x.shape[-1]).argmax(axis=1) == wanted
    rows, agreeing = np.bincount(wanted), np.bincount(wanted, same)
    classes = tuple((int(n), int(agreeing[n]), int(rows[n])) for n in np.flatnonzero(rows))
    return TopAgreement(int(same.sum()), same.size, classes)


@dataclass(slots=True)
class PairTally:
    """The accumulated distortions of pairs of tensors by number.

    The largest values of pairs in ``scores`` are compared as well, and pairs in ``per_channel`` have sums by
    channel. ``tensors`` belong to the converted model, ``references`` to the reference model if it stores integers.
    """

    tensors: Sequence[Tensor]
    scores: frozenset[int]
    per_channel: frozenset[int] = frozenset()
    references: Sequence[Tensor] = ()
    found: dict[int, Distortion] = field(default_factory=dict)
    top: dict[int, TopAgreement] = field(default_factory=dict)
    channels: dict[int, ChannelSums] = field(default_factory=dict)

    def add(self, pair: int, x: NDArray[Any], stored: NDArray[Any]) -> None:
        """Add the values of one more inference for a pair."""
        tensor = self.tensors[pair]
        reference = self.references[pair] if self.references else tensor
        both = self.references and all(t.quantization.scale.size == 1 for t in (tensor, reference))
        self.merge(
            pair,
            distortion_of_stored(x, reference, stored, tensor) if both else distortion(x, stored, tensor),
        )
        if pair in self.scores and (top := top_agreement(x, stored)) is not None:
            self.merge_top(pair, top)
        if pair in self.per_channel and x.ndim and x.size:
            self.merge_channels(pair, channel_sums(x, stored, self.tensors[pair]))

    def merge_channels(self, pair: int, other: ChannelSums) -> None:
        """Add another batch's sums by channel for a pair."""
        self.channels[pair] = self.channels[pair].merge(other) if pair in self.channels else other

    def merge(self, pair: int, other: Distortion) -> None:
        """Add another batch's distortion for a pair."""
        self.found[pair] = self.found.get(pair, Distortion()).merge(other)

    def merge_top(self, pair: int, other: TopAgreement) -> None:
        """Add another batch's top agreement for a pair."""
        self.top[pair] = self.top[pair].merge(other) if pair in self.top else other

    def to_plain(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        fields = Distortion.__dataclass_fields__
        found = [[pair, *(getattr(one, name) for name in fields)] for pair, one in self.found.items()]
        top = [[p, t.agreeing, t.rows, t.classes] for p, t in self.top.items()]
        channels = [[pair, one.to_plain()] for pair, one in self.channels.items()]
        return {"found": found, "top": top, "channels": channels}

    def take(self, plain: Mapping[str, Any]) -> None:
        """Add the plain values of another tally."""
        for pair, *numbers in plain["found"]:
            self.merge(pair, Distortion(*numbers))
        for pair, agreeing, rows, classes in plain["top"]:
            self.merge_top(pair, TopAgreement(agreeing, rows, tuple(map(tuple, classes))))
        for pair, sums in plain["channels"]:
            self.merge_channels(pair, ChannelSums.from_plain(sums))
