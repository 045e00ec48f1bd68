"""Shapes of operators that rearrange elements: reshape, squeeze, expand, transpose, reverse, space and depth blocks."""

from __future__ import annotations

from itertools import pairwise
from math import prod

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    check_rank,
    count,
    differ,
    elements,
    row,
    shape_text,
    single,
    unknown,
)
from litecheck.quantization import BITS


def reshape(call: Call) -> Shapes:
    """Return the new shape, in which one dimension may be -1 and is inferred. The number of elements must not change.

    The new shape is the input ``shape`` if it is an int32 vector, else the option ``new_shape``, whose [0] means a scalar.
    """
    counts = call.has("shape") and call.dtype("shape") == "int32"
    stated = call.shape("shape") if counts else None
    if counts and (stated is None or len(stated) == 1):
        values = row(call, "shape")
        if values is None:
            return (unknown(elements(call, "shape")),)
        return (_infer_dimension(call, values),)
    wanted = list(call.integers("new_shape"))
    return (_infer_dimension(call, [] if wanted == [0] else wanted),)


def _infer_dimension(call: Call, wanted: list[int]) -> Shape:
    source = call.shape("input")
    if wanted.count(-1) > 1 or any(dim < -1 for dim in wanted):
        raise ShapeError("shape", f"the new shape is {wanted}, with more to infer than one length")
    number = count(source)
    rest = prod(dim for dim in wanted if dim != -1)
    if number is None:
        return tuple(None if dim == -1 else dim for dim in wanted)
    if -1 in wanted:
        left = number // rest if rest else 0
        if left * rest != number:
            raise ShapeError(
                "shape", f"the input has {number} elements, the new shape {wanted} wants a multiple of {rest}"
            )
        return tuple(left if dim == -1 else dim for dim in wanted)
    if number != rest:
        found = f"the input has {number} elements, the new shape {wanted} has {rest}"
        others = prod(dim for dim in wanted if dim)
        raise ShapeError(
            "shape", found, "inferred_zero" if wanted.count(0) == 1 and number % others == 0 else ""
        )
    return tuple(wanted)


def squeeze(call: Call) -> Shapes:
    """Return the input's shape without the dimensions of length 1 in ``squeeze_dims``, or without all of them if it is
    empty."""
    source, axes = check_rank(call, "input", 0, 8), call.integers("squeeze_dims")
    if source is None:
        return (None,)
    if not axes:
        return (None if None in source else tuple(dim for dim in source if dim != 1),)
    gone = set()
    for axis in axes:
        at = axis_within(axis, len(source), None)
        if differ(source[at], 1):
            raise ShapeError(
                None, f"squeeze_dims names dimension {at} of {shape_text(source)}, which is not 1"
            )
        gone.add(at)
    return (tuple(dim for at, dim in enumerate(source) if at not in gone),)


def expand_dims(call: Call) -> Shapes:
    """Return the input's shape with a dimension of 1 at ``axis``. -1 appends the dimension."""
    source, axis = call.shape("input"), single(call, "axis")
    if source is None:
        return (None,)
    if axis is None:
        return ((None,) * (len(source) + 1),)
    at = axis_within(axis, len(source) + 1)
    return ((*source[:at], 1, *source[at:]),)


def transpose(call: Call) -> Shapes:
    """Return the input's dimensions in the order ``perm``, a permutation of at most six dimensions."""
    source = check_rank(call, "input", 0, 6)
    if source is None:
        return (unknown(elements(call, "perm")),)
    check_rank(call, "perm", 1)
    perm = row(call, "perm", len(source))
    if perm is None:
        return ((None,) * len(source),)
    if sorted(axis_within(axis, len(source), "perm") for axis in perm) != list(range(len(source))):
        found = f"perm is {perm}, no permutation of {len(source)} dimensions"
        raise ShapeError("perm", found, "repeated_axis")
    return (tuple(source[axis] for axis in perm),)


def reverse(call: Call) -> Shapes:
    """Return the input's shape. ``axis`` lists consecutive axes within the rank, each once."""
    source = check_rank(call, "input", 0, 8)
    check_rank(call, "axis", 1)
    axes = row(call, "axis")
    if source is None or axes is None:
        return (source,)
    if len(axes) > len(source):
        raise ShapeError(
            "axis", f"there are {len(axes)} axes, the input {shape_text(source)} has {len(source)}"
        )
    try:
        places = sorted(axis_within(axis, len(source)) for axis in axes)
    except ShapeError as outside:
        raise ShapeError("axis", outside.found, "index_values") from outside
    if any(b - a != 1 for a, b in pairwise(places)):
        raise ShapeError("axis", f"the axes {axes} are not neighbours, each once", "index_values")
    return (source,)


def reverse_sequence(call: Call) -> Shapes:
    """Return the input's shape. ``lengths`` has one entry per batch, at most the length of ``seq_dim``.

    ``seq_dim`` and ``batch_dim`` are two different dimensions.
    """
    source, lengths = call.shape("input"), check_rank(call, "lengths", 1)
    if source is None:
        return (None,)
    along, batch = int(call.option("seq_dim")), int(call.option("batch_dim"))
    for name, axis in (("seq_dim", along), ("batch_dim", batch)):
        if not 0 <= axis < len(source):
            raise ShapeError(None, f"{name} is {axis}, outside a tensor of {len(source)} dimensions")
    if along == batch:
        raise ShapeError(None, f"seq_dim and batch_dim are both {along}")
    if lengths is not None and differ(lengths[0], source[batch]):
        raise ShapeError("lengths", f"there are {lengths[0]} lengths for {source[batch]} batches")
    values = call.values("lengths")
    if values is not None and source[along] is not None and any(value > source[along] for value in values):
        raise ShapeError(
            "lengths", f"a length of {max(values)} is beyond dimension {along} of {shape_text(source)}"
        )
    return (source,)


def space_to_depth(call: Call) -> Shapes:
    """Return [n, h / b, w / b, c * b * b] for input [n, h, w, c]. ``block_size`` b must divide height and width."""
    source, block = check_rank(call, "input", 4) or (None,) * 4, _block_size(call)
    spatial = tuple(_divide(call, dim, block) for dim in source[1:3])
    return ((source[0], *spatial, None if source[3] is None else source[3] * block * block),)


def depth_to_space(call: Call) -> Shapes:
    """Return [n, h * b, w * b, c / (b * b)] for input [n, h, w, c]. The square of ``block_size`` b must divide the
    channels."""
    source, block = check_rank(call, "input", 4) or (None,) * 4, _block_size(call)
    spatial = tuple(None if dim is None else dim * block for dim in source[1:3])
    return ((source[0], *spatial, _divide(call, source[3], block * block)),)


def _block_size(call: Call) -> int:
    block = int(call.option("block_size"))
    if block < 1:
        raise ShapeError(None, f"block_size is {block}, at least 1 wanted")
    return block


def _divide(call: Call, dim: int | None, block: int) -> int | None:
    if dim is not None and dim % block:
        raise ShapeError("input", f"a length of {dim} is not a multiple of {block}")
    return None if dim is None else dim // block


def space_to_batch(call: Call) -> Shapes:
    """Return [n * blocks, padded spatial / block..., c] for input [n, spatial..., c]."""
    source, blocks, pads = _read_blocks(call, "paddings")
    if source is None:
        return (None,)
    if blocks is None or pads is None:
        return ((None,) * (len(source) - 1) + source[-1:],)
    spatial: list[int | None] = []
    for dim, block, (low, high) in zip(source[1:], blocks, pads, strict=False):
        padded = None if dim is None else dim + low + high
        if padded is not None and padded < 0:
            raise ShapeError("paddings", f"paddings of {low} and {high} leave less than nothing of {dim}")
        spatial.append(_divide(call, padded, block))
    batch = None if source[0] is None else source[0] * prod(blocks)
    return ((batch, *spatial, *source[len(blocks) + 1 :]),)


def batch_to_space(call: Call) -> Shapes:
    """Return [n / blocks, spatial * block - crops..., c] for input [n, spatial..., c]."""
    source, blocks, crops = _read_blocks(call, "crops")
    if source is None:
        return (None,)
    if blocks is None or crops is None:
        return ((None,) * (len(source) - 1) + source[-1:],)
    if any(min(pair) < 0 for pair in crops):
        raise ShapeError("crops", f"the crops are {crops}, with negative ones")
    spatial: list[int | None] = []
    for dim, block, (low, high) in zip(source[1:], blocks, crops, strict=False):
        left = None if dim is None else dim * block - low - high
        if left is not None and left < 0:
            raise ShapeError(
                "crops", f"crops of {low} and {high} leave less than nothing of {dim} times {block}"
            )
        spatial.append(left)
    return ((_divide(call, source[0], prod(blocks)), *spatial, *source[len(blocks) + 1 :]),)


def _read_blocks(
    call: Call, margins: str
) -> tuple[Shape | None, list[int] | None, list[tuple[int, int]] | None]:
    """Return the input's shape, the block of each spatial dimension, and the pairs of margins. Raises ShapeError."""
    source = check_rank(call, "input", 3, 4)
    check_rank(call, "block_shape", 1)
    edges = check_rank(call, margins, 2)
    spatial = None if source is None else len(source) - 2
    blocks = row(call, "block_shape", spatial)
    if edges is not None and (differ(edges[1], 2) or differ(edges[0], spatial)):
        raise ShapeError(margins, f"the {margins} are {shape_text(edges)}, [{spatial}, 2] wanted")
    if blocks is not None and any(block < 1 for block in blocks):
        raise ShapeError("block_shape", f"the block shape is {blocks}, all at least 1 wanted")
    values = row(call, margins)
    pairs = None if values is None else list(zip(values[::2], values[1::2], strict=False))
    return source, blocks, pairs


def matrix_diag(call: Call) -> Shapes:
    """Return [..., n, n] for diagonal [..., n]."""
    shape = at_least(call, "diagonal", 1)
    return (None if shape is None else (*shape, shape[-1]),)


def matrix_set_diag(call: Call) -> Shapes:
    """Return the shape of the input [..., rows, columns]. The diagonal must be [..., min(rows, columns)]."""
    source, diagonal = at_least(call, "input", 2), call.shape("diagonal")
    if source is None or diagonal is None:
        return (source,)
    rows, columns = source[-2:]
    wanted = (*source[:-2], None if rows is None or columns is None else min(rows, columns))
    if len(diagonal) != len(wanted) or any(map(differ, diagonal, wanted)):
        found = f"the diagonal is {shape_text(diagonal)}, {shape_text(wanted)} wanted"
        raise ShapeError(
            "diagonal", found, _diagonal_kind(diagonal, wanted, call.file_shape("output") == source)
        )
    return (source,)


def _diagonal_kind(diagonal: Shape, wanted: Shape, stated: bool) -> str:
    """Return the kind of a diagonal of another shape, "" for an unknown length. ``stated``: the file has the output shape.

    The kernel reads the values in their order. Of a single matrix, it reads the first values of a longer diagonal.
    """
    if None in diagonal or None in wanted:
        return ""
    if 0 in diagonal:
        return "empty_diagonal"
    long = stated and count(wanted[:-1]) == 1 and (count(diagonal) or 0) >= (count(wanted) or 0)
    return "long_diagonal" if long else "misplaced_diagonal"


def bitcast(call: Call) -> Shapes:
    """Return the input's shape for a type of equal width. A narrower type adds a dimension, a wider type removes the last.

    Example: int32 [2] as int8 gives [2, 4]; int2 [8] as int4 gives [8], because LiteRT counts whole bytes.
    """
    source = call.shape("input")
    before, after = _width(call.dtype("input")), _width(call.dtype("output"))
    if source is None or before is None or after is None:
        return (None,)
    if before == after:
        return (source,)
    if before > after:
        return ((*source, before // after),)
    if not source or differ(source[-1], after // before):
        raise ShapeError(
            "input", f"the input is {shape_text(source)}, a last dimension of {after // before} wanted"
        )
    return (source[:-1],)


def _width(dtype: str) -> int | None:
    """Return the number of bits of a type as LiteRT's BITCAST counts them: at least a byte, int2 and int4 too."""
    return max(8, BITS[dtype]) if dtype in BITS else None


__all__ = [
    "batch_to_space", "bitcast", "depth_to_space", "expand_dims", "matrix_diag", "matrix_set_diag", "reshape",
    "reverse", "reverse_sequence", "space_to_batch", "space_to_depth", "squeeze", "transpose",
]  # fmt: skip
