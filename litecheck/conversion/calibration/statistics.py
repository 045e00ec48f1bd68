"""Statistics of a model's float tensors from calibration: exact ranges, histograms, values that are not finite; and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.sketch import BINS, Sketch, sketch_of
from litecheck.documents import decode_json
from litecheck.errors import ConfigError, LitecheckError

if TYPE_CHECKING:
    from litecheck.model.types import Model

#: (subgraph, tensor).
Place = tuple[int, int]
#: (subgraph, operator, name) of values inside an operator.
Inner = tuple[int, int, str]
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
    """

    low: np.float32 = _ABOVE
    high: np.float32 = _BELOW
    elements: int = 0
    sketch: Sketch | None = None
    not_finite: NotFinite | None = None

    @property
    def seen(self) -> bool:
        """True if there was a finite value."""
        return bool(self.low <= self.high)

    def merged(self, other: TensorStatistics) -> TensorStatistics:
        """Return the statistics of the values of both, independent of their order."""
        faults = [one.not_finite for one in (self, other) if one.not_finite is not None]
        return TensorStatistics(
            min(self.low, other.low),
            max(self.high, other.high),
            self.elements + other.elements,
            _both(self.sketch, other.sketch),
            min(faults, key=lambda one: (one.value != "nan", one.sample), default=None),
        )

    def behind(self, samples: int) -> TensorStatistics:
        """Return the same statistics with sample numbers increased by ``samples``."""
        if self.not_finite is None:
            return self
        return replace(self, not_finite=replace(self.not_finite, sample=self.not_finite.sample + samples))

    def same(self, other: TensorStatistics) -> bool:
        """Return True if both are equal."""
        mine, theirs = ((s.low, s.high, s.elements, s.not_finite) for s in (self, other))
        if mine != theirs or (self.sketch is None) != (other.sketch is None):
            return False
        return self.sketch is None or (other.sketch is not None and self.sketch.same(other.sketch))


def _both(one: Sketch | None, other: Sketch | None) -> Sketch | None:
    if one is None or other is None:
        return one or other
    return one.merged(other)


def statistics_of(values: NDArray[Any], sample: int = 0, sketched: bool = False) -> TensorStatistics:
    """Return the statistics of a tensor's values in an inference."""
    if not values.size:
        return TensorStatistics()
    low, high = np.float32(values.min()), np.float32(values.max())
    fault, finite = None, values
    if not (np.isfinite(low) and np.isfinite(high)):
        fault = NotFinite(sample, "nan" if np.isnan(low) else "inf")
        finite = values[np.isfinite(values)]
        if not finite.size:
            return TensorStatistics(elements=values.size, not_finite=fault)
        low, high = np.float32(finite.min()), np.float32(finite.max())
    sketch = sketch_of(finite, float(low), float(high)) if sketched else None
    # Zeros of both signs are the same value.
    return TensorStatistics(low + np.float32(0), high + np.float32(0), values.size, sketch, fault)


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
        lines += [f'"tensors": {_listed(tensors)}', f'"inner": {_listed(inner)}']
        return "{" + ",\n".join(lines) + "}\n"

    @classmethod
    def from_json(cls, text: bytes | str, file: str = "statistics") -> CalibrationStatistics:
        """Return the statistics of JSON from ``to_json``. Raises ConfigError."""
        facts = decode_json(text, file)
        if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
            raise ConfigError(f"{file}: holds no {_FORMAT}")
        try:
            return cls.of_plain({**facts, "source": facts["source"]})
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError) as error:
            raise ConfigError(f"{file}: holds no calibration statistics, {error}") from error


def _listed(rows: Iterable[str]) -> str:
    return "[\n " + ",\n ".join(rows) + "\n]" if rows else "[]"


def _plain(one: TensorStatistics) -> dict[str, Any]:
    facts: dict[str, Any] = {"elements": one.elements}
    if one.seen:
        # The shortest digits of a float32 are fewer than those of the same value as float64.
        facts |= {"low": float(str(one.low)), "high": float(str(one.high))}
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
    return TensorStatistics(low, high, int(facts["elements"]), sketch, fault)


def check_finite(statistics: CalibrationStatistics, model: Model) -> None:
    """Raise CalibrationError where a tensor was not finite: the first in execution order in the first such sample."""
    found = first_not_finite(statistics, model)
    if found is None:
        return
    (subgraph, index), fault = found
    name = model.subgraphs[subgraph].tensors[index].name
    where = f" of subgraph {subgraph} '{model.subgraphs[subgraph].name}'" if subgraph else ""
    what = "a NaN" if fault.value == "nan" else "an infinity"
    raise CalibrationError(f"sample {fault.sample} makes tensor {index} '{name}'{where} hold {what}")


def first_not_finite(statistics: CalibrationStatistics, model: Model) -> tuple[Place, NotFinite] | None:
    """Return the first tensor that is not finite: in execution order, in the first sample with such a tensor.

    If there are NaNs, only NaNs count.
    """
    faults = {p: one.not_finite for p, one in statistics.tensors.items() if one.not_finite is not None}
    faults = {p: fault for p, fault in faults.items() if fault.value == "nan"} or faults
    if not faults:
        return None
    sample = min(fault.sample for fault in faults.values())
    order = {place: n for n, place in enumerate(execution_order(model))}
    first = min(
        (p for p, fault in faults.items() if fault.sample == sample), key=lambda p: order.get(p, len(order))
    )
    return first, faults[first]


def execution_order(model: Model) -> list[Place]:
    """Return every tensor of every subgraph in order of execution. Inputs of a subgraph come first."""
    from litecheck.model.links import called

    found: dict[Place, None] = {}
    begun: set[int] = set()

    def enter(number: int) -> None:
        if number in begun or not 0 <= number < len(model.subgraphs):
            return
        begun.add(number)
        subgraph = model.subgraphs[number]
        found.update(dict.fromkeys((number, index) for index in subgraph.inputs))
        for operator in subgraph.operators:
            for _, callee in called(operator):
                enter(callee)
            found.update(dict.fromkeys((number, index) for index in operator.outputs if index >= 0))

    for entered in (0, *(s.subgraph for s in model.signatures), *range(len(model.subgraphs))):
        enter(entered)
    return list(found)
