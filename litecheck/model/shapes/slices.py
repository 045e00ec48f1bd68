"""Shapes of operators that cut tensors: slice, strided slice, split, dynamic update, top k."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    axis_within,
    check_rank,
    differ,
    elements,
    first,
    row,
    shape_text,
    single,
    unknown,
)


def slice_(call: Call) -> Shapes:
    """Return the lengths in ``size``; -1 takes all elements from ``begin`` on."""
    source = check_rank(call, "input", 0, 5)
    rank = None if source is None else len(source)
    check_rank(call, "begin", 1)
    check_rank(call, "size", 1)
    begin, size = row(call, "begin", rank), row(call, "size", rank)
    if source is None or begin is None or size is None:
        return (unknown(rank if rank is not None else elements(call, "begin")),)
    return (tuple(map(_slice_length, source, begin, size)),)


def _slice_length(dim: int | None, begin: int, size: int) -> int | None:
    if size < -1:
        raise ShapeError("size", f"a size of {size} is neither a length nor -1")
    if begin < 0:
        raise ShapeError("begin", f"begin {begin} is before the start")
    if size == -1:
        size = -1 if dim is None else dim - begin
        if size < 0 and dim is not None:
            raise ShapeError("begin", f"begin {begin} is behind the end of a length of {dim}")
        return None if dim is None else size
    if dim is not None and begin + size > dim:
        raise ShapeError("size", f"{size} elements from {begin} on reach beyond a length of {dim}")
    return size


def strided_slice(call: Call) -> Shapes:
    """Return the number of elements from ``begin`` to below ``end`` in steps of ``strides``, for each given dimension.

    Ends are clamped to the dimension. A bit of ``begin_mask`` or ``end_mask`` ignores an end. A bit of
    ``ellipsis_mask`` keeps all dimensions that are not given, of ``new_axis_mask`` adds a dimension of 1, and of
    ``shrink_axis_mask`` takes one element and removes the dimension.
    """
    source = call.shape("input")
    for role in ("begin", "end", "strides"):
        check_rank(call, role, 1)
    begin, end, strides = row(call, "begin"), row(call, "end"), row(call, "strides")
    if source is None or begin is None or end is None or strides is None:
        return (None,)
    row(call, "end", len(begin))
    if len(strides) < len(begin):
        row(call, "strides", len(begin))  # additional strides are allowed
    masks = {name: int(call.option(f"{name}_mask")) for name in _MASKS}
    if len(begin) > len(source) and not masks["ellipsis"] and not masks["new_axis"]:
        raise _surplus_values(call, source, (begin, end, strides), masks)
    return (tuple(_strided_lengths(source, begin, end, strides, masks, bool(call.option("offset")))),)


def _surplus_values(
    call: Call, source: Shape, rows: Sequence[list[int]], masks: dict[str, int]
) -> ShapeError:
    """Return the error of values beyond the rank, which LiteRT ignores; they lose data if the file states a shape that
    the other values do not give."""
    begin, end, strides = (values[: len(source)] for values in rows)
    lengths = _strided_lengths(source, begin, end, strides, masks, bool(call.option("offset")))
    kept = call.file_shape("output") == tuple(lengths)
    found = f"begin has {len(rows[0])} values for a tensor of {len(source)} dimensions"
    return ShapeError("begin", found, "surplus" if kept else "surplus_lost")


_MASKS = ("begin", "end", "ellipsis", "new_axis", "shrink_axis")


def _strided_lengths(
    source: Shape, begin: list[int], end: list[int], strides: list[int], masks: dict[str, int], offset: bool
) -> list[int | None]:
    def bit(name: str, at: int) -> bool:
        return bool(masks[name] >> at & 1)

    found: list[int | None] = []
    at, given = 0, len(begin)
    added = sum(bit("new_axis", i) for i in range(given))
    seen = False
    for i in range(given):
        if bit("ellipsis", i):
            if seen:
                raise ShapeError(None, "ellipsis_mask has more than one bit", "ellipses")
            seen = True
            later = sum(bit("new_axis", j) for j in range(i + 1, given))
            stop = max(at, min(len(source) - (given - i) + later + 1, len(source)))
            found.extend(source[at:stop])
            at = stop
        elif bit("new_axis", i):
            found.append(1)
        elif at >= len(source):
            raise ShapeError(
                "begin", f"begin has {given - added} values for a tensor of {len(source)} dimensions"
            )
        else:
            length = _count_steps(
                source[at],
                begin[i],
                end[i],
                strides[i],
                bit("begin", i),
                bit("end", i),
                bit("shrink_axis", i),
                offset,
            )
            if not bit("shrink_axis", i):
                found.append(length)
            at += 1
    return [*found, *source[at:]]


def _count_steps(
    dim: int | None,
    begin: int,
    end: int,
    stride: int,
    from_start: bool,
    to_end: bool,
    shrink: bool,
    offset: bool,
) -> int | None:
    if stride == 0:
        raise ShapeError("strides", "a stride is 0")
    if dim is None or shrink:
        return None
    low, high = (0, dim) if stride > 0 else (-1, dim - 1)
    start = (low if stride > 0 else high) if from_start else _clamp(begin, dim, low, high)
    stop = (high if stride > 0 else low) if to_end else _clamp(end, dim, low, high)
    stop = start + end if offset else stop
    return max(0, -((stop - start) // -stride))


def _clamp(index: int, dim: int, low: int, high: int) -> int:
    return min(max(index + dim if index < 0 else index, low), high)


def split(call: Call) -> Shapes:
    """Return the shapes of ``num_splits`` equal parts along ``axis``."""
    source, axis = call.shape("input"), first(call, "axis")
    parts = _count_parts(call)
    if source is None or axis is None:
        return (unknown(None if source is None else len(source)),) * parts
    at = axis_within(axis, len(source))
    length = source[at]
    if length is not None and length % parts:
        raise ShapeError("axis", f"a length of {length} does not split into {parts} equal parts")
    part = None if length is None else length // parts
    return ((*source[:at], part, *source[at + 1 :]),) * parts


def split_v(call: Call) -> Shapes:
    """Return the shapes of parts along ``axis`` with the lengths ``size_splits``. One length may be -1 and is inferred."""
    source, axis, parts = call.shape("input"), first(call, "axis"), _count_parts(call)
    check_rank(call, "size_splits", 1)
    sizes = row(call, "size_splits", parts)
    if source is None or axis is None:
        return (unknown(None if source is None else len(source)),) * parts
    at = axis_within(axis, len(source))
    lengths: list[int | None] = [None] * parts if sizes is None else _split_lengths(sizes, source[at])
    return tuple((*source[:at], length, *source[at + 1 :]) for length in lengths)


def _split_lengths(sizes: list[int], length: int | None) -> list[int | None]:
    if sizes.count(-1) > 1 or any(size < -1 for size in sizes):
        raise ShapeError("size_splits", f"size_splits is {sizes}: one may be -1, none less")
    stated = sum(size for size in sizes if size != -1)
    if length is not None and (stated > length or (stated != length and -1 not in sizes)):
        raise ShapeError("size_splits", f"size_splits is {sizes}, to split a length of {length}")
    rest = None if length is None else length - stated
    return [rest if size == -1 else size for size in sizes]


def _count_parts(call: Call) -> int:
    parts = int(call.option("num_splits"))
    if parts < 1 or parts != call.results:
        raise ShapeError(None, f"num_splits is {parts}, there are {call.results} outputs", "part_count")
    return parts


def dynamic_update_slice(call: Call) -> Shapes:
    """Return the input's shape. The update must fit in it, and ``start_indices`` has an index for each dimension."""
    source, update = call.shape("input"), call.shape("update")
    start = check_rank(call, "start_indices", 1)
    if source is None:
        return (None,)
    if start is not None and differ(start[0], len(source)):
        raise ShapeError("start_indices", f"there are {start[0]} start indices for {len(source)} dimensions")
    inside = update is not None and len(update) == len(source)
    inside = inside and all(
        a is None or b is None or a <= b for a, b in zip(update or (), source, strict=False)
    )
    if update is not None and not inside:
        raise ShapeError("update", f"the update is {shape_text(update)}, the input {shape_text(source)}")
    return (source,)


def top_k(call: Call) -> Shapes:
    """Return [..., k] for values and indices of input [..., n]; a negative k counts as 0."""
    source, k = at_least(call, "input", 1), single(call, "k")
    if source is None:
        return (None, None)
    k = None if k is None else max(k, 0)
    if k is not None and source[-1] is not None and k > source[-1]:
        raise ShapeError("k", f"k is {k}, the last dimension {source[-1]}")
    return ((*source[:-1], k),) * 2


__all__ = ["dynamic_update_slice", "slice_", "split", "split_v", "strided_slice", "top_k"]
