"""Quantization and dequantization of arrays under a named semantics: the commands ``quantize`` and ``dequantize``."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from litecheck.quantizer.arguments import Scales, as_array, as_parameters, check_words, type_word
from litecheck.quantizer.semantics import semantics as chosen
from litecheck.quantizer.types import unusual_scales


def quantize(
    values: ArrayLike,
    scale: Scales | None = None,
    zero_point: ArrayLike | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    dtype: DTypeLike | None = None,
    semantics: str = "litert",
) -> NDArray[Any]:
    """Quantize real values to stored integers of ``dtype``, of the same shape.

    ``scale`` is a number, several numbers along ``axis``, or the parameters of a tensor (``tensor.quantization``) in
    place of scale, zero point and axis. ``semantics`` is a value of ``--semantics``. Without ``dtype``, the type is
    int8, and for ONNX the type of a zero point that is an array, else uint8. Lists and float64 become float32. Raise
    QuantizerError for arguments that the semantics does not define, ConfigError for an unknown semantics. ONNX defines
    scales that are 0, negative or not finite; they give a UserWarning.

    For example, [0.5, -1] with scale 1/128 gives [64, -128].
    """
    check_words("quantize", semantics=semantics)
    rule = chosen(semantics)
    if hasattr(rule, "choose"):
        call = f"litecheck.dynamic_quantize(array, semantics={semantics!r})"
        raise TypeError(f"quantize() takes a scale, and {semantics} computes it from the values: {call}")
    parameters = as_parameters("quantize", scale, zero_point, axis, block_size)
    stored = rule.quantize(as_array("quantize", values, np.float32), parameters, type_word("quantize", dtype))
    unusual = unusual_scales(rule.name, parameters)
    if unusual:
        warnings.warn(unusual, UserWarning, stacklevel=2)
    return stored


def dequantize(
    stored: ArrayLike,
    scale: Scales,
    zero_point: ArrayLike | None = None,
    *,
    axis: int | None = None,
    block_size: int = 0,
    dtype: DTypeLike | None = None,
    semantics: str = "litert",
) -> NDArray[Any]:
    """Dequantize stored integers to real values. ``dtype`` names the stored type if the array's differs (int4 in int8).

    Lists become int8, or the integer type that stores ``dtype``. The other arguments and errors are those of
    :func:`quantize`.

    For example, [3, 4] with scale 0.5 and zero point 3 gives [0, 0.5].
    """
    check_words("dequantize", semantics=semantics)
    parameters = as_parameters("dequantize", scale, zero_point, axis, block_size)
    kind = type_word("dequantize", dtype)
    plain = np.dtype(kind if kind in ("uint8", "int16", "uint16", "int32") else "int8")
    return chosen(semantics).dequantize(
        as_array("dequantize", stored, plain, "stored"), parameters, stored=kind
    )
