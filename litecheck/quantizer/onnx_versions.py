"""What each operator version of QuantizeLinear and DequantizeLinear takes: the documents' type lists as data."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class VersionFacts:
    """One operator version: the types of its tensors, by ONNX name, and the attributes it has.

    ``real`` are the types of the unquantized tensor, ``scale`` of the scale (empty: the type of the tensor it
    belongs to), ``stored`` of the quantized tensor and the zero point. ``per_axis`` and ``blocked`` say which scales
    besides a single one it knows.
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

#: QuantizeLinear: ``real`` is T1 (x), ``scale`` y_scale's types, ``stored`` the types of y_zero_point and y.
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

#: DequantizeLinear: ``real`` are the types of y, ``scale`` x_scale's, ``stored`` those of x and x_zero_point.
DEQUANTIZE: dict[int, VersionFacts] = {
    10: replace(_D13, attributes=()),
    13: _D13,
    19: _D19,
    21: _D21,
    23: _D23,
    24: _D24,
    25: replace(_D24, stored=(*_25, "int32")),
}
