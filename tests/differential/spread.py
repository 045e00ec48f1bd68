"""BITCAST, DILATE, REDUCE_WINDOW and DENSIFY: random configurations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, qparams
from tests.differential.one_operator import Tensor, Trial, trial
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
TYPES = ("int8", "int8", "int8", "int16", "uint8", "int32", "float32")


def values(random: Random, dtype: str, shape: tuple[int, ...]) -> NDArray[np.generic]:
    """Return stored values over the whole range of a type."""
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return random.normal(size=shape).astype(kind)
    ends = np.iinfo(kind)
    return random.integers(ends.min, int(ends.max) + 1, shape).astype(kind)


def _shape(random: Random, most: int = 6) -> tuple[int, ...]:
    return tuple(int(n) for n in random.integers(1, most + 1, int(random.integers(1, 5))))


def bitcast(random: Random) -> Trial:
    """Return a BITCAST between any two types."""
    source, target = (str(random.choice(("int8", "uint8", "int16", "int32", "float32"))) for _ in range(2))
    wide, narrow = np.dtype(source).itemsize, np.dtype(target).itemsize
    shape = _shape(random)
    given = (*shape, narrow // wide) if narrow > wide else shape
    made = (*shape, wide // narrow) if wide > narrow else shape
    x = np.frombuffer(values(random, "int8", (*given, wide)).tobytes(), source).reshape(given)
    if target == "float32" or source == "float32":  # no NaN: it is not equal to itself
        x = np.frombuffer(random.normal(size=made if target == "float32" else given).astype("f4"), source)
        x = x.reshape(given)
    return trial(f"BITCAST {source} {target}", "BITCAST", [Tensor(x)], target, shape=made, version=1)


def dilate(random: Random) -> Trial:
    """Return a DILATE with a constant or computed value between the elements."""
    dtype, shape = str(random.choice(TYPES)), _shape(random, 4)
    steps = random.integers(1, 4, len(shape)).astype(np.int32)
    stated = qparams(0.05, -3) if dtype == "int8" else None
    between = Tensor(values(random, dtype, (1,))[0:1].reshape(()), stated, bool(random.random() < 0.5))
    operands = [Tensor(values(random, dtype, shape), stated), Tensor(steps, constant=True), between]
    made = tuple((n - 1) * int(d) + 1 for n, d in zip(shape, steps, strict=True))
    return trial(f"DILATE {dtype} {shape} {steps}", "DILATE", operands, dtype, stated, made, 1)


def reduce_window(random: Random) -> Trial:
    """Return a REDUCE_WINDOW with any window, stride and dilation, smaller than its input or slightly larger."""
    function = str(random.choice(["ADD", "MUL", "MINIMUM", "MAXIMUM", "ALL", "ANY"]))
    dtype, shape = str(random.choice(TYPES)), _shape(random, 12)
    window, strides, dilations = (random.integers(1, 4, len(shape)) for _ in range(3))
    if random.random() < 0.9:
        window = np.minimum(window, shape)
        dilations = np.where((window - 1) * dilations < shape, dilations, 1)
    x = values(random, dtype, shape)
    if function in ("ALL", "ANY"):
        x = x * (random.random(shape) < 0.8).astype(x.dtype)
    operands = [Tensor(x), Tensor(values(random, dtype, (1,)).reshape(()))]
    operands += [Tensor(v.astype(np.int64), constant=True) for v in (window, strides, dilations)]
    reach = (window - 1) * dilations + 1
    made = tuple(int(max(0, (n - r) // s + 1)) for n, r, s in zip(shape, reach, strides, strict=True))
    title = f"REDUCE_WINDOW {function} {dtype} {shape} {window} {strides} {dilations}"
    return trial(title, "REDUCE_WINDOW", operands, dtype, None, made, 1, reduce_function=function)


def densify(random: Random) -> Trial:
    """Return a sparse constant, with or without blocks, beside a computed input."""
    dtype, rank = str(random.choice(["int8", "int8", "float32"])), int(random.integers(1, 4))
    blocked = [d for d in range(rank) if random.random() < 0.4]
    sizes = [int(n) for n in random.integers(1, 4, len(blocked))]
    shape = [int(n) for n in random.integers(1, 6, rank)]
    for dimension, size in zip(blocked, sizes, strict=True):
        shape[dimension] *= size
    dense = values(random, dtype, tuple(shape))
    dense = dense * (random.random(shape) < random.choice([0.1, 0.4, 0.8])).astype(dense.dtype)
    dense.reshape(-1)[0] = 1  # LiteRT recognizes no constant if nothing is stored
    order = [*random.permutation(rank).tolist(), *range(rank, rank + len(blocked))]
    formats = [*random.integers(0, 2, rank).tolist(), *[0] * len(blocked)]
    stored, sparsity = folded(dense, order, formats, blocked, sizes)
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    stated = qparams(0.05, 0) if dtype == "int8" else None
    held = graph.constant("values", stored)
    fields = graph.finish().tensors[held]
    w = graph.tensor("w", shape, dtype, stated, buffer=fields.buffer, data=fields.data, sparsity=sparsity)
    x, d = (graph.tensor(name, shape, dtype, stated) for name in ("x", "d"))
    y = graph.tensor("y", (2 * shape[0], *shape[1:]), dtype, stated)
    graph.add("DENSIFY", [w], [d])
    graph.add("CONCATENATION", [x, d], [y], version=2, axis=0)
    graph.inputs(x)
    graph.outputs(y)
    title = f"DENSIFY {dtype} {shape} order {order} formats {formats} blocks {blocked} of {sizes}"
    return Trial(title, builder.finish(), ((values(random, dtype, tuple(shape)),),))


def folded(
    dense: NDArray[np.generic], order: list[int], formats: list[int], blocked: list[int], sizes: list[int]
) -> tuple[NDArray[np.generic], Table]:
    """Return the stored values of an array and their sparsity; ``formats`` by level, 1 for a list of positions."""
    split: list[int] = []
    for dimension, length in enumerate(dense.shape):
        size = sizes[blocked.index(dimension)] if dimension in blocked else 1
        split += [length // size, size]
    axes = [2 * d for d in range(dense.ndim)] + [2 * d + 1 for d in blocked]
    rest = [a for a in range(2 * dense.ndim) if a not in axes]
    nested = dense.reshape(split).transpose([axes[level] for level in order] + rest)
    nested = nested.reshape(nested.shape[: len(order)])
    paths: list[tuple[int, ...]] = [()]
    levels = []
    for level, listed in enumerate(formats):
        children = [
            [i for i in range(nested.shape[level]) if not listed or nested[(*path, i)].any()]
            for path in paths
        ]
        if listed:
            ends = np.cumsum([0, *map(len, children)])
            indices = np.array([i for child in children for i in child])
            lists = {"array_segments": _vector(ends), "array_indices": _vector(indices)}
            levels.append(Table("DimensionMetadata", {"format": 1, **lists}))
        else:
            levels.append(Table("DimensionMetadata", {"dense_size": nested.shape[level]}))
        paths = [(*path, i) for path, child in zip(paths, children, strict=True) for i in child]
    stored = np.array([nested[path] for path in paths], dense.dtype)
    fields = {"traversal_order": np.array(order, np.int32), "dim_metadata": tuple(levels)}
    if blocked:
        fields["block_map"] = np.array(blocked, np.int32)
    return stored, Table("SparsityParameters", fields)


def _vector(numbers: NDArray[np.generic]) -> Table:
    """Return a list in the narrowest vector type that holds it."""
    most = int(numbers.max(initial=0))
    name, kind = ("Uint8Vector", "u1") if most < 256 else ("Uint16Vector", "<u2")
    return Table(name, {"values": numbers.astype(kind)})


MAKERS: dict[str, Make] = {
    "BITCAST": bitcast, "DILATE": dilate, "REDUCE_WINDOW": reduce_window, "DENSIFY": densify,
}  # fmt: skip


def too_far(ours: NDArray[np.generic], theirs: NDArray[np.generic]) -> NDArray[np.bool_]:
    """Return a mask of floats that are not equal: sums and products have a fixed order."""
    different: NDArray[np.bool_] = ~((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)))
    return different


FAMILY = Family(MAKERS, lambda kind, resolver, trial: too_far)
