"""Inputs of cases are valid for their operators: index and option operands stay, further operands stay in the
domain."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.inputs import RANDOM, draw_inputs, draw_stimuli, draws, limit_memory
from litecheck.cases.stimulus import Stimuli
from litecheck.cases.sweeps import directed_stimuli
from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.compute_limits import ComputeLimits, set_limits
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.cases.elements import binary, only_case, unary
from tests.verification.networks import convolutional


@pytest.mark.parametrize(("opcode", "least"), [("SQRT", -5), ("RSQRT", -4), ("LOG", -4)])
def test_inputs_of_roots_and_logarithms_are_in_their_domain(opcode: str, least: int) -> None:
    case = unary(opcode)
    fed = [draw_inputs(case, {}, 0), *directed_stimuli(case, {})]
    assert min(int(f.arrays[0].min()) for f in fed if f) == least


def test_a_divisor_is_not_zero() -> None:
    case = binary("DIV")
    fed = [draw_inputs(case, {}, 0), *directed_stimuli(case, {})]
    assert min(int(f.arrays[1].min()) for f in fed if f) == 4


def test_index_operands_keep_the_values_of_the_reference() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.1, 3)
    x, axis = main.tensor("x", (4, 5), "int8", q), main.tensor("indices", (2,), "int32")
    y = main.tensor("y", (2, 5), "int8", q)
    main.add("GATHER", [x, axis], [y])
    main.inputs(x, axis)
    main.outputs(y)
    case = only_case(builder.finish())
    assert draw_inputs(case, {}, 0) is None
    assert list(directed_stimuli(case, {})) == []
    known = {axis: np.array([3, 0], np.int32), x: np.zeros((4, 5), np.int8)}
    made = draw_inputs(case, known, 0)
    assert made is not None
    assert made.arrays[1].tolist() == [3, 0]
    assert made.arrays[0].any()


@pytest.mark.parametrize(
    ("opcode", "shape", "count"), [("GATHER", (6,), 6), ("GATHER_ND", (6, 1), 6), ("GATHER_ND", (1,), 1)]
)
def test_indices_come_in_several_orders(opcode: str, shape: tuple[int, ...], count: int) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.1, 3)
    x, places = main.tensor("x", (8, 5), "int8", q), main.tensor("indices", shape, "int32")
    y = main.tensor("y", (*(shape if opcode == "GATHER" else shape[:-1]), 5), "int8", q)
    main.add(opcode, [x, places], [y])
    main.inputs(x, places)
    main.outputs(y)
    case = only_case(builder.finish())
    known = {places: np.arange(count, dtype=np.int32).reshape(shape), x: np.zeros((8, 5), np.int8)}
    fed = [stimulus.arrays[1] for stimulus in draw_stimuli(case, known, 0, draws(case))]
    assert fed[0].tolist() == known[places].tolist()
    assert {tuple(sorted(array.reshape(-1).tolist())) for array in fed} == {tuple(range(count))}
    assert len({array.tobytes() for array in fed}) == len(fed) == (3 if count > 1 else 1)


def test_coordinates_stay_together() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.1, 3)
    x, places = main.tensor("x", (2, 9, 5), "int8", q), main.tensor("indices", (4, 2), "int32")
    y = main.tensor("y", (4, 5), "int8", q)
    main.add("GATHER_ND", [x, places], [y])
    main.inputs(x, places)
    main.outputs(y)
    case = only_case(builder.finish())
    rows = [[0, 8], [1, 7], [1, 2], [0, 3]]
    known = {places: np.array(rows, np.int32), x: np.zeros((2, 9, 5), np.int8)}
    fed = [stimulus.arrays[1].tolist() for stimulus in draw_stimuli(case, known, 0, 3)]
    assert all(sorted(array) == sorted(rows) for array in fed)
    assert fed[1] != rows


def test_every_drawn_feed_can_be_computed() -> None:
    model = convolutional()
    for case in model_parts.operators(model, model.subgraphs[0]):
        made = draw_inputs(case, {}, 0)
        for stimulus in (*([made] if made else []), *directed_stimuli(case, {})):
            main = case.submodel.model.subgraphs[0]
            tensors = ReferenceInterpreter(case.submodel.model).run(main, stimulus.arrays)
            assert set(main.outputs) <= set(tensors)


def _kept(parts: Sequence[Stimuli], memory: int) -> int:
    set_limits(ComputeLimits(memory=memory))
    try:
        return sum(map(len, limit_memory(parts)))
    finally:
        set_limits(ComputeLimits())


def test_feeds_take_a_share_of_the_memory() -> None:
    """A sixteenth of 16 kB at 4 bytes per element is 256 elements, which the third stimulus of 100 elements
    exceeds."""
    alone = Stimuli((RANDOM,), [(np.zeros(100, np.int8),)])
    for parts in ([alone] * 5, [alone, Stimuli.join([alone] * 4)], [Stimuli.join([alone] * 5)]):
        assert _kept(parts, 4 << 30) == 5
        assert _kept(parts, 16 << 10) == 3
    large = Stimuli((RANDOM,), [(np.zeros(9999, np.int8),)])
    assert _kept([large] * 5, 16 << 10) == 1
    set_limits(ComputeLimits(memory=16 << 10))
    try:
        assert draw_inputs(unary("ABS"), {}, 0) is not None
        set_limits(ComputeLimits(memory=1))
        assert draw_inputs(unary("ABS"), {}, 0) is None
    finally:
        set_limits(ComputeLimits())
