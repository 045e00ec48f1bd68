"""What cases are fed is valid for their operators, the same each time, and reaches the edges."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases import inputs, parts
from litecheck.cases.parts import Case
from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import Machine
from tests.verify.networks import convolutional


def only_case(model: Model) -> Case:
    return next(parts.operators(model, model.subgraphs[0]))


def unary(opcode: str, n: int = 300, zero_point: int = -5, dtype: str = "int8") -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = quantized(0.1, zero_point) if dtype != "float32" else None
    x, y = main.tensor("x", (1, n), dtype, q), main.tensor("y", (1, n), dtype, q)
    main.add(opcode, [x], [y])
    main.inputs(x)
    main.outputs(y)
    return only_case(builder.finish())


def binary(opcode: str, shape: tuple[int, ...] = (256, 256)) -> Case:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = quantized(0.1, 3)
    a, b, y = (main.tensor(n, shape, "int8", q) for n in "aby")
    main.add(opcode, [a, b], [y])
    main.inputs(a, b)
    main.outputs(y)
    return only_case(builder.finish())


def test_the_same_seed_draws_the_same_and_another_another() -> None:
    case = unary("RELU")
    first, again, other = (inputs.drawn(case, {}, seed) for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first.arrays[0], again.arrays[0])
    assert not np.array_equal(first.arrays[0], other.arrays[0])


def test_drawn_values_reach_every_code() -> None:
    drawn = inputs.drawn(unary("RELU", 20_000), {}, 0)
    assert drawn is not None
    assert len(np.unique(drawn.arrays[0])) == 256


@pytest.mark.parametrize(("opcode", "least"), [("SQRT", -5), ("RSQRT", -4), ("LOG", -4)])
def test_roots_and_logarithms_are_fed_what_they_are_defined_for(opcode: str, least: int) -> None:
    case = unary(opcode)
    fed = [inputs.drawn(case, {}, 0), *inputs.directed(case, {})]
    assert min(int(f.arrays[0].min()) for f in fed if f) == least


def test_a_divisor_is_not_zero() -> None:
    case = binary("DIV")
    fed = [inputs.drawn(case, {}, 0), *inputs.directed(case, {})]
    assert min(int(f.arrays[1].min()) for f in fed if f) == 4


def test_operands_that_steer_stay_as_the_reference_has_them() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = quantized(0.1, 3)
    x, axis = main.tensor("x", (4, 5), "int8", q), main.tensor("indices", (2,), "int32")
    y = main.tensor("y", (2, 5), "int8", q)
    main.add("GATHER", [x, axis], [y])
    main.inputs(x, axis)
    main.outputs(y)
    case = only_case(builder.finish())
    assert inputs.drawn(case, {}, 0) is None
    assert list(inputs.directed(case, {})) == []
    known = {axis: np.array([3, 0], np.int32), x: np.zeros((4, 5), np.int8)}
    drawn = inputs.drawn(case, known, 0)
    assert drawn is not None
    assert drawn.arrays[1].tolist() == [3, 0]
    assert drawn.arrays[0].any()


def test_directed_feeds_hold_both_rails_and_the_zero_point() -> None:
    found = [f.arrays[0] for f in inputs.directed(unary("RELU"), {})]
    assert [set(np.unique(a)) for a in found[:4]] == [{-128}, {127}, {-128, 127}, {-5}]
    assert len(np.unique(found[4])) == 256


def test_a_sweep_over_two_operands_holds_every_pair() -> None:
    sweep = list(inputs.directed(binary("ADD"), {}))[-1]
    pairs = sweep.arrays[0].astype(np.int32) * 256 + sweep.arrays[1]
    assert len(np.unique(pairs)) == 65_536


def test_exhaustive_is_said_only_where_it_is_true() -> None:
    def told(case: Case) -> str:
        return inputs.exhaustive(case, tuple(inputs.directed(case, {})))

    assert told(unary("LOGISTIC")) == "all 256 values"
    assert told(unary("LOGISTIC", 255)) == told(unary("LOGISTIC", 7)) == "all 256 values"
    assert told(unary("LOGISTIC", 3)) == ""
    assert told(unary("LOG")) == ""
    assert told(unary("LOGISTIC", 1024, 0, "int16")) == "all 65,536 values"
    assert told(unary("LOGISTIC", 1023 // 4, 0, "int16")) == ""
    assert told(unary("SOFTMAX")) == ""
    assert told(binary("ADD")) == "all 65,536 pairs"
    assert told(binary("ADD", (255, 256))) == ""
    assert inputs.exhaustive(unary("LOGISTIC"), ()) == ""


def test_few_outputs_are_asked_for_more_often() -> None:
    few, many = unary("RELU", 100), unary("RELU", 20_000)
    assert len(list(inputs.redrawn(few, {}, 0))) == 80
    assert list(inputs.redrawn(many, {}, 0)) == []
    assert list(inputs.redrawn(unary("EXP", dtype="float32"), {}, 0)) == []
    drawn = [feed.arrays[0] for feed in inputs.redrawn(few, {}, 0)]
    assert any((abs(a.astype(int) + 5) < 20).all() for a in drawn)
    assert any(set(np.unique(a)) == {-128, -5, 127} for a in drawn)


def test_few_pairs_are_spread_over_all_of_them() -> None:
    *_, sweep = inputs.directed(binary("ADD", (20, 20)), {})
    assert len(np.unique(sweep.arrays[0])) == 256
    assert len(np.unique(sweep.arrays[1])) > 200


def test_floats_have_no_rails() -> None:
    assert list(inputs.directed(unary("EXP", dtype="float32"), {})) == []


def test_every_drawn_feed_can_be_computed() -> None:
    model = convolutional()
    for case in parts.operators(model, model.subgraphs[0]):
        drawn = inputs.drawn(case, {}, 0)
        for feed in (*([drawn] if drawn else []), *inputs.directed(case, {})):
            main = case.cut.model.subgraphs[0]
            tensors = Machine(case.cut.model).run(main, feed.arrays)
            assert set(main.outputs) <= set(tensors)
