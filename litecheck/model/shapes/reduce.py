"""Shapes of operators that take dimensions away: reductions, positions of extremes, segments, ranks and shapes."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Misfit, Shapes
from litecheck.model.shapes.dimensions import axis_within, elements, rank_of, row, shown, single


def reduce(call: Call) -> Shapes:
    """The input without the dimensions the operand ``axis`` lists, or with 1 there (``keep_dims``)."""
    shape, keep = call.shape("input"), bool(call.option("keep_dims", False))
    axes = row(call, "axis")
    if shape is None:
        return (None,)
    if not shape:
        return ((),)
    if axes is None:
        none = elements(call, "axis") == 0
        return (shape if none else (None,) * len(shape) if keep else None,)
    gone = {axis_within(axis, len(shape)) for axis in axes}
    if keep:
        return (tuple(1 if at in gone else dim for at, dim in enumerate(shape)),)
    return (tuple(dim for at, dim in enumerate(shape) if at not in gone),)


def arg_extreme(call: Call) -> Shapes:
    """The input without the one dimension the operand ``axis`` names."""
    shape, axis = call.shape("input"), single(call, "axis")
    if shape is None:
        return (None,)
    if axis is None:
        if not shape:
            raise Misfit("input", "the input has no dimension to search along")
        return ((None,) * (len(shape) - 1),)
    at = axis_within(axis, len(shape))
    if shape[at] == 0:
        raise Misfit("input", f"the input is {shown(shape)}, with nothing along axis {at}")
    return ((*shape[:at], *shape[at + 1 :]),)


def shape_of(call: Call) -> Shapes:
    """One number for each dimension of the input."""
    return ((rank_of(call.shape("input")),),)


def rank(call: Call) -> Shapes:
    """One number."""
    return ((),)


__all__ = ["arg_extreme", "rank", "reduce", "shape_of"]
