"""Arithmetics with equal keys compute equal outputs, and only active steps are part of the key."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.equivalence import active_variants
from litecheck.reference.engine.interpreter import ReferenceInterpreter

PUBLISHED = [
    load_arithmetic(name) for name in ("litert-reference", "litert-optimized", "litert-xnnpack", "tflm")
]
VALUES = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


def unary_model(opcode: str) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 256), "int8", qparams(0.031, 3))
    y = main.tensor("y", (1, 256), "int8", qparams(0.0571, -4))
    main.add(opcode, [x, x] if opcode == "ADD" else [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def outputs(model: Model, arithmetic: Arithmetic) -> bytes:
    (made,) = ReferenceInterpreter(model, arithmetic).invoke((VALUES,)).outputs.values()
    return made.tobytes()


def test_equal_keys_give_equal_outputs_and_some_keys_are_equal() -> None:
    shared = 0
    for opcode in ("ADD", "LEAKY_RELU", "RELU", "ABS", "LOGISTIC"):
        model, by_key = unary_model(opcode), dict[object, set[bytes]]()
        for arithmetic in PUBLISHED:
            by_key.setdefault(active_variants(model, arithmetic), set()).add(outputs(model, arithmetic))
        assert all(len(made) == 1 for made in by_key.values()), opcode
        shared += len(PUBLISHED) - len(by_key)
    assert shared


def test_steps_and_defects_of_the_operator_count() -> None:
    model, base = unary_model("ADD"), PUBLISHED[0]

    def key(opcode: str, **changed: str) -> object:
        return active_variants(
            model, replace(base, stages={**base.stages, opcode: {**base.variants(opcode), **changed}})
        )

    assert key("ADD", requantize="single") != key("ADD")
    assert key("ADD", defect="no-output-zero-point") != key("ADD")
    assert key("MUL", defect="no-output-zero-point") == key("ADD")
    assert key("ADD", unknown="x") == key("ADD")


def test_an_operator_without_a_kernel_has_a_key() -> None:
    model = unary_model("ADD")
    main = model.subgraphs[0]
    missing = replace(main, operators=(replace(main.operators[0], opcode="NOTHING"),))
    assert active_variants(replace(model, subgraphs=(missing,)), PUBLISHED[0]) == ((),)
