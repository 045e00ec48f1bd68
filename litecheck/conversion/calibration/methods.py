"""Range methods by tensor: a method for all tensors, and exceptions by the tensor's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from litecheck.conversion.calibration.ranges import MINMAX, Range, RangeMethod, choose_range, range_method
from litecheck.conversion.calibration.statistics import CalibrationStatistics, Inner, Place
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.spelling import did_you_mean
from litecheck.summary_text import count_of


@dataclass(frozen=True, slots=True)
class RangeMethods:
    """The default method, and the methods of tensors whose name matches a pattern. The last matching pattern applies.

    ``by_place`` has methods of tensors by (subgraph, tensor), for tensors without a matching pattern.
    """

    default: RangeMethod
    by_pattern: tuple[tuple[str, RangeMethod], ...] = ()
    by_place: Mapping[Place, RangeMethod] = field(default_factory=dict)

    def method_for(self, place: Place, name: str) -> RangeMethod:
        """Return the method for a tensor."""
        fitting = (method for pattern, method in reversed(self.by_pattern) if fnmatchcase(name, pattern))
        return next(fitting, self.by_place.get(place, self.default))

    @property
    def needs_sketches(self) -> bool:
        """True if a method needs histograms in the statistics."""
        return any(method.needs_sketch for method in self._methods)

    @property
    def _methods(self) -> tuple[RangeMethod, ...]:
        return (self.default, *(method for _, method in self.by_pattern), *self.by_place.values())

    def __str__(self) -> str:
        named = (f"{method} for {pattern}" for pattern, method in self.by_pattern)
        counts = Counter(map(str, self.by_place.values()))
        placed = (f"{method} for {count_of(number, 'tensor')}" for method, number in counts.items())
        return ", ".join((str(self.default), *named, *placed))


def range_methods(texts: Sequence[str]) -> RangeMethods:
    """Return the methods of texts ``METHOD`` or ``PATTERN=METHOD``. Raises ConfigError.

    Examples: ``mse``, ``conv*=percentile:99.9``.
    """
    usual = RangeMethod(MINMAX)
    named: list[tuple[str, RangeMethod]] = []
    for text in texts:
        pattern, equals, method = text.rpartition("=")
        try:
            if equals:
                named.append((pattern, range_method(method)))
            else:
                usual = range_method(text)
        except ConfigError as error:
            raise ConfigError(f"--calibrate {text}: {error}") from None
    return RangeMethods(usual, tuple(named))


def choose_ranges(
    statistics: CalibrationStatistics, model: Model, methods: RangeMethods
) -> Mapping[Place, Range]:
    """Return the range of every tensor with a value. Raises ConfigError for a pattern that matches no tensor."""
    names = {place: model.subgraphs[place[0]].tensors[place[1]].name for place in statistics.tensors}
    for pattern, _ in methods.by_pattern:
        if not any(fnmatchcase(name, pattern) for name in names.values()):
            hint = did_you_mean(pattern, names.values())
            raise ConfigError(f"--calibrate {pattern}=...: no computed float32 tensor has such a name{hint}")
    return dict(_ranges(statistics, names, methods))


def inner_ranges(statistics: CalibrationStatistics, methods: RangeMethods) -> Mapping[Inner, Range]:
    """Return the range of every value inside operators, by the default method."""
    found = ((place, one) for place, one in statistics.inner.items() if one.has_values)
    return {place: choose_range(one, methods.default) for place, one in found}


def _ranges(
    statistics: CalibrationStatistics, names: Mapping[Place, str], methods: RangeMethods
) -> Iterator[tuple[Place, Range]]:
    for place, one in statistics.tensors.items():
        if one.has_values:
            yield place, choose_range(one, methods.method_for(place, names[place]))
