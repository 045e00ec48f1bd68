"""Legacy scheme: the models of ``rules_cases`` stored as uint8, plus 128, and forms of uint8 only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.build import qparams
from litecheck.model.types import Buffer, Tensor
from litecheck.quantization import Quantization
from tests.differential import rules_cases
from tests.differential.rules_cases import RNG, Case, Part, out
from tests.differential.rules_cases import act as any_act
from tests.differential.rules_cases import case as built

#: Difference between a uint8 integer and the int8 integer of the same real value.
OFFSET = 128
#: Operators whose kernels fill with the stored integer 0: the zero point is 0 in either type.
FILLED = ("MATRIX_DIAG", "SCATTER_ND")
#: Operators with a uint8 input that is dequantized: see ``rules_cases_hybrid``.
DEQUANTIZED = ("EMBEDDING_LOOKUP",)
#: Operators whose kernels compare the bias scale with the output scale.
FINE = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


def cases() -> Iterator[Case]:
    """Yield every operator with a uint8 kernel and a small model for it."""
    for case in rules_cases.cases("int8"):
        if case.opcode not in DEQUANTIZED:
            yield raised(case)
        if case.name in FINE:
            yield fine(raised(case))
    x, y = _act(131, 0.05), _act(7, 0.03)
    yield built(
        "CONCATENATION rescaled", [x, y], [out((4, 6), qparams(0.06, 99), "uint8")], "CONCATENATION", axis=0
    )
    yield built(
        "QUANTIZE from int8", [any_act((2, 6))], [out((2, 6), qparams(0.07, 99), "uint8")], "QUANTIZE"
    )
    yield built("QUANTIZE to int8", [x], [out((2, 6), qparams(0.07, -9), "int8")], "QUANTIZE")
    yield built("QUANTIZE to int16", [x], [out((2, 6), qparams(0.07), "int16")], "QUANTIZE")
    real = Part((2, 6), "float32", None, RNG.normal(size=(2, 6)).astype(np.float32))
    yield built("QUANTIZE from float32", [real], [out((2, 6), qparams(0.03, 99), "uint8")], "QUANTIZE")


def fine(case: Case) -> Case:
    """Return the case with a very small output step, so that a bias change is large in output steps."""
    graph = case.model.subgraphs[0]
    result = graph.tensors[graph.outputs[0]]
    result = replace(result, quantization=qparams(4e-6, result.quantization.zero_point))
    tensors = (*graph.tensors[: result.index], result, *graph.tensors[result.index + 1 :])
    model = replace(case.model, subgraphs=(replace(graph, tensors=tensors),))
    return replace(case, name=f"{case.name} fine", model=model)


def raised(case: Case) -> Case:
    """Return the case with its int8 tensors stored as uint8, each with a single scale."""
    model, given = case.model, []
    graph = model.subgraphs[0]
    for index, values in zip(graph.inputs, case.inputs, strict=True):
        given.append(_raise(values) if graph.tensors[index].dtype == "int8" else values)
    buffers = list(model.buffers)
    offset = 0 if case.opcode in FILLED else OFFSET
    tensors = tuple(_tensor(t, buffers, offset) for t in graph.tensors)
    changed = replace(model, buffers=tuple(buffers), subgraphs=(replace(graph, tensors=tensors),))
    return replace(case, model=changed, inputs=tuple(given))


def _tensor(tensor: Tensor, buffers: list[Buffer], offset: int) -> Tensor:
    q = tensor.quantization
    if q.scale.size > 1:
        q = Quantization(q.scale[:1], q.zero_point[:1], 0)
    if tensor.dtype != "int8":
        return replace(tensor, quantization=q)
    data = tensor.data
    if data is not None:
        data = _raise(data.view(np.int8))
        buffers[tensor.buffer] = Buffer(data)
    q = qparams(q.scale, q.zero_point + offset) if q.scale.size else q
    return replace(tensor, dtype="uint8", data=data, quantization=q)


def _raise(values: np.ndarray) -> np.ndarray:
    return (values.astype(np.int16) + OFFSET).astype(np.uint8)


def _act(zero: int, scale: float) -> Part:
    return Part((2, 6), "uint8", qparams(scale, zero), _bytes((2, 6)))


def _bytes(shape: tuple[int, ...]) -> np.ndarray:
    return RNG.integers(0, 256, shape).astype(np.uint8)
