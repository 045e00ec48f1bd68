"""Shapes of the operators from StableHLO that pad, dilate, gather and reduce windows."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.model.shapes.call import Call, Shape, ShapeError, Shapes
from litecheck.model.shapes.dimensions import (
    at_least,
    check_rank,
    count,
    differ,
    row,
    shape_text,
    single,
    words,
)


def _dimension_option(call: Call, name: str, rank: int, default: int | None) -> tuple[int, ...]:
    """Return an option with a number for each dimension, or ``default`` everywhere if it is absent. Raises ShapeError."""
    values = call.integers(name)
    if not values and default is not None:
        return (default,) * rank
    if len(values) != rank:
        raise ShapeError(None, f"{name} has {len(values)} values for {rank} dimensions")
    return values


def stablehlo_pad(call: Call) -> Shapes:
    """Return dim + (dim - 1) * interior + low + high for each dimension; negative edges crop.

    If a dimension is cropped to 0 or less, all dimensions are 0.
    """
    source = call.shape("input")
    single(call, "padding_value")
    if source is None:
        return (None,)
    low, high, inner = (
        _dimension_option(call, name, len(source), None)
        for name in ("edge_padding_low", "edge_padding_high", "interior_padding")
    )
    if min(inner, default=0) < 0:
        raise ShapeError(None, f"interior_padding is {list(inner)}, with negative ones")
    found = tuple(map(_padded_length, source, low, high, inner))
    if any(dim is not None and dim <= 0 for dim in found):
        return ((0,) * len(source),)
    return (found if None not in found else tuple(None for _ in found),)


def _padded_length(dim: int | None, low: int, high: int, inner: int) -> int | None:
    return None if dim is None else dim + max(0, dim - 1) * inner + low + high


def dilate(call: Call) -> Shapes:
    """Return (dim - 1) * dilation + 1 for each dimension, at most six. Example: length 3 with dilation 2 gives 5."""
    source = check_rank(call, "input", 0, 6)
    check_rank(call, "dilations", 1)
    dilations = row(call, "dilations", None if source is None else len(source))
    if source is None or dilations is None:
        return (None if source is None else (None,) * len(source),)
    found = tuple(_padded_length(dim, 0, 0, d - 1) for dim, d in zip(source, dilations, strict=True))
    if any(dilation < 1 for dilation in dilations):
        raise ShapeError("dilations", f"the dilations are {dilations}, at least 1 wanted")
    return (found,)


def reduce_window(call: Call) -> Shapes:
    """Return the number of positions of the dilated window along each dimension. The window must be constant."""
    source = at_least(call, "input", 1)
    rank = None if source is None else len(source)
    for role in _WINDOW:
        if not call.constant(role):
            raise ShapeError(role, f"the {words(role)} is computed, a constant wanted")
    window, strides, dilations = (row(call, role) for role in _WINDOW)
    if source is None or rank is None:
        return (None,)
    if window is None or strides is None or dilations is None:
        return ((None,) * len(source),)
    for role, values in zip(_WINDOW, (window, strides, dilations), strict=True):
        if len(values) < rank:
            raise ShapeError(role, f"the {words(role)} has {len(values)} values for {rank} dimensions")
    for role, values in (("window_strides", strides), ("window_dilations", dilations)):
        if any(value < 1 for value in values):
            raise ShapeError(role, f"the {words(role)} are {values}, at least 1 wanted")
    return (tuple(map(_window_positions, source, window[:rank], strides[:rank], dilations[:rank])),)


_WINDOW = ("window_shape", "window_strides", "window_dilations")


def stablehlo_reduce_window(call: Call) -> Shapes:
    """Return the number of window positions along each dimension, after ``base_dilations`` and ``padding``."""
    source = call.shape("input")
    if source is None:
        return (None,)
    rank = len(source)
    window, strides, base, dilations = (
        _dimension_option(call, name, rank, 1)
        for name in ("window_dimensions", "window_strides", "base_dilations", "window_dilations")
    )
    edges = _dimension_option(call, "padding", 2 * rank, 0)
    if min((*window, *strides, *base, *dilations), default=1) < 1:
        raise ShapeError(None, "a window length, stride or dilation is less than 1")
    spread = tuple(map(_padded_length, source, edges[::2], edges[1::2], [b - 1 for b in base]))
    dilated, padded = source if max(base, default=1) > 1 else (), spread if any(edges) else ()
    if any(dim is not None and dim < 1 for dim in (*dilated, *padded)):
        raise ShapeError(None, "base_dilations spread no elements, or padding leaves none")
    return (tuple(map(_window_positions, spread, window, strides, dilations)),)


def _window_positions(dim: int | None, window: int, stride: int, dilation: int) -> int | None:
    if dim is None:
        return None
    reach = (window - 1) * dilation + 1
    return 0 if dim < reach else (dim - reach) // stride + 1


def stablehlo_gather(call: Call) -> Shapes:
    """Return the batch dimensions of the indices, with the dimensions of slices inserted at ``offset_dims``."""
    source, indices = call.shape("input"), call.shape("indices")
    if source is None or indices is None:
        return (None,)
    sizes, offset = call.integers("slice_sizes"), call.integers("offset_dims")
    collapsed, vector = call.integers("collapsed_slice_dims"), int(call.option("index_vector_dim"))
    if not 0 <= vector < len(indices):
        raise ShapeError(None, f"index_vector_dim is {vector}, the indices have {len(indices)} dimensions")
    _check_slice_sizes(source, sizes)
    if len(set(collapsed)) != len(collapsed):
        raise ShapeError(None, f"collapsed_slice_dims {list(collapsed)} names a dimension twice")
    batch = [dim for at, dim in enumerate(indices) if at != vector]
    kept = [size for at, size in enumerate(sizes) if at not in collapsed]
    if len(kept) != len(offset):
        raise ShapeError(None, f"offset_dims has {len(offset)} dimensions, the slices keep {len(kept)}")
    rank = len(batch) + len(offset)
    if len(set(offset)) != len(offset) or any(not 0 <= at < rank for at in offset):
        raise ShapeError(None, f"offset_dims is {list(offset)}, of a result of {rank} dimensions")
    rest = iter(batch)
    return (tuple(kept[offset.index(at)] if at in offset else next(rest) for at in range(rank)),)


def _check_slice_sizes(source: Shape, sizes: Sequence[int]) -> None:
    if len(sizes) != len(source) or any(
        size < 0 or (dim is not None and size > dim) for size, dim in zip(sizes, source, strict=True)
    ):
        raise ShapeError(None, f"slice_sizes is {list(sizes)}, the input {shape_text(source)}")


def scatter(call: Call) -> Shapes:
    """Return the input's shape."""
    return (call.shape("input"),)


def random_bits(call: Call) -> Shapes:
    """Return the shape of the generator's state, and the output shape in the file."""
    state = call.shape("state")
    if state is not None and (
        len(state) != 1 or (count(state) is not None and differ(state[0], 2) and differ(state[0], 3))
    ):
        raise ShapeError("state", f"the state is {shape_text(state)}, [2] or [3] wanted")
    return (state, call.file_shape("output"))


__all__ = [
    "dilate", "random_bits", "reduce_window", "scatter", "stablehlo_gather", "stablehlo_pad",
    "stablehlo_reduce_window",
]  # fmt: skip
