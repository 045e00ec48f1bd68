"""Real values of constants: scale * (stored - zero point)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES, Quantization


def constant_values(tensor: Tensor) -> NDArray[np.float64] | None:
    """Return a constant's real values in its shape, or None if they are not known.

    The values of blockwise scales, sparse data, types that are not numbers, and scales that do not fit the shape are
    not known. Integers without a scale are their own values.

    Example: int8 (3, -5) with scale 0.5 and zero point 1 gives (1.0, -3.0).
    """
    stored, q = stored_integers(tensor), tensor.quantization
    if stored is None or q.details is not None or stored.dtype.kind not in "iuf":
        return None
    if tensor.dtype not in INTEGER_RANGES or not q.scale.size:
        return _to_float64(stored)
    scale, zero = along_axis(q.scale, q, stored.ndim), along_axis(zero_points(q), q, stored.ndim)
    if q.scale.size > 1 and (q.axis >= stored.ndim or stored.shape[q.axis] != q.scale.size):
        return None
    real = _to_float64(np.atleast_1d(stored))
    with np.errstate(all="ignore"):
        if zero.any():
            real -= zero
        real *= scale
    return real.reshape(stored.shape)


def constant_sample(tensor: Tensor, count: int) -> NDArray[np.float64] | None:
    """Return about ``count`` real values of a constant, evenly spaced, or None if they are not known."""
    stored, q = stored_integers(tensor), tensor.quantization
    if stored is None or q.details is not None or stored.dtype.kind not in "iuf" or not stored.size:
        return None
    places = np.arange(0, stored.size, max(1, stored.size // count))[:count]
    sample = _to_float64(stored.reshape(-1)[places])
    if tensor.dtype not in INTEGER_RANGES or not q.scale.size:
        return sample
    channel = np.zeros(places.size, np.int64)
    if q.scale.size > 1:
        if q.axis >= stored.ndim or stored.shape[q.axis] != q.scale.size:
            return None
        channel = np.unravel_index(places, stored.shape)[q.axis]
    with np.errstate(all="ignore"):  # scales of damaged files may be infinite
        real: NDArray[np.float64] = (sample - zero_points(q)[channel]) * q.scale[channel]
    return real


def _to_float64(values: NDArray[Any]) -> NDArray[np.float64]:
    with np.errstate(invalid="ignore"):  # a signaling NaN raises a warning
        return values.astype(np.float64)


def zero_points(q: Quantization) -> NDArray[np.int64]:
    """Return a zero point for each scale; zeros if the numbers of zero points and scales differ."""
    return q.zero_point if q.zero_point.size == q.scale.size else np.zeros(q.scale.size, np.int64)


def along_axis(values: NDArray[Any], q: Quantization, dimensions: int) -> NDArray[np.float64]:
    """Return parameters in a shape that broadcasts along their axis. Example: axis 1 of 3 dimensions and 4 scales: (1,
    4, 1)."""
    shape = [-1 if n == q.axis and q.scale.size > 1 else 1 for n in range(dimensions)]
    if -1 not in shape:
        return values.astype(np.float64)[:1].reshape(shape)
    return values.astype(np.float64).reshape(shape)
