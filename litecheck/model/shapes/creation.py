"""Shapes of operators that create tensors from numbers, remove dimensions, or have output shapes known only at run
time."""

from __future__ import annotations

import math

from litecheck.model.shapes.call import Call, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    check_rank,
    elements,
    rank_of,
    row,
    shape_text,
    single,
    unknown,
)
from litecheck.model.stored_values import stored_integers


def fill(call: Call) -> Shapes:
    """Return the shape in ``dims``."""
    check_rank(call, "dims", 1)
    check_rank(call, "value", 0)
    return _constant_shape(call, "dims")


def random(call: Call) -> Shapes:
    """Return the shape in ``shape``."""
    check_rank(call, "shape", 1)
    return _constant_shape(call, "shape")


def _constant_shape(call: Call, role: str) -> Shapes:
    wanted = row(call, role)
    if wanted is None:
        return (unknown(elements(call, role)),)
    if any(dim < 0 for dim in wanted):
        raise ShapeError(role, f"the {role} are {wanted}, with negative lengths")
    return (tuple(wanted),)


def multinomial(call: Call) -> Shapes:
    """Return [batch, ``num_samples``] for logits [batch, classes]."""
    check_rank(call, "num_samples", 0)
    logits = check_rank(call, "logits", 2) or (None, None)
    samples = single(call, "num_samples")
    if samples is not None and samples < 0:
        raise ShapeError("num_samples", f"num_samples is {samples}")
    return ((logits[0], samples),)


def range_(call: Call) -> Shapes:
    """Return the number of values from ``start`` to below ``limit`` in steps of ``delta``: 1, 7 and 2 give (3,)."""
    numbers = []
    for role in ("start", "limit", "delta"):
        check_rank(call, role, 0)
        numbers.append(_number(call, role))
    start, limit, delta = numbers
    if delta == 0:
        raise ShapeError("delta", "delta is 0")
    if (
        start is None
        or limit is None
        or delta is None
        or not all(math.isfinite(n) for n in (start, limit, delta))
    ):
        return ((None,),)
    if (delta > 0) != (limit >= start) and start != limit:
        raise ShapeError("delta", f"delta {delta} does not lead from {start} to {limit}")
    distance = abs(limit - start)
    return ((math.ceil(distance / abs(delta)),),)


def _number(call: Call, role: str) -> float | int | None:
    values = call.values(role)
    if values is not None:
        return int(values[0]) if len(values) == 1 else None
    tensor = call.roles[role][0].tensor if call.has(role) else None
    if tensor is None or tensor.data is None or tensor.dtype != "float32" or len(tensor.data) != 4:
        return None
    found = stored_integers(tensor)
    return None if found is None else float(found.reshape(-1)[0])


def where(call: Call) -> Shapes:
    """Return [?, rank]: one row of indices for each nonzero value. A scalar condition raises ShapeError."""
    return ((None, rank_of(at_least(call, "condition", 1))),)


def unique(call: Call) -> Shapes:
    """Return [?] for the distinct values, and the shape of the input for the index of each value."""
    source = check_rank(call, "input", 1) or (None,)
    return ((None,), source)


def rfft_2d(call: Call) -> Shapes:
    """Return [..., f0, f1 / 2 + 1] for input [..., h, w] and ``fft_length`` (f0, f1), which must be powers of two."""
    source = call.shape("input")
    if source is not None and len(source) < 2:
        raise ShapeError("input", f"the input has {len(source)} dimensions, at least 2 wanted")
    check_rank(call, "fft_length", 1)
    lengths = row(call, "fft_length", 2)
    if lengths is not None and any(length < 1 or length & (length - 1) for length in lengths):
        raise ShapeError("fft_length", f"fft_length is {lengths}, powers of two wanted")
    if source is None:
        return (None,)
    ends = (None, None) if lengths is None else (lengths[0], lengths[1] // 2 + 1)
    return ((*source[:-2], *ends),)


def non_max_suppression(call: Call) -> Shapes:
    """Return [``max_output_size``] for the indices of boxes and, if present, their scores, and [] for the count.

    Boxes are [n, 4], scores [n].
    """
    boxes, scores = check_rank(call, "boxes", 2) or (None, None), check_rank(call, "scores", 1)
    if boxes[1] is not None and boxes[1] != 4:
        raise ShapeError("boxes", f"a box has {boxes[1]} numbers, 4 wanted")
    if scores is not None and None not in (scores[0], boxes[0]) and scores[0] != boxes[0]:
        raise ShapeError("scores", f"there are {scores[0]} scores for {boxes[0]} boxes")
    for role in ("max_output_size", "iou_threshold", "score_threshold", "sigma"):
        if call.has(role):
            check_rank(call, role, 0)
    size = single(call, "max_output_size")
    if size is not None and size < 0:
        raise ShapeError("max_output_size", f"max_output_size is {size}")
    return (*((size,),) * (call.results - 1), ())


def as_stated(call: Call) -> Shapes:
    """Return the output shape in the file, which LiteRT does not change."""
    return (call.file_shape("output"),)


def variable(call: Call) -> Shapes:
    """Return the output shape in the file, with None for a dimension that the file leaves open, and for no shape."""
    tensor = call.tensor("output")
    if tensor is None or not tensor.shape:
        return (None,) * call.results
    signature = tensor.shape_signature
    open_ended = signature is not None and len(signature) == len(tensor.shape)
    known = signature if signature is not None and open_ended else tensor.shape
    return (tuple(None if s < 0 else dim for s, dim in zip(known, tensor.shape, strict=True)),)


def one_number(call: Call) -> Shapes:
    """Return [1]."""
    return ((1,),)


def keys_found(call: Call) -> Shapes:
    """Return the shape of the keys: one value for each key."""
    return (call.shape("keys"),)


def nothing_known(call: Call) -> Shapes:
    """Return unknown shapes, because called subgraphs, variables or strings determine them."""
    return (None,) * call.results


def reduce(call: Call) -> Shapes:
    """Return the input's shape without the dimensions in ``axis``, or with 1 in their place (``keep_dims``)."""
    shape, keep = call.shape("input"), bool(call.option("keep_dims", False))
    axes = row(call, "axis")
    if shape is None:
        return (None,)
    if not shape:
        return ((),)
    if axes is None:
        number = elements(call, "axis")
        rank = len(shape) if keep else len(shape) - 1 if number == 1 else None
        return (shape if number == 0 else unknown(rank),)
    gone = {axis_within(axis, len(shape)) for axis in axes}
    if keep:
        return (tuple(1 if at in gone else dim for at, dim in enumerate(shape)),)
    return (tuple(dim for at, dim in enumerate(shape) if at not in gone),)


def arg_extreme(call: Call) -> Shapes:
    """Return the input's shape without the dimension ``axis``."""
    shape, axis = call.shape("input"), single(call, "axis")
    if shape is None:
        return (None,)
    if axis is None:
        if not shape:
            raise ShapeError("input", "the input has no dimension to search along")
        return ((None,) * (len(shape) - 1),)
    at = axis_within(axis, len(shape))
    if shape[at] == 0:
        raise ShapeError("input", f"the input is {shape_text(shape)}, with nothing along axis {at}")
    return ((*shape[:at], *shape[at + 1 :]),)


def shape_of(call: Call) -> Shapes:
    """Return [rank of the input]."""
    return ((rank_of(call.shape("input")),),)


def rank(call: Call) -> Shapes:
    """Return [], the shape of a scalar."""
    return ((),)


__all__ = [
    "arg_extreme", "as_stated", "fill", "keys_found", "multinomial", "non_max_suppression", "nothing_known",
    "one_number", "random", "range_", "rank", "reduce", "rfft_2d", "shape_of", "unique", "variable",
    "where",
]  # fmt: skip
