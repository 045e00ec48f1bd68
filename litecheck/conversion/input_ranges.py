"""Fit of samples to the range of a model's input: values outside suggest another preprocessing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Chain, Sample
from litecheck.conversion.groups import Interval, Key
from litecheck.model.types import Model

#: Share of a range's width by which values exceed the range, or stay away from its lower end, before there is a doubt.
_BEYOND, _UNUSED = 0.25, 0.4
#: Share of a range's width below which values are too close together.
_CLOSE = 1 / 16
#: Common ranges of images, with the option that computes them from 0..255, and the share by which a range may differ.
_IMAGES = (
    ((-1.0, 1.0), "1/127.5:-1"),
    ((0.0, 1.0), "1/255:0"),
    ((0.0, 255.0), "1:0"),
    ((-128.0, 127.0), "1:-128"),
)
_NEAR = 0.02
#: Ratio of values to a range up to which a calibration may have cut them off: the scaling of images differs by more.
_CUT = 4.0


def range_doubt(name: str, own: Interval, symmetric: bool, values: Interval, scaled: bool) -> str:
    """Return a sentence on an input whose range does not fit the values of the data, or "".

    ``own`` is the range of the input's type, ``symmetric`` is True for int16, and ``scaled`` if ``--preprocessing`` applies
    to the data. Example: for a range of -1..1, values of 0..255, of 0..1 and of -0.01..0.01 are doubtful, and values of
    -0.9..0.9 are not. For int16 values of 0..1 are not doubtful either.
    """
    used = _used_half(own, values) if symmetric else own
    if not _is_doubtful(used, values) or is_cut(used, values):
        return ""
    advice = "" if symmetric else _advice(own, scaled)
    return (
        f"input '{name}' has the range {own[0]:.3g}..{own[1]:.3g}, and the data have "
        f"{values[0]:.3g}..{values[1]:.3g}: are they preprocessed as the model expects?{advice} If the "
        "data are, the model was calibrated on other data"
    )


def evaluation_doubts(
    model: Model, ranges: Mapping[Key, Interval], symmetric: bool, seen: Mapping[Key, Interval]
) -> Iterator[str]:
    """Yield a warning for each float input whose range, from the calibration, does not fit the values of ``--evaluate``."""
    for key, values in seen.items():
        if key in ranges:
            low, high = ranges[key]
            own = (-max(-low, high), max(-low, high)) if symmetric else (low, high)
            name = model.subgraphs[key[0]].tensors[key[1]].name
            if doubt := range_doubt(name, own, symmetric, values, scaled=False):
                yield f"--evaluate: {doubt}"


def watch_ranges(data: CalibrationData, model: Model, seen: dict[Key, Interval]) -> CalibrationData:
    """Return the same samples; reading them adds the smallest and largest value of each float input to ``seen``."""

    def read() -> Iterator[Chain]:
        for chain in data:
            for sample in chain:
                _add_extremes(sample, model, seen)
            yield chain

    return replace(data, iterate=read)


def _add_extremes(sample: Sample, model: Model, seen: dict[Key, Interval]) -> None:
    number, arrays = sample.arrange(model)
    for index, values in zip(model.subgraphs[number].inputs, arrays, strict=True):
        if values.dtype == np.float32 and values.size:
            low, high = seen.get((number, index), (np.inf, -np.inf))
            seen[number, index] = min(low, float(values.min())), max(high, float(values.max()))


def is_cut(own: Interval, seen: Interval) -> bool:
    """Return True if values exceed a range that is no range of images, but by less than a missing preprocessing.

    Example: -4.5..4.4 for values of -6.7..6.9, as from an average of the samples' extremes.
    """
    inside = all(abs(end) <= _CUT * abs(limit) for end, limit in zip(seen, own, strict=True))
    beyond = seen[0] < own[0] or seen[1] > own[1]
    return inside and beyond and not _is_of_images(own)


def _used_half(own: Interval, seen: Interval) -> Interval:
    """Return the half of a symmetric range that values of one sign can use, or the whole range."""
    return max(own[0], 0.0) if seen[0] >= 0 else own[0], min(own[1], 0.0) if seen[1] < 0 else own[1]


def _is_doubtful(own: Interval, seen: Interval) -> bool:
    width = own[1] - own[0]
    beyond = max(own[0] - seen[0], seen[1] - own[1])
    close = min(seen[0], 0.0) + _CLOSE * width > max(seen[1], 0.0)
    return close or beyond > _BEYOND * width or (seen[0] >= 0 and -own[0] >= _UNUSED * width)


def _advice(own: Interval, scaled: bool) -> str:
    """Return the way to a common range of images: the option for uint8 values, or scaled arrays; "" for other ranges."""
    for (low, high), scale in _IMAGES:
        if _is_near(own, (low, high)):
            if scaled:
                return f" --preprocessing {scale} maps images and uint8 values to {low:g}..{high:g}."
            return f" Scale the arrays to {low:g}..{high:g}."
    return ""


def _is_near(own: Interval, other: Interval) -> bool:
    room = _NEAR * (own[1] - own[0])
    return abs(own[0] - other[0]) <= room and abs(own[1] - other[1]) <= room


def _is_of_images(own: Interval) -> bool:
    return any(_is_near(own, other) for other, _ in _IMAGES)
