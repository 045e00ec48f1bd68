"""int8 converted to uint8 and back: integers move by 128, scales stay, and unsupported operators stay int8 with a
reason."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.convert_float import Request
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.retype_8bit import replay_retype, retype
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import ReferenceInterpreter

TO_UINT8 = Request(to="uint8")


def layer(kind: str = "int8", weight_zero: int = 0, reach: int = 60, behind: str = "") -> Model:
    """Return a fully connected layer with a power-of-two input scale and a bias beyond float32, and a further
    operator."""
    middle = 128 if kind == "uint8" else 0
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), kind, qparams(0.25, middle + 5))
    y = main.tensor("y", (1, 4), kind, qparams(500.0, middle - 3))
    drawn = np.random.default_rng(0).integers(-reach, reach, (4, 8)) + middle
    w = main.constant("w", drawn.astype(kind), qparams(0.01, weight_zero))
    step = np.float32(0.25) * np.float32(0.01)
    b = main.constant("b", np.array([100_000_001, -7, 0, 100], np.int32), qparams(step, 0))
    main.add("FULLY_CONNECTED", [x, w, b], [y], version=1 if kind == "uint8" else 4)
    main.inputs(x)
    main.outputs(y)
    if behind:
        z = main.tensor("z", (1, 4), kind, qparams(500.0, middle + 3))
        main.add(behind, [y], [z], version=2 if behind == "ABS" else 1)
        main.outputs(z)
    return builder.finish()


def constants(model: Model) -> list[tuple]:
    return [
        (t.name, t.dtype, np.asarray(stored_integers(t)).tolist(), set(t.quantization.scale.tolist()))
        for t in model.subgraphs[0].tensors
        if t.is_constant
    ]


def results(model: Model, stored: np.ndarray) -> np.ndarray:
    graph = model.subgraphs[0]
    return ReferenceInterpreter(model).run(graph, (stored,))[graph.outputs[0]]


def test_there_and_back_gives_the_same_integers_and_results() -> None:
    old = layer()
    there = retype(old, TO_UINT8)
    back = retype(there.model, Request())
    assert there.conforms
    assert back.conforms
    assert constants(back.model) == constants(old)
    weights = next(t for t in there.model.subgraphs[0].tensors if t.name == "w")
    assert (weights.dtype, weights.quantization.zero_point.tolist()) == ("uint8", [128])
    given = np.random.default_rng(1).integers(-128, 128, (1, 8)).astype(np.int8)
    higher = (given.astype(np.int16) + 128).astype(np.uint8)
    mine = results(there.model, higher).astype(int) - 128
    assert mine.tolist() == results(old, given).tolist() == results(back.model, given).tolist()


def test_weights_around_the_middle_keep_their_scale_in_int8() -> None:
    """A per-tensor scale becomes the scale of each channel. A stored 0, which int8 weights cannot represent, needs a
    different scale."""
    same = retype(layer("uint8", 128), Request())
    assert constants(same.model) == constants(layer())
    old = layer("uint8", 128, reach=128)
    made = retype(old, Request()).model.subgraphs[0].tensors[2]
    without = (np.asarray(stored_integers(old.subgraphs[0].tensors[2])) > 0).all(axis=1)
    assert set(without.tolist()) == {True, False}
    assert ((made.quantization.scale == np.float32(0.01)) == without).all()
    other = retype(layer("uint8", 120), Request())
    assert float(np.float32(0.01)) not in constants(other.model)[0][3]


def test_an_operator_without_a_uint8_kernel_stays_int8_between_shifts() -> None:
    old = layer(behind="ABS")
    made = retype(old, TO_UINT8)
    opcodes = [op.opcode for op in made.model.subgraphs[0].operators]
    assert opcodes == ["FULLY_CONNECTED", "QUANTIZE", "ABS", "QUANTIZE"]
    assert [d.becomes for d in made.plan.operators] == ["uint8", "int8"]
    assert made.plan.operators[1].because == "the kernel does not support uint8 and fails to load"
    record = convert_model(old, to="uint8", agreement=False)
    (stays,) = record.stays
    assert (stays.dtype, stays.opcode, stays.places) == ("int8", "ABS", ("#1",))
    assert stays.demand.startswith("ABS/unsupported")


def test_operators_that_zero_point_128_would_break_stay_int8() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (3,), "int8", qparams(0.5, 0))
    y = main.tensor("y", (3, 3), "int8", qparams(0.5, 0))
    main.add("MATRIX_DIAG", [x], [y])
    main.inputs(x)
    main.outputs(y)
    made = retype(builder.finish(), TO_UINT8)
    assert made.conforms
    assert made.plan.operators[0].because == "MATRIX_DIAG/output/zero_point: zero point is 128"


def test_a_plan_of_a_shift_gives_the_same_bytes_again() -> None:
    made = retype(layer(), TO_UINT8)
    again = replay_retype(layer(), made.plan, TO_UINT8)
    assert constants(again.model) == constants(made.model)


def test_types_that_go_in_and_out_may_be_chosen() -> None:
    record = convert_model(layer(), to="uint8", outputs="uint8", inputs="uint8", agreement=False)
    assert record.becomes == {"uint8": 1}
    record = convert_model(layer("uint8", 128), outputs="uint8", agreement=False)
    graph = record.conversion.model.subgraphs[0]
    assert [graph.tensors[i].dtype for i in (*graph.inputs, *graph.outputs)] == ["int8", "uint8"]


def test_a_uint8_model_is_uint8_already() -> None:
    with pytest.raises(ConfigError, match=r"quantized already \(int32, uint8\)"):
        convert_model(layer("uint8", 128), to="uint8", agreement=False)
