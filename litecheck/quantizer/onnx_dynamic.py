"""ONNX DynamicQuantizeLinear: float32 to uint8, with scale and zero point from the range of the tensor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.onnx import Onnx
from litecheck.quantizer.onnx_types import name_of
from litecheck.quantizer.rounding import to_integers
from litecheck.quantizer.types import Parameters, QuantizerError

_NAME = "onnx-dynamic"
_RANGE = (0, 255)
_OWN = "the operator computes scale and zero point itself: use dynamic_quantize"


def dynamic_parameters(x: NDArray[Any]) -> Parameters:
    """Return scale (float32) and zero point (uint8), both of rank 0, of a float32 tensor with at least one element.

    ``scale = (max(0, max x) - min(0, min x)) / 255`` and ``zero_point = round(saturate(0 - min(0, min x) / scale))``.
    Every operation is in float32, and rounding is half to even. Cases that the document does not define follow IEEE
    754, and NaN becomes 0, the smallest uint8:

    - all zeros: scale 0 by the formula, zero point (0 / 0) 0;
    - a constant c: zero point 0 for c > 0, 255 for c < 0;
    - an infinity, or a range beyond the largest float32: scale infinite, zero point 0;
    - any NaN: scale NaN, zero point 0.

    For example, values from -1 to 1.55 give scale 0.01 and zero point 100.
    """
    if name_of(x) != "float32":
        raise QuantizerError(_NAME, "x", f"is {name_of(x)}; it takes float32")
    if not x.size:
        raise QuantizerError(_NAME, "x", "has no elements, so no smallest and largest value")
    with np.errstate(all="ignore"):
        low = np.minimum(np.float32(0), x.min())
        high = np.maximum(np.float32(0), x.max())
        scale = np.asarray((high - low) / np.float32(255))
        intermediate = np.asarray(np.float32(0) - low / scale)
        np.rint(intermediate, out=intermediate)
    zero_point = np.empty((), np.uint8)
    to_integers(intermediate, None, _RANGE, zero_point)
    return Parameters(scale, zero_point)


def dynamic_quantize_linear(
    x: NDArray[Any],
) -> tuple[NDArray[np.uint8], NDArray[np.float32], NDArray[np.uint8]]:
    """Return ``(y, y_scale, y_zero_point)`` with ``y = saturate(round(x / y_scale) + y_zero_point)``.

    Rounding is half to even, and saturation is to [0, 255]. ``y`` has the shape of ``x``. The document's int8 range
    [-127, 127] is not offered, because the operator supports only uint8. See :func:`dynamic_parameters` for the range
    and its special cases. A NaN quotient becomes 0 in ``y``. NaN quotients come from NaN, from an infinity in a tensor
    with an infinity, and from 0 / 0, so that zeros become zeros. Raise QuantizerError for another type or an empty
    tensor.
    """
    parameters = dynamic_parameters(x)
    y = OnnxDynamic().quantize(x, parameters)
    assert parameters.zero_point is not None
    return y, parameters.scale, parameters.zero_point


class OnnxDynamic:
    """DynamicQuantizeLinear as a Semantics. :meth:`choose` returns its parameters.

    ``quantize`` rejects parameters that differ from those of ``choose``, because the operator has no other parameters.
    ``dequantize`` is DequantizeLinear per tensor, because the document defines no inverse.
    """

    __slots__ = ("_linear", "name")
    default_dtype = "uint8"

    def __init__(self) -> None:
        self.name = _NAME
        self._linear = Onnx(10)

    def choose(self, x: NDArray[Any]) -> Parameters:
        """Return the parameters that the operator chooses for ``x``."""
        return dynamic_parameters(x)

    def quantize(self, x: NDArray[Any], parameters: Parameters, dtype: str | None = None) -> NDArray[Any]:
        if dtype not in (None, "uint8"):
            raise QuantizerError(_NAME, "dtype", f"is {dtype}; only uint8 is supported")
        own = dynamic_parameters(x)
        _check_per_tensor(parameters)
        for argument, given, chosen in (
            ("scale", parameters.scale, own.scale),
            ("zero_point", parameters.zero_point, own.zero_point),
        ):
            assert chosen is not None
            if given is None or not np.array_equal(given.reshape(-1), chosen.reshape(-1), equal_nan=True):
                said = "none" if given is None else ", ".join(map(str, given.reshape(-1)[:4]))
                raise QuantizerError(
                    _NAME, argument, f"is {said}, and that of the values is {chosen.item()}; {_OWN}"
                )
        return self._linear.quantize(x, own, "uint8")

    def dequantize(
        self, q: NDArray[Any], parameters: Parameters, dtype: str | None = None, stored: str | None = None
    ) -> NDArray[Any]:
        if name_of(q) != "uint8" or stored not in (None, "uint8"):
            raise QuantizerError(_NAME, "q", f"is {stored or name_of(q)}; only uint8 is supported")
        _check_per_tensor(parameters)
        return self._linear.dequantize(q, parameters, dtype)


def _check_per_tensor(parameters: Parameters) -> None:
    if parameters.axis is not None:
        raise QuantizerError(_NAME, "axis", f"is {parameters.axis}; the operator has one scale and no axis")
