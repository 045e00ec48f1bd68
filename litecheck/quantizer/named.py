"""Quantization and dequantization of arrays under a named semantics: the commands ``quantize`` and ``dequantize``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from litecheck.errors import wrong_type
from litecheck.quantization import Quantization
from litecheck.quantizer.semantics import semantics as chosen
from litecheck.quantizer.types import Parameters

Scales = ArrayLike | Quantization | Parameters


def quantize(
    values: ArrayLike,
    scale: Scales,
    zero_point: ArrayLike | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    dtype: str = "int8",
    semantics: str = "litert",
) -> NDArray[Any]:
    """Quantize real values to stored integers of ``dtype``, of the same shape.

    ``scale`` is a number, several numbers along ``axis``, or the parameters of a tensor (``tensor.quantization``) in
    place of scale, zero point and axis. ``semantics`` is a value of ``--semantics``. Lists become float32. Raises
    QuantizerError for arguments that the semantics does not define, ConfigError for an unknown semantics.

    For example, [0.5, -1] with scale 1/128 gives [64, -128].
    """
    parameters = _parameters("quantize", scale, zero_point, axis, block_size)
    return chosen(semantics).quantize(as_array("quantize", values, np.float32), parameters, dtype)


def dequantize(
    stored: ArrayLike,
    scale: Scales,
    zero_point: ArrayLike | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    dtype: str | None = None,
    semantics: str = "litert",
) -> NDArray[Any]:
    """Dequantize stored integers to real values. ``dtype`` names the stored type if the array's differs (int4 in int8).

    Lists become int8, or the integer type that stores ``dtype``. The other arguments and errors are those of
    :func:`quantize`.

    For example, [3, 4] with scale 0.5 and zero point 3 gives [0, 0.5].
    """
    parameters = _parameters("dequantize", scale, zero_point, axis, block_size)
    plain = np.dtype(dtype if dtype in ("uint8", "int16", "uint16", "int32") else "int8")
    return chosen(semantics).dequantize(as_array("dequantize", stored, plain), parameters, stored=dtype)


def as_array(function: str, values: ArrayLike, plain: np.dtype[Any] | type[np.generic]) -> NDArray[Any]:
    """Return an array unchanged, and a number or list as an array of type ``plain``. Raises TypeError for other values."""
    array = values if isinstance(values, np.ndarray) else np.asarray(values)
    if array.dtype.kind not in "biufV":
        call = f"litecheck.{function}(array, scale=0.5, zero_point=-3)"
        raise wrong_type(function, "an array of numbers", values, call)
    return array if hasattr(values, "dtype") else array.astype(plain)


def _parameters(
    function: str, scale: Scales, zero_point: ArrayLike | None, axis: int | None, block_size: int
) -> Parameters:
    if isinstance(scale, (Quantization, Parameters)):
        if zero_point is not None or axis is not None or block_size:
            call = f"litecheck.{function}(array, tensor.quantization)"
            raise TypeError(
                f"{function}() takes zero point, axis and block size from the parameters given: {call}"
            )
        return Parameters.of(scale) if isinstance(scale, Quantization) else scale
    scales = as_array(function, scale, np.float32)
    zeros = None if zero_point is None else as_array(function, zero_point, np.int64)
    return Parameters(scales, zeros, axis, block_size)
