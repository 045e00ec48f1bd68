"""Integer targets: a zero point for each, and arguments that name types numpy does not have."""

from __future__ import annotations

import numpy as np

from litecheck.quantizer.onnx_types import storage

ZERO_POINTS = {
    "uint8": 128, "int8": -5, "uint16": 40000, "int16": -77, "uint4": 7, "int4": -3, "uint2": 1, "int2": -1,
}  # fmt: skip


def at(target, zero_point=0):
    """Return a zero point of rank 0 and the name of its type."""
    return {"y_zero_point": np.array(zero_point, storage(target)), "zero_point_dtype": target}
