"""Resizing of images [N, H, W, C]: nearest neighbor, and bilinear in integers and in float32."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.compute_limits import reserve
from litecheck.reference.kernels.movement import ANY, ints, option
from litecheck.reference.numerics.fixedpoint import round_half_away
from litecheck.reference.registry import Variants, kernel, step
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec

#: Bytes per output element: four pixels, their weights and products as int64.
INTERPOLATING = 80


@kernel("RESIZE_NEAREST_NEIGHBOR", *ANY)
def resize_nearest_neighbor(input: Operand, size: Operand, output: OutputSpec, options: Options) -> Array:
    """output = the nearest input pixel for each output pixel. Source: resize_nearest_neighbor.h, in float32.

    For example, width 2 to 4: (1, 2) gives (1, 1, 2, 2).
    """
    height, width = _output_size(input, size, 2 * input.data.itemsize)
    if _is_empty(input, height, width):
        return np.empty((len(input.data), height, width, input.shape[3]), input.data.dtype)
    rows = _nearest(input.shape[1], height, options)
    columns = _nearest(input.shape[2], width, options)
    return np.ascontiguousarray(input.data[:, rows][:, :, columns])


def _output_size(input: Operand, size: Operand, bytes_per_element: int) -> tuple[int, int]:
    """Return height and width of the output, after a check of the memory. Raises LimitError."""
    height, width = ints(size)
    batch, _, before, depth = input.shape
    for elements in ((batch, height, max(width, before), depth), (height + width,)):
        reserve(elements, bytes_per_element)
    return height, width


def _is_empty(input: Operand, height: int, width: int) -> bool:
    """Return True if no output is computed; the input may then have no pixels to read."""
    return 0 in (len(input.data), height, width, input.shape[3])


def _nearest(n: int, m: int, options: Options) -> NDArray[np.int64]:
    corners, half = bool(option(options, "align_corners")), bool(option(options, "half_pixel_centers"))
    scale = _step(n, m, corners)
    with np.errstate(invalid="ignore"):  # without pixels, the step may be infinite
        at = (np.arange(m, dtype=np.float32) + np.float32(0.5 if half else 0)) * scale
        whole = np.floor(at + np.float32(0.5)) if corners else np.floor(at)
        made: Array = np.clip(whole.astype(np.int64), 0, n - 1)
    return made


def _step(n: int, m: int, corners: bool) -> np.float32:
    """Return the distance between m positions in n pixels; for 0 positions, the value of a division by zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        apart, among = (m - 1, n - 1) if corners and m > 1 else (m, n)
        step: np.float32 = np.float32(among) / np.float32(apart)
        return step


_INTERPOLATIONS = ("q10", "q11", "float32", "float32-half-even")
_UNSIGNED = ("float32-half-up", "float32-weights", *_INTERPOLATIONS)


@kernel(
    "RESIZE_BILINEAR",
    *("int8", "uint8", "int16"),
    interpolate=step(_INTERPOLATIONS, "int16", "declined", "uint8", uint8=_UNSIGNED),
)
def resize_bilinear(
    input: Operand, size: Operand, output: OutputSpec, options: Options, variants: Variants
) -> Array:
    """output = weighted mean of the four pixels around each position, rounded half away from zero.

    ``q10``: positions are Q10, so a product of two weights is Q20. A positive sum is rounded by (sum + 2^19) >> 20, any
    other by -((2^19 - sum) >> 20). Source: resize_bilinear.h, ResizeBilinearInteger. ``q11``: XNNPACK's weights are Q11
    from float32 positions, and the sum, Q22, is rounded half up. ``float32``: the float kernel, then half away from zero,
    or half to even. LiteRT computes uint8 as the float kernel (``float32-half-up``), or as the optimized kernel with
    products of two weights (``float32-weights``); 1/2 is added in float32.

    For example, width 2 to 4: (10, 20) gives (10, 15, 20, 20), or (10, 13, 18, 20) with ``half_pixel_centers``.
    """
    height, width = _output_size(input, size, INTERPOLATING)
    if _is_empty(input, height, width):
        return np.empty((len(input.data), height, width, input.shape[3]), np.int64)
    x = input.data.astype(np.int64)
    variant = variants["interpolate"]
    if variant == "q11":
        return _q11(x, height, width, options)
    if variant == "q10":
        return _q10_sums(x, height, width, options)
    interpolated = weighted_float if variant == "float32-weights" else bilinear_float
    return _ROUNDED[variant](interpolated(input.data.astype(np.float32), height, width, options))


#: Conversions of interpolated float32 values to stored values. Sums with 1/2 are float32.
_ROUNDED: dict[str, Callable[[NDArray[np.float32]], Array]] = {
    "float32": round_half_away,
    "float32-half-even": np.rint,
    "float32-half-up": lambda real: np.trunc(real + np.float32(0.5)),
    "float32-weights": lambda real: np.trunc(real + np.float32(0.5)),
}


def _q10_sums(x: NDArray[np.int64], height: int, width: int, options: Options) -> NDArray[np.int64]:
    pixels, fy, fx = _gather_corners(x, _q10(x.shape[1], height, options), _q10(x.shape[2], width, options))
    total = _sum_weighted(pixels, fy, fx, 1 << 10)
    half = 1 << 19
    return np.where(total > 0, (total + half) >> 20, -((half - total) >> 20))


#: Lower pixels, upper pixels, and distances from the lower pixels, along a side.
Side = tuple[NDArray[np.int64], NDArray[np.int64], Array]
#: Pixels around each position: top left, top right, bottom left, bottom right.
Corners = tuple[Array, Array, Array, Array]


def _gather_corners(x: Array, rows: Side, columns: Side) -> tuple[Corners, Array, Array]:
    """Return the four pixels around each position, and its distances from the upper and the left pixels."""
    (y0, y1, fy), (x0, x1, fx) = rows, columns
    top, bottom = x[:, y0], x[:, y1]
    return (top[:, :, x0], top[:, :, x1], bottom[:, :, x0], bottom[:, :, x1]), fy[:, None, None], fx[:, None]


def _sum_weighted(pixels: Corners, fy: Array, fx: Array, one: Any) -> Array:
    """Return the sum of each pixel times the product of its weights."""
    weights = (one - fy) * (one - fx), (one - fy) * fx, fy * (one - fx), fy * fx
    a, b, c, d = (pixel * weight for pixel, weight in zip(pixels, weights, strict=True))
    total: Array = a + b + c + d
    return total


def _q10(n: int, m: int, options: Options) -> Side:
    """Return (lower pixel, upper pixel, distance from the lower in Q10) of every output position along a side.

    1. Step between m positions in n pixels: (1024 * n + m // 2) // m. With ``align_corners`` and m > 1:
       (1024 * (n - 1) + (m - 1) // 2) // (m - 1).
    2. Position k is k * step. ``half_pixel_centers`` adds step // 2 - 512.
    3. The lower pixel is the position / 1024, rounded toward zero, at least 0. The upper pixel is
       (position + 1023) >> 10, at most n - 1 and at least 0. The distance is position - 1024 * lower pixel.

    For example, 2 pixels to 4 positions have the step 512: lower pixels (0, 0, 1, 1), upper pixels (0, 1, 1, 1),
    distances (0, 512, 0, 512).
    """
    corners, half = bool(option(options, "align_corners")), bool(option(options, "half_pixel_centers"))
    scale = ((1 << 10) * n + m // 2) // m
    if corners and m > 1:
        scale = ((1 << 10) * (n - 1) + (m - 1) // 2) // (m - 1)
    at = np.arange(m, dtype=np.int64) * scale
    if half:
        at = at + scale // 2 - (1 << 9)
    lower = np.maximum(np.where(at < 0, -((-at) >> 10), at >> 10), 0)
    upper = np.minimum((at + (1 << 10) - 1) >> 10, n - 1)
    return lower, np.maximum(upper, 0), at - (lower << 10)


def _positions(n: int, m: int, options: Options) -> Side:
    """Return (lower pixel, upper pixel, distance from the lower in float32) of every output position along a side."""
    corners, half = bool(option(options, "align_corners")), bool(option(options, "half_pixel_centers"))
    scale = _step(n, m, corners)
    at = np.arange(m, dtype=np.float32)
    at = (at + np.float32(0.5)) * scale - np.float32(0.5) if half else at * scale
    lower = np.maximum(np.floor(at).astype(np.int64), 0)
    upper = np.minimum(np.ceil(at).astype(np.int64) if half else lower + 1, n - 1)
    return np.minimum(lower, n - 1), np.maximum(upper, 0), (at - lower.astype(np.float32)).astype(np.float32)


def _gather_around(x: Array, height: int, width: int, options: Options) -> tuple[Corners, Array, Array]:
    return _gather_corners(x, _positions(x.shape[1], height, options), _positions(x.shape[2], width, options))


def bilinear_float(x: Array, height: int, width: int, options: Options) -> NDArray[np.float32]:
    """Return the bilinear interpolation, every step in float32."""
    (a, b, c, d), fy, fx = _gather_around(x, height, width, options)
    gy, gx = np.float32(1) - fy, np.float32(1) - fx
    total: NDArray[np.float32] = a * gy * gx + c * fy * gx + b * gy * fx + d * fy * fx
    return total


def weighted_float(x: Array, height: int, width: int, options: Options) -> NDArray[np.float32]:
    """Return the interpolation of :func:`bilinear_float` with products of the two weights of a pixel."""
    pixels, fy, fx = _gather_around(x, height, width, options)
    return _sum_weighted(pixels, fy, fx, np.float32(1))


def _q11(x: NDArray[np.int64], height: int, width: int, options: Options) -> NDArray[np.int64]:
    (a, b, c, d), fy, fx = _gather_around(x, height, width, options)
    vy, vx = (np.rint(np.clip(f, 0, 1) * np.float32(2048)).astype(np.int64) for f in (fy, fx))
    top, bottom = (a << 11) + (b - a) * vx, (c << 11) + (d - c) * vx
    total = (top << 11) + (bottom - top) * vy
    made: Array = (total + (1 << 21)) >> 22
    return made


@kernel("RESIZE_BILINEAR", "float32")
def resize_bilinear_float(input: Operand, size: Operand, output: OutputSpec, options: Options) -> Array:
    """output = weighted mean of the four pixels around each position, in float32. Source: resize_bilinear.h."""
    height, width = _output_size(input, size, INTERPOLATING)
    if _is_empty(input, height, width):
        return np.empty((len(input.data), height, width, input.shape[3]), np.float32)
    return bilinear_float(input.data, height, width, options)
