"""Weight errors: differences between quantized weights that were rounded again and their old values, by channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from litecheck.conversion.convert_float import Conversion
from litecheck.model.constant_values import along_axis, constant_values
from litecheck.model.types import Model, Tensor
from litecheck.quantization import BITS

#: Only constants of at most 8 bits are compared. Biases have more bits, and follow the weights' scales.
_BITS = 8


@dataclass(frozen=True, slots=True)
class ChannelError:
    """The largest and the root mean square error of a channel's weights, in steps of the channel's old scale."""

    channel: int
    largest: float
    rms: float


@dataclass(frozen=True, slots=True)
class WeightError:
    """The weight errors of a tensor, with the worst channel first. ``largest`` and ``rms`` are over all channels."""

    subgraph: int
    tensor: int
    name: str
    largest: float
    rms: float
    channels: tuple[ChannelError, ...]


def weight_errors(old: Model, conversion: Conversion) -> tuple[WeightError, ...]:
    """Return the errors of a quantized model's constants of at most 8 bits in a conversion, the worst first."""
    return tuple(sorted(_errors(old, conversion), key=lambda one: -one.largest))


def _errors(old: Model, conversion: Conversion) -> Iterator[WeightError]:
    for number, before, after in dict.fromkeys(conversion.operands()):
        one = old.subgraphs[number].tensors[before]
        other = conversion.model.subgraphs[number].tensors[after]
        if _is_weight(one) and _is_weight(other):
            yield _tensor_error(number, one, other)


def _is_weight(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.quantization.scale.size > 0 and BITS.get(tensor.dtype, 99) <= _BITS


def _tensor_error(subgraph: int, old: Tensor, new: Tensor) -> WeightError:
    several = next((t.quantization for t in (new, old) if t.quantization.scale.size > 1), None)
    axis = several.axis if several is not None else None
    step = along_axis(old.quantization.scale, old.quantization, len(old.shape))
    before, after = constant_values(old), constant_values(new)
    assert before is not None, old.name
    assert after is not None, new.name
    off = np.abs(after - before) / step
    rows = off.reshape(1, -1) if axis is None else np.moveaxis(off, axis, 0).reshape(old.shape[axis], -1)
    largest, rms = rows.max(axis=1, initial=0.0), np.sqrt(np.square(rows).mean(axis=1))
    order = np.argsort(-largest, kind="stable")
    channels = tuple(ChannelError(int(n), float(largest[n]), float(rms[n])) for n in order)
    whole = float(np.sqrt(np.square(off).mean()))
    return WeightError(subgraph, old.index, old.name, float(largest.max(initial=0.0)), whole, channels)
