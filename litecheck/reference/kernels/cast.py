"""CAST between numbers: values, whatever their quantization says."""

from __future__ import annotations

import numpy as np

from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.operands import NUMPY_TYPES, Array, Operand, OutputSpec, RunError
from litecheck.reference.registry import kernel

_TYPES = (
    "float32", "float16", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "bool", "int4",
)  # fmt: skip


@kernel("CAST", *_TYPES)
def cast(input: Operand, output: OutputSpec) -> Array:
    """Each stored value in another type: integers wrap, floats truncate towards zero and saturate.

    NaN becomes the type's largest integer. Any shape. Source: tflite/kernels/cast.cc.
    """
    if output.dtype not in NUMPY_TYPES:
        raise RunError(f"CAST to {output.dtype} has no numpy type")
    held = np.dtype(NUMPY_TYPES[output.dtype])
    x = input.data
    with np.errstate(all="ignore"):
        if x.dtype.kind != "f" or held.kind not in "iu":
            return x.astype(held)
        low, high = INTEGER_RANGES[output.dtype]
        wide = x.astype(np.float64)
        inside = np.where((wide > low) & (wide < high), wide, 0).astype(held)
        beyond = np.where(wide <= low, low, high).astype(held)
        return np.where((wide > low) & (wide < high), inside, beyond)
