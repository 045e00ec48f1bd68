"""Independent operators on elements, windows and rows, with parameters for defects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.diagnosis.foreign import (
    Clamp,
    Context,
    Floats,
    Ints,
    NotMadeError,
    Rescale,
    away,
    parts,
    saturated,
    two_roundings,
    usual_end,
    wrapped,
)  # fmt: skip
from tests.diagnosis.foreign_sums import Sums, conv, depthwise, fully_connected, padded, places


def add(
    c: Context,
    shift: int = 20,
    rescale: Rescale = two_roundings,
    operand: Callable[[Ints], Ints] = lambda x: x,
    end: Clamp = usual_end,
    out_rescale: Rescale | None = None,
) -> NDArray[Any]:
    (out, zero), (low, high) = c.out, c.limits
    scales = [np.float64(c.scale(n)) for n in (0, 1)]
    twice = 2 * max(scales)
    terms = [operand(rescale((c.value(n) - c.zero(n)) << shift, scales[n] / twice)) for n in (0, 1)]
    total = terms[0] + terms[1]
    return end(
        (out_rescale or rescale)(total, twice / ((1 << shift) * np.float64(out))), zero, low, high
    ).astype(np.int8)


def add_in_output_steps(
    c: Context, rescale: Rescale = two_roundings, bits: int = 32, end: Clamp = usual_end
) -> NDArray[Any]:
    """Add operands that were each rescaled and rounded to the output's scale."""
    (out, zero), (low, high) = c.out, c.limits
    terms = [rescale(c.value(n) - c.zero(n), np.float64(c.scale(n)) / np.float64(out)) for n in (0, 1)]
    return end(saturated(terms[0], bits) + saturated(terms[1], bits), zero, low, high).astype(np.int8)


def mul(c: Context, rescale: Rescale = two_roundings, bits: int = 32, end: Clamp = usual_end) -> NDArray[Any]:
    (out, zero), (low, high) = c.out, c.limits
    product = wrapped((c.value(0) - c.zero(0)) * (c.value(1) - c.zero(1)), bits)
    return end(rescale(product, c.scale(0) * c.scale(1) / out), zero, low, high).astype(np.int8)


# Windows and sums


def quotient(total: Ints, count: Ints) -> Ints:
    """Return the quotient, rounded half away from zero."""
    half = count // 2
    rounded: Ints = np.sign(total) * ((np.abs(total) + half) // count)
    return rounded


def average(
    c: Context,
    divide: Callable[[Ints, Ints], Ints] = quotient,
    whole: bool = False,
    end: Clamp = usual_end,
    padding: int = 0,
) -> NDArray[Any]:
    x, (low, high), o = c.value(0), c.limits, c.options
    kernel = (o["filter_height"], o["filter_width"])
    s = Sums(padding=padding)
    wide, axes, sizes = padded(c, s, x, kernel)
    wide = wide + c.zero(0)
    ones, _, _ = padded(c, Sums(padding=c.zero(0)), np.ones_like(x) + c.zero(0), kernel)
    total = sum(places(wide, kernel, axes, sizes), np.int64(0))
    count = sum(places(ones, kernel, axes, sizes), np.int64(0))
    if whole:
        count = np.full_like(count, kernel[0] * kernel[1])
    return end(divide(np.asarray(total), np.asarray(count)), 0, low, high).astype(np.int8)


def _axes(c: Context) -> tuple[int, ...]:
    return tuple(int(a) % c.value(0).ndim for a in c.value(1, "int32").reshape(-1))


def mean(c: Context, bits: int = 32, pooled: bool = False) -> NDArray[Any]:
    """Compute MEAN with 1/n as a part of the multiplier.

    ``pooled``: the mean of stored values is rounded before it is rescaled.
    """
    x, axes, (out, zero) = c.value(0), _axes(c), c.out
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total = wrapped(x.sum(axis=axes), bits)
    real = np.float64(c.scale(0)) / np.float64(out)
    if pooled:
        scaled = two_roundings(quotient(total, np.int64(count)) - c.zero(0), real)
    else:
        whole, exponent = (int(v) for v in parts(real))
        shift = min(count.bit_length() - 1, 32, 31 + exponent)
        scaled = _folded(total - count * c.zero(0), (whole << shift) // count, exponent - shift)
    return np.clip(scaled + zero, -128, 127).astype(np.int8).reshape(c.output.shape)


def _folded(x: Ints, whole: int, exponent: int) -> Ints:
    left, right = max(exponent, 0), max(-exponent, 0)
    high = (wrapped(x << left, 32) * whole + (1 << 30)) >> 31
    return (high + ((1 << right) >> 1) - ((high < 0) & (right > 0))) >> right


# Functions of a byte


def quantize(
    c: Context,
    rescale: Rescale = two_roundings,
    from_float: Callable[[Any, np.float32], Ints] = lambda x, s: away((x / s).astype(np.float64)),
    end: Clamp = usual_end,
) -> NDArray[Any]:
    out, zero = c.out
    if c.tensor(0, "int8", "float32").dtype == "float32":
        x = np.asarray(c.values[0], np.float32)
        if np.any(~np.isfinite(x)) or np.any(np.abs(x) > 1e9 * out):
            raise NotMadeError("beyond what it is told about")
        return end(from_float(x, out), zero, -128, 127).astype(np.int8)
    scaled = rescale(c.value(0) - c.zero(0), np.float64(c.scale(0)) / np.float64(out))
    return end(scaled, zero, -128, 127).astype(np.int8)


def sigmoid(x: Floats) -> Floats:
    """Return the sigmoid in float32, as for the entries of the kernel's table; the exponential is the nearest
    float32."""
    one, power = np.float32(1), np.exp(-x.astype(np.float32).astype(np.float64)).astype(np.float32)
    return (one / (one + power)).astype(np.float64)


def logistic(
    c: Context,
    curve: Callable[[Floats], Floats] = sigmoid,
    rounded: Callable[[Floats], Ints] = away,
) -> NDArray[Any]:
    out, zero = c.out
    real = (c.value(0) - c.zero(0)) * np.float64(c.scale(0))
    return np.clip(rounded(curve(real) / np.float64(out)) + zero, -128, 127).astype(np.int8)


def interpolated(x: Floats, entries: int = 64, reach: float = 8.0) -> Floats:
    """Return the sigmoid from a table with ``entries`` steps over [-reach, reach] and linear interpolation."""
    knots = np.linspace(-reach, reach, entries + 1)
    return np.interp(x, knots, 1 / (1 + np.exp(-knots)))


def leaky(
    c: Context,
    rescale: Rescale = two_roundings,
    negative: Rescale | None = None,
    alpha: Callable[[float], float] = lambda a: a,
    positive_raw: bool = False,
) -> NDArray[Any]:
    (out, zero), x = c.out, c.value(0) - c.zero(0)
    real = np.float64(c.scale(0) / out)
    slope = np.float64(np.float32(c.scale(0) * np.float32(alpha(c.options["alpha"])) / out))
    up = x if positive_raw else rescale(x, real)
    scaled = np.where(x >= 0, up, (negative or rescale)(x, slope))
    return np.asarray(np.clip(scaled + zero, -128, 127), np.int8)


def softmax(
    c: Context,
    exp: Callable[[Floats], Floats] = np.exp,
    rounded: Callable[[Floats], Ints] = away,
    beta: Callable[[float], float] = lambda b: b,
    kind: type[Any] = np.float64,
) -> NDArray[Any]:
    """Compute SOFTMAX in floating point. The reference computes it in fixed point."""
    out, zero = c.out
    x = c.value(0)
    below = (x - x.max(axis=-1, keepdims=True)) * np.float64(c.scale(0)) * beta(c.options["beta"])
    powers = exp(below.astype(kind))
    shares = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float64)
    return np.clip(rounded(shares / np.float64(out)) + zero, -128, 127).astype(np.int8)


# Resizing


def resize(c: Context, bits: int = 10, half_pixel: bool | None = None, floor: bool = False) -> NDArray[Any]:
    x, o = c.value(0), c.options
    centers = bool(o["half_pixel_centers"]) if half_pixel is None else half_pixel
    unit = 1 << bits
    (y, y0, y1), (z, z0, z1) = (
        _grid(x.shape[a], c.output.shape[a], unit, bool(o["align_corners"]), centers) for a in (1, 2)
    )
    fy, fz = (y - unit * y0)[:, None, None], (z - unit * z0)[None, :, None]
    y0, z0 = np.minimum(y0, x.shape[1] - 1), np.minimum(z0, x.shape[2] - 1)
    total = (
        x[:, y0][:, :, z0] * (unit - fy) * (unit - fz)
        + x[:, y1][:, :, z0] * fy * (unit - fz)
        + x[:, y0][:, :, z1] * (unit - fy) * fz
        + x[:, y1][:, :, z1] * fy * fz
    )
    return np.asarray(total >> (2 * bits) if floor else quotient(total, np.int64(unit * unit)), np.int8)


def _grid(size: int, wanted: int, unit: int, corners: bool, centers: bool) -> tuple[Ints, Ints, Ints]:
    if corners and wanted > 1:
        step = (unit * (size - 1) + (wanted - 1) // 2) // (wanted - 1)
    else:
        step = (unit * size + wanted // 2) // wanted
    at = np.arange(wanted, dtype=np.int64) * step
    if centers:
        at = at + step // 2 - unit // 2
    low = np.maximum(np.where(at < 0, -(-at // unit), at // unit), 0)
    high = np.minimum(np.where(at + unit - 1 < 0, 0, (at + unit - 1) // unit), size - 1)
    return at, low, high


#: Functions with the reference's outputs. SOFTMAX is missing, because floating point is a different variant.
CORRECT: dict[str, Callable[[Context], NDArray[Any]]] = {
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully_connected,
    "ADD": add,
    "MUL": mul,
    "AVERAGE_POOL_2D": average,
    "MEAN": mean,
    "QUANTIZE": quantize,
    "LOGISTIC": logistic,
    "LEAKY_RELU": leaky,
    "RESIZE_BILINEAR": resize,
}
