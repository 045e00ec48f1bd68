"""Inputs on which variants of an operator differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.distinguishing_inputs import distinguishing
from litecheck.cases.inputs import DrawnInputs, draw_inputs
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimulus
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter

REFERENCE = load_arithmetic("litert-reference")


def elementwise(opcode: str, dtype: str, size: int) -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    wide = 200 if dtype == "int16" else 1
    a, b, y = (
        main.tensor(name, (1, size), dtype, qparams(scale / wide, 0))
        for name, scale in (("a", 0.031), ("b", 0.047), ("y", 0.0571))
    )
    main.add(opcode, [a, b] if opcode != "ABS" else [a], [y])
    main.inputs(*([a, b] if opcode != "ABS" else [a]))
    main.outputs(y)
    model: Model = builder.finish()
    return next(model_parts.operators(model, model.subgraphs[0]))


@pytest.mark.parametrize(
    ("opcode", "variant"), [("ADD", "float32-multiplier"), ("MUL", "double-half-up"), ("SUB", "float32")]
)
def test_one_stimulus_distinguishes_roundings_that_random_values_do_not(opcode: str, variant: str) -> None:
    case = elementwise(opcode, "int16", 200)
    (stimulus,) = distinguishing(case, DrawnInputs(case, {}, 0), REFERENCE)
    random = draw_inputs(case, {}, 0)
    assert random is not None
    assert differing(case, stimulus, variant) > 2
    assert differing(case, random, variant) == 0


def differing(case: Case, stimulus: Stimulus, variant: str) -> int:
    other = replace(REFERENCE, stages={**REFERENCE.stages, case.opcodes[0]: {"requantize": variant}})
    main = case.submodel.model.subgraphs[0]
    right, wrong = (
        ReferenceInterpreter(case.submodel.model, how).run(main, stimulus.arrays)[main.outputs[0]]
        for how in (REFERENCE, other)
    )
    return int(np.count_nonzero(right != wrong))


def test_operators_with_many_values_or_sums_have_no_distinguishing_inputs() -> None:
    for case in (
        elementwise("ADD", "int8", 20_000),
        elementwise("ADD", "int8", 0),
        elementwise("BATCH_MATMUL", "int8", 4),
    ):
        assert list(distinguishing(case, DrawnInputs(case, {}, 0), REFERENCE)) == []
