"""Shapes of operators that combine, repeat or resize tensors: concatenation, pack, unpack, tile, broadcast, pad, resize."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    axis_within,
    check_rank,
    differ,
    either,
    elements,
    row,
    shape_text,
    single,
    total,
    unknown,
)
from litecheck.model.shapes.elementwise import common


def concatenation(call: Call) -> Shapes:
    """Return the values' shape with the sum of their lengths along ``axis``; other dimensions must be equal.

    Constant scalars give a vector.
    """
    shapes = call.shapes("values")
    known = [shape for shape in shapes if shape is not None]
    if not known:
        return (None,)
    found = known[0]
    if not found and call.constant("values") and not any(known) and int(call.option("axis")) == 0:
        return ((len(shapes),),)
    at = axis_within(int(call.option("axis")), len(found), None)
    for shape in known[1:]:
        if len(shape) != len(found) or any(
            differ(a, b) for i, (a, b) in enumerate(zip(found, shape, strict=True)) if i != at
        ):
            raise ShapeError("values", f"the values are {shape_text(found)} and {shape_text(shape)}")
        found = tuple(map(either, found, shape))
    length = total([shape[at] for shape in known]) if len(known) == len(shapes) else None
    return ((*found[:at], length, *found[at + 1 :]),)


def pack(call: Call) -> Shapes:
    """Return the values' common shape with a new dimension of length ``values_count`` at ``axis``."""
    shapes, number = call.shapes("values"), int(call.option("values_count"))
    if number != len(shapes):
        raise ShapeError(None, f"values_count is {number}, there are {len(shapes)} values")
    found = common(shapes)
    if found is None:
        return (None,)
    at = axis_within(int(call.option("axis")), len(found) + 1, None)
    return ((*found[:at], number, *found[at:]),)


def unpack(call: Call) -> Shapes:
    """Return the input's shape without the dimension ``axis``, once for each of its ``num`` indices."""
    source, number = call.shape("input"), int(call.option("num"))
    if number != call.results:
        raise ShapeError(None, f"num is {number}, there are {call.results} outputs")
    if source is None:
        return (None,) * call.results
    if 0 in source:
        raise ShapeError("input", f"the input is {shape_text(source)}, with nothing to unpack")
    at = axis_within(int(call.option("axis")), len(source), None)
    if differ(source[at], number):
        raise ShapeError(None, f"num is {number}, dimension {at} of the input is {source[at]}")
    return ((*source[:at], *source[at + 1 :]),) * call.results


def tile(call: Call) -> Shapes:
    """Return the input's shape with each dimension multiplied by its entry in ``multiples``."""
    source = call.shape("input")
    multiples = row(call, "multiples", None if source is None else len(source))
    if source is None:
        return (unknown(elements(call, "multiples")),)
    if multiples is None:
        return ((None,) * len(source),)
    if any(multiple < 0 for multiple in multiples):
        raise ShapeError("multiples", f"the multiples are {multiples}, with negative ones")
    return (tuple(None if dim is None else dim * m for dim, m in zip(source, multiples, strict=True)),)


def broadcast_to(call: Call) -> Shapes:
    """Return the shape in ``shape``, of at most eight dimensions. The input must broadcast to it."""
    source = check_rank(call, "input", 0, 8)
    check_rank(call, "shape", 1)
    number, wanted = elements(call, "shape"), row(call, "shape")
    if number is not None and source is not None and (number < len(source) or number > 8):
        raise ShapeError("shape", f"the shape has {number} dimensions, the input {len(source)}")
    if wanted is None:
        return (unknown(number),)
    if any(dim < 0 for dim in wanted):
        raise ShapeError("shape", f"the shape is {wanted}, with negative lengths")
    for dim, length in zip(reversed(source or ()), reversed(wanted), strict=False):
        if dim is not None and dim != 1 and dim != length:
            raise ShapeError("shape", f"{shape_text(source or ())} does not broadcast to {wanted}")
    return (tuple(wanted),)


def broadcast_args(call: Call) -> Shapes:
    """Return [rank] for the broadcast of two shapes: the larger of their ranks."""
    first, second = check_rank(call, "shape1", 1), check_rank(call, "shape2", 1)
    if first is None or second is None or None in (*first, *second):
        return ((None,),)
    a, b = row(call, "shape1"), row(call, "shape2")
    for x, y in zip(reversed(a or ()), reversed(b or ()), strict=False):
        if x != y and 1 not in (x, y):
            raise ShapeError("shape2", f"{a} and {b} do not broadcast")
    return ((max(first[0] or 0, second[0] or 0),),)


def pad(call: Call) -> Shapes:
    """Return the input's shape with the two entries of ``paddings`` added to each dimension. At most five dimensions."""
    if call.has("constant_values"):
        single(call, "constant_values")
    return _pad_shape(call, check_rank(call, "input", 0, 5))


def mirror_pad(call: Call) -> Shapes:
    """Return the padded shape. Padding is at most the dimension for SYMMETRIC (1), and less than it for REFLECT (0)."""
    source = call.shape("input")
    found = _pad_shape(call, source)
    values = row(call, "paddings")
    if int(call.option("mode")) not in (0, 1):
        raise ShapeError(None, f"mode is {call.option('mode')}, neither REFLECT (0) nor SYMMETRIC (1)")
    inner = 1 if int(call.option("mode")) == 0 else 0
    if values is not None and source is not None and len(values) != 2 * len(source):
        raise ShapeError("paddings", f"there are {len(values)} paddings for {len(source)} dimensions")
    for at, dim in enumerate(source or ()):
        if values is not None and dim is not None and max(values[2 * at : 2 * at + 2]) > dim - inner:
            raise ShapeError(
                "paddings", f"paddings {values[2 * at : 2 * at + 2]} mirror more than a length of {dim}"
            )
    return found


def _pad_shape(call: Call, source: Shape | None) -> Shapes:
    edges = check_rank(call, "paddings", 2)
    if edges is not None and (differ(edges[1], 2) or (source is not None and differ(edges[0], len(source)))):
        rank = "rank" if source is None else len(source)
        kind = "" if source is None or differ(edges[1], 2) else "padded_rank"
        raise ShapeError("paddings", f"the paddings are {shape_text(edges)}, [{rank}, 2] wanted", kind)
    values = row(call, "paddings")
    if values is not None and any(value < 0 for value in values):
        raise ShapeError("paddings", f"the paddings are {values}, with negative ones")
    if source is None:
        return (unknown(edges[0] if edges is not None else None),)
    if values is None:
        return ((None,) * len(source),)
    around = [sum(values[2 * at : 2 * at + 2]) for at in range(len(source))]
    return (tuple(None if dim is None else dim + more for dim, more in zip(source, around, strict=True)),)


def resize_nearest(call: Call) -> Shapes:
    """Return [n, size[0], size[1], c] for input [n, h, w, c]."""
    source = check_rank(call, "input", 4) or (None,) * 4
    check_rank(call, "size", 1)
    size = row(call, "size", 2)
    if size is not None and (min(size) < 0 or 0 in source[1:3]):
        raise ShapeError("size", f"the size is {size}, of an input {shape_text(source)}")
    return ((source[0], *(size or (None, None)), source[3]),)


def resize_bilinear(call: Call) -> Shapes:
    """Return [n, size[0], size[1], c] for input [n, h, w, c].

    ``align_corners`` with ``half_pixel_centers`` raises ShapeError.
    """
    size = call.values("size")  # LiteRT makes these checks for a constant size only
    if size is not None and call.option("align_corners", False) and call.option("half_pixel_centers", False):
        raise ShapeError(None, "align_corners and half_pixel_centers are both set", "centers")
    if size is not None and size.size and int(size.min()) < 1:
        raise ShapeError("size", f"the size is {size.tolist()[:4]}, at least 1 wanted")
    return resize_nearest(call)


__all__ = [
    "broadcast_args", "broadcast_to", "concatenation", "mirror_pad", "pack", "pad", "resize_bilinear",
    "resize_nearest", "tile", "unpack",
]  # fmt: skip
