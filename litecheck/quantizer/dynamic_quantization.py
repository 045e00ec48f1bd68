"""Dynamic quantization of an array under a named semantics: scale and zero point come from the values themselves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from litecheck.quantizer import calibrate
from litecheck.quantizer.arguments import as_array, check_words, type_word
from litecheck.quantizer.onnx_dynamic import OnnxDynamic
from litecheck.quantizer.semantics import semantics as chosen
from litecheck.quantizer.types import unusual_scales


def dynamic_quantize(
    values: ArrayLike, semantics: str = "onnx-dynamic", *, dtype: DTypeLike = "uint8"
) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[Any]]:
    """Return ``(stored, scale, zero_point)`` of real values, quantized with parameters from their own range.

    ``onnx-dynamic`` is DynamicQuantizeLinear, which chooses the parameters itself and supports uint8 only. Operators
    that take parameters, such as oneDNN's DynamicQuantize (``onednn``), get those of
    ``choose_parameters(values, dtype, mode="asymmetric")``. Example: values from -1 to 1 in uint8 get scale 2 / 255.
    Raise QuantizerError for another type of ONNX's operator or an empty array. The document of ONNX defines neither NaN,
    nor infinities, nor values that are all 0: the scale, which is then no positive number, gives a UserWarning.
    """
    check_words("dynamic_quantize", semantics=semantics)
    array = as_array("dynamic_quantize", values, np.float32)
    kind = type_word("dynamic_quantize", dtype) or "uint8"
    operator = chosen(semantics)
    if isinstance(operator, OnnxDynamic):
        parameters = operator.choose(array)
    else:
        parameters = calibrate.from_data(array, kind, mode="asymmetric")
    stored = operator.quantize(array, parameters, kind)
    unusual = unusual_scales(semantics, parameters)
    if unusual:
        warnings.warn(unusual, UserWarning, stacklevel=2)
    zero_point = np.asarray(0 if parameters.zero_point is None else parameters.zero_point)
    return stored, parameters.scale.reshape(()), zero_point.reshape(()).astype(stored.dtype)
