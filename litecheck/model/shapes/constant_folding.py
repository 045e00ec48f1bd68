"""Constant folding of shapes: values of integer tensors that are sliced from shapes and concatenated.

Converters write a new shape as SHAPE, STRIDED_SLICE, PACK, RESHAPE. With known values, the shape after RESHAPE equals
the shape that LiteRT computes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes import lengths
from litecheck.model.shapes.call import Call, Law, Shape, constant_integers
from litecheck.model.shapes.concatenation import concatenation, pack
from litecheck.model.shapes.creation import shape_of
from litecheck.model.shapes.gather_scatter import gather
from litecheck.model.shapes.movement import expand_dims, reshape, squeeze
from litecheck.model.shapes.slices import slice_, strided_slice
from litecheck.model.stored_values import bytes_of
from litecheck.model.types import Tensor

#: Maximum number of values of a folded tensor. Longer lists are not shapes.
LONG = 32
Values = NDArray[np.int64]


def folds(law: Law, result: Tensor) -> bool:
    """Return True if the values of a law's output can be folded: integers of an operator with a fold function."""
    return result.dtype in ("int32", "int64") and law in _FOLDS


def folds_late(law: Law) -> bool:
    """Return True if LiteRT computes the values when the model runs, not at load. Example: PACK."""
    return law not in _AT_LOAD


def fold(law: Law, call: Call, result: Tensor, shape: Shape | None) -> Tensor | None:
    """Return the output as a constant if the inputs of its law determine its values, else None."""
    if shape is None or None in shape or not folds(law, result):
        return None
    values = _FOLDS[law](call)
    if values is None or values.size > LONG:
        return None
    return replace(result, shape=shape, data=bytes_of(values.astype(result.dtype)))  # type: ignore[arg-type]


def _fold_shape(call: Call) -> Values | None:
    shape = call.shape("input")
    return None if shape is None or None in shape else np.array(shape, np.int64)


def _list(call: Call, role: str) -> Values | None:
    """Return the values of a scalar or a vector; None for higher ranks and for unknown values."""
    return None if len(call.shape(role) or ()) > 1 else call.values(role)


def _fold_strided_slice(call: Call) -> Values | None:
    """Return a strided slice of a vector; None with new_axis_mask or ellipsis_mask."""
    source, begin, end, strides = (call.values(role) for role in ("input", "begin", "end", "strides"))
    if source is None or begin is None or end is None or strides is None:
        return None
    if not len(begin) == len(end) == len(strides) == 1 or not strides[0]:
        return None
    if len(call.shape("input") or ()) != 1 or call.option("new_axis_mask") or call.option("ellipsis_mask"):
        return None
    first, last, step = int(begin[0]), int(end[0]), int(strides[0])
    if call.option("shrink_axis_mask"):
        at = first + len(source) if first < 0 else first
        return source[at : at + 1] if 0 <= at < len(source) else None
    return source[
        None if call.option("begin_mask") else first : None if call.option("end_mask") else last : step
    ]


def _fold_concatenation(call: Call) -> Values | None:
    """Return packed scalars, or concatenated vectors."""
    operands = call.roles.get("values", ())
    parts = [constant_integers(operand.tensor) for operand in operands]
    call.other_reads.append("values")
    if any(len(operand.shape or ()) > 1 for operand in operands) or not parts:
        return None
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _fold_slice(call: Call) -> Values | None:
    """Return ``size`` elements of a vector from ``begin`` on; size -1 takes all remaining elements."""
    source, begin, size = (_list(call, role) for role in ("input", "begin", "size"))
    if source is None or begin is None or size is None or not len(begin) == len(size) == 1:
        return None
    first = int(begin[0])
    return source[first : None if size[0] == -1 else first + int(size[0])]


def _fold_gather(call: Call) -> Values | None:
    """Return elements of a vector by index."""
    source, indices = _list(call, "input"), call.values("indices")
    if source is None or indices is None or not all(0 <= index < len(source) for index in indices):
        return None
    return source[indices]


def _fold_product(call: Call) -> Values | None:
    """Return the product of a vector."""
    source, axis = _list(call, "input"), call.values("axis")
    return None if source is None or axis is None or len(axis) != 1 else np.prod(source, keepdims=True)


def _input_values(call: Call) -> Values | None:
    """Return the values of the input; RESHAPE, EXPAND_DIMS, SQUEEZE and CAST keep them."""
    return call.values("input")


def _fold_elementwise(compute: Callable[[Values, Values], Values | None], call: Call) -> Values | None:
    """Return ``compute`` of two vectors, or of a vector and a scalar, element by element."""
    lhs, rhs = _list(call, "lhs"), _list(call, "rhs")
    if lhs is None or rhs is None or call.option("fused_activation_function"):
        return None
    return compute(lhs, rhs)


def _floor_divide(lhs: Values, rhs: Values) -> Values | None:
    return lhs // rhs if rhs.all() else None


_FOLDS: dict[Law, Callable[[Call], Values | None]] = {
    shape_of: _fold_shape,
    strided_slice: _fold_strided_slice,
    slice_: _fold_slice,
    gather: _fold_gather,
    pack: _fold_concatenation,
    concatenation: _fold_concatenation,
    reshape: _input_values,
    expand_dims: _input_values,
    squeeze: _input_values,
    lengths.cast: _input_values,
    lengths.product: _fold_product,
    lengths.add: partial(_fold_elementwise, np.add),
    lengths.subtract: partial(_fold_elementwise, np.subtract),
    lengths.multiply: partial(_fold_elementwise, np.multiply),
    lengths.floor_divide: partial(_fold_elementwise, _floor_divide),
    lengths.maximum: partial(_fold_elementwise, np.maximum),
    lengths.minimum: partial(_fold_elementwise, np.minimum),
}
#: Laws of operators whose values LiteRT computes at load if the inputs are constant.
_AT_LOAD = frozenset(
    (shape_of, strided_slice, gather, concatenation, reshape, lengths.product, lengths.multiply)
)
