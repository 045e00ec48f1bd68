"""Warnings about calibration data: samples that alone set ranges, constant inputs, ranges that no sample reaches."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from litecheck.conversion.calibration.statistics import CalibrationStatistics, TensorStatistics
from litecheck.model.graph import wiring_of
from litecheck.model.links import READ
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.summary_text import count_of

if TYPE_CHECKING:  # planning is imported during the calibration
    from litecheck.conversion.conversion_plan import ConversionPlan
    from litecheck.conversion.groups import Interval, Key

#: Ratio of a range to the range without a sample from which the sample alone sets the range.
ALONE = 4.0
#: Ratio of a stated range to the range of the samples from which the range is not reached.
_UNREACHED = 8.0
#: Smallest number of samples in which a sample can be unusual.
_FEWEST = 4
#: Largest magnitude of an input that is scaled already, and the smallest factor that scales images.
_UNIT, _IMAGE = 2.0, 32.0
#: Largest number of samples that are named.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class DecisiveSample:
    """A sample that alone sets ranges. For the range that it widens most: tensor, range, and range without the sample."""

    sample: int
    ranges: int
    tensor: Key
    extent: Interval
    without: Interval

    @property
    def ratio(self) -> float:
        """Ratio of both ranges. Example: 0..300 and 0..3 give 100."""
        return _width(self.extent) / max(_width(self.without), 1e-30)


def decisive_samples(statistics: CalibrationStatistics) -> tuple[DecisiveSample, ...]:
    """Return the samples without which a range would be at most a quarter as wide, the most decisive first."""
    if statistics.samples < _FEWEST:
        return ()
    found: dict[int, list[DecisiveSample]] = {}
    for decisive in _ranges_of_one_sample(statistics):
        found.setdefault(decisive.sample, []).append(decisive)
    merged = []
    for several in found.values():
        worst = max(several, key=lambda one: one.ratio)
        merged.append(DecisiveSample(worst.sample, len(several), worst.tensor, worst.extent, worst.without))
    return tuple(sorted(merged, key=lambda one: (-one.ranges, -one.ratio, one.sample)))


def _ranges_of_one_sample(statistics: CalibrationStatistics) -> Iterator[DecisiveSample]:
    """Yield each range that a sample alone sets."""
    for place, one in statistics.tensors.items():
        for number in {one.low_sample, one.high_sample} if one.has_values else ():
            decisive = DecisiveSample(
                number, 1, place, (float(one.low), float(one.high)), _range_of_others(one, number)
            )
            if number >= 0 and decisive.ratio >= ALONE:
                yield decisive


def _range_of_others(one: TensorStatistics, sample: int) -> Interval:
    """Return the range of all other samples."""
    low = one.low_beside if one.low_sample == sample else one.low
    high = one.high_beside if one.high_sample == sample else one.high
    return (float(low), float(high)) if low <= high else (0.0, 0.0)


def ranges_without(statistics: CalibrationStatistics, sample: int) -> Mapping[Key, Interval]:
    """Return the ranges that a sample alone sets, as they are without it."""
    return {one.tensor: one.without for one in _ranges_of_one_sample(statistics) if one.sample == sample}


def _width(extent: Interval) -> float:
    return max(extent[1], 0.0) - min(extent[0], 0.0)


def decisive_text(one: DecisiveSample, sample: str, model: Model) -> str:
    """Return ``sample 17 alone sets 5 ranges: 'conv' reaches 0..300, without it 0..3.1``."""
    name = model.subgraphs[one.tensor[0]].tensors[one.tensor[1]].name
    extents = (f"{low:.4g}..{high:.4g}" for low, high in (one.extent, one.without))
    reached, without = extents
    return f"{sample} alone sets {count_of(one.ranges, 'range')}: '{name}' reaches {reached}, without it {without}"


def named_samples(statistics: CalibrationStatistics) -> tuple[DecisiveSample, ...]:
    """Return the decisive samples, or none if there are so many that no sample is unusual."""
    found = decisive_samples(statistics)
    return found if len(found) <= _NAMED else ()


def constant_inputs(statistics: CalibrationStatistics, model: Model) -> Iterator[str]:
    """Yield a warning for each input that has the same value in all samples."""
    entered = {(s.index, index) for s in model.subgraphs for index in s.inputs}
    for place, one in statistics.tensors.items():
        if place in entered and one.has_values and one.low == one.high and one.elements > statistics.samples:
            name = model.subgraphs[place[0]].tensors[place[1]].name
            yield f"input '{name}' is {one.low:g} in all samples, so no range behind it is that of real data"


def state_warnings(model: Model) -> Iterator[str]:
    """Yield a warning if the model keeps state between inferences, for samples that each start from the initial state.

    An LSTM that computes all steps of its input in an inference gives none. Example: a streaming model that reads and
    assigns a variable sees in single samples the values of the first frame only.
    """
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            if _keeps_state(subgraph, operator):
                yield (
                    f"the model keeps state between inferences ({operator.opcode} #{operator.index}), and each sample "
                    "starts from the initial state: ranges of later steps are not measured. Give sequences of samples with "
                    "--sequences (arrays with two leading axes, sequences and their samples)"
                )
                return


def _keeps_state(subgraph: Subgraph, operator: Operator) -> bool:
    if operator.opcode == READ:
        return True
    if not any(i >= 0 and subgraph.tensors[i].is_variable for i in operator.inputs):
        return False
    fields = operator.options.fields if operator.options else {}
    shape = subgraph.tensors[operator.inputs[0]].shape
    if "SEQUENCE" not in operator.opcode or len(shape) < 3:
        return True
    return shape[0 if fields.get("time_major") else 1] == 1


def input_scaling_warnings(statistics: CalibrationStatistics, model: Model) -> Iterator[str]:
    """Yield a warning for each input with values of -2..2 that the model itself scales from 0..255.

    Example: Keras' layer Rescaling multiplies by 1/127.5 and adds -1.
    """
    for subgraph in model.subgraphs:
        for index in subgraph.inputs:
            seen = statistics.tensors.get((subgraph.index, index))
            if seen is None or not seen.has_values or max(-seen.low, seen.high) > _UNIT:
                continue
            for number in wiring_of(subgraph).readers.get(index, ()):
                operator = subgraph.operators[number]
                if (scale := _image_constant(subgraph, operator)) is not None:
                    name, extent = subgraph.tensors[index].name, f"{seen.low:.4g}..{seen.high:.4g}"
                    yield (
                        f"input '{name}' has {extent} in the samples, and {operator.opcode} #{number} by {scale:.4g} scales "
                        "it from 0..255: add --preprocessing 1:0 for images and uint8 arrays, or scale the arrays to 0..255"
                    )


def _image_constant(subgraph: Subgraph, operator: Operator) -> float | None:
    """Return the constant of an operator that maps values of 0..255 to about -1..1, else None."""
    traits = traits_of(operator.kind)
    if traits.elementwise != "binary":
        return None
    constants = [stored_integers(subgraph.tensors[i]) for i in operator.inputs if i >= 0]
    values = next((abs(v) for v in constants if v is not None and v.size and v.dtype.kind == "f"), None)
    if values is None:
        return None
    scales = values.max() <= 1 / _IMAGE if traits.element == "mul" else values.min() >= _IMAGE
    return float(values.flat[0]) if scales else None


def range_warnings(
    plan: ConversionPlan, ranges: Mapping[Key, Interval], stated: Collection[Key] | None = None
) -> Iterator[str]:
    """Yield a warning if stated ranges are far wider than the values of the samples; ``stated`` None means all tensors."""
    found = []
    for one in plan.tensors:
        key, form = (one.subgraph, one.tensor), next(filter(None, (one.written, *one.read.values())), None)
        if (
            form is None
            or form.scale.size != 1
            or key not in ranges
            or (stated is not None and key not in stated)
        ):
            continue
        ratio = _width(form.reach) / max(_width(ranges[key]), 1e-30)
        if ratio >= _UNREACHED:
            found.append((ratio, one.name, form.reach, ranges[key]))
    if found:
        _, name, extent, reached = max(found)
        yield (
            f"{count_of(len(found), 'range')} not reached by the samples: '{name}' is stored for "
            f"{extent[0]:.4g}..{extent[1]:.4g}, the samples reach {reached[0]:.4g}..{reached[1]:.4g}"
        )
