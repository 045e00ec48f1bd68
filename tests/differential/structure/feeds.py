"""Inputs of a model: the values of the valid model that fit, and the limits of its inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.quantization import INTEGER_RANGES

#: Types that LiteRT has arrays of.
NUMPY = ("bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "float16", "float64")

#: Types narrower than a byte, whose values a byte of the input holds.
NARROW = ("int2", "int4")


def feeds(good: Model, values: Sequence[np.ndarray], model: Model) -> list[list[np.ndarray]]:
    """Return four steps of inputs: fitting values of the valid model, random limits, the highest and the lowest values."""
    graph, usual = model.subgraphs[0], good.subgraphs[0]
    known = dict(zip(usual.inputs, values, strict=True))
    constants = (
        (t.index, stored_integers(t)) for t in usual.tensors if t.is_constant and t.index in graph.inputs
    )
    known.update((index, v) for index, v in constants if v is not None)
    rng = np.random.default_rng(11)
    there = [i for i in graph.inputs if 0 <= i < len(graph.tensors)]
    drawn = [list(_draws(graph.tensors[i], known.get(i), rng)) for i in there]
    return [list(step) for step in zip(*drawn, strict=True)] if drawn else [[]] * 4


def _draws(tensor: Tensor, known: np.ndarray | None, rng: np.random.Generator) -> Iterator[np.ndarray]:
    shape = tuple(max(0, d) for d in tensor.shape)
    dtype = np.dtype(tensor.dtype if tensor.dtype in NUMPY else "int8")
    low, high = _domain(dtype, known)
    if tensor.dtype in NARROW:
        least, most = INTEGER_RANGES[tensor.dtype]
        low, high = (min(max(end, least), most) for end in (low, high))
        known = None if known is None else np.clip(known, least, most)
    rails = np.array([low, high], dtype)
    if known is not None and known.shape == shape and known.dtype == dtype:
        yield known
    elif dtype.kind == "f":
        yield rng.uniform(low, high, shape).astype(dtype)
    else:
        yield np.asarray(rng.integers(int(low), int(high) + 1, shape)).astype(dtype)
    yield np.asarray(rails[rng.integers(0, 2, shape)])
    yield np.full(shape, rails[1])
    yield np.full(shape, rails[0])


def _domain(dtype: np.dtype, known: np.ndarray | None) -> tuple[float, float]:
    """Return the range of an input: the whole type, unless the valid model's values avoid one of its ends."""
    if dtype.kind == "b":
        return (0, 1)
    if known is None or known.dtype.kind == "b" or (dtype.kind == "f") != (known.dtype.kind == "f"):
        return (-1.0, 1.0) if dtype.kind == "f" else (0, 1) if dtype.itemsize > 2 else _ends(dtype)
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if dtype.kind == "f":
        return low, high
    if known.dtype.itemsize > 2:
        return _held(low, dtype), _held(high, dtype)
    least, most = _ends(known.dtype)
    ends = _ends(dtype) if dtype.itemsize <= 2 else (least, most)
    low, high = (ends[0] if low < least * 0.6 else low), (ends[1] if high > most * 0.6 else high)
    return _held(low, dtype), _held(high, dtype)


def _held(value: float, dtype: np.dtype) -> float:
    low, high = _ends(dtype)
    return min(max(value, low), high)


def _ends(dtype: np.dtype) -> tuple[float, float]:
    info = np.iinfo(dtype if dtype.itemsize < 8 else np.int32)
    return float(info.min), float(info.max)
