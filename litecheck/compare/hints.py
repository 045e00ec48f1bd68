"""What an output of the wrong type or shape looks as if it were: a sentence for who made the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES


def hint(tensor: Tensor, given: NDArray[Any], wanted: NDArray[Any]) -> str:
    """Begins with ``: ``, or is empty where nothing can be guessed."""
    if given.dtype.kind == "f" and tensor.dtype in INTEGER_RANGES and not tensor.quantization.scale.size:
        return ": real values cannot be compared with integers that have no scale; give the stored integers"
    if given.dtype.kind in "iu" and wanted.dtype.kind == "f":
        return ": stored integers where real values are wanted; give them dequantized"
    if given.dtype == wanted.dtype and given.shape != wanted.shape:
        return _bytes(given, wanted)
    if given.shape == wanted.shape and given.dtype.itemsize == wanted.dtype.itemsize:
        return f": the same bytes would do as {wanted.dtype}" if given.dtype.kind in "iu" else ""
    return ""


def _bytes(given: NDArray[Any], wanted: NDArray[Any]) -> str:
    """Of raw bytes taken in the tensor's type: what else they may have been."""
    if given.ndim == 1 and given.nbytes == wanted.size * 4 != wanted.nbytes and _plausible(given):
        return (
            ": so many bytes are as many float32 values; raw bytes are taken in the tensor's type, real values go into "
            "a .npy file"
        )
    if given.size == wanted.size:
        return ": as many elements, in another shape"
    return ""


def _plausible(given: NDArray[Any]) -> bool:
    """Whether the bytes are float32 values such as activations are: finite, and neither huge nor tiny."""
    values = np.abs(np.ascontiguousarray(given).view(np.float32))
    inside = (values == 0) | ((values > 1e-12) & (values < 1e12))
    return bool(np.isfinite(values).all() and inside.all())
