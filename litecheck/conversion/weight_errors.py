"""Weight errors: differences between quantized weights that were rounded again and their old values, by channel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.convert_float import Conversion
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.quantization import BITS, Quantization

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
            yield _of_tensor(number, one, other)


def _is_weight(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.quantization.scale.size > 0 and BITS.get(tensor.dtype, 99) <= _BITS


def _of_tensor(subgraph: int, old: Tensor, new: Tensor) -> WeightError:
    several = next((t.quantization for t in (new, old) if t.quantization.scale.size > 1), None)
    axis = several.axis if several is not None else None
    step = _spread(old.quantization.scale, old.quantization, len(old.shape))
    off = np.abs(_real(new) - _real(old)) / step
    rows = off.reshape(1, -1) if axis is None else np.moveaxis(off, axis, 0).reshape(old.shape[axis], -1)
    largest, rms = rows.max(axis=1, initial=0.0), np.sqrt(np.square(rows).mean(axis=1))
    order = np.argsort(-largest, kind="stable")
    channels = tuple(ChannelError(int(n), float(largest[n]), float(rms[n])) for n in order)
    whole = float(np.sqrt(np.square(off).mean()))
    return WeightError(subgraph, old.index, old.name, float(largest.max(initial=0.0)), whole, channels)


def _real(tensor: Tensor) -> NDArray[np.float64]:
    """Return scale * (stored - zero point) in float64."""
    q, stored = tensor.quantization, stored_integers(tensor)
    assert stored is not None, tensor.name
    zero = q.zero_point if q.zero_point.size == q.scale.size else np.zeros(q.scale.size, np.int64)
    dimensions = max(stored.ndim, 1)
    real: NDArray[np.float64] = (stored.astype(np.float64) - _spread(zero, q, dimensions)) * _spread(
        q.scale, q, dimensions
    )
    return real.reshape(stored.shape)


def _spread(values: NDArray[Any], q: Quantization, dimensions: int) -> NDArray[np.float64]:
    """Return parameters shaped to broadcast along their axis."""
    shape = [-1 if n == q.axis and q.scale.size > 1 else 1 for n in range(dimensions)]
    return values.astype(np.float64).reshape(shape)
