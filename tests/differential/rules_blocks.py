"""Changes of blockwise weights: blocks, tensor of scales, type, and activation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Buffer, Model, Subgraph, Tensor
from litecheck.quantization import BITS, Blockwise, MultiAxis
from tests.differential.rules_cases import Case


def changed_blocks(case: Case) -> Iterator[tuple[str, Model]]:
    """Yield every change of a case with blockwise weights as the second input; nothing for further cases."""
    graph = case.model.subgraphs[0]
    index = graph.operators[0].inputs[1] if len(graph.operators[0].inputs) > 1 else -1
    details = graph.tensors[index].quantization.details
    if not isinstance(details, Blockwise):
        return
    weight, scales = graph.tensors[index], graph.tensors[details.scales]
    values = stored_integers(scales)
    assert values is not None
    for size in (16, 64, 24, 2, 1, 0, -1):
        per = weight.shape[1] // max(size, 1)
        fitting = np.resize(values, (weight.shape[0], per))
        change = replace(
            weight, quantization=replace(weight.quantization, details=replace(details, block_size=size))
        )
        yield f"blocks of {size}", _with(case.model, change, _holding(scales, fitting))
    for name, other in _scales(values):
        yield f"scales {name}", _with(case.model, _holding(scales, other))
    for zero in (0, 1):
        yield f"zero points {zero}", _zero_points(case.model, weight, details, zero)
    for name, gone in (("none", -1), ("beyond", 99)):
        change = replace(details, scales=gone)
        yield f"scales {name}", _with(case.model, _stating(weight, change))
    yield "multi-axis", _with(case.model, _stating(weight, MultiAxis(details.scales, -1, 32, (1,))))
    for dtype in ("int8", "int4", "int2", "uint8"):
        if dtype != weight.dtype:
            yield f"weights {dtype}", _with(case.model, _retyped(weight, dtype))
    if graph.operators[0].options:
        yield "activation RELU6", _activation(case.model, 3)


def _scales(values: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    yield "float32", values.astype(np.float32)
    yield "one fewer", values.reshape(-1)[:-1]
    yield "one more", np.append(values.reshape(-1), values.reshape(-1)[:1])
    yield "turned", values.T.copy()
    for name, value in (("0", 0.0), ("nan", np.nan), ("inf", np.inf), ("below 0", -0.1), ("subnormal", 1e-6)):
        other = values.copy()
        other[:, 0] = value
        yield name, other


def _holding(tensor: Tensor, values: np.ndarray) -> Tensor:
    held = np.ascontiguousarray(values).reshape(-1).view(np.uint8)
    return replace(tensor, dtype=values.dtype.name, shape=values.shape, data=held)


def _stating(weight: Tensor, details: Blockwise | MultiAxis) -> Tensor:
    return replace(weight, quantization=replace(weight.quantization, details=details))


def _retyped(weight: Tensor, dtype: str) -> Tensor:
    values = stored_integers(weight)
    assert values is not None
    held = pack(values, dtype) if BITS[dtype] < 8 else values.astype(dtype).reshape(-1).view(np.uint8)
    return replace(weight, dtype=dtype, data=held)


def _zero_points(model: Model, weight: Tensor, details: Blockwise, zero: int) -> Model:
    graph = model.subgraphs[0]
    n, shape = len(graph.tensors), graph.tensors[details.scales].shape
    held = np.full(shape, zero, np.int8).reshape(-1).view(np.uint8)
    table = Tensor(n, "zero points", "int8", shape, buffer=len(model.buffers), data=held)
    changed = _with(model, _stating(weight, replace(details, zero_points=n)))
    graph = changed.subgraphs[0]
    return replace(
        changed,
        subgraphs=(replace(graph, tensors=(*graph.tensors, table)),),
        buffers=(*changed.buffers, Buffer(held)),
    )


def _activation(model: Model, number: int) -> Model:
    graph = model.subgraphs[0]
    operator = graph.operators[0]
    assert operator.options
    options = replace(
        operator.options, fields={**operator.options.fields, "fused_activation_function": number}
    )
    return _replaced(model, replace(graph, operators=(replace(operator, options=options),)))


def _with(model: Model, *tensors: Tensor) -> Model:
    graph, buffers = model.subgraphs[0], list(model.buffers)
    for tensor in tensors:
        if tensor.data is not None:
            buffers[tensor.buffer] = Buffer(tensor.data)
    new = {t.index: t for t in tensors}
    graph = replace(graph, tensors=tuple(new.get(t.index, t) for t in graph.tensors))
    return replace(_replaced(model, graph), buffers=tuple(buffers))


def _replaced(model: Model, graph: Subgraph) -> Model:
    return replace(model, subgraphs=(graph,))
