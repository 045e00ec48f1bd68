"""Errors of tensors relative to the float model, summed over samples."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.conversion.powers import Values, power, squares
from litecheck.tracing.trace_result import decibels

Tensors = Mapping[int, Values]


@dataclass(frozen=True, slots=True, eq=False)
class Signal:
    """Values of the float model with their power, which several errors have in common."""

    values: Values
    power: float

    @classmethod
    def from_values(cls, values: Values) -> Signal:
        """Return the signal of values."""
        return cls(values, power(values))

    def noise(self, got: Values) -> float:
        """Return the sum of squared differences of other values."""
        return squares(self.values, got)


@dataclass(slots=True)
class Errors:
    """Squared differences from the float model over all samples, relative to its squared values, by the kind of error.

    ``accumulated`` is in a run of the whole model, ``alone`` of the isolated operator on the float model's tensors.
    ``stored`` and ``twin_stored`` are from storage of the output, ``own`` and ``twin`` from constants, options and
    operand order. ``kernel`` is between the integer kernel and the same computation in float32. ``alone_parts`` and
    ``alone_kernel`` are ``alone`` on the samples of ``own`` and of ``kernel``.
    """

    sums: dict[str, tuple[float, float, int]] = field(default_factory=dict)
    rounded: float = 0.0
    """Squared error of rounding to the twin's steps where the float value is not 0: a twelfth of a squared step each."""
    elements: int = 0
    saturated: int = 0
    low: float = math.inf
    high: float = -math.inf

    def add(self, name: str, want: Signal, noise: float) -> None:
        """Add the squared differences of a kind."""
        signal, known, count = self.sums.get(name, (0.0, 0.0, 0))
        self.sums[name] = signal + want.power, known + noise, count + want.values.size

    def keep(self, name: str, other: str) -> None:
        """Keep the sums of a kind so far under another name."""
        if name in self.sums:
            self.sums[other] = self.sums[name]

    def ratio(self, name: str) -> float | None:
        """Return noise over signal, or None if nothing of the kind was measured."""
        if name not in self.sums:
            return None
        signal, noise, _ = self.sums[name]
        return noise / signal if signal else 0.0 if not noise else math.inf

    @property
    def storage_excess(self) -> float:
        """Error of the output's storage beyond the twin's, where values that the twin happens to store exactly count as
        rounded."""
        if "stored" not in self.sums:
            return 0.0
        signal, noise, _ = self.sums["stored"]
        least = max(self.sums["twin_stored"][1], self.rounded)
        return max(0.0, noise - least) / signal if signal else 0.0

    def snr(self, name: str) -> float | None:
        """Return the SNR in dB, or None if nothing of the kind was measured."""
        return decibels(*self.sums[name][:2]) if name in self.sums else None
