"""Samples beside the ranges of a model's inputs: data that are probably not preprocessed as the model expects."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.conversion.calibration.calibration_data import takes_preprocessing
from litecheck.conversion.groups import Interval
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.graph import wiring_of
from litecheck.model.types import Subgraph, Tensor
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS
from litecheck.tracing.storage import is_quantized

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


def data_doubt(subgraph: Subgraph, seen: Mapping[int, Interval], scaled: bool) -> str:
    """Return a sentence on the first input of a quantized model whose range does not fit the samples, or "".

    ``seen`` has the least and largest value of inputs in the samples. ``scaled`` is True if ``--preprocessing`` applies
    to the samples. Example: for an int8 input of -1..1, values of 0..255, of 0..1 and of -0.01..0.01 are doubtful, and
    values of -0.9..0.9 are not. For int16, which is symmetric, values of 0..1 are not doubtful either.
    """
    for index, values in seen.items():
        stored = _stored(subgraph, index)
        if stored is None:
            continue
        own, symmetric = stored.quantization.real_range(stored.dtype), stored.dtype == "int16"
        used = _used_half(own, values) if symmetric else own
        if _is_doubtful(used, values) and not is_cut(used, values):
            advice = "" if symmetric else _advice(own, scaled)
            return (
                f"input '{subgraph.tensors[index].name}' has the range {own[0]:.3g}..{own[1]:.3g}, and the data have "
                f"{values[0]:.3g}..{values[1]:.3g}: are they preprocessed as the model expects?{advice} If the "
                "data are, the model was calibrated on other data"
            )
    return ""


def is_cut(own: Interval, seen: Interval) -> bool:
    """Return True if values exceed a range that is no range of images, but by less than a missing preprocessing.

    Example: -4.5..4.4 for values of -6.7..6.9, as from an average of the samples' extremes.
    """
    inside = all(abs(end) <= _CUT * abs(limit) for end, limit in zip(seen, own, strict=True))
    beyond = seen[0] < own[0] or seen[1] > own[1]
    return inside and beyond and not _is_of_images(own)


def takes_scaling(settings: ConversionSettings) -> bool:
    """Return True if ``--preprocessing`` applies to all data of the settings."""
    return all(map(takes_preprocessing, settings.sources))


def _stored(subgraph: Subgraph, index: int) -> Tensor | None:
    """Return a quantized input, or the output of QUANTIZE that reads a float input."""
    readers = (subgraph.operators[n] for n in wiring_of(subgraph).readers.get(index, ()))
    behind = [one.outputs[0] for one in readers if one.opcode == INTO_INTEGERS]
    tensors = (subgraph.tensors[i] for i in (index, *behind))
    return next((t for t in tensors if is_quantized(t)), None)


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
