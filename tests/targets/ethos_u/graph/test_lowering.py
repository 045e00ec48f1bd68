"""Copies that a compiler inserts, derived from partitions. Counts as observed in Vela 5.2.0."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model

Q = qparams(0.5)
IMAGE, FLAT = (1, 4, 4, 8), (1, 16, 8)
#: Operators in order: opcode, inputs and output. CEIL and SQRT stay on the CPU.
Steps = Sequence[tuple[str, str, str]]


def graph(steps: Steps, outputs: str) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = {name: main.tensor(name, IMAGE, "int8", Q) for name in "xy"}
    shapes = {"a": IMAGE, "x": IMAGE, "y": IMAGE}
    for opcode, read, made in steps:
        operands, shape = [tensors[name] for name in read], shapes[read[0]]
        options: dict[str, int] = {}
        if opcode == "CONCATENATION":
            shape, options = (*shape[:3], sum(shapes[name][3] for name in read)), {"axis": 3}
        elif opcode == "PACK":
            shape, options = (len(read), *shape), {"axis": 0, "values_count": len(read)}
        elif opcode == "RESHAPE":
            shape = IMAGE if shape == FLAT else FLAT
            operands.append(main.constant("shape", np.array(shape, np.int32)))
        shapes[made] = shape
        tensors[made] = main.tensor(made, shape, "int8", Q)
        main.add(opcode, operands, [tensors[made]], **options)
    main.inputs(tensors["x"], tensors["y"])
    main.outputs(*(tensors[name] for name in outputs))
    return builder.finish()


GRAPHS: dict[str, tuple[Model, int]] = {
    "two of the CPU are added": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("ADD", "ab", "c")], "c"), 2
    ),
    "two of the CPU are joined": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("CONCATENATION", "ab", "c")], "c"), 3
    ),
    "two of the CPU are stacked": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("PACK", "ab", "c")], "c"), 3
    ),
    "what only the joined reads comes first": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("POW", "ta", "b"), ("TANH", "b", "d"), ("TANH", "a", "e"),
               ("CONCATENATION", "de", "c")], "c"), 2
    ),
    "its first operand before its last": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("POW", "ta", "b"), ("TANH", "b", "d"), ("TANH", "a", "e"),
               ("CONCATENATION", "ed", "c")], "c"), 3
    ),
    "and before what is copied": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("POW", "ta", "b"), ("TANH", "b", "d"),
               ("CONCATENATION", "da", "c")], "c"), 2
    ),
    "what is stacked is copied, whoever made it": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("POW", "ta", "b"), ("TANH", "b", "d"), ("PACK", "da", "c")],
              "c"), 3
    ),
    "each operand is rescaled": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("SQUARED_DIFFERENCE", "ab", "c")], "c"), 3
    ),
    "what is negative of one is multiplied by the other": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("PRELU", "ab", "c")], "c"), 3
    ),
    "one of the CPU is joined to itself": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("CONCATENATION", "aa", "c")], "c"), 2
    ),
    "what others read, too, is reshaped": (
        graph([("RESHAPE", "x", "f"), ("TANH", "f", "g"), ("CEIL", "x", "a"), ("TANH", "a", "b")], "gb"), 2
    ),
    "what nobody else reads is reshaped": (
        graph([("RESHAPE", "x", "f"), ("TANH", "f", "g"), ("CEIL", "y", "a"), ("TANH", "a", "b")], "gb"), 1
    ),
    "of the CPU, and what another one reads": (
        graph([("TANH", "x", "t"), ("CEIL", "t", "a"), ("SQRT", "t", "b"), ("RESHAPE", "a", "f"), ("RESHAPE", "b", "g"),
               ("ADD", "fg", "c")], "c"), 2
    ),
}  # fmt: skip


@pytest.mark.parametrize("target", ["ethos-u55", "ethos-u85"])
@pytest.mark.parametrize("name", GRAPHS)
def test_copies_run_separately_and_as_early_as_possible(name: str, target: str) -> None:
    model, count = GRAPHS[name]
    assert place_model(model, load_profile(target))[0].partitions == count
