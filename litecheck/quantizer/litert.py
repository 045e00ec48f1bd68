"""LiteRT's semantics: its QUANTIZE and DEQUANTIZE kernels, bit for bit, and their formula for types without a kernel.

Real values are float32, scales float32, and real = scale * (stored - zero_point).

- float to integer: x / scale in float32, rounded half away from zero, plus the zero point, saturated.
- integer to float: scale * (stored - zero_point), rounded once to float32.

QUANTIZE from integers to integers is in litecheck.reference.kernels.quantize.

Sources: LiteRT, kernels/quantize.cc, kernels/dequantize.h and kernels/internal/reference/{quantize,dequantize}.h.
Checked against ai-edge-litert's BUILTIN_REF by tests/differential/litert_quantize.py.

**Undefined behavior in C++.** The kernel converts the rounded quotient to int32, which C++ leaves undefined for NaN and
from 2**31 on. On x86 such quotients, including infinities of both signs, become -2**31, to which the zero point is
added with wrap-around: the output is the type's smallest value, or its largest if the zero point is negative. Arm
saturates and turns NaN into 0. Here, on every machine: **infinities and large values saturate at their own end, and NaN
gives the zero point**, as on Arm. Denormal inputs and quotients keep their value.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer import tiles
from litecheck.quantizer.types import Parameters, QuantizerError, check_positive, stored_type

name: str = "litert"
default_dtype: str = "int8"

#: numpy type of each stored type. Types below 8 bits have one value per byte (see litecheck.model.stored_values.pack for the
#: packed bytes of the file).
STORAGE: dict[str, type[np.integer[Any]]] = {
    "int2": np.int8, "int4": np.int8, "uint4": np.uint8, "int8": np.int8, "uint8": np.uint8,
    "int16": np.int16, "uint16": np.uint16, "int32": np.int32,
}  # fmt: skip

#: Smallest scale whose half is a normal float32.
_HALVED = np.float32(2.0**-125)


def quantize(x: NDArray[Any], parameters: Parameters, dtype: str | None = None) -> NDArray[Any]:
    """Quantize float32 (or float16) values to stored integers of ``dtype``, by default int8.

    ``parameters`` are per-tensor, per-axis on any dimension, or blocked. The output has the shape of ``x``, one value
    per element also below 8 bits. LiteRT's kernel supports int4, int8, uint8 and int16, per axis only the last three. The
    remaining types use its formula, with the zero point added in enough bits. Scales must be finite and positive, zero
    points in the range of the type. Raise QuantizerError.

    For example, 0.25, -0.25 and 0.75 with scale 0.5 give 1, -1 and 2: ties are rounded away from zero.
    """
    dtype = check_type(dtype or default_dtype)
    low, high = INTEGER_RANGES[dtype]
    out: NDArray[Any] = np.empty(x.shape, STORAGE[dtype])
    with np.errstate(all="ignore"):
        for values, into, scale, zero in _pieces(reals(x), out, parameters, dtype):
            if dtype == "int32" or (scale < _HALVED).any():
                wide: list[type[np.generic]] = [np.float64, np.int64]
                tiles.run(_round_wide, [values, scale, low - zero, high - zero, zero], into, wide)
                continue
            narrow = np.int32 if out.itemsize > 1 else np.int16
            bounds = [(2 * (end - zero)).astype(np.float32) for end in (low, high)]
            inputs = [values, scale / np.float32(2), *bounds, (2 * zero + 1).astype(narrow)]
            tiles.run(_round, inputs, into, [np.float32, narrow, narrow])
    return out


def dequantize(
    q: NDArray[Any], parameters: Parameters, dtype: str | None = None, stored: str | None = None
) -> NDArray[Any]:
    """Dequantize stored integers to float32: scale * (q - zero_point), rounded once.

    ``dtype`` may only be float32. ``stored`` names the stored type if it differs from the array's type (int4 in int8).
    int16 with a zero point other than 0 is rejected, as in LiteRT's kernel, although QUANTIZE writes it. Raise
    QuantizerError.
    """
    if dtype not in (None, "float32"):
        raise QuantizerError(name, "dtype", f"real values are float32, not {dtype}")
    zeros = parameters.zero_point
    if stored_type(name, q, stored, INTEGER_RANGES) == "int16" and zeros is not None and zeros.any():
        message = "DEQUANTIZE takes int16 with zero point 0 only; onnx has the same formula for any"
        raise QuantizerError(name, "zero_point", message)
    return products(q, parameters, stored)


def products(q: NDArray[Any], parameters: Parameters, stored: str | None = None) -> NDArray[np.float32]:
    """Return the formula of :func:`dequantize`, also for int16 with any zero point.

    The kernel multiplies in double precision per tensor and in float32 per axis. Both give the float32 nearest to the
    real product if the difference has at most 24 bits, so for all types except int32. int32 has no kernel and is
    multiplied in double precision here. Raise QuantizerError.

    For example, 3 and -1 with scale 0.1 and zero point 1 give 0.2 and -0.2.
    """
    stored = check_type(stored_type(name, q, stored, INTEGER_RANGES))
    wide = np.float64 if stored == "int32" else np.float32
    out = np.empty(q.shape, np.float32)
    with np.errstate(all="ignore"):
        for values, into, scale, zero in _pieces(q, out, parameters, stored):
            tiles.run(_product, [values, scale.astype(wide), zero.astype(wide)], into, [wide])
    return out


def _round(x: Any, half: Any, low: Any, high: Any, twice: Any, out: Any, y: Any, t: Any, sign: Any) -> None:
    """Round half away from zero in integers, which is twice as fast as in floats.

    ``y`` is twice the quotient: x divided by half the scale. This is exact except for quotients that round to 0 or
    saturate in both cases. After truncation, t keeps the half. (t + 1) >> 1 rounds a half up and, for negative t, t >>
    1 rounds it down. ``twice`` is 2 * zero_point + 1. ``low`` and ``high`` are twice the type's bounds less the zero
    point. Saturation can come first, because the bounds are integers; every later step is exact.
    """
    np.divide(x, half, out=y)
    np.clip(y, low, high, out=y)
    if np.isnan(y.max()):
        y[np.isnan(y)] = 0
    np.copyto(t, y, casting="unsafe")
    np.right_shift(t, t.itemsize * 8 - 1, out=sign)
    np.add(t, sign, out=t)
    np.add(t, twice, out=t)
    np.right_shift(t, 1, out=t)
    np.copyto(out, t, casting="unsafe")


def _round_wide(x: Any, scale: Any, low: Any, high: Any, zero: Any, out: Any, y: Any, t: Any) -> None:
    """Round like ``_round``, in float64 except the quotient: for bounds above 24 bits and scales that cannot be halved."""
    np.copyto(y, np.divide(x, scale))
    np.clip(y, low, high, out=y)
    y[np.isnan(y)] = 0
    np.add(y, np.copysign(0.5, y), out=y)
    np.copyto(t, y, casting="unsafe")
    np.add(t, zero, out=t)
    np.copyto(out, t, casting="unsafe")


def _product(q: Any, scale: Any, zero: Any, out: Any, y: Any) -> None:
    np.subtract(q, zero, out=y, casting="unsafe")
    np.multiply(y, scale, out=y)
    np.copyto(out, y, casting="same_kind")


def _pieces(
    x: NDArray[Any], out: NDArray[Any], parameters: Parameters, dtype: str
) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[np.float32], NDArray[np.int64]]]:
    """Yield views of ``x`` and ``out`` with the scale and zero point that broadcast against them.

    Blocked parameters split the blocked axis in two, and an uneven last block is a second piece. All other parameters
    yield a single piece.
    """
    scale, zero = check_parameters(parameters, x.shape, dtype)
    axis, size = parameters.axis, parameters.block_size
    if axis is None:
        yield x, out, scale.reshape(()), zero.reshape(())
        return
    axis %= x.ndim
    if not size:
        shape = [-1 if i == axis else 1 for i in range(x.ndim)]
        yield x, out, scale.reshape(shape), zero.reshape(shape if zero.size > 1 else ())
        return
    head, full = (slice(None),) * axis, x.shape[axis] // size
    if full:
        shape = [*x.shape[:axis], full, size, *x.shape[axis + 1 :]]
        whole, blocks = (*head, slice(full * size)), (*head, slice(full), None)
        yield (
            x[whole].reshape(shape), out[whole].reshape(shape),
            scale[blocks], zero[blocks] if zero.size > 1 else zero.reshape(()),
        )  # fmt: skip
    if x.shape[axis] % size:
        rest, last = (*head, slice(full * size, None)), (*head, slice(full, None))
        yield x[rest], out[rest], scale[last], zero[last] if zero.size > 1 else zero.reshape(())


def reals(x: NDArray[Any]) -> NDArray[np.float32]:
    """Return real values in float32 if they are float32 or float16. Raise QuantizerError."""
    if x.dtype.name not in ("float32", "float16"):
        hint = "; round them first: x.astype(numpy.float32)" if x.dtype == np.float64 else ""
        raise QuantizerError(name, "x", f"real values are float32 or float16, not {x.dtype}{hint}")
    return x.astype(np.float32, copy=False)


def check_parameters(
    parameters: Parameters, shape: tuple[int, ...], dtype: str
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Return scales as float32 and zero points as int64, with one element if all zero points are equal."""
    if parameters.scale.dtype.kind != "f":
        raise QuantizerError(name, "scale", f"scales are float32, not {parameters.scale.dtype}")
    scale = parameters.scale.astype(np.float32)
    check_positive(name, "scale", scale)
    expected = _granularity(parameters, shape)
    if scale.shape != expected and not (parameters.axis is None and scale.size == 1):
        raise QuantizerError(name, "scale", f"has shape {scale.shape}, a tensor {shape} needs {expected}")
    zero = np.zeros((), np.int64) if parameters.zero_point is None else parameters.zero_point
    if zero.dtype.kind not in "iu":
        raise QuantizerError(name, "zero_point", f"zero points are integers, not {zero.dtype}")
    if zero.size != 1 and zero.shape != scale.shape:
        raise QuantizerError(name, "zero_point", f"has shape {zero.shape}, the scale has {scale.shape}")
    low, high = INTEGER_RANGES[dtype]
    if zero.size and not (low <= zero.min() and zero.max() <= high):
        raise QuantizerError(name, "zero_point", f"lies outside {dtype}, [{low}, {high}]")
    if zero.size and (zero == zero.flat[0]).all():
        zero = zero.reshape(-1)[:1]
    return scale, zero.astype(np.int64)


def _granularity(parameters: Parameters, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of the scales that a tensor of ``shape`` needs."""
    axis, size = parameters.axis, parameters.block_size
    if axis is None:
        return (1,)
    if not -len(shape) <= axis < len(shape):
        raise QuantizerError(name, "axis", f"is {axis}, the tensor has {len(shape)} dimensions")
    if size < 0:
        raise QuantizerError(name, "block_size", f"is {size}")
    axis %= len(shape)
    return (*shape[:axis], -(-shape[axis] // size), *shape[axis + 1 :]) if size else (shape[axis],)


def check_type(dtype: str) -> str:
    """Return the name of a type in STORAGE. Raise QuantizerError for another name."""
    if dtype not in STORAGE:
        raise QuantizerError(name, "dtype", f"{dtype} is not one of {', '.join(STORAGE)}")
    return dtype
