"""Constants as float16, which a DEQUANTIZE converts to float32 at run time: the reasons why a constant stays float32."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

HALF = "float16"
_LARGEST, _SMALLEST = float(np.finfo(np.float16).max), float(np.finfo(np.float16).tiny)


def unfit_for_float16(values: NDArray[Any]) -> str:
    """Return the reason why float16 cannot store a constant: values too large, or all too small to keep their digits.

    For example, 70,000 is too large and 1e-9 too small.
    """
    reach = float(np.abs(values).max())
    if not reach <= _LARGEST:
        return "reaches beyond float16"
    return "is finer than float16" if 0 < reach < _SMALLEST else ""
