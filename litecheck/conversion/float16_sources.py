"""Float16 models as sources of a conversion: float16 constants become float32, and their DEQUANTIZE is removed.

TensorFlow's float16 quantization stores each constant as float16, and a DEQUANTIZE converts it at run time. The operators
that read it would have no constant weights to quantize.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from litecheck.conversion.float16_constants import HALF
from litecheck.conversion.request import REAL
from litecheck.model.edit import with_subgraphs
from litecheck.model.graph import graph_of
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.quantizer.litert_resolvers import OUT_OF_INTEGERS
from litecheck.summary_text import count_of


def decode_float16(model: Model) -> tuple[Model, str]:
    """Return the model with float32 constants in place of float16 constants that only DEQUANTIZE reads, and a note.

    The values are equal. Without such a constant, the model is the same object, and the note is empty.
    """
    removed = {s.index: found for s in model.subgraphs if (found := _removable(s))}
    if not removed:
        return model, ""
    # Planning is imported while the calibration runs; only float16 models need it earlier.
    from litecheck.conversion.apply import share_constants

    subgraphs = [_decode(s, removed[s.index]) if s.index in removed else s for s in model.subgraphs]
    count = sum(len(set(found.values())) for found in removed.values())
    become = "becomes" if count == 1 else "become"
    note = f"{count_of(count, 'float16 constant')} {become} float32 first, without DEQUANTIZE"
    return with_subgraphs(model, share_constants(model, subgraphs)), note


def _removable(subgraph: Subgraph) -> Mapping[int, int]:
    """Return the float16 constant of each output of a DEQUANTIZE that can be removed."""
    consumers, found = graph_of(subgraph).consumers, dict[int, int]()
    for tensor in subgraph.tensors:
        own = [subgraph.operators[number] for number in consumers[tensor.index]]
        if (
            tensor.dtype == HALF
            and tensor.index not in subgraph.outputs
            and all(_converts(subgraph, operator) for operator in own)
            and stored_integers(tensor) is not None
        ):
            found.update((operator.outputs[0], tensor.index) for operator in own)
    return found


def _converts(subgraph: Subgraph, operator: Operator) -> bool:
    """Return True if an operator converts a tensor to a float32 tensor that is no output of the subgraph."""
    if operator.opcode != OUT_OF_INTEGERS or not len(operator.inputs) == len(operator.outputs) == 1:
        return False
    (output,) = operator.outputs
    return subgraph.tensors[output].dtype == REAL and output not in subgraph.outputs


def _decode(subgraph: Subgraph, removed: Mapping[int, int]) -> Subgraph:
    """Return a subgraph in which the readers of removed outputs read their constants as float32."""
    constants = set(removed.values())
    tensors = tuple(_decode_constant(t) if t.index in constants else t for t in subgraph.tensors)
    left = (op for op in subgraph.operators if not removed.keys() & set(op.outputs))
    operators = tuple(
        replace(op, index=number, inputs=tuple(removed.get(i, i) for i in op.inputs))
        for number, op in enumerate(left)
    )
    return replace(subgraph, tensors=tensors, operators=operators)


def _decode_constant(tensor: Tensor) -> Tensor:
    """Return a constant as float32. Its buffer keeps its number, by which constants are shared."""
    values = stored_integers(tensor)
    data = None if values is None else bytes_of(values.astype(np.float32))
    return replace(tensor, dtype=REAL, data=data, external_buffer=0)
