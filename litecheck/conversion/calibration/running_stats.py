"""Statistics that are accumulated sample by sample, and the tensors that they cover."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from litecheck.conversion.calibration.statistics import (
    CalibrationStatistics,
    Inner,
    Place,
    TensorStatistics,
    statistics_of,
)

if TYPE_CHECKING:
    from litecheck.model.types import Model

_NOTHING = TensorStatistics()


def observed_tensors(model: Model) -> tuple[Place, ...]:
    """Return the float32 tensors that are inputs, computed or variables, subgraph by subgraph."""
    found: list[Place] = []
    for subgraph in model.subgraphs:
        available = {i for operator in subgraph.operators for i in operator.outputs} | set(subgraph.inputs)
        found += [
            (subgraph.index, tensor.index)
            for tensor in subgraph.tensors
            if tensor.dtype == "float32" and (tensor.index in available or tensor.is_variable)
        ]
    return tuple(found)


@dataclass(slots=True)
class RunningStats:
    """The accumulated statistics. ``sample`` is the number of the current sample.

    ``enclosed`` is the number of elements that changed no end and are not in ``tensors``.
    """

    sketched: bool
    sample: int = 0
    tensors: dict[Place, TensorStatistics] = field(default_factory=dict)
    inner: dict[Inner, TensorStatistics] = field(default_factory=dict)
    enclosed: Counter[Place] = field(default_factory=Counter)

    def add(self, place: Place, values: NDArray[Any]) -> None:
        """Add the values of a tensor in one more inference."""
        if not values.size:
            return
        known, ends = self.tensors.get(place, _NOTHING), (values.min(), values.max())
        if known.encloses(*ends) and not self.sketched:
            self.enclosed[place] += values.size
        else:
            self.tensors[place] = known.merge(statistics_of(values, self.sample, self.sketched, ends))

    def add_inner(self, place: Inner, values: NDArray[Any]) -> None:
        """Add the values inside an operator in one more inference."""
        one = statistics_of(values, self.sample, self.sketched)
        self.inner[place] = self.inner.get(place, _NOTHING).merge(one)

    def add_all(self, tensors: Iterable[tuple[Place, NDArray[Any]]]) -> None:
        """Add one more inference. References to the arrays do not outlive the call."""
        for place, values in tensors:
            self.add(place, values)

    def add_statistics(self, samples: int, others: CalibrationStatistics) -> None:
        """Add statistics whose samples follow ``samples`` earlier samples."""
        for place, one in others.tensors.items():
            self.tensors[place] = self.tensors.get(place, _NOTHING).merge(one.shift_samples(samples))
        for inside, one in others.inner.items():
            self.inner[inside] = self.inner.get(inside, _NOTHING).merge(one.shift_samples(samples))

    def result(
        self, places: Iterable[Place], samples: int, source: str, runtime: str
    ) -> CalibrationStatistics:
        """Return the statistics in the order of ``places``."""
        tensors = {
            place: replace(one, elements=one.elements + self.enclosed[place])
            for place in places
            if (one := self.tensors.get(place)) is not None
        }
        return CalibrationStatistics(tensors, samples, source, runtime, dict(sorted(self.inner.items())))
