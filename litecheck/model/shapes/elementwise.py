"""Shapes of elementwise operators: as the input, or as two or three operands broadcast."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    count,
    differ,
    either,
    equal_shapes,
    ranked,
    shape_text,
    single,
    words,
)


def elementwise(call: Call) -> Shapes:
    """The input's shape, whatever it is."""
    return (call.shape("input"),)


def at_least_1d(call: Call) -> Shapes:
    """The input's shape; a scalar has no last dimension to work along."""
    return (at_least(call, "input", 1),)


def local_response_normalization(call: Call) -> Shapes:
    """The input's shape of four dimensions; the radius is not negative."""
    if int(call.option("radius")) < 0:
        raise ShapeError(None, f"radius is {call.option('radius')}")
    return (ranked(call, "input", 4),)


def along_axis(call: Call) -> Shapes:
    """The input's shape; the operand ``axis`` is a number inside its rank."""
    shape, axis = call.shape("input"), single(call, "axis")
    if shape is not None and axis is not None:
        axis_within(axis, len(shape))
    return (shape,)


def same_shapes(call: Call) -> Shapes:
    """The shape two operands share: no broadcasting."""
    return (equal_shapes(call, "lhs", "rhs"),)


def sum_of_all(call: Call) -> Shapes:
    """The shape that all values share; there are at least two of them."""
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
    """The input's shape, which ``alpha`` broadcast against it must not enlarge."""
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
    """Both operands broadcast, in any number of dimensions."""
    return (broadcast_shapes((call.shape("lhs"), call.shape("rhs")), "rhs"),)


def divide(call: Call) -> Shapes:
    """Both operands broadcast; bytes in five dimensions at most, or LiteRT divides the wrong elements."""
    left, right = call.shape("lhs"), call.shape("rhs")
    rank = max(len(left or ()), len(right or ()))
    if rank > 5 and call.dtype("lhs") in ("int8", "uint8"):
        # lengths that only run time tells may turn out equal
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
    """Broadcast shapes: dimensions are aligned at the end, and a length of 1 stretches. Raises ShapeError.

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
        # an unknown length stretches to, or must be, the known length; beside lengths of 1 it decides alone
        found.append(wide.pop() if wide else None if None in lengths else 1)
    return tuple(found)


def select(call: Call) -> Shapes:
    """The shape that both choices share; the condition has it too, or is a scalar, or has a value for each first index.

    Where all three have a single value, in any rank, the output may be stated in any rank.
    """
    stated = call.stated("output")
    counts = [count(call.shape(role)) for role in ("condition", "on_true", "on_false")]
    if stated is not None and count(stated) == 1 and all(number in (1, None) for number in counts):
        # lengths that only run time tells may all be 1
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
    """The condition and both choices broadcast to a common shape."""
    shapes = tuple(call.shape(role) for role in ("condition", "on_true", "on_false"))
    return (broadcast_shapes(shapes, "condition"),)


__all__ = [
    "along_axis", "at_least_1d", "broadcast", "divide", "elementwise",
    "local_response_normalization", "prelu", "same_shapes", "select", "select_v2", "sum_of_all",
]  # fmt: skip
