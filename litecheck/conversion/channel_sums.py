"""Sums over the channels of a tensor: errors, powers and peaks along the last axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.quantizer.litert import products
from litecheck.quantizer.types import Parameters

#: SNR in dB of a channel without an error, and its negative of a channel without a signal.
EXACT = 200.0
#: Share of a channel's power up to which its variation is that of a constant.
_CONSTANT = 1e-6
#: SNR in dB without the mean below which the variation of a channel is lost.
LOST = 10.0
#: Smallest number of values from which the variation of a channel is judged.
_FEWEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class ChannelSums:
    """Sums over ``rows`` values of each channel: y - x, x, x^2, (y - x)^2, and the largest abs(x).

    x are float values, y the real values of their stored values. Elements that are not finite do not count.
    """

    rows: int
    error: NDArray[np.float64]
    total: NDArray[np.float64]
    signal: NDArray[np.float64]
    noise: NDArray[np.float64]
    peak: NDArray[np.float64]

    @property
    def mean_error(self) -> NDArray[np.float64]:
        """The mean of y - x of each channel."""
        return self.error / self.rows

    @property
    def variation(self) -> NDArray[np.float64]:
        """The sum of (x - mean)^2 of each channel. Example: 1, 2, 3 give 2."""
        return np.maximum(self.signal - np.square(self.total) / self.rows, 0.0)

    @property
    def hides_loss(self) -> NDArray[np.bool_]:
        """True for each channel whose mean hides a loss: it has more than half of the power, and the SNR without it is below
        10 dB. Constants and fewer than 8 values have no such SNR."""
        share = self.variation / np.maximum(self.signal, np.finfo(np.float64).tiny)
        varies = (self.rows >= _FEWEST) & (share > _CONSTANT) & (share < 0.5)
        found: NDArray[np.bool_] = varies & (_decibels(self.variation, self.noise) < LOST)
        return found

    @property
    def snr(self) -> NDArray[np.float64]:
        """Signal over noise in dB of each channel, from -200 to 200; 200 for a channel without an error.

        The signal of a channel whose mean hides a loss is its variation. Example: values of 0.4 and 0.6 that are stored as
        0.5 have an SNR of 0 dB, and of 14.1 dB with their mean.
        """
        return _decibels(np.where(self.hides_loss, self.variation, self.signal), self.noise)

    @property
    def outlier(self) -> tuple[int, float]:
        """The channel with the largest peak, and its ratio to the median peak. Example: peaks 1, 1, 400 give (2, 400.0)."""
        at = int(np.argmax(self.peak))
        middle = float(np.median(self.peak))
        return at, float(self.peak[at]) / middle if middle else 0.0

    def merge(self, other: ChannelSums) -> ChannelSums:
        """Return the sums over both batches."""
        return ChannelSums(
            self.rows + other.rows,
            self.error + other.error,
            self.total + other.total,
            self.signal + other.signal,
            self.noise + other.noise,
            np.maximum(self.peak, other.peak),
        )

    def to_plain(self) -> list[Any]:
        """Return plain values for JSON."""
        parts = self.error, self.total, self.signal, self.noise, self.peak
        return [self.rows, *(part.tolist() for part in parts)]

    @classmethod
    def from_plain(cls, plain: list[Any]) -> ChannelSums:
        """Return the sums of :meth:`to_plain`."""
        rows, *parts = plain
        return cls(int(rows), *(np.array(part, np.float64) for part in parts))


def channel_sums(x: NDArray[Any], stored: NDArray[Any], tensor: Tensor) -> ChannelSums:
    """Return the sums of one inference for a tensor with at least one dimension and one value."""
    y = stored
    if tensor.quantization.scale.size:
        y = products(stored, Parameters.of(tensor.quantization), tensor.dtype)
    rows = x.astype(np.float64).reshape(-1, x.shape[-1])
    with np.errstate(invalid="ignore"):
        off = y.astype(np.float64).reshape(rows.shape) - rows
    bad = ~(np.isfinite(off) & np.isfinite(rows))
    off[bad], rows[bad] = 0, 0
    return ChannelSums(
        len(rows),
        off.sum(axis=0),
        rows.sum(axis=0),
        np.square(rows).sum(axis=0),
        np.square(off).sum(axis=0),
        np.abs(rows).max(axis=0),
    )


def _decibels(signal: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = 10 * (np.log10(signal) - np.log10(noise))
    ratio = np.where(noise == 0, EXACT, ratio)
    found: NDArray[np.float64] = np.clip(np.nan_to_num(ratio, nan=-EXACT), -EXACT, EXACT)
    return found
