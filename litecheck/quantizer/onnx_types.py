"""ONNX's element types: names, TensorProto numbers, numpy storage types, and the types of each operator version."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.narrow_floats import ML_DTYPES, ml_dtype

#: Every type of these operators, with its number in TensorProto.DataType.
NUMBERS: dict[str, int] = {
    "float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "float16": 10, "float64": 11,
    "bfloat16": 16, "float8e4m3fn": 17, "float8e4m3fnuz": 18, "float8e5m2": 19, "float8e5m2fnuz": 20, "uint4": 21,
    "int4": 22, "float4e2m1": 23, "float8e8m0": 24, "uint2": 25, "int2": 26,
}  # fmt: skip

#: Smallest and largest value of each integer type.
RANGES: dict[str, tuple[int, int]] = {**INTEGER_RANGES, "uint2": (0, 3)}

#: Types below 8 bits are stored with one value per byte.
_STORAGE = {"int2": "int8", "int4": "int8", "uint2": "uint8", "uint4": "uint8"}

_BY_NUMBER = {number: name for name, number in NUMBERS.items()}
#: Alternative spellings, without underscores: ONNX's own names for two types, and ml_dtypes' names.
_ALIASES = {"float": "float32", "double": "float64"} | {
    other.replace("_", ""): name for name, other in ML_DTYPES.items()
}


def type_name(value: str | int) -> str:
    """Return the name of a type: ``int8`` for 3, ``INT8`` or ``int8``; ``float8e4m3fn`` for ``float8_e4m3fn``.

    Raise ValueError for an unknown type.
    """
    if isinstance(value, str):
        plain = value.lower().replace("_", "")
        name = _ALIASES.get(plain, plain)
        if name in NUMBERS:
            return name
    elif int(value) in _BY_NUMBER:
        return _BY_NUMBER[int(value)]
    raise ValueError(f"{value!r} is not a type of these operators")


def name_of(array: NDArray[Any]) -> str:
    """Return the ONNX name of an array's type, or numpy's name for a type that ONNX's operators lack."""
    return _name_of(array.dtype)


@lru_cache(maxsize=64)
def _name_of(dtype: np.dtype[Any]) -> str:
    plain = str(dtype.name).replace("_", "")  # an attribute that numpy computes on every access
    return _ALIASES.get(plain, plain)


def storage(name: str) -> np.dtype[Any]:
    """Return the numpy type that stores an ONNX type: int8 and uint8 for the 2- and 4-bit integers."""
    return ml_dtype(name) if name in ML_DTYPES else np.dtype(_STORAGE.get(name, name))


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """An operator version: the types of its tensors, by ONNX name, and its attributes.

    ``real`` are the types of the unquantized tensor, ``scale`` of the scale (empty: the type of the real tensor),
    ``stored`` of the quantized tensor and the zero point. ``per_axis`` and ``blocked`` state the supported
    granularities besides a single scale.
    """

    real: tuple[str, ...]
    scale: tuple[str, ...]
    stored: tuple[str, ...]
    attributes: tuple[str, ...] = ()

    @property
    def per_axis(self) -> bool:
        return "axis" in self.attributes

    @property
    def blocked(self) -> bool:
        return "block_size" in self.attributes


_FLOATS = ("float32", "float16", "bfloat16")
_FLOAT8 = ("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz")
_BYTES = ("int8", "uint8")
_19 = (*_BYTES, *_FLOAT8)
_21 = (*_19, "int16", "uint16", "int4", "uint4")
_23 = (*_21, "float4e2m1")
_25 = (*_23, "int2", "uint2")

_Q13 = VersionFacts(("float32", "int32"), ("float32",), _BYTES, ("axis",))
_Q19 = VersionFacts((*_FLOATS, "int32"), (), _19, ("axis", "saturate"))
_Q21 = replace(_Q19, stored=_21, attributes=(*_Q19.attributes, "block_size", "output_dtype"))
_Q23 = replace(_Q21, scale=_Q21.real, stored=_23, attributes=(*_Q21.attributes, "precision"))
_Q24 = replace(_Q23, scale=(*_Q23.scale, "float8e8m0"))

#: QuantizeLinear: ``real`` is T1 (x), ``scale`` has the types of y_scale, ``stored`` those of y_zero_point and y.
QUANTIZE: dict[int, VersionFacts] = {
    10: replace(_Q13, attributes=()),
    13: _Q13,
    19: _Q19,
    21: _Q21,
    23: _Q23,
    24: _Q24,
    25: replace(_Q24, stored=_25),
}

_D13 = VersionFacts(("float32",), ("float32",), (*_BYTES, "int32"), ("axis",))
_D19 = VersionFacts(_FLOATS, _FLOATS, (*_19, "int32"), ("axis",))
_D21 = replace(_D19, stored=(*_21, "int32"), attributes=("axis", "block_size"))
_D23 = replace(_D21, stored=(*_23, "int32"), attributes=("axis", "block_size", "output_dtype"))
_D24 = replace(_D23, scale=(*_FLOATS, "float8e8m0"))

#: DequantizeLinear: ``real`` are the types of y, ``scale`` those of x_scale, ``stored`` those of x and x_zero_point.
DEQUANTIZE: dict[int, VersionFacts] = {
    10: replace(_D13, attributes=()),
    13: _D13,
    19: _D19,
    21: _D21,
    23: _D23,
    24: _D24,
    25: replace(_D24, stored=(*_25, "int32")),
}
