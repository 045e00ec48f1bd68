"""REDUCE_WINDOW; StableHLO's GATHER, SCATTER and REDUCE_WINDOW: slices at computed positions, and window reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.compute_limits import check_time, reserve
from litecheck.reference.kernels.stablehlo import dimensions, pad_array
from litecheck.reference.registry import kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

if TYPE_CHECKING:
    from litecheck.reference.engine.interpreter import ReferenceInterpreter


#: Functions of the enum ReduceWindowFunction.
FUNCTIONS: dict[int, Callable[..., Any]] = {
    1: np.add, 2: np.multiply, 3: np.minimum, 4: np.maximum, 5: np.logical_and, 6: np.logical_or,
}  # fmt: skip


@kernel("REDUCE_WINDOW", "bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64")
def reduce_window(
    input: Operand, init_value: Operand, window_shape: Operand, window_strides: Operand, window_dilations: Operand,
    output: OutputSpec, options: Options,
) -> Array:  # fmt: skip
    """out[i] = f(... f(init_value, input[i*s]), input[i*s + d] ...) over the taps of a window, in order.

    Stored values are integers that wrap; ALL and ANY give 1 or 0. There is no padding: an input smaller than a window
    gives an empty output. Any shape; window operands are constant int64.
    Source: tflite/kernels/stablehlo_reduce_window.cc.
    """
    code = int(options.get("reduce_function", 0)) if options is not None else 0
    if code not in FUNCTIONS:
        raise RunError(f"no reduction is called {code}")
    lists = (window_shape, window_strides, window_dilations)
    if any(one.data.ndim != 1 for one in lists):
        raise RunError(
            "window_shape, window_strides and window_dilations are lists of numbers, of one dimension"
        )
    window, strides, dilations = (one.data.tolist() for one in lists)
    return slide(input.data, init_value.data, window, strides, dilations, FUNCTIONS[code])


def slide(
    x: Array, first: Array, window: list[int], strides: list[int], dilations: list[int],
    function: Callable[..., Any],
) -> Array:  # fmt: skip
    """Return every window of ``x`` reduced by ``function``, starting with ``first``, in row-major order of the taps."""
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    sizes = [(n - r) // s + 1 if n >= r else 0 for n, r, s in zip(x.shape, reach, strides, strict=True)]
    reserve(sizes, 3 * x.itemsize)
    out = np.full(sizes, first.reshape(-1)[0])
    for taps in np.ndindex(*window) if out.size else ():
        check_time()
        begin = [t * d for t, d in zip(taps, dilations, strict=True)]
        part = tuple(slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(begin, sizes, strides, strict=True))
        out = function(out, x[part]).astype(x.dtype)
    return out


_MOVED = (
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
)  # fmt: skip
_REDUCED = ("bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64")
#: Function of the only operator in a body, by its name without STABLEHLO_. LiteRT reads nothing else in the body.
_BODIES: dict[str, np.ufunc] = {
    "ADD": np.add, "MUL": np.multiply, "MULTIPLY": np.multiply, "MAXIMUM": np.maximum, "MINIMUM": np.minimum,
    "AND": np.logical_and, "LOGICAL_AND": np.logical_and, "OR": np.logical_or, "LOGICAL_OR": np.logical_or,
}  # fmt: skip


def _starts(indices: Array, at: int, where: list[int], rank: int) -> NDArray[np.int64]:
    """Return the index vectors along dimension ``at`` of ``indices`` as positions in an operand: (batch ..., rank)."""
    vectors = indices[..., None] if at == indices.ndim else np.moveaxis(indices, at, -1)
    starts = np.zeros((*vectors.shape[:-1], rank), np.int64)
    starts[..., np.array(where, np.intp)] = vectors
    return starts


@kernel("STABLEHLO_GATHER", *_MOVED)
def stablehlo_gather(input: Operand, indices: Operand, output: OutputSpec, options: Options) -> Array:
    """output = slices of ``slice_sizes`` at each index vector, moved inside if they exceed the input.

    Dimensions in ``collapsed_slice_dims`` are removed. The remaining slice dimensions are at ``offset_dims`` of the
    output, batch dimensions in the other positions. Source: tflite/kernels/stablehlo_gather.cc.
    """
    names = "offset_dims", "collapsed_slice_dims", "start_index_map", "slice_sizes"
    offset_dims, collapsed, where, sizes = (dimensions(options, name) for name in names)
    at = int(options.get("index_vector_dim", 0)) if options is not None else 0
    starts = _starts(indices.data, at, where, input.data.ndim)
    starts = np.clip(starts, 0, np.array(input.shape) - sizes)
    batch, kept = starts.ndim - 1, [d for d in range(len(sizes)) if d not in collapsed]
    reserve((*starts.shape[:-1], *(sizes[d] for d in kept)), 2 * input.data.itemsize)
    reserve((max(sizes, default=0),), 8)
    places = []
    for dim in range(len(sizes)):
        place = starts[..., dim].reshape(*starts.shape[:-1], *[1] * len(kept))
        if dim in kept:
            along = np.arange(sizes[dim])
            place = place + along.reshape([-1 if d == dim else 1 for d in kept])
        places.append(place)
    found = input.data[tuple(places)]
    made: Array = np.moveaxis(found, range(batch, batch + len(kept)), offset_dims)
    return np.asarray(made, order="C")


@kernel("STABLEHLO_SCATTER", *_MOVED)
def stablehlo_scatter(
    input: Operand,
    indices: Operand,
    updates: Operand,
    output: OutputSpec,
    options: Options,
    interpreter: ReferenceInterpreter,
) -> Array:
    """output = input with each update written, or combined by the body, at its position; positions outside are ignored.

    Updates are processed in row-major order, and stored integers wrap. Source: tflite/kernels/stablehlo_scatter.cc.
    """
    names = "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"
    windows, inserted, where = (dimensions(options, name) for name in names)
    at = int(options.get("index_vector_dim", 0)) if options is not None else 0
    rank = input.data.ndim
    if not (updates.data.size and input.data.size):
        return np.array(input.data)
    reserve((updates.data.size, updates.data.ndim + 2 * rank), 8, "indices of updates")
    grid = np.indices(updates.shape).reshape(updates.data.ndim, updates.data.size)
    starts = _starts(indices.data, at, where, rank)
    begins = starts[tuple(grid[d] for d in range(len(grid)) if d not in windows)]
    places = np.broadcast_to(begins, (updates.data.size, rank)).copy()
    places[:, [d for d in range(rank) if d not in inserted]] += grid[windows].T
    inside = ((places >= 0) & (places < input.shape)).all(axis=1)
    made: Array = input.data.copy()
    spots = tuple(places[inside].T)
    body = _body(options, "update_computation_subgraph_index", interpreter)
    joined = updates.data.reshape(-1)[inside]
    if body is None:
        made[spots] = joined
    else:
        with np.errstate(over="ignore"):
            body.at(made, spots, joined)
    return made


@kernel("STABLEHLO_REDUCE_WINDOW", *_REDUCED)
def stablehlo_reduce_window(
    input: Operand,
    init_value: Operand,
    output: OutputSpec,
    options: Options,
    interpreter: ReferenceInterpreter,
) -> Array:
    """output = windows over the input, first dilated and padded with init_value, reduced by the body's operator.

    LiteRT rejects or crashes for an empty input that is dilated, and rejects padding that leaves no elements. Source:
    tflite/kernels/stablehlo_reduce_window.cc.
    """
    names = "window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"
    window, strides, base, dilations, pads = (dimensions(options, name) for name in names)
    body = _body(options, "body_subgraph_index", interpreter)
    if body is None:
        raise RunError("the body holds no operator")
    rank = input.data.ndim
    ones, none = [1] * rank, [0] * rank
    x = input.data
    if max(base, default=1) > 1:
        x = _require_elements(
            pad_array(x, init_value.data, none, none, [d - 1 for d in base]), "dilation", x.size
        )
    if any(pads):
        x = _require_elements(pad_array(x, init_value.data, pads[::2], pads[1::2], none), "padding")
    return slide(x, init_value.data, window or ones, strides or ones, dilations or ones, body)


def _require_elements(x: Array, step: str, elements: int = 1) -> Array:
    """Return an array, after a check that it and its source have elements. Raises RunError."""
    if not x.size or not elements:
        raise RunError(f"{step} of an empty tensor, or one that leaves no elements")
    return x


def _body(options: Options, key: str, interpreter: ReferenceInterpreter) -> np.ufunc | None:
    """Return the function of a body's only operator. None for a body without operators, which returns the second value."""
    operators = interpreter.subgraph(int(options.get(key, 0)) if options is not None else 0).operators
    if not operators:
        return None
    name = operators[0].opcode.removeprefix("STABLEHLO_")
    if len(operators) != 1 or name not in _BODIES:
        raise RunError(f"a body of {', '.join(op.opcode for op in operators)} is none that can be computed")
    return _BODIES[name]
