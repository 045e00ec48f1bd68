"""Inputs aimed at an operator's own weights, and at the middle between two codes."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases import model_parts
from litecheck.cases.distinguishing_inputs import extreme_inputs
from litecheck.cases.model_parts import Case
from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.engine.interpreter import ReferenceInterpreter

ZERO = 4


def layer(
    opcode: str, shape: tuple[int, ...], weights: np.ndarray, out: tuple[int, ...], **options: object
) -> Case:
    """Return a layer without bias and with output steps of 1024 accumulator units."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", shape, "int8", qparams(1.0, ZERO))
    w = main.constant("w", weights, qparams(1.0, 0))
    units = weights.shape[-1 if opcode.startswith("DEPTH") else 0]
    bias = main.constant("bias", np.zeros(units, np.int32), qparams(1.0, 0))
    y = main.tensor("y", out, "int8", qparams(1024.0, 0))
    main.add(opcode, [x, w, bias], [y], **options)  # type: ignore[arg-type]
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    return next(model_parts.operators(model, model.subgraphs[0]))


def largest_and_least(case: Case) -> tuple[np.ndarray, np.ndarray]:
    main = case.submodel.model.subgraphs[0]
    high, low, *_ = (
        ReferenceInterpreter(case.submodel.model).run(main, f.arrays)[main.outputs[0]]
        for f in extreme_inputs(case, {})
    )
    return high, low


def reach(weights: np.ndarray) -> tuple[int, int]:
    """Return the largest and smallest possible sum of int8 inputs, in steps of the output."""
    up, down = weights[weights > 0].sum(dtype=int), weights[weights <= 0].sum(dtype=int)
    largest = (127 - ZERO) * up + (-128 - ZERO) * down
    smallest = (-128 - ZERO) * up + (127 - ZERO) * down
    return round(largest / 1024), round(smallest / 1024)


def test_each_row_of_a_dense_layer_makes_another_unit_large() -> None:
    weights = np.random.default_rng(1).integers(-60, 60, (3, 16)).astype(np.int8)
    high, low = largest_and_least(layer("FULLY_CONNECTED", (3, 16), weights, (3, 3)))
    assert [int(high[n, n]) for n in range(3)] == [reach(w)[0] for w in weights]
    assert [int(low[n, n]) for n in range(3)] == [reach(w)[1] for w in weights]


def test_a_single_row_makes_the_unit_large_that_can_be() -> None:
    weights = np.random.default_rng(1).integers(-30, 30, (5, 16)).astype(np.int8)
    weights[3] = 60
    high, _ = largest_and_least(layer("FULLY_CONNECTED", (1, 16), weights, (1, 5)))
    assert int(high[0, 3]) == reach(weights[3])[0]


@pytest.mark.parametrize("opcode", ["FULLY_CONNECTED", "CONV_2D", "DEPTHWISE_CONV_2D"])
def test_half_way_sums_are_large_and_come_back(opcode: str) -> None:
    weights = np.random.default_rng(6).integers(40, 90, 18).astype(np.int8)
    weights[::3] *= -1
    shapes = {"FULLY_CONNECTED": ((1, 18), (1, 18)), "CONV_2D": ((1, 3, 3, 2), (1, 3, 3, 2))}
    shape, filters = shapes.get(opcode, ((1, 18, 1, 1), (1, 18, 1, 1)))
    more = {} if opcode == "FULLY_CONNECTED" else {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    case = layer(opcode, shape, weights.reshape(filters), (1, 1, 1, 1)[: len(shape)], **more)
    turns = list(extreme_inputs(case, {}))[2:]
    for stimulus, sign in zip(turns, (1, -1), strict=True):
        products = (stimulus.arrays[0].reshape(-1).astype(int) - ZERO) * weights * sign
        assert (products[:9] > 0).all()
        assert (products[9:] < 0).all()


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("gap", [1, 2])
def test_some_window_meets_the_largest_filter_as_it_is(padding: str, gap: int) -> None:
    weights = np.random.default_rng(2).integers(-40, 40, (3, 3, 2, 2)).astype(np.int8)
    weights[1] = np.random.default_rng(3).integers(-90, 90, (3, 2, 2))
    side = 11 if padding == "SAME" else 11 - 2 * gap
    more = {
        "padding": padding,
        "stride_h": 1,
        "stride_w": 1,
        "dilation_h_factor": gap,
        "dilation_w_factor": gap,
    }
    width = 11 if padding == "SAME" else 11 - gap
    high, low = largest_and_least(layer("CONV_2D", (1, 11, 11, 2), weights, (1, side, width, 3), **more))
    assert (int(high[..., 1].max()), int(low[..., 1].min())) == reach(weights[1])


def test_every_channel_of_a_depthwise_layer_meets_its_own_filter() -> None:
    weights = np.random.default_rng(4).integers(-100, 100, (1, 3, 3, 5)).astype(np.int8)
    more = {"padding": "SAME", "stride_h": 1, "stride_w": 1, "depth_multiplier": 1}
    high, _ = largest_and_least(layer("DEPTHWISE_CONV_2D", (1, 9, 9, 5), weights, (1, 9, 9, 5), **more))
    assert high.max((0, 1, 2)).tolist() == [reach(weights[0, :, :, n])[0] for n in range(5)]


def test_reals_are_quantized_from_halfway_between_codes() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (300,), "float32"), main.tensor("y", (300,), "int8", qparams(0.5, 7))
    main.add("QUANTIZE", [x], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    ((stimulus,),) = [[f.arrays[0] for f in extreme_inputs(case, {})]]
    steps = stimulus / 0.5 + 7
    assert ((steps - np.floor(steps)) == 0.5).all()
    assert (steps.min(), steps.max()) == (-129.5, 128.5)
