"""Statistics of a model's float tensors from calibration: exact ranges, histograms, values that are not finite; and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import gt, lt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.sketch import BINS, Sketch, sketch_of
from litecheck.documents import decode_json
from litecheck.errors import InputError, LitecheckError

#: (subgraph, tensor).
Place = tuple[int, int]
#: (subgraph, operator, name) of values inside an operator.
Inner = tuple[int, int, str]
#: Smallest or largest value, its sample (-1: unknown), and the smallest or largest value of all other samples.
End = tuple[np.float32, int, np.float32]
#: Ends of an empty range.
_ABOVE, _BELOW = np.float32(np.inf), np.float32(-np.inf)
_FORMAT = "litecheck calibration statistics 1"


class CalibrationError(LitecheckError):
    """Calibration that cannot continue, or values that no scale can represent."""


@dataclass(frozen=True, slots=True)
class NotFinite:
    """The first sample, from 0, in which a tensor had a NaN (``nan``), or an infinity (``inf``) if there was no NaN.

    A NaN stops a conversion.
    """

    sample: int
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class TensorStatistics:
    """A tensor over all samples: exact smallest and largest finite value, and the number of elements.

    ``low`` is above ``high`` if there was no finite value. ``sketch``, if requested, is the histogram of finite values.
    ``low_sample`` is the first sample that has the value ``low``, and ``low_beside`` the smallest value of all other
    samples; those of ``high`` likewise.
    """

    low: np.float32 = _ABOVE
    high: np.float32 = _BELOW
    elements: int = 0
    sketch: Sketch | None = None
    not_finite: NotFinite | None = None
    low_sample: int = -1
    low_beside: np.float32 = _ABOVE
    high_sample: int = -1
    high_beside: np.float32 = _BELOW

    @property
    def low_end(self) -> End:
        """Smallest value, its sample, and the smallest value of other samples."""
        return self.low, self.low_sample, self.low_beside

    @property
    def high_end(self) -> End:
        """Largest value, its sample, and the largest value of other samples."""
        return self.high, self.high_sample, self.high_beside

    @property
    def has_values(self) -> bool:
        """True if there was a finite value."""
        return bool(self.low <= self.high)

    def encloses(self, low: np.float32, high: np.float32) -> bool:
        """Return True if values from ``low`` to ``high`` change no end, whatever their sample; False for a NaN."""
        return bool(self.low_beside <= low and high <= self.high_beside)

    def merge(self, other: TensorStatistics) -> TensorStatistics:
        """Return the statistics of the values of both, independent of their order."""
        faults = [one.not_finite for one in (self, other) if one.not_finite is not None]
        low, low_sample, low_beside = _outer_end(self.low_end, other.low_end, lt)
        high, high_sample, high_beside = _outer_end(self.high_end, other.high_end, gt)
        return TensorStatistics(
            low,
            high,
            self.elements + other.elements,
            _merge_sketches(self.sketch, other.sketch),
            min(faults, key=lambda one: (one.value != "nan", one.sample)) if faults else None,
            low_sample,
            low_beside,
            high_sample,
            high_beside,
        )

    def shift_samples(self, samples: int) -> TensorStatistics:
        """Return the same statistics with sample numbers increased by ``samples``."""
        fault = self.not_finite
        return replace(
            self,
            not_finite=fault and replace(fault, sample=fault.sample + samples),
            low_sample=self.low_sample + samples if self.low_sample >= 0 else -1,
            high_sample=self.high_sample + samples if self.high_sample >= 0 else -1,
        )

    def same(self, other: TensorStatistics) -> bool:
        """Return True if both are equal."""
        mine, theirs = ((s.low, s.high, s.elements, s.not_finite) for s in (self, other))
        if mine != theirs or (self.sketch is None) != (other.sketch is None):
            return False
        return self.sketch is None or (other.sketch is not None and self.sketch.same(other.sketch))


def _outer_end(one: End, other: End, beyond: Callable[[np.float32, np.float32], bool]) -> End:
    """Return the outer end of both, ``beyond`` is ``<`` for lower ends and ``>`` for upper ends.

    Example: the lower ends (1, sample 4, beside 2) and (3, sample 5, beside inf) give (1, sample 4, beside 2).
    """
    if beyond(other[0], one[0]) or (other[0] == one[0] and other[1] < one[1]):
        one, other = other, one
    beside = other[2] if other[1] == one[1] else other[0]
    return (one[0], one[1], beside) if beyond(beside, one[2]) else one


def _merge_sketches(one: Sketch | None, other: Sketch | None) -> Sketch | None:
    if one is None or other is None:
        return one or other
    return one.merge(other)


def statistics_of(
    values: NDArray[Any],
    sample: int = 0,
    sketched: bool = False,
    ends: tuple[np.float32, np.float32] | None = None,
) -> TensorStatistics:
    """Return the statistics of a tensor's values in an inference. ``ends`` are the smallest and largest value if known."""
    if not values.size:
        return TensorStatistics()
    low, high = ends or (np.float32(values.min()), np.float32(values.max()))
    fault, finite = None, values
    if not (np.isfinite(low) and np.isfinite(high)):
        fault = NotFinite(sample, "nan" if np.isnan(low) else "inf")
        finite = values[np.isfinite(values)]
        if not finite.size:
            return TensorStatistics(elements=values.size, not_finite=fault)
        low, high = np.float32(finite.min()), np.float32(finite.max())
    sketch = sketch_of(finite, float(low), float(high)) if sketched else None
    # Zeros of both signs are the same value.
    low, high = low + np.float32(0), high + np.float32(0)
    return TensorStatistics(low, high, values.size, sketch, fault, sample, _ABOVE, sample, _BELOW)


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationStatistics:
    """Statistics of the float32 tensors that are inputs, computed or variables, by (subgraph, tensor).

    A tensor that no sample reached, such as a tensor of a branch that never ran, is missing. ``samples`` is the number
    of samples, ``source`` their description, ``runtime`` the runtime. ``inner`` has values inside operators that are in
    no tensor, by (subgraph, operator, name): see :mod:`litecheck.conversion.calibration.recurrent_values`. ``model`` is the
    sha256 of the model, and ``warnings`` are for the user.
    """

    tensors: Mapping[Place, TensorStatistics]
    samples: int
    source: str
    runtime: str
    inner: Mapping[Inner, TensorStatistics] = field(default_factory=dict)
    model: str = ""
    warnings: tuple[str, ...] = ()

    def to_plain(self) -> dict[str, Any]:
        """Return the exact statistics as plain values."""
        return {
            "samples": self.samples,
            "runtime": self.runtime,
            "tensors": [[*place, _plain(one)] for place, one in self.tensors.items()],
            "inner": [[*place, _plain(one)] for place, one in self.inner.items()],
        }

    @classmethod
    def of_plain(cls, facts: Mapping[str, Any]) -> CalibrationStatistics:
        """Return the statistics of plain values, with optional ``source``, ``model`` and ``warnings``."""
        return cls(
            {(int(s), int(t)): _read(one) for s, t, one in facts["tensors"]},
            int(facts["samples"]),
            str(facts.get("source", "")),
            str(facts["runtime"]),
            {(int(s), int(o), str(name)): _read(one) for s, o, name, one in facts["inner"]},
            str(facts.get("model", "")),
            tuple(map(str, facts.get("warnings", ()))),
        )

    def to_json(self) -> str:
        """Return exact JSON with a line for each tensor."""
        head: dict[str, Any] = {
            "format": _FORMAT,
            "samples": self.samples,
            "source": self.source,
            "runtime": self.runtime,
        }
        head |= {"model": self.model, "warnings": list(self.warnings)}
        lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
        tensors = [json.dumps([*place, _plain(one)]) for place, one in sorted(self.tensors.items())]
        inner = [json.dumps([*place, _plain(one)]) for place, one in sorted(self.inner.items())]
        lines += [f'"tensors": {_list_rows(tensors)}', f'"inner": {_list_rows(inner)}']
        return "{" + ",\n".join(lines) + "}\n"

    @classmethod
    def from_json(cls, text: bytes | str, file: str = "statistics") -> CalibrationStatistics:
        """Return the statistics of JSON from ``to_json``. Raises ConfigError."""
        facts = decode_json(text, file)
        if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
            raise InputError(f"{file}: holds no {_FORMAT}")
        try:
            return cls.of_plain({**facts, "source": facts["source"]})
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise InputError(f"{file}: holds no calibration statistics, {error}") from error


def _list_rows(rows: Iterable[str]) -> str:
    return "[\n " + ",\n ".join(rows) + "\n]" if rows else "[]"


def _plain(one: TensorStatistics) -> dict[str, Any]:
    facts: dict[str, Any] = {"elements": one.elements}
    if one.has_values:
        # The shortest digits of a float32 are fewer than those of the same value as float64.
        facts |= {"low": float(str(one.low)), "high": float(str(one.high))}
        facts["samples"] = [one.low_sample, one.high_sample]
        if np.isfinite(one.low_beside):
            facts["beside"] = [float(str(one.low_beside)), float(str(one.high_beside))]
    if one.not_finite is not None:
        facts["not_finite"] = [one.not_finite.sample, one.not_finite.value]
    if one.sketch is not None:
        facts["sketch"] = [one.sketch.exponent, one.sketch.first, one.sketch.counts.tolist()]
    return facts


def _read(facts: Mapping[str, Any]) -> TensorStatistics:
    low, high = (
        np.float32(float(facts.get(end, none))) for end, none in (("low", np.inf), ("high", -np.inf))
    )
    fault = (
        NotFinite(int(facts["not_finite"][0]), str(facts["not_finite"][1])) if "not_finite" in facts else None
    )
    sketch = None
    if "sketch" in facts:
        exponent, first, counts = facts["sketch"]
        sketch = Sketch(int(exponent), int(first), np.array(counts, np.int64))
        if not (
            0 < len(counts) <= BINS and sketch.counts.min() >= 0 and sketch.counts[0] and sketch.counts[-1]
        ):
            raise ValueError("a histogram without values, or with too many bins")
    low_sample, high_sample = map(int, facts.get("samples", (-1, -1)))
    low_beside, high_beside = map(np.float32, facts.get("beside", (_ABOVE, _BELOW)))
    return TensorStatistics(
        low, high, int(facts["elements"]), sketch, fault, low_sample, low_beside, high_sample, high_beside
    )
