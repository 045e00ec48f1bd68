"""Changes of tensors: index constants, shapes, types, values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.types import Model, Tensor
from tests.differential.structure.edit import Mutant, Operand, holding, operands, values_of, with_tensor

#: New values of an index, besides its neighbors.
INDEXES = (-1, 0, 2, 100, -100, 2**31 - 1)
TYPES = ("int8", "uint8", "int16", "int32", "int64", "float32", "bool", "int4", "float16")
INDEX_TYPES = ("int8", "uint8", "int16", "int32", "int64", "float32", "bool")
#: Number of elements of an index constant, and of dimensions of a tensor, that are changed one by one.
PLACES = 6


def changed_operands(model: Model) -> Iterator[Mutant]:
    """Yield mutants with a single tensor changed."""
    for operand in operands(model):
        made: list[tuple[str, str, Tensor]] = []
        if operand.indexes:
            made += [("index values", c, t) for c, t in _indexes(operand.tensor)]
            made += [("index size", c, t) for c, t in _sizes(operand.tensor)]
            made += [("index type", f"type {d}", _typed(operand.tensor, d)) for d in INDEX_TYPES]
        else:
            made += [("shape", c, t) for c, t in _shapes(operand.tensor)]
            made += [("type", f"type {d}", _typed(operand.tensor, d)) for d in TYPES]
        if operand.tensor.is_constant and not operand.indexes:
            made += [("values", c, t) for c, t in _values(operand.tensor)]
        for kind, change, tensor in made:
            if not _same(tensor, operand.tensor):
                yield _mutant(model, operand, kind, change, tensor)


def _mutant(model: Model, operand: Operand, kind: str, change: str, tensor: Tensor) -> Mutant:
    changed = with_tensor(model, operand.graph, tensor)
    return Mutant(kind, operand.operator.opcode, operand.place, change, changed)


def _same(a: Tensor, b: Tensor) -> bool:
    alike = (a.dtype, a.shape, a.shape_signature) == (b.dtype, b.shape, b.shape_signature)
    return alike and (a.data is None or b.data is None or a.data.tobytes() == b.data.tobytes())


def _indexes(t: Tensor) -> Iterator[tuple[str, Tensor]]:
    values = values_of(t)
    flat = values.reshape(-1)
    for at in range(min(len(flat), PLACES)):
        for new in dict.fromkeys((*INDEXES, int(flat[at]) + 1, int(flat[at]) - 1, -int(flat[at]) - 1)):
            if new != flat[at]:
                yield f"[{at}] {flat[at]} -> {new}", _element(t, values, at, new)
        other = int(flat[(at + 1) % len(flat)])
        if other != flat[at] and len(flat) > 2:
            yield f"[{at}] repeats [{(at + 1) % len(flat)}]", _element(t, values, at, other)
    if len(flat) > 1:
        yield "reversed", holding(t, flat[::-1].reshape(values.shape))
        yield "all -1", holding(t, np.full_like(values, -1))
        yield "all 0", holding(t, np.zeros_like(values))


def _element(t: Tensor, values: np.ndarray, at: int, new: int) -> Tensor:
    values = values.copy()
    values.reshape(-1)[at] = new
    return holding(t, values)


def _sizes(t: Tensor) -> Iterator[tuple[str, Tensor]]:
    values = values_of(t)
    yield "one dimension more", holding(t, values[None])
    yield "one dimension more behind", holding(t, values[..., None])
    yield "empty", holding(t, values.reshape(-1)[:0])
    if values.ndim == 0:
        yield "two elements", holding(t, np.repeat(values, 2))
        return
    yield "one element less", holding(t, values[:-1])
    yield "one element more", holding(t, np.concatenate([values, values[-1:]]))
    yield "twice as many", holding(t, np.concatenate([values, values]))
    yield "only the first", holding(t, values[:1])
    if values.size == 1:
        yield "scalar", holding(t, values.reshape(()))
    if values.ndim > 1:
        yield "flat", holding(t, values.reshape(-1))
        yield "one column less", holding(t, values[..., :-1])
        yield "one column more", holding(t, np.concatenate([values, values[..., -1:]], -1))
    yield "shape alone one more", replace(t, shape=(values.shape[0] + 1, *values.shape[1:]))


def _shapes(t: Tensor) -> Iterator[tuple[str, Tensor]]:
    shape = t.shape
    for at in range(min(len(shape), PLACES)):
        for new in dict.fromkeys((shape[at] + 1, shape[at] - 1, shape[at] * 2, 1, 0)):
            if new >= 0 and new != shape[at]:
                wanted = (*shape[:at], new, *shape[at + 1 :])
                yield f"dimension {at}: {shape[at]} -> {new}", _shaped(t, wanted)
    yield "one dimension more", _shaped(t, (1, *shape))
    yield "one dimension more behind", _shaped(t, (*shape, 1))
    if shape:
        yield "scalar", _shaped(t, ())
        known = replace(t, shape_signature=(-1, *shape[1:]))
        yield "first dimension unknown", known if not t.is_constant else t
    if len(shape) > 1:
        yield "one dimension less", _shaped(t, (shape[0] * shape[1], *shape[2:]))
        yield "first dimension gone", _shaped(t, shape[1:])
        yield "last two swapped", _shaped(t, (*shape[:-2], shape[-1], shape[-2]))
    if t.is_constant and shape:
        yield "shape alone one more", replace(t, shape=(shape[0] + 1, *shape[1:]))


def _shaped(t: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the tensor in a new shape; a constant's values and the scales of its channels are repeated."""
    q = t.quantization
    if q.scale.size > 1 and q.axis < len(shape) and len(shape) == len(t.shape):
        n = shape[q.axis]
        q = replace(q, scale=np.resize(q.scale, n), zero_point=np.resize(q.zero_point, n))
    t = replace(t, quantization=q)
    return (
        holding(t, np.resize(values_of(t), shape or (1,)).reshape(shape))
        if t.is_constant
        else replace(t, shape=shape)
    )


def _typed(t: Tensor, dtype: str) -> Tensor:
    """Return the tensor in a new type; bytes of the same width are unchanged, further values are clipped."""
    if not t.is_constant or {t.dtype, dtype} == {"int8", "uint8"}:
        return replace(t, dtype=dtype)
    return holding(t, values_of(t), dtype)


def _values(t: Tensor) -> Iterator[tuple[str, Tensor]]:
    values = values_of(t)
    if values.dtype.kind not in "iu" or not values.size:
        return
    info = np.iinfo(values.dtype)
    for name, new in (("lowest", info.min), ("highest", info.max), ("0", 0), ("1", 1)):
        yield f"all {name}", holding(t, np.full_like(values, new))
    for name, new in (("lowest", info.min), ("highest", info.max)):
        yield f"first {name}", _element(t, values, 0, new)
    if values.dtype.itemsize > 2:
        for new in (
            2**31 - 1,
            -(2**31),
            2**30,
            -(2**30),
            2**24,
            2**39 if values.dtype.itemsize > 4 else 2**28,
        ):
            yield f"all {new}", holding(t, np.full_like(values, new))
