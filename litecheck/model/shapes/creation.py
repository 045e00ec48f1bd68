"""Shapes of operators that create tensors from numbers, remove dimensions, or have output shapes known only at run
time."""

from __future__ import annotations

import math

from litecheck.model.shapes.call import Call, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    elements,
    rank_of,
    ranked,
    row,
    shape_text,
    single,
    unknown,
)
from litecheck.model.stored_values import stored_integers


def fill(call: Call) -> Shapes:
    """The shape that ``dims`` states, filled with one value."""
    ranked(call, "dims", 1)
    ranked(call, "value", 0)
    return _demanded(call, "dims")


def random(call: Call) -> Shapes:
    """The shape demanded."""
    ranked(call, "shape", 1)
    return _demanded(call, "shape")


def _demanded(call: Call, role: str) -> Shapes:
    wanted = row(call, role)
    if wanted is None:
        return (unknown(elements(call, role)),)
    if any(dim < 0 for dim in wanted):
        raise ShapeError(role, f"the {role} are {wanted}, with negative lengths")
    return (tuple(wanted),)


def multinomial(call: Call) -> Shapes:
    """[batch, classes] -> [batch, ``num_samples``]."""
    ranked(call, "num_samples", 0)
    logits = ranked(call, "logits", 2) or (None, None)
    samples = single(call, "num_samples")
    if samples is not None and samples < 0:
        raise ShapeError("num_samples", f"num_samples is {samples}")
    return ((logits[0], samples),)


def range_(call: Call) -> Shapes:
    """As many numbers as there are from ``start`` to before ``limit`` in steps of ``delta``."""
    numbers = []
    for role in ("start", "limit", "delta"):
        ranked(call, role, 0)
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
    """A row of indices for each nonzero value: their number is known only at run time. A scalar has no indices."""
    return ((None, rank_of(at_least(call, "condition", 1))),)


def unique(call: Call) -> Shapes:
    """The values that differ, how many of which only run time tells, and where each of the input stands there."""
    source = ranked(call, "input", 1) or (None,)
    return ((None,), source)


def rfft_2d(call: Call) -> Shapes:
    """[..., h, w] -> [..., f0, f1 / 2 + 1] for the powers of two ``fft_length``."""
    source = call.shape("input")
    if source is not None and len(source) < 2:
        raise ShapeError("input", f"the input has {len(source)} dimensions, at least 2 wanted")
    ranked(call, "fft_length", 1)
    lengths = row(call, "fft_length", 2)
    if lengths is not None and any(length < 1 or length & (length - 1) for length in lengths):
        raise ShapeError("fft_length", f"fft_length is {lengths}, powers of two wanted")
    if source is None:
        return (None,)
    ends = (None, None) if lengths is None else (lengths[0], lengths[1] // 2 + 1)
    return ((*source[:-2], *ends),)


def non_max_suppression(call: Call) -> Shapes:
    """``max_output_size`` places for boxes [n, 4] with scores [n], their scores where asked for, and how many count."""
    boxes, scores = ranked(call, "boxes", 2) or (None, None), ranked(call, "scores", 1)
    if boxes[1] is not None and boxes[1] != 4:
        raise ShapeError("boxes", f"a box has {boxes[1]} numbers, 4 wanted")
    if scores is not None and None not in (scores[0], boxes[0]) and scores[0] != boxes[0]:
        raise ShapeError("scores", f"there are {scores[0]} scores for {boxes[0]} boxes")
    for role in ("max_output_size", "iou_threshold", "score_threshold", "sigma"):
        if call.has(role):
            ranked(call, role, 0)
    size = single(call, "max_output_size")
    if size is not None and size < 0:
        raise ShapeError("max_output_size", f"max_output_size is {size}")
    return (*((size,),) * (call.results - 1), ())


def as_stated(call: Call) -> Shapes:
    """The shape the file states of the result: LiteRT leaves it as it is."""
    return (call.stated("output"),)


def one_number(call: Call) -> Shapes:
    """A vector of length 1."""
    return ((1,),)


def keys_found(call: Call) -> Shapes:
    """One value for each key."""
    return (call.shape("keys"),)


def nothing_known(call: Call) -> Shapes:
    """Shapes that called subgraphs, variables or strings decide."""
    return (None,) * call.results


def reduce(call: Call) -> Shapes:
    """The input without the dimensions the operand ``axis`` lists, or with 1 there (``keep_dims``)."""
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
    """The input without the dimension that the operand ``axis`` names."""
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
    """One number for each dimension of the input."""
    return ((rank_of(call.shape("input")),),)


def rank(call: Call) -> Shapes:
    """One number."""
    return ((),)


__all__ = [
    "arg_extreme", "as_stated", "fill", "keys_found", "multinomial", "non_max_suppression", "nothing_known",
    "one_number", "random", "range_", "rank", "reduce", "rfft_2d", "shape_of", "unique", "where",
]  # fmt: skip
