"""Rounding to bfloat16 and the 8- and 4-bit floats, once, half to even. ml_dtypes is imported when it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ConfigError, install_hint

#: Floats that numpy lacks: ONNX's name to ml_dtypes' name.
ML_DTYPES: dict[str, str] = {
    "bfloat16": "bfloat16",
    "float8e4m3fn": "float8_e4m3fn",
    "float8e4m3fnuz": "float8_e4m3fnuz",
    "float8e5m2": "float8_e5m2",
    "float8e5m2fnuz": "float8_e5m2fnuz",
    "float8e8m0": "float8_e8m0fnu",
    "float4e2m1": "float4_e2m1fn",
}

#: Largest finite value of each small float that a tensor can be quantized to.
LARGEST: dict[str, float] = {
    "float8e4m3fn": 448.0,
    "float8e4m3fnuz": 240.0,
    "float8e5m2": 57344.0,
    "float8e5m2fnuz": 57344.0,
    "float4e2m1": 6.0,
}


def ml_dtype(name: str) -> np.dtype[Any]:
    """Return the numpy type of a float in :data:`ML_DTYPES`. Raise ConfigError if ml_dtypes is not installed."""
    try:
        import ml_dtypes
    except ImportError as error:
        raise ConfigError(f"{name} needs the package ml_dtypes: {install_hint('onnx')}") from error
    dtype: np.dtype[Any] = np.dtype(getattr(ml_dtypes, ML_DTYPES[name]))
    return dtype


def round_to(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Round numbers once to a float type, by ONNX's name, and return them exactly in float32 (float64 stays float64).

    Arithmetic on two such arrays, rounded to the type again, equals the type's own arithmetic. For values with 11 bits
    or fewer, a float32 quotient or product never rounds to a tie of the type.

    For example, 0.1 becomes 0.0999755859375 in float16 and 0.10009765625 in bfloat16.
    """
    if name in ("float32", "float64"):
        return values.astype(name, copy=False)
    if name == "float16":
        narrow = values.astype(np.float32) if values.dtype.kind == "i" else values
        return narrow.astype(np.float16).astype(np.float32)
    return to_ml_dtype(values, name).astype(np.float32)


def to_small_float(values: NDArray[Any], name: str, saturate: bool) -> NDArray[Any]:
    """Round floats once, half to even, to a type of :data:`LARGEST`.

    With ``saturate``, values beyond the largest finite value become that value, infinities included, and NaN stays NaN.
    Without it they become infinity in float8e5m2, and NaN in the remaining 8-bit floats (the two tables of ONNX's Cast).
    float4e2m1 has neither infinity nor NaN: it always saturates, and NaN becomes 6 (ONNX's page on 4-bit floats).

    For example, 500 saturates to 448 in float8e4m3fn, and 0.3 becomes 0.3125.
    """
    largest = LARGEST[name]
    if saturate or name == "float4e2m1":
        values = np.clip(values, -largest, largest)
    if name == "float4e2m1":
        values = np.where(np.isnan(values), values.dtype.type(largest), values)
    return to_ml_dtype(values, name)


def to_ml_dtype(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Round numbers up to float64 once, half to even, to a type of :data:`ML_DTYPES`."""
    if values.dtype.kind == "i" or values.dtype == np.float64:
        values = _to_odd(values)
    return values.astype(ml_dtype(name), copy=False)


def _to_odd(values: NDArray[Any]) -> NDArray[np.float32]:
    """Round to float32 so that a second rounding to few bits gives the same value as a single rounding.

    ml_dtypes rounds through float32, where 1.0625 + 2**-40 would become a tie. A value between two float32 becomes the
    float32 with the odd significand, which is never a tie of a narrower type (round to odd).
    """
    exact = values.astype(np.float64)
    near = exact.astype(np.float32)
    with np.errstate(invalid="ignore"):
        between = (near != exact) & np.isfinite(near)
    bits = near.view(np.int32)
    even = between & (bits & 1 == 0)
    # The odd neighbor is on the value's side. For floats as integers that is +1 away from zero, -1 toward zero.
    outward = np.abs(exact) > np.abs(near)
    step = np.where(outward, 1, -1).astype(np.int32)
    return np.where(even, bits + step, bits).view(np.float32)
