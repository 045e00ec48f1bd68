"""ONNX QuantizeLinear and DequantizeLinear, operator versions 10 to 25, each according to its own document."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.narrow_floats import round_to
from litecheck.quantizer.onnx_kernels import granularity, integers_in, reals_in, small_floats_in
from litecheck.quantizer.onnx_types import (
    DEQUANTIZE,
    QUANTIZE,
    RANGES,
    VersionFacts,
    name_of,
    storage,
    type_name,
)
from litecheck.quantizer.tiles import run
from litecheck.quantizer.types import Parameters, QuantizerError, stored_type

#: Types that ``precision`` may name for the division. The type of the scale is always allowed.
_PRECISIONS = ("float32", "float16", "bfloat16", "float64")


def quantize_linear(
    x: NDArray[Any],
    y_scale: NDArray[Any],
    y_zero_point: NDArray[Any] | None = None,
    *,
    version: int = 25,
    axis: int | None = None,
    block_size: int | None = None,
    output_dtype: str | int | None = None,
    precision: str | int | None = None,
    saturate: int | None = None,
    zero_point_dtype: str | None = None,
) -> NDArray[Any]:
    """Compute ``y = saturate(round(x / y_scale) + y_zero_point)``, in the shape of ``x`` (QuantizeLinear, all versions).

    - The quotient is computed in the type of ``y_scale``, or in ``precision``: both inputs and the quotient are rounded
      to
      it. The documents before 23 do not define the type; the same type is used. For an int32 or float8e8m0 scale the
      exact quotient is used, since these types have no division.
    - ``version`` is a version or an opset, which has the newest version at or below it.
    - Integers: the quotient is rounded half to even, the zero point added, the sum saturated. Infinities saturate, and
      NaN
      becomes the smallest integer. Types below 8 bits have one value per byte (int8, uint8).
    - Small floats: quotient plus zero point, rounded once half to even. ``saturate`` is that of Cast, see
      :func:`~litecheck.quantizer.narrow_floats.to_small_float`. It is ignored for integers and float4e2m1.
    - ``y`` has the type of ``y_zero_point``, without it ``output_dtype``, without both uint8. Types are given by name
      or
      TensorProto number, and 0 means "not given". ``zero_point_dtype`` names a type that numpy lacks if ``y_zero_point``
      is stored in a byte: ``int4`` in int8.

    Attributes that are None have their defaults: axis 1, saturate 1. Raise QuantizerError for types, attributes and
    shapes that the version's document does not define.

    For example, 0.25 and 0.75 with scale 0.5 give 0 and 2: ties are rounded to even.
    """
    semantics, facts = _version(QUANTIZE, version)
    given = {"axis": axis, "block_size": block_size, "output_dtype": output_dtype, "precision": precision}
    _check_attributes(semantics, facts, {**given, "saturate": saturate})
    _check_type(semantics, "x", name_of(x), facts.real)
    _check_type(semantics, "y_scale", name_of(y_scale), facts.scale or (name_of(x),))
    if saturate not in (None, 0, 1):
        raise QuantizerError(semantics, "saturate", f"is {saturate}; it is 0 or 1")
    known = None if y_zero_point is None else _zero_point_type(semantics, y_zero_point, zero_point_dtype)
    target = _target(semantics, known, output_dtype, facts)
    parameters = granularity(
        semantics, x.shape, y_scale, y_zero_point, 1 if axis is None else axis, block_size or 0, facts
    )
    scale, zero_point = parameters.broadcast_to(x.shape)
    division = _division(semantics, name_of(y_scale), precision)
    kernel = (
        integers_in(division, target)
        if target in RANGES
        else small_floats_in(division, target, saturate != 0)
    )
    y = np.empty(x.shape, storage(target))
    with np.errstate(all="ignore"):
        inputs = [x, round_to(scale, division)]
        if zero_point is not None:
            inputs.append(_collapse_equal(zero_point.astype(inputs[1].dtype)))
        run(kernel, inputs, y)
    return y


def dequantize_linear(
    x: NDArray[Any],
    x_scale: NDArray[Any],
    x_zero_point: NDArray[Any] | None = None,
    *,
    version: int = 25,
    axis: int | None = None,
    block_size: int | None = None,
    output_dtype: str | int | None = None,
    x_dtype: str | None = None,
) -> NDArray[Any]:
    """Compute ``y = (x - x_zero_point) * x_scale``, in the shape of ``x`` (DequantizeLinear, all versions).

    The difference is exact. Difference and scale are rounded to the type of ``y`` and multiplied in that type. The type
    is ``output_dtype``, or without it the type of the scale. A float8e8m0 scale needs ``output_dtype``, because no
    tensor of real values has its type. The zero point of an int32 tensor can only be 0. Infinities and NaN of small
    floats follow IEEE 754. Types below 8 bits have one value per byte, as in ``quantize_linear``: ``x_dtype``, or a
    zero point of an ml_dtypes type, distinguishes them from int8 and uint8.

    Raise QuantizerError for arguments that the version's document does not define.

    For example, 3 and -1 with scale 0.5 and zero point 1 give 1 and -1.
    """
    semantics, facts = _version(DEQUANTIZE, version)
    given = {"axis": axis, "block_size": block_size, "output_dtype": output_dtype}
    _check_attributes(semantics, facts, given)
    source = _stored_type(semantics, x, x_zero_point, x_dtype)
    _check_type(semantics, "x", source, facts.stored)
    _check_type(semantics, "x_scale", name_of(x_scale), facts.scale)
    if x_zero_point is not None:
        _check_type(semantics, "x_zero_point", name_of(x_zero_point), (source, name_of(x)))
        if source in RANGES:
            x_zero_point = _keep(semantics, x_zero_point, source)
        if source == "int32" and np.any(x_zero_point):
            raise QuantizerError(semantics, "x_zero_point", "is not 0; an int32 tensor has no zero point")
    result = _checked_type(semantics, "output_dtype", output_dtype) or name_of(x_scale)
    _check_type(semantics, "output_dtype", result, facts.real)
    parameters = granularity(
        semantics, x.shape, x_scale, x_zero_point, 1 if axis is None else axis, block_size or 0, facts
    )
    scale, zero_point = parameters.broadcast_to(x.shape)
    y = np.empty(x.shape, storage(result))
    with np.errstate(all="ignore"):
        inputs = [x, round_to(scale, result)]
        run(reals_in(result), inputs if zero_point is None else [*inputs, zero_point], y)
    return y


class Onnx:
    """QuantizeLinear and DequantizeLinear of an opset as a Semantics. Example: ``onnx:22`` is version 21, the newest version
    at or below opset 22.

    Zero points may have any integer type. They are converted to the type of the output, which ``dtype`` names. Without
    ``dtype`` it is the type of the zero point. Without a zero point, or with one of plain numbers (int64, which the
    operator does not have), it is uint8.
    """

    __slots__ = ("name", "version")
    default_dtype = "uint8"

    def __init__(self, version: int = 25) -> None:
        self.name, _ = _version(QUANTIZE, version)
        self.version = version

    def quantize(self, x: NDArray[Any], parameters: Parameters, dtype: str | None = None) -> NDArray[Any]:
        scale, zero_point, shape = self._inputs(parameters)
        plain = zero_point is not None and zero_point.dtype == np.int64
        target = _checked_type(self.name, "dtype", dtype) or (self.default_dtype if plain else "")
        if target:
            zero_point = _keep(self.name, np.zeros(scale.shape) if zero_point is None else zero_point, target)
        return quantize_linear(
            x, scale, zero_point, version=self.version, zero_point_dtype=target or None, **shape
        )

    def dequantize(
        self, q: NDArray[Any], parameters: Parameters, dtype: str | None = None, stored: str | None = None
    ) -> NDArray[Any]:
        scale, zero_point, shape = self._inputs(parameters)
        source = _checked_type(self.name, "q", stored)
        if zero_point is not None:
            zero_point = _keep(self.name, zero_point, source or name_of(q)).astype(q.dtype, copy=False)
        wanted = _checked_type(self.name, "dtype", dtype)
        if wanted and wanted != name_of(scale):
            shape["output_dtype"] = wanted
        return dequantize_linear(q, scale, zero_point, version=self.version, x_dtype=source or None, **shape)

    def _inputs(self, given: Parameters) -> tuple[NDArray[Any], NDArray[Any] | None, dict[str, Any]]:
        """Return scale, zero point and the attributes for their axis."""
        if given.axis is not None:
            attributes = {"axis": given.axis, "block_size": given.block_size or None}
            return given.scale, given.zero_point, attributes
        if given.scale.size != 1 or (given.zero_point is not None and given.zero_point.size != 1):
            raise QuantizerError(self.name, "axis", f"is missing for {given.scale.size} scales")
        zero_point = None if given.zero_point is None else given.zero_point.reshape(())
        return given.scale.reshape(()), zero_point, {}


def operator_version(table: dict[int, VersionFacts], opset: int) -> int:
    """Return the newest version at or below an opset. Example: opset 22 has version 21. Raise QuantizerError."""
    if opset < min(table):
        raise QuantizerError(
            f"onnx:{opset}", "version", f"is below opset {min(table)}, which has the first version"
        )
    return max(version for version in table if version <= opset)


def _version(table: dict[int, VersionFacts], opset: int) -> tuple[str, VersionFacts]:
    version = operator_version(table, opset)
    named = f"onnx:{opset}" if opset == version else f"onnx:{opset} (version {version})"
    return named, table[version]


def _check_attributes(semantics: str, facts: VersionFacts, given: dict[str, Any]) -> None:
    for name, value in given.items():
        if value is not None and name not in facts.attributes:
            raise QuantizerError(semantics, name, "is not an attribute of this version")


def _check_type(semantics: str, argument: str, name: str, allowed: tuple[str, ...]) -> None:
    if name not in allowed:
        raise QuantizerError(semantics, argument, f"is {name}; this version takes {', '.join(allowed)}")


def _checked_type(semantics: str, argument: str, value: str | int | None) -> str:
    """Return the name of a type, or "" if the type is not given (None, 0 or "")."""
    try:
        return type_name(value) if value else ""
    except ValueError as error:
        raise QuantizerError(semantics, argument, str(error)) from error


def _zero_point_type(semantics: str, zero_point: NDArray[Any], stated: str | None) -> str:
    found, name = name_of(zero_point), _checked_type(semantics, "zero_point_dtype", stated)
    if not name or found == name:
        return found
    if name not in RANGES or zero_point.dtype != storage(name):
        raise QuantizerError(semantics, "zero_point_dtype", f"is {name}, but y_zero_point is {found}")
    _keep(semantics, zero_point, name)
    return name


def _stored_type(semantics: str, x: NDArray[Any], zero_point: NDArray[Any] | None, stated: str | None) -> str:
    """Return the stored type: the type of ``x``, or a narrower type in a byte, from ``x_dtype`` or the zero point."""
    found = name_of(x)
    of_zero_point = "" if zero_point is None else name_of(zero_point)
    name = _checked_type(semantics, "x_dtype", stated) or of_zero_point
    if not name or name == found or name not in RANGES or x.dtype != storage(name):
        if stated and name != found:
            raise QuantizerError(semantics, "x_dtype", f"is {name}, but x is {found}")
        return found
    return stored_type(semantics, x, name, RANGES)


def _keep(semantics: str, zero_point: NDArray[Any], name: str) -> NDArray[Any]:
    """Return zero points in the storage type of ``name``. Raise QuantizerError for values outside the type."""
    try:
        kept = zero_point.astype(storage(name))
    except TypeError as error:
        raise QuantizerError(semantics, "zero_point", f"cannot be {name}") from error
    same = np.array_equal(kept.astype(np.float64), zero_point.astype(np.float64), equal_nan=True)
    low, high = RANGES.get(name, (-np.inf, np.inf))
    if not same or (
        name in RANGES and zero_point.size and not low <= zero_point.min() <= zero_point.max() <= high
    ):
        hint = "" if name == "int8" else "; name the type, for example int8"
        raise QuantizerError(semantics, "zero_point", f"holds values that {name} does not{hint}")
    return kept


def _target(semantics: str, known: str | None, output_dtype: str | int | None, facts: VersionFacts) -> str:
    """Return the type of ``y``: the zero point's type, else ``output_dtype``, else uint8."""
    wanted = _checked_type(semantics, "output_dtype", output_dtype)
    if known and wanted and known != wanted:
        raise QuantizerError(semantics, "output_dtype", f"is {wanted}, but y_zero_point is {known}")
    target = known or wanted or "uint8"
    _check_type(semantics, "y_zero_point" if known else "output_dtype", target, facts.stored)
    return target


def _division(semantics: str, scale: str, precision: str | int | None) -> str:
    """Return the type of the quotient.

    float64 represents the exact quotient of integers and powers of two: it has enough bits that rounding the float64
    quotient equals rounding the exact quotient.
    """
    named = _checked_type(semantics, "precision", precision) or scale
    if named != scale:
        _check_type(semantics, "precision", named, _PRECISIONS)
    return "float64" if named in ("int32", "float8e8m0") else named


def _collapse_equal(values: NDArray[Any]) -> NDArray[Any]:
    """Return one element if all elements are equal, because tiles pass it as a scalar, else the array unchanged."""
    same = values.size and (values == values.flat[0]).all()
    return values.reshape(-1)[:1].reshape(()) if same else values
