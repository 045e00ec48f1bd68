"""Shapes of elementwise operators: the shape of the input, or the broadcast shape of two or three inputs."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    check_rank,
    count,
    differ,
    either,
    equal_shapes,
    shape_text,
    single,
    words,
)


def elementwise(call: Call) -> Shapes:
    """Return the input's shape."""
    return (call.shape("input"),)


def at_least_1d(call: Call) -> Shapes:
    """Return the input's shape, which needs a last dimension. A scalar raises ShapeError."""
    return (at_least(call, "input", 1),)


def local_response_normalization(call: Call) -> Shapes:
    """Return the input's shape, which must have rank 4. A negative ``radius`` raises ShapeError."""
    if int(call.option("radius")) < 0:
        raise ShapeError(None, f"radius is {call.option('radius')}")
    return (check_rank(call, "input", 4),)


def along_axis(call: Call) -> Shapes:
    """Return the input's shape. ``axis`` must be one number within the rank."""
    shape, axis = call.shape("input"), single(call, "axis")
    if shape is not None and axis is not None:
        axis_within(axis, len(shape))
    return (shape,)


def same_shapes(call: Call) -> Shapes:
    """Return the shape of two inputs that must have equal shapes, without broadcasting."""
    return (equal_shapes(call, "lhs", "rhs"),)


def sum_of_all(call: Call) -> Shapes:
    """Return the shape of at least two values that must have equal shapes."""
    shapes = call.shapes("values")
    if len(shapes) < 2:
        raise ShapeError("values", f"there are {len(shapes)} values, at least 2 wanted")
    return (common(shapes),)


def common(shapes: tuple[Shape | None, ...], role: str = "values") -> Shape | None:
    """Return the shape that all tensors of a repeated input share. Raises ShapeError.

    For example, (1, None) and (None, 3) give (1, 3).
    """
    found: Shape | None = None
    for shape in shapes:
        if found is None or shape is None:
            found = shape if found is None else found
        elif len(shape) != len(found) or any(map(differ, shape, found)):
            raise ShapeError(role, f"the {words(role)} are {shape_text(found)} and {shape_text(shape)}")
        else:
            found = tuple(map(either, found, shape))
    return found


def prelu(call: Call) -> Shapes:
    """Return the input's shape. ``alpha`` must broadcast to this shape."""
    source, alpha = call.shape("input"), call.shape("alpha")
    together = broadcast_shapes((source, alpha), "alpha")
    if (
        source is not None
        and together is not None
        and (len(together) != len(source) or any(map(differ, together, source)))
    ):
        raise ShapeError(
            "alpha", f"alpha is {shape_text(alpha or ())}, larger than the input {shape_text(source)}"
        )
    return (source,)


def broadcast(call: Call) -> Shapes:
    """Return the broadcast shape of two inputs, of any rank."""
    return (broadcast_shapes((call.shape("lhs"), call.shape("rhs")), "rhs"),)


def divide(call: Call) -> Shapes:
    """Return the broadcast shape of two inputs. Raises ShapeError for int8 and uint8 above rank 5.

    LiteRT divides the wrong elements if these types broadcast in more than five dimensions.
    """
    left, right = call.shape("lhs"), call.shape("rhs")
    rank = max(len(left or ()), len(right or ()))
    if rank > 5 and call.dtype("lhs") in ("int8", "uint8"):
        # lengths that are known only at run time may be equal
        alike = (
            left is None or right is None or (len(left) == len(right) and not any(map(differ, left, right)))
        )
        if not alike:
            raise ShapeError(
                "rhs",
                f"{shape_text(left or ())} and {shape_text(right or ())} broadcast in more than 5 dimensions",
            )
    return broadcast(call)


def broadcast_shapes(shapes: tuple[Shape | None, ...], role: str) -> Shape | None:
    """Return the broadcast shape. Dimensions are aligned at the end, and a length of 1 is repeated. Raises ShapeError.

    For example, (1, 4, 1) and (3, 1, 8) give (3, 4, 8).
    """
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max(map(len, known))
    if rank > 8 and any(len(shape) != rank or any(map(differ, shape, known[0])) for shape in known):
        raise ShapeError(role, f"{' and '.join(map(shape_text, known))} broadcast in more than 8 dimensions")
    found: list[int | None] = []
    for at in range(-rank, 0):
        lengths = [shape[at] for shape in known if -at <= len(shape)]
        wide = {length for length in lengths if length is not None and length != 1}
        if len(wide) > 1:
            raise ShapeError(role, f"{' and '.join(map(shape_text, known))} do not broadcast")
        # an unknown length is 1 or equal to a known length above 1; with lengths of 1 only, the result is unknown
        found.append(wide.pop() if wide else None if None in lengths else 1)
    return tuple(found)


def select(call: Call) -> Shapes:
    """Return the shape of both choices, which must be equal. The condition has this shape, is a scalar, or is a vector
    with a value for each index of the first dimension.

    If all three have a single value, of any rank, the output may have any rank in the file.
    """
    stated = call.file_shape("output")
    counts = [count(call.shape(role)) for role in ("condition", "on_true", "on_false")]
    if stated is not None and count(stated) == 1 and all(number in (1, None) for number in counts):
        # lengths that are known only at run time may all be 1
        ranks = {len(call.shape(role) or ()) for role in ("on_true", "on_false")}
        known = stated if None not in counts else call.shape("on_true")
        return (known if None not in counts or ranks == {len(stated)} else None,)
    shape = equal_shapes(call, "on_true", "on_false")
    condition = call.shape("condition")
    if shape is None or condition is None:
        return (shape,)
    by_row = len(condition) == 1 and bool(shape) and not differ(condition[0], shape[0])
    alike = len(condition) == len(shape) and not any(map(differ, condition, shape))
    if condition and not (by_row or alike):
        raise ShapeError(
            "condition", f"the condition is {shape_text(condition)}, the choices {shape_text(shape)}"
        )
    return (shape,)


def select_v2(call: Call) -> Shapes:
    """Return the broadcast shape of the condition and both choices."""
    shapes = tuple(call.shape(role) for role in ("condition", "on_true", "on_false"))
    return (broadcast_shapes(shapes, "condition"),)


__all__ = [
    "along_axis", "at_least_1d", "broadcast", "divide", "elementwise",
    "local_response_normalization", "prelu", "same_shapes", "select", "select_v2", "sum_of_all",
]  # fmt: skip
