"""Arguments of the public quantizer functions: arrays, parameters and types, in every form that is unambiguous."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from litecheck.errors import wrong_type
from litecheck.quantization import Quantization
from litecheck.quantizer.types import Parameters, QuantizerError

Scales = ArrayLike | Quantization | Parameters
#: Example calls for errors, by function.
_CALLS = {
    "quantize": "litecheck.quantize(array, scale=0.5, zero_point=-3, dtype='int8')",
    "dequantize": "litecheck.dequantize(array, scale=0.5, zero_point=-3)",
    "dynamic_quantize": "litecheck.dynamic_quantize(array, dtype='uint8')",
    "choose_parameters": "litecheck.choose_parameters(array, dtype='int8')",
    "compare": "litecheck.compare(expected, actual, quantization=0.5)",
}


def as_array(
    function: str, values: ArrayLike, plain: np.dtype[Any] | type[np.generic], argument: str = "values"
) -> NDArray[Any]:
    """Return an array unchanged, and a number or list as an array of type ``plain``. Raise TypeError for other values.

    float64 is the type of Python's numbers, and no semantics quantizes it: such an array becomes ``plain`` as well if
    ``plain`` is float32. Raise QuantizerError, which names the ``argument``, for numbers that an integer type ``plain``
    does not hold.
    """
    try:
        array = values if isinstance(values, np.ndarray) else np.asarray(values)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "biufV":
        raise wrong_type(function, "an array of numbers", values, _CALLS[function])
    if hasattr(values, "dtype") and not (array.dtype == np.float64 and plain == np.float32):
        return array
    if np.dtype(plain).kind in "iu":
        _check_integers(function, array, np.iinfo(plain), argument)
    with np.errstate(over="ignore"):
        return array.astype(plain)


def _check_integers(function: str, array: NDArray[Any], held: np.iinfo[Any], argument: str) -> None:
    """Raise QuantizerError for a number that is not whole or not within a type."""
    whole, within = array == np.trunc(array), (array >= held.min) & (array <= held.max)
    for good, expected in ((whole, "whole numbers"), (within, f"{held.dtype}, {held.min} to {held.max}")):
        if not good.all():
            raise QuantizerError(function, argument, f"got {array[~good].flat[0]}, expected {expected}")


def as_parameters(
    function: str,
    scale: Scales | None,
    zero_point: ArrayLike | None = None,
    axis: int | None = None,
    block_size: int = 0,
) -> Parameters:
    """Return the parameters of numbers, lists or arrays, or those of a tensor. Raise TypeError."""
    if scale is None:
        raise wrong_type(function, "a scale", scale, _CALLS[function])
    if isinstance(scale, (Quantization, Parameters)):
        if zero_point is not None or axis is not None or block_size:
            call = f"litecheck.{function}(array, tensor.quantization)"
            raise TypeError(
                f"{function}() takes zero point, axis and block size from the parameters given: {call}"
            )
        return Parameters.of(scale) if isinstance(scale, Quantization) else scale
    for number in (axis, block_size):
        if number is not None and not isinstance(number, (int, np.integer)):
            raise wrong_type(function, "whole numbers as axis and block size", number, _CALLS[function])
    zeros = None if zero_point is None else as_array(function, zero_point, np.int64, "zero_point")
    return Parameters(as_array(function, scale, np.float32), zeros, axis, block_size)


def type_word(function: str, dtype: DTypeLike | None) -> str | None:
    """Return the name of a type. Examples: ``int8`` for "int8", numpy.int8 and numpy.dtype("int8"). Raise TypeError."""
    if dtype is None or isinstance(dtype, str):
        return dtype
    if isinstance(dtype, np.dtype) or (isinstance(dtype, type) and issubclass(dtype, np.generic)):
        return str(np.dtype(dtype).name)
    raise wrong_type(function, "the name of a type", dtype, _CALLS[function])


def check_words(function: str, **words: object) -> None:
    """Raise TypeError for an argument that is not text."""
    for given in words.values():
        if given is not None and not isinstance(given, str):
            raise wrong_type(function, f"text as {' and '.join(words)}", given, _CALLS[function])
