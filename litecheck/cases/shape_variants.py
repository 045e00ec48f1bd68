"""A model with its kinds of operators in further shapes, each operator isolated, in a subgraph of their own."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.cases import model_parts
from litecheck.cases.geometry.design import ONCE
from litecheck.cases.geometry.resized_operators import variants
from litecheck.model.graph import name_of
from litecheck.model.types import Buffer, Model, Operator, Signature, Subgraph, Tensor

#: Key of the additional entry point.
KEY = "other shapes"


def in_other_shapes(model: Model) -> Model:
    """Return the model with an entry point of its kinds of operators in the shapes of their covering designs.

    The first operator of each kind and combination of types stands for its kind, with its parameters, options and
    constants. Example: a model with ten int8 convolutions gets one of them with batch 5, width 260, ... The model is
    unchanged if none of its operators has a design.
    """
    buffers = list(model.buffers) or [Buffer(np.empty(0, np.uint8))]
    tensors: list[Tensor] = []
    operators: list[Operator] = []
    ends: tuple[list[int], list[int]] = ([], [])
    for name, made in _shape_variants(model):
        main, start = made.subgraphs[0], len(tensors)
        outputs = main.operators[0].outputs
        for tensor in main.tensors:
            buffer = 0
            if tensor.data is not None:
                buffer = len(buffers)
                buffers.append(made.buffers[tensor.buffer])
            called = name if tensor.index == outputs[0] else f"{name}: {tensor.name}"
            tensors.append(replace(tensor, index=start + tensor.index, buffer=buffer, name=called))
        operators.append(_shift_tensors(main.operators[0], len(operators), start))
        ends[0].extend(start + index for index in main.inputs)
        ends[1].extend(start + index for index in main.outputs)
    if not operators:
        return model
    number = len(model.subgraphs)
    inputs, outputs = map(tuple, ends)
    subgraph = Subgraph(number, KEY, tuple(tensors), tuple(operators), inputs, outputs)
    names = (
        [(f"{letter}{n}", index) for n, index in enumerate(end)]
        for letter, end in (("x", inputs), ("y", outputs))
    )
    signature = Signature(KEY, number, *map(tuple, names))
    return replace(
        model,
        subgraphs=(*model.subgraphs, subgraph),
        buffers=tuple(buffers),
        signatures=(*model.signatures, signature),
    )


def _shape_variants(model: Model) -> Iterator[tuple[str, Model]]:
    """Yield the variants of the first operator of each kind and combination of types, with their names."""
    known: set[Hashable] = set()
    for subgraph in model_parts.entries(model):
        for case in model_parts.operators(model, subgraph):
            (operator,) = case.operators
            tensors = (subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0)
            kind = operator.kind, tuple((t.dtype, t.is_constant) for t in tensors)
            if kind in known or model_parts.single_operator(case):
                continue
            known.add(kind)
            for variant in variants(case.submodel.model, ONCE):
                yield f"{name_of(subgraph, operator)} in shape {variant.name}", variant.model


def _shift_tensors(operator: Operator, index: int, start: int) -> Operator:
    inputs, outputs = (
        tuple(i + start if i >= 0 else i for i in side) for side in (operator.inputs, operator.outputs)
    )
    return replace(operator, index=index, inputs=inputs, outputs=outputs)
