"""Folding of shapes: values of integer tensors that are cut from shapes and joined again, before anything runs.

Converters write a new shape as SHAPE, STRIDED_SLICE, PACK, RESHAPE. With the values known, the shape after RESHAPE
equals the shape that LiteRT will compute.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes.call import Call, Law, Shape, constant_integers
from litecheck.model.shapes.creation import shape_of
from litecheck.model.shapes.joining import concatenation, pack
from litecheck.model.shapes.slicing import strided_slice
from litecheck.model.stored_values import bytes_of
from litecheck.model.types import Tensor

#: Longer lists of lengths are no shapes.
LONG = 32
Values = NDArray[np.int64]


def folds(law: Law) -> bool:
    """Return True if a law's output values can follow from its input values."""
    return law in _FOLDS


def folds_late(law: Law) -> bool:
    """Return True if LiteRT computes the values when the model runs: PACK. All others it computes at load."""
    return law is pack


def asks_shape(law: Law) -> bool:
    """Return True if the output values are a shape: SHAPE."""
    return law is shape_of


def folded(law: Law, call: Call, result: Tensor, shape: Shape | None) -> Tensor | None:
    """Return the output as a constant if its law's inputs determine its values, else None."""
    fold = _FOLDS.get(law)
    if fold is None or shape is None or None in shape or result.dtype not in ("int32", "int64"):
        return None
    values = fold(call)
    if values is None or values.size > LONG:
        return None
    return replace(result, shape=shape, data=bytes_of(values.astype(result.dtype)))  # type: ignore[arg-type]


def _shape(call: Call) -> Values | None:
    shape = call.shape("input")
    return None if shape is None or None in shape else np.array(shape, np.int64)


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


_FOLDS: dict[Law, Callable[[Call], Values | None]] = {
    shape_of: _shape,
    strided_slice: _sliced,
    pack: _joined,
    concatenation: _joined,
}
