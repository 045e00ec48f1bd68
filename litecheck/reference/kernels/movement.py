"""Operators that move stored values without arithmetic, with one kernel for all types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

ANY = tuple(NUMPY_TYPES)


def option(options: Options, name: str, default: Any = 0) -> Any:
    """Return a field of the builtin options, its default if the field or the table is absent."""
    return options.get(name, default) if options else default


def ints(value: Operand) -> list[int]:
    """Return an index input as Python integers."""
    return [int(i) for i in value.data.reshape(-1)]


def reserve_padded(x: Array, margins: Sequence[Sequence[int]]) -> None:
    """Check that an array with margins, before and after each dimension, and a copy of it fit into memory. Raises
    LimitError."""
    if len(margins) == x.ndim:
        reserve([n + sum(around) for n, around in zip(x.shape, margins, strict=True)], 2 * x.itemsize)


@kernel("RESHAPE", *ANY)
def reshape(input: Operand, shape: Operand | None, output: OutputSpec, options: Options) -> Array:
    """output = input in another shape, from the operand, else from the options. A -1 is computed from the other dimensions.

    Source: tflite/kernels/reshape.cc (a single 0 in the options means a scalar).
    """
    wanted = ints(shape) if shape is not None else [int(n) for n in option(options, "new_shape", ())]
    if shape is None and wanted == [0]:
        wanted = []
    return input.data.reshape(wanted)


@kernel("BITCAST", *(name for name in NUMPY_TYPES if not name.endswith(("int2", "int4"))))
def bitcast(input: Operand, output: OutputSpec) -> Array:
    """output = the same bytes with another type. A last dimension is added for narrower types and removed for wider types.

    Source: tflite/kernels/bitcast.cc.
    """
    x, kind = input.data, np.dtype(NUMPY_TYPES[output.dtype])
    if kind.itemsize > x.itemsize and (not x.ndim or x.shape[-1] * x.itemsize != kind.itemsize):
        raise RunError(f"the last dimension of {list(x.shape)} does not hold one {output.dtype}")
    bytes_ = np.ascontiguousarray(x).tobytes()
    longer = (x.itemsize // kind.itemsize,) if kind.itemsize < x.itemsize else ()
    shape = x.shape[:-1] if kind.itemsize > x.itemsize else (*x.shape, *longer)
    return np.frombuffer(bytes_, kind).reshape(shape)


@kernel("SQUEEZE", *ANY)
def squeeze(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = input without dimensions of length 1: the listed dimensions, or all. Source: squeeze.cc."""
    axes = [int(a) % input.data.ndim for a in option(options, "squeeze_dims", ())]
    return np.squeeze(input.data, tuple(axes) or None)


@kernel("EXPAND_DIMS", *ANY)
def expand_dims(input: Operand, axis: Operand, output: OutputSpec) -> Array:
    """output = input with a dimension of length 1 inserted. Source: expand_dims.cc."""
    return np.expand_dims(input.data, ints(axis)[0])


@kernel("TRANSPOSE", *ANY)
def transpose(input: Operand, perm: Operand, output: OutputSpec) -> Array:
    """output = input with its dimensions in the order ``perm``. Source: transpose.cc."""
    return np.asarray(input.data.transpose(ints(perm)), order="C")


@kernel("CONCATENATION", *ANY)
def concatenation(values: tuple[Operand, ...], output: OutputSpec, options: Options) -> Array:
    """output = operands concatenated along ``axis``. Legacy uint8 operands with other parameters are rescaled in float32.

    Source: concatenation.cc, reference_ops::ConcatenationWithScaling.
    """
    axis = int(option(options, "axis"))
    reserve((sum(v.data.size for v in values),), 2 * values[0].data.itemsize)
    return np.concatenate([_requantize_uint8(v, output) for v in values], axis)


def _requantize_uint8(value: Operand, output: OutputSpec) -> Array:
    """Return a uint8 operand in the output's parameters: round(q * s + b) in float32, half away from zero."""
    same = not value.quantization.scale.size or (value.scale, value.zero_point) == (
        output.scale,
        output.zero_point,
    )
    if value.dtype != "uint8" or same:
        return value.data
    scale = np.float32(value.scale * np.float32(np.float32(1) / output.scale))
    bias = np.float32(np.float32(-value.zero_point) * scale)
    real = value.data.astype(np.float32) * scale + bias
    whole = np.trunc(real)
    rounded = whole + np.copysign((np.abs(real - whole) >= 0.5).astype(np.float32), real)
    made: Array = np.clip(rounded.astype(np.int64) + output.zero_point, 0, 255).astype(np.uint8)
    return made


@kernel("PACK", *ANY)
def pack(values: tuple[Operand, ...], output: OutputSpec, options: Options) -> Array:
    """output = operands stacked along a new dimension ``axis``. Source: pack.cc."""
    reserve((sum(v.data.size for v in values),), values[0].data.itemsize)
    return np.stack([v.data for v in values], int(option(options, "axis")))


@kernel("UNPACK", *ANY)
def unpack(input: Operand, outputs: tuple[OutputSpec, ...], options: Options) -> tuple[Array, ...]:
    """outputs = slices along ``axis``, without this dimension. Source: unpack.cc."""
    axis = int(option(options, "axis"))
    return tuple(np.take(input.data, i, axis) for i in range(len(outputs)))


@kernel("SPLIT", *ANY, type_role="input")
def split(axis: Operand, input: Operand, outputs: tuple[OutputSpec, ...]) -> tuple[Array, ...]:
    """outputs = equal parts along an axis. Source: split.cc."""
    return tuple(np.split(input.data, len(outputs), ints(axis)[0]))


@kernel("SPLIT_V", *ANY)
def split_v(
    input: Operand, size_splits: Operand, axis: Operand, outputs: tuple[OutputSpec, ...]
) -> tuple[Array, ...]:
    """outputs = parts of given lengths along an axis; a length of -1 is the remainder. Source: split_v.cc."""
    at, sizes = ints(axis)[0], ints(size_splits)
    rest = input.shape[at] - sum(n for n in sizes if n >= 0)
    sizes = [rest if n < 0 else n for n in sizes]
    return tuple(np.split(input.data, np.cumsum(sizes)[:-1], at))


@kernel("TILE", *ANY)
def tile(input: Operand, multiples: Operand, output: OutputSpec) -> Array:
    """output = input repeated ``multiples`` times along each dimension. Source: tile.cc."""
    reserve((input.data.size, *ints(multiples)), 2 * input.data.itemsize)
    return np.tile(input.data, ints(multiples))


@kernel("BROADCAST_TO", *ANY)
def broadcast_to(input: Operand, shape: Operand, output: OutputSpec) -> Array:
    """output = input with dimensions of length 1 repeated to ``shape``. Source: broadcast_to.cc."""
    reserve(ints(shape), input.data.itemsize)
    return np.asarray(np.broadcast_to(input.data, ints(shape)), order="C")


@kernel("BROADCAST_ARGS", "int32", "int64")
def broadcast_args(shape1: Operand, shape2: Operand, output: OutputSpec) -> Array:
    """output = the broadcast shape of two shapes. Source: broadcast_args.cc."""
    return np.array(np.broadcast_shapes(tuple(ints(shape1)), tuple(ints(shape2))))


@kernel("FILL", *ANY, type_role="value")
def fill(dims: Operand, value: Operand, output: OutputSpec) -> Array:
    """output = a single value in all elements. Source: fill.cc."""
    reserve(ints(dims), value.data.itemsize)
    return np.full(ints(dims), value.data.reshape(-1)[0])


@kernel("REVERSE_V2", *ANY)
def reverse_v2(input: Operand, axis: Operand, output: OutputSpec) -> Array:
    """output = input reversed along the axes. Source: reverse.cc."""
    return np.ascontiguousarray(np.flip(input.data, tuple(ints(axis))))


@kernel("REVERSE_SEQUENCE", *ANY)
def reverse_sequence(input: Operand, lengths: Operand, output: OutputSpec, options: Options) -> Array:
    """output = input with the first ``lengths`` elements of each batch entry reversed along ``seq_dim``. Source:
    reverse_sequence.cc.

    For example, (1, 2, 3) with length 2 gives (2, 1, 3).
    """
    seq, batch = int(option(options, "seq_dim")), int(option(options, "batch_dim"))
    view = np.moveaxis(input.data.copy(), (batch, seq), (0, 1))
    for row, length in zip(view, ints(lengths), strict=True):
        check_time()
        row[:length] = row[:length][::-1].copy()
    return np.ascontiguousarray(np.moveaxis(view, (0, 1), (batch, seq)))


@kernel("SPACE_TO_DEPTH", *ANY)
def space_to_depth(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = input with blocks of pixels as channels: [N, H, W, C] -> [N, H/b, W/b, b*b*C]. Source: space_to_depth.h."""
    b = int(option(options, "block_size"))
    n, h, w, c = input.shape
    blocks = input.data.reshape(n, h // b, b, w // b, b, c).transpose(0, 1, 3, 2, 4, 5)
    return np.ascontiguousarray(blocks).reshape(n, h // b, w // b, b * b * c)


@kernel("DEPTH_TO_SPACE", *ANY)
def depth_to_space(input: Operand, output: OutputSpec, options: Options) -> Array:
    """output = input with channels as blocks of pixels: [N, H, W, b*b*C] -> [N, H*b, W*b, C]. Source: depth_to_space.h."""
    b = int(option(options, "block_size"))
    n, h, w, c = input.shape
    blocks = input.data.reshape(n, h, w, b, b, c // (b * b)).transpose(0, 1, 3, 2, 4, 5)
    return np.ascontiguousarray(blocks).reshape(n, h * b, w * b, c // (b * b))


@kernel("SPACE_TO_BATCH_ND", *ANY)
def space_to_batch_nd(input: Operand, block_shape: Operand, paddings: Operand, output: OutputSpec) -> Array:
    """output = padded input with spatial blocks as batches; padding is the output's zero point. Source:
    space_to_batch_nd.h."""
    block, pads = ints(block_shape), paddings.data.reshape(-1, 2).tolist()
    m = len(block)
    widths = [(0, 0), *map(tuple, pads), *[(0, 0)] * (input.data.ndim - 1 - m)]
    reserve_padded(input.data, widths)
    x = np.pad(input.data, widths, constant_values=output.zero_point)
    n, space, rest = x.shape[0], x.shape[1 : m + 1], x.shape[m + 1 :]
    split_up = [part for s, b in zip(space, block, strict=True) for part in (s // b, b)]
    x = x.reshape(n, *split_up, *rest)
    order = [2 * i + 2 for i in range(m)] + [0] + [2 * i + 1 for i in range(m)]
    x = x.transpose(*order, *range(2 * m + 1, x.ndim))
    cells = (s // b for s, b in zip(space, block, strict=True))
    batches: Array = np.ascontiguousarray(x).reshape(n * int(np.prod(block)), *cells, *rest)
    return batches


@kernel("BATCH_TO_SPACE_ND", *ANY)
def batch_to_space_nd(input: Operand, block_shape: Operand, crops: Operand, output: OutputSpec) -> Array:
    """output = input with batches as spatial blocks, then cropped. Source: batch_to_space_nd.h."""
    block, cut = ints(block_shape), crops.data.reshape(-1, 2).tolist()
    m, x = len(block), input.data
    n, space, rest = x.shape[0] // int(np.prod(block)), x.shape[1 : m + 1], x.shape[m + 1 :]
    x = x.reshape(*block, n, *space, *rest)
    order = [m] + [part for i in range(m) for part in (m + 1 + i, i)]
    x = x.transpose(*order, *range(2 * m + 1, x.ndim))
    x = x.reshape(n, *(s * b for s, b in zip(space, block, strict=True)), *rest)
    window = (slice(None), *(slice(a, x.shape[i + 1] - b) for i, (a, b) in enumerate(cut)))
    return np.ascontiguousarray(x[window])


@kernel("SHAPE", *ANY, "string", "resource", "variant")
def shape(input: Operand, output: OutputSpec) -> Array:
    """output = the dimensions of the input. Source: shape.cc."""
    return np.array(input.shape)


@kernel("RANK", *ANY)
def rank(input: Operand, output: OutputSpec) -> Array:
    """output = the number of dimensions. Source: rank.cc."""
    return np.array(input.data.ndim)


@kernel("RANGE", "int32", "int64", "float32")
def range_(start: Operand, limit: Operand, delta: Operand, output: OutputSpec) -> Array:
    """output = start, start + delta, ... up to below limit. Source: range.cc. For example, 1 to 7 by 2 gives 1, 3, 5."""
    first, last, step = (v.data.reshape(-1)[0] for v in (start, limit, delta))
    if step == 0:
        raise RunError("RANGE with a step of 0 has no end")
    count = max(0, int(np.ceil(abs((last - first) / step)))) if (last - first) * step > 0 else 0
    reserve((count,), 3 * start.data.itemsize)
    made: Array = first + np.arange(count, dtype=start.data.dtype) * step
    return made
