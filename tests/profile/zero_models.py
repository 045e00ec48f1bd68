"""Models with a constant zero state, as converters unroll a recurrent layer, and a scale too small for any other
value."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Model

_SHAPE = (1, 4)
#: The operator on the state, its constants, the shape of its output, its options, and True if it copies the values.
_OPERATORS: dict[str, tuple[tuple[list[int], ...], tuple[int, ...], dict[str, Option], bool]] = {
    "FULLY_CONNECTED": ((), (1, 2), {}, False),
    "MUL": ((), _SHAPE, {}, False),
    "STRIDED_SLICE": (([0, 0], [1, 3], [1, 1]), (1, 3), {}, True),
    "SLICE": (([0, 0], [1, 3]), (1, 3), {}, True),
    "RESHAPE": (([2, 2],), (2, 2), {}, True),
    "TRANSPOSE": (([1, 0],), (4, 1), {}, True),
}
OPCODES = ("FILL", *_OPERATORS)


def of_zeros(opcode: str, dtype: str, scale: float, stored: int = 0) -> Model:
    """Return FILL and an operator on its output; the operator's output has the scale.

    The output of FILL also has it if the operator copies values. ``stored`` is the value that FILL repeats.
    """
    constants, shape, options, copies = _OPERATORS.get(opcode, ((), _SHAPE, {}, True))
    tiny, usual = qparams(scale), qparams(0.5)
    builder = ModelBuilder("zeros")
    graph = builder.subgraph()
    dims = graph.constant("dims", np.array(_SHAPE, np.int32))
    value = graph.constant("value", np.array(stored, dtype), tiny if copies else usual)
    x = graph.tensor("x", _SHAPE, dtype, usual)
    state = graph.tensor("state", _SHAPE, dtype, tiny if copies else usual)
    graph.add("FILL", [dims, value], [state])
    inputs = [state, *(graph.constant("c", np.array(c, np.int32)) for c in constants)]
    if opcode == "FULLY_CONNECTED":
        inputs.append(graph.constant("w", np.array([[3, -5, 7, 9], [2, 4, 6, 8]], np.int8), usual))
    elif opcode == "MUL":
        inputs.append(x)
    y = state
    if opcode != "FILL":
        y = graph.tensor("y", shape, dtype, tiny)
        graph.add(opcode, inputs, [y], **options)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def fused(dtype: str, scale: float, activation: str) -> Model:
    """Return FULLY_CONNECTED with a fused activation and the scale of its output."""
    builder = ModelBuilder("fused")
    graph = builder.subgraph()
    x = graph.tensor("x", _SHAPE, dtype, qparams(0.5))
    weight = graph.constant("w", np.array([[3, -5, 7, 9], [2, 4, 6, 8]], np.int8), qparams(0.5))
    y = graph.tensor("y", (1, 2), dtype, qparams(scale))
    graph.add("FULLY_CONNECTED", [x, weight], [y], fused_activation_function=activation)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()
