"""Folding of shapes: values of integer tensors that are cut from shapes and joined again, before anything runs.

Converters write a new shape as SHAPE, STRIDED_SLICE, PACK, RESHAPE. With the values known, the shape after RESHAPE
equals the shape that LiteRT will compute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes import lengths
from litecheck.model.shapes.call import Call, Law, Shape, constant_integers
from litecheck.model.shapes.creation import shape_of
from litecheck.model.shapes.gathering import gather
from litecheck.model.shapes.joining import concatenation, pack
from litecheck.model.shapes.movement import expand_dims, reshape, squeeze
from litecheck.model.shapes.slicing import slice_, strided_slice
from litecheck.model.stored_values import bytes_of
from litecheck.model.types import Tensor

#: Longer lists of lengths are no shapes.
LONG = 32
Values = NDArray[np.int64]


def folds(law: Law, result: Tensor) -> bool:
    """Return True if the output of a law's operator can be lengths that follow from its input values."""
    return result.dtype in ("int32", "int64") and law in _FOLDS


def folds_late(law: Law) -> bool:
    """Return True if LiteRT computes the values when the model runs, and not at load. Example: PACK."""
    return law not in _AT_LOAD


def folded(law: Law, call: Call, result: Tensor, shape: Shape | None) -> Tensor | None:
    """Return the output as a constant if its law's inputs determine its values, else None."""
    if shape is None or None in shape or not folds(law, result):
        return None
    values = _FOLDS[law](call)
    if values is None or values.size > LONG:
        return None
    return replace(result, shape=shape, data=bytes_of(values.astype(result.dtype)))  # type: ignore[arg-type]


def _shape(call: Call) -> Values | None:
    shape = call.shape("input")
    return None if shape is None or None in shape else np.array(shape, np.int64)


def _list(call: Call, role: str) -> Values | None:
    """Return the values of a number or a list, None for values in rows or values that are not known."""
    return None if len(call.shape(role) or ()) > 1 else call.values(role)


def _sliced(call: Call) -> Values | None:
    """A list sliced: one dimension, no masks but those of its ends and the mask that takes a single element."""
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


def _joined(call: Call) -> Values | None:
    """Numbers packed, or lists concatenated."""
    operands = call.roles.get("values", ())
    parts = [constant_integers(operand.tensor) for operand in operands]
    call.looked.append("values")
    if any(len(operand.shape or ()) > 1 for operand in operands) or not parts:
        return None
    known = [part for part in parts if part is not None]
    return np.concatenate(known) if len(known) == len(parts) else None


def _cut(call: Call) -> Values | None:
    """Elements of a list from ``begin`` on, ``size`` of them; size -1 takes all that are left."""
    source, begin, size = (_list(call, role) for role in ("input", "begin", "size"))
    if source is None or begin is None or size is None or not len(begin) == len(size) == 1:
        return None
    first = int(begin[0])
    return source[first : None if size[0] == -1 else first + int(size[0])]


def _gathered(call: Call) -> Values | None:
    """Elements of a list by index."""
    source, indices = _list(call, "input"), call.values("indices")
    if source is None or indices is None or not all(0 <= index < len(source) for index in indices):
        return None
    return source[indices]


def _product(call: Call) -> Values | None:
    """Product of a list."""
    source, axis = _list(call, "input"), call.values("axis")
    return None if source is None or axis is None or len(axis) != 1 else np.prod(source, keepdims=True)


def _same(call: Call) -> Values | None:
    """The values of the input, in a new shape or type."""
    return call.values("input")


def _elementwise(compute: Callable[[Values, Values], Values | None], call: Call) -> Values | None:
    """Two lists, or a list and a number, element by element."""
    lhs, rhs = _list(call, "lhs"), _list(call, "rhs")
    if lhs is None or rhs is None or call.option("fused_activation_function"):
        return None
    return compute(lhs, rhs)


def _quotient(lhs: Values, rhs: Values) -> Values | None:
    return lhs // rhs if rhs.all() else None


_FOLDS: dict[Law, Callable[[Call], Values | None]] = {
    shape_of: _shape,
    strided_slice: _sliced,
    slice_: _cut,
    gather: _gathered,
    pack: _joined,
    concatenation: _joined,
    reshape: _same,
    expand_dims: _same,
    squeeze: _same,
    lengths.cast: _same,
    lengths.product: _product,
    lengths.add: partial(_elementwise, np.add),
    lengths.subtract: partial(_elementwise, np.subtract),
    lengths.multiply: partial(_elementwise, np.multiply),
    lengths.floor_divide: partial(_elementwise, _quotient),
    lengths.maximum: partial(_elementwise, np.maximum),
    lengths.minimum: partial(_elementwise, np.minimum),
}
#: Laws of operators with a constant output if their inputs are constant: LiteRT computes the values at load.
_AT_LOAD = frozenset(
    (shape_of, strided_slice, gather, concatenation, reshape, lengths.product, lengths.multiply)
)
