"""What an output of the wrong type or shape looks as if it were."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES


class Likeness(str, Enum):
    """What an output may be instead of what is wanted."""

    UNSCALED_REALS = "reals without a scale"
    STORED_INTEGERS = "stored integers"
    SAME_BYTES = "the same bytes in another type"
    FLOAT32_BYTES = "raw bytes of float32 values"
    RESHAPED = "another shape"


def likeness(tensor: Tensor, given: NDArray[Any], wanted: NDArray[Any]) -> Likeness | None:
    """None where nothing can be guessed."""
    if given.dtype.kind == "f" and tensor.dtype in INTEGER_RANGES and not tensor.quantization.scale.size:
        return Likeness.UNSCALED_REALS
    if given.dtype.kind in "iu" and wanted.dtype.kind == "f":
        return Likeness.STORED_INTEGERS
    if given.dtype == wanted.dtype and given.shape != wanted.shape:
        return _bytes(given, wanted)
    if given.shape == wanted.shape and given.dtype.itemsize == wanted.dtype.itemsize:
        return Likeness.SAME_BYTES if given.dtype.kind in "iu" else None
    return None


def _bytes(given: NDArray[Any], wanted: NDArray[Any]) -> Likeness | None:
    """Of raw bytes taken in the tensor's type: what else they may have been."""
    if given.ndim == 1 and given.nbytes == wanted.size * 4 != wanted.nbytes and _plausible(given):
        return Likeness.FLOAT32_BYTES
    return Likeness.RESHAPED if given.size == wanted.size else None


def _plausible(given: NDArray[Any]) -> bool:
    """Whether the bytes are float32 values such as activations are: finite, and neither huge nor tiny."""
    values = np.abs(np.ascontiguousarray(given).view(np.float32))
    inside = (values == 0) | ((values > 1e-12) & (values < 1e12))
    return bool(np.isfinite(values).all() and inside.all())
