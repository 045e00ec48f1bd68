"""Scales of constant weights per tensor, axis or block: from the largest value, or with the smallest squared error."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion import formulas
from litecheck.conversion.quant_spec import QuantSpec

#: Shares of the largest value that a search tries as the range of weights.
_SHARES = np.linspace(0.4, 1.0, 61)
#: Mask of a float32 that keeps the 8 significant bits of bfloat16, and the half of its last place.
_BFLOAT16, _HALF = np.uint32(0xFFFF0000), np.uint32(0x8000)
#: Scale of a block of zeros. XNNPACK rejects a scale of 0.
_DEAD = np.float32(2.0**-7)


def spec_scales(
    values: NDArray[Any], spec: QuantSpec, generation: formulas.Generation
) -> NDArray[np.float32]:
    """Return symmetric scales of weights: one, one for each channel, or one for each block of a row.

    Example: [[1, -2], [0.5, 1.27]] in int8 gives 2 / 127, and along axis 0 [2 / 127, 0.01].
    """
    axis = spec.axis if spec.per_axis else None
    rows = blocks_of(values, spec.block) if spec.block else values
    axis = 0 if spec.block else axis
    scales = formulas.weight_scales(rows, axis, generation, spec.dtype)
    if spec.least_squares:
        scales = least_squares(rows, scales, axis, spec.dtype)
    return half_scales(np.where(_is_zero(rows), _DEAD, scales)) if spec.block else scales


def blocks_of(values: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the blocks of the rows of a matrix. Example: shape (8, 64) and blocks of 32 give (16, 32)."""
    return values.reshape(-1, size)


def half_scales(scales: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the nearest scales with 8 significant bits that float16 has.

    The files have float16, and XNNPACK rounds to bfloat16: with 8 bits, all kernels compute with the same scale.
    Example: 0.1 gives 0.10009765625.
    """
    bits = scales.astype(np.float32).view(np.uint32)
    short = ((bits + _HALF) & _BFLOAT16).view(np.float32)
    stored: NDArray[np.float32] = np.clip(short, 2.0**-24, 255 * 2.0**8).astype(np.float16).astype(np.float32)
    return stored


def least_squares(
    values: NDArray[Any], scales: NDArray[np.float32], axis: int | None, dtype: str
) -> NDArray[np.float32]:
    """Return scales up to the given scales with the smallest squared error of the stored values.

    Example: in int4, [7, 1.4, 1.4, 1.4, 1.4] has 4 values of error 0.4 with scale 1.
    """
    rows = values.reshape(1, -1) if axis is None else np.moveaxis(values, axis, 0).reshape(scales.size, -1)
    rows, largest = rows.astype(np.float32), np.float32(formulas.steps_of(dtype))
    best = np.full(scales.size, np.inf)
    found: NDArray[np.float32] = scales
    for share in _SHARES[::-1].astype(np.float32):
        tried = np.maximum(scales * share, np.finfo(np.float32).tiny)
        stored = np.rint(rows / tried[:, None]).clip(-largest, largest)
        errors = np.square(stored * tried[:, None] - rows).sum(axis=1, dtype=np.float64)
        found = np.where(errors < best, tried, found)
        best = np.minimum(errors, best)
    return found


def _is_zero(rows: NDArray[Any]) -> NDArray[np.bool_]:
    zero: NDArray[np.bool_] = np.logical_not(rows.any(axis=1))
    return zero
