"""oneDNN's DynamicQuantize: float32 to s8 or u8, with scales and zero points given at run time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.onnx_types import RANGES
from litecheck.quantizer.rounding import ROUNDINGS, to_integers
from litecheck.quantizer.tiles import run
from litecheck.quantizer.types import Parameters, QuantizerError, check_positive, stored_type

_NAME = "onednn"
_TYPES = {"s8": "int8", "u8": "uint8", "int8": "int8", "uint8": "uint8"}
_ZERO_POINTS = ("int8", "uint8", "int32")


def dynamic_quantize(
    src: NDArray[Any],
    scales: NDArray[Any],
    zps: NDArray[Any] | None = None,
    *,
    dst: str = "s8",
    qtype: str = "per_tensor",
    axis: int = 1,
    rounding: str = "half-even",
) -> NDArray[Any]:
    """Compute ``dst = saturate(round(src / scales + zps))`` in the shape of ``src``. ``dst`` is ``s8`` or ``u8``.

    Quotient and sum are float32, the type of ``src`` and ``scales``. Zero points (s8, u8 or s32) are converted to
    float32. The zero point is added before rounding, unlike ONNX. ``scales`` and ``zps`` have rank 1: a single element
    for ``per_tensor``, which ignores ``axis``, or an element per index of dimension ``axis`` (in [-r, r-1]) for
    ``per_channel``. Without ``zps`` the zero points are 0.

    The document leaves the rounding to the library: ``rounding`` names it
    (:data:`~litecheck.quantizer.rounding.ROUNDINGS`). The document does not define values beyond the type's range: here
    infinities saturate, and NaN becomes the smallest value. Raise QuantizerError for types, shapes and words that the
    document does not have, and for scales that are not finite and positive.

    For example, 0.25 and 0.75 with scale 0.5 and zero point 1 both give 2: 1.5 and 2.5 are rounded to even.
    """
    if dst not in _TYPES:
        raise QuantizerError(_NAME, "dst", f"is {dst}; it is s8 or u8")
    _check_rounding(rounding)
    for argument, array in (("src", src), ("scales", scales)):
        if array.dtype != np.float32:
            raise QuantizerError(_NAME, argument, f"is {array.dtype.name}; it takes f32")
    if zps is not None and zps.dtype.name not in _ZERO_POINTS:
        raise QuantizerError(_NAME, "zps", f"is {zps.dtype.name}; it takes s8, u8 or s32")
    channel = _axis(qtype, axis, src.ndim)
    for argument, values in (("scales", scales), ("zps", zps)):
        if values is not None:
            _check_length(argument, values.shape, 1 if channel is None else src.shape[channel])
    check_positive(_NAME, "scales", scales)
    scale, offset = Parameters(scales, zps, channel).broadcast_to(src.shape)
    target = _TYPES[dst]
    result = np.empty(src.shape, target)

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *zero_point, out = rest
        quotient = np.asarray(x / scale)
        if zero_point:
            quotient += zero_point[0]
        to_integers(ROUNDINGS[rounding](quotient), None, RANGES[target], out)

    with np.errstate(all="ignore"):
        run(kernel, [src, scale, *([] if offset is None else [offset.astype(np.float32)])], result)
    return result


def _check_rounding(rounding: str) -> None:
    if rounding not in ROUNDINGS:
        raise QuantizerError(_NAME, "rounding", f"is {rounding}; it is one of {', '.join(ROUNDINGS)}")


def _axis(qtype: str, axis: int, rank: int) -> int | None:
    if qtype == "per_tensor":
        return None
    if qtype != "per_channel":
        raise QuantizerError(_NAME, "qtype", f"is {qtype}; it is per_tensor or per_channel")
    if not -rank <= axis < rank:
        raise QuantizerError(_NAME, "axis", f"is {axis}; for rank {rank} it is in [{-rank}, {rank - 1}]")
    return axis % rank


def _check_length(argument: str, shape: tuple[int, ...], length: int) -> None:
    if shape != (length,):
        raise QuantizerError(_NAME, argument, f"has shape {shape}; it takes ({length},)")


class OneDnn:
    """DynamicQuantize as a Semantics. ``rounding`` is the rounding of the library."""

    __slots__ = ("name", "rounding")
    default_dtype = "int8"

    def __init__(self, rounding: str = "half-even") -> None:
        _check_rounding(rounding)
        self.name = _NAME if rounding == "half-even" else f"{_NAME}:{rounding}"
        self.rounding = rounding

    def quantize(self, x: NDArray[Any], parameters: Parameters, dtype: str | None = None) -> NDArray[Any]:
        """Quantize to ``dtype``, by default int8. Zero points of another type are converted to s32."""
        scales, zps = self._rows(parameters)
        if parameters.axis is None:
            return dynamic_quantize(x, scales, zps, dst=dtype or self.default_dtype, rounding=self.rounding)
        return dynamic_quantize(
            x,
            scales,
            zps,
            dst=dtype or self.default_dtype,
            qtype="per_channel",
            axis=parameters.axis,
            rounding=self.rounding,
        )

    def dequantize(
        self, q: NDArray[Any], parameters: Parameters, dtype: str | None = None, stored: str | None = None
    ) -> NDArray[Any]:
        """Return the float32 value of each integer, ``(q - zp) * scale``. The document defines no inverse."""
        if dtype not in (None, "f32", "float32"):
            raise QuantizerError(_NAME, "dtype", f"is {dtype}; it takes f32")
        kind = stored_type(_NAME, q, stored, RANGES)
        if kind not in ("int8", "uint8"):
            raise QuantizerError(_NAME, "q", f"is {kind}; it takes s8 or u8")
        scales, zps = self._rows(parameters)
        if scales.dtype != np.float32:
            raise QuantizerError(_NAME, "scales", f"is {scales.dtype.name}; it takes f32")
        axis = None if parameters.axis is None else _axis("per_channel", parameters.axis, q.ndim)
        length = 1 if axis is None else q.shape[axis]
        for argument, values in (("scales", scales), ("zps", zps)):
            if values is not None:
                _check_length(argument, values.shape, length)
        check_positive(_NAME, "scales", scales)
        scale, offset = Parameters(scales, zps, axis).broadcast_to(q.shape)
        difference = q.astype(np.int64) - (0 if offset is None else offset.astype(np.int64))
        with np.errstate(all="ignore"):
            return np.asarray(difference.astype(np.float32) * scale)

    def _rows(self, given: Parameters) -> tuple[NDArray[Any], NDArray[Any] | None]:
        if given.block_size:
            raise QuantizerError(self.name, "block_size", f"is {given.block_size}; it has no blocks")
        zero_point = given.zero_point
        if zero_point is None:
            return given.scale.reshape(-1), None
        if zero_point.dtype.name in _ZERO_POINTS:
            return given.scale.reshape(-1), zero_point.reshape(-1)
        with np.errstate(invalid="ignore"):
            whole = zero_point.astype(np.int32)
        if not np.array_equal(whole, zero_point):
            raise QuantizerError(self.name, "zps", "holds values that s32 does not")
        return given.scale.reshape(-1), whole.reshape(-1)
