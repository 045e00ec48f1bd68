"""Reduced models give the same values as the corresponding elements of the larger model."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.inputs import draw_inputs
from litecheck.model.save import model_bytes
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.verification.reproducers.model_reduction import Trial, _parts, narrower
from tests.verification.networks import convolutional


def trial(opcode: str) -> Trial:
    model = convolutional()
    case = next(c for c in model_parts.operators(model, model.subgraphs[0]) if c.opcodes == (opcode,))
    stimulus = draw_inputs(case, {}, 0)
    assert stimulus is not None
    return Trial(case.submodel.model, stimulus.arrays)


def outputs(t: Trial) -> np.ndarray:
    main = t.model.subgraphs[0]
    return ReferenceInterpreter(t.model).run(main, t.inputs)[main.outputs[0]]


@pytest.mark.parametrize(
    "opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "ADD", "AVERAGE_POOL_2D", "SOFTMAX"]
)
def test_every_smaller_trial_runs_in_the_shapes_it_states(opcode: str) -> None:
    whole = trial(opcode)
    found = list(narrower(whole))
    assert found
    for smaller in found:
        main = smaller.model.subgraphs[0]
        assert smaller.size < whole.size
        assert outputs(smaller).shape == main.tensors[main.outputs[0]].shape
        assert len(model_bytes(smaller.model))


@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_one_channel_keeps_its_values_weights_and_scale(opcode: str) -> None:
    whole = trial(opcode)
    wide = outputs(whole)
    narrow = [outputs(t) for t in narrower(whole)]
    first = [o for o in narrow if o.shape == (*wide.shape[:-1], 1)]
    assert any(np.array_equal(o, wide[..., :1]) for o in first)
    assert any(np.array_equal(o, wide[..., -1:]) for o in first)


def test_elements_of_an_elementwise_operator_stay_themselves() -> None:
    whole = trial("ADD")
    wide = outputs(whole)
    assert any(np.array_equal(outputs(t), wide[:, :1]) for t in narrower(whole))


def test_several_operators_are_left_alone() -> None:
    model = convolutional()
    case = model_parts.whole_model(model, model.subgraphs[0])
    assert not list(narrower(Trial(case.submodel.model, (np.zeros((1, 8, 8, 3), np.int8),))))


@pytest.mark.parametrize(
    ("length", "parts"),
    [
        (1, []),
        (2, [(0, 1), (1, 2)]),
        (3, [(0, 1), (2, 3), (0, 2), (1, 3)]),
        (4, [(0, 1), (3, 4), (0, 2), (2, 4), (1, 4), (0, 3)]),
        (5, [(0, 1), (4, 5), (0, 2), (2, 4), (0, 3), (3, 5), (1, 5), (0, 4)]),
    ],
)
def test_parts_of_an_axis(length: int, parts: list[tuple[int, int]]) -> None:
    assert list(_parts(length)) == parts
