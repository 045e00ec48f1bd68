"""Faults of options: outputs of operators with masks, axes or broadcast inputs that a device reads wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.arrays import Array, Arrays
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.geometry.fault import Inference
from litecheck.suite.geometry.option_faults import option_faults

FAULTS = {fault.name: fault for fault in option_faults()}
Q = qparams(0.05)
LINE = np.array([1, 2, 3, 4], np.int8)


def computed(model: Model, inputs: Arrays) -> Array:
    main = model.subgraphs[0]
    return ReferenceInterpreter(model).run(main, inputs)[main.outputs[0]]


def faulty(name: str, opcode: str, inputs: list[Array], *constants: list[int], **options: Any) -> Any:
    """Return the values that a faulty device gives, None if the fault does not show."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    operands = [
        graph.tensor(f"x{n}", x.shape, str(x.dtype), None if x.dtype == bool else Q)
        for n, x in enumerate(inputs)
    ]
    graph.inputs(*operands)
    operands += [graph.constant(f"c{n}", np.array(value, np.int32)) for n, value in enumerate(constants)]
    output = graph.tensor("y", (4,), "int8", Q)
    graph.add(opcode, operands, [output], **options)
    graph.outputs(output)
    model = builder.finish()
    fed = tuple(inputs)
    inference = Inference(fed, computed(model, fed), False, lambda x: computed(model, x), model, computed)
    made = FAULTS[name].spoil(inference)
    return None if made is None else made.reshape(-1).tolist()


@pytest.mark.parametrize(
    ("name", "limits", "masks", "made"),
    [
        ("no-begin-mask", ([2], [4], [1]), {"begin_mask": 1}, [3, 4]),
        ("no-begin-mask", ([0], [4], [1]), {"begin_mask": 1}, None),
        ("no-end-mask", ([1], [3], [1]), {"end_mask": 1}, [2, 3]),
        ("no-end-mask-backward", ([3], [0], [-1]), {"end_mask": 1}, [4, 3, 2]),
        ("no-end-mask-backward", ([0], [2], [1]), {"end_mask": 1}, None),
        ("no-begin-mask-backward", ([1], [-5], [-1]), {"begin_mask": 1}, [2, 1]),
        ("negative-begin", ([-1], [4], [1]), {}, [1, 2, 3, 4]),
        ("negative-end", ([0], [-2], [1]), {}, []),
        ("negative-begin-shrunk", ([-1], [4], [1]), {"shrink_axis_mask": 1}, [1]),
        ("negative-begin-shrunk", ([-1], [4], [1]), {}, None),
        ("no-shrink-axis-mask", ([1], [4], [1]), {"shrink_axis_mask": 1}, [2, 3, 4]),
        ("no-new-axis-mask", ([0], [1], [1]), {"new_axis_mask": 1}, [1]),
        ("no-ellipsis-mask", ([0], [1], [1]), {"ellipsis_mask": 1}, [1]),
    ],
)
def test_strided_slices(name: str, limits: Any, masks: dict[str, int], made: list[int] | None) -> None:
    assert faulty(name, "STRIDED_SLICE", [LINE], *limits, **masks) == made


@pytest.mark.parametrize(
    ("name", "axis", "made"),
    [
        ("negative-axis", -1, [1, 2, 3, 4, 1, 2, 3, 4]),
        ("axis-below-0", -1, [1, 2, 3, 4, 1, 2, 3, 4]),
        ("axis-below-0", -2, None),
        ("negative-axis", 1, None),
    ],
)
def test_axes(name: str, axis: int, made: list[int] | None) -> None:
    assert faulty(name, "PACK", [LINE, LINE], values_count=2, axis=axis) == made


@pytest.mark.parametrize(
    ("name", "condition", "made"),
    [
        ("leading-axes", [True, False], [1, 2, 0, 0]),
        ("leading-axes", [True, True], None),
        ("repeated-input", [[True], [False]], [1, 0, 3, 0]),
        ("repeated-input", [True, False], None),
    ],
)
def test_broadcast_inputs(name: str, condition: list[Any], made: list[int] | None) -> None:
    table = LINE.reshape(2, 2)
    inputs = [np.array(condition), table, np.zeros_like(table)]
    assert faulty(name, "SELECT_V2", inputs) == made
