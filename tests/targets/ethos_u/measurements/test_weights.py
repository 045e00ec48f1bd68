"""Weight sums, and upper bounds that do not read the values: never below the measurement."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.checks.bound_operator import BoundOperand
from litecheck.checks.context import TensorFacts
from litecheck.model.build import ModelBuilder, qparams
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.estimates import CEILINGS
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.registry import measurement, register_all
from litecheck.targets.ethos_u.placement import place_model

register_all()  # measurements of targets


def model(opcode: str, values: np.ndarray, zero_point: int = 0):
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    size = values.shape[-1]
    x = graph.tensor("x", (1, size), "int8", qparams(0.5))
    w = graph.constant("w", values, qparams(0.25, zero_point))
    y = graph.tensor("y", (1, len(values)), "int8", qparams(0.5))
    graph.add(opcode, [x, w], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
@pytest.mark.parametrize("zero_point", [0, 3, -128, 300])
def test_no_sum_is_above_its_ceiling(opcode: str, zero_point: int) -> None:
    rng = np.random.default_rng(zero_point % 7)
    worst = 0.0
    for dtype in ("int8", "uint8"):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        for values in (rng.integers(low, high + 1, (3, 2, 5)), np.full((4, 1), low), np.full((2, 6), high)):
            one = model(opcode, values.astype(dtype), zero_point)
            graph = one.subgraphs[0]
            weight = graph.tensors[1]
            operands = Operands(graph.operators[0], {"weight": (weight,)}, graph, one)
            roles = {"weight": [BoundOperand("weight", None, TensorFacts(weight))]}
            for name in ("weight_sum", "weight_sum_8bit_input"):
                exact = measurement(name)(operands)
                most = CEILINGS[name](opcode, roles)
                assert most is not None
                if exact is not None:
                    assert exact <= most
                    worst = max(worst, float(exact) / most)
    assert worst > 0.9  # a higher ceiling would decide no limit


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_no_bias_is_above_its_ceiling(dtype: str) -> None:
    """The ceiling is exact: a bias of the lowest number of the type has this magnitude."""
    one = model("FULLY_CONNECTED", np.full((1, 2), np.iinfo(dtype).min, dtype))
    graph = one.subgraphs[0]
    bias = graph.tensors[1]
    operands = Operands(graph.operators[0], {"bias": (bias,)}, graph, one)
    roles = {"bias": [BoundOperand("bias", None, TensorFacts(bias))]}
    assert CEILINGS["bias.largest"]("FULLY_CONNECTED", roles) == measurement("bias.largest")(operands)


@pytest.mark.parametrize("length", [32_639, 32_640, 65_535, 65_536, 65_537])
def test_a_limit_is_settled_by_the_sum_where_the_ceiling_is_too_high(length: int) -> None:
    """127 x 65,536 is the largest allowed sum. Weights of -128 reach it with slightly fewer elements than weights of
    127."""
    for value in (1, 127, -127, -128):
        values = np.full((1, length), value, np.int8)
        report, found = place_model(model("FULLY_CONNECTED", values), load_profile("ethos-u55"))
        over = abs(value) * length > 127 * 65_536
        assert any(f.path.endswith("/weight_sum") for f in found) == over
        assert (report.operators[0].place == "cpu") >= over
