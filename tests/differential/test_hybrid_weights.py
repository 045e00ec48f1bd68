"""Weights computed at run time: if LiteRT keeps values of the first weights, the rules state an impact."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck import load_profile, validate_file
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.oracle import Oracle, Refused

pytestmark = pytest.mark.runtime
RNG = np.random.default_rng(5)
#: Tolerance of a product, as a part of the largest magnitude.
OFF = 1e-3


def product(opcode: str, scales: list[float], asymmetric: bool) -> Model:
    """Return a product of five rows of twelve computed weights with three rows of floats."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    x, w = graph.tensor("x", (3, 12), "float32"), graph.tensor("w", (5, 12), "int8", qparams(scales))
    y = graph.tensor("y", (3, 5), "float32")
    more = {"adj_y": True} if opcode == "BATCH_MATMUL" else {}
    graph.add(opcode, [x, w], [y], version=4, asymmetric_quantize_inputs=asymmetric, **more)
    graph.inputs(x, w)
    graph.outputs(y)
    return builder.finish()


def convolution(scales: list[float]) -> Model:
    """Return a convolution of five computed 1 x 1 filters."""
    builder = ModelBuilder("CONV_2D")
    graph = builder.subgraph("main")
    x, w = (
        graph.tensor("x", (1, 3, 1, 12), "float32"),
        graph.tensor("w", (5, 1, 1, 12), "int8", qparams(scales)),
    )
    b = graph.constant("b", np.zeros(5, np.float32))
    y = graph.tensor("y", (1, 3, 1, 5), "float32")
    graph.add("CONV_2D", [x, w, b], [y], version=5, padding="VALID", stride_w=1, stride_h=1)
    graph.inputs(x, w)
    graph.outputs(y)
    return builder.finish()


def second_is_right(oracle: Oracle, model: Model, resolver: str) -> bool:
    """Return True if the second inference, with different weights, is the product of its inputs."""
    given, weights = (model.subgraphs[0].tensors[i] for i in model.subgraphs[0].inputs)
    runs = []
    for _ in range(2):
        x = (RNG.random(given.shape) > 0.4) * np.float32(1.5)
        runs.append([x.astype(np.float32), RNG.integers(-127, 128, weights.shape).astype(np.int8)])
    got = oracle.run_many(model_bytes(model), runs, resolver)
    assert not isinstance(got, Refused)
    x, w = (values.reshape(-1, 12).astype(np.float64) for values in runs[1])
    expected = x @ (w * weights.quantization.scale[:, None].astype(np.float64)).T
    return bool(np.abs(got[1][0].reshape(expected.shape) - expected).max() < OFF * np.abs(expected).max())


ONE, SEVERAL = [0.5], [0.5, 0.25, 0.125, 0.0625, 1]


@pytest.mark.parametrize(
    ("model", "wrong_on", "path"),
    [
        (product("FULLY_CONNECTED", ONE, False), (), ""),
        (product("FULLY_CONNECTED", ONE, True), ("reference", "optimized", "xnnpack"), "computed_weight_sums"),
        (product("FULLY_CONNECTED", SEVERAL, True), ("reference", "optimized", "xnnpack"), "computed_weight_sums"),
        (product("BATCH_MATMUL", ONE, False), ("xnnpack",), "rhs.constant"),
        (product("BATCH_MATMUL", ONE, True), ("reference", "optimized", "xnnpack"), "rhs.constant"),
        (convolution(ONE), (), ""),
        (convolution(SEVERAL), ("optimized", "xnnpack"), "computed_weight_scales"),
    ],
)  # fmt: skip
def test_weights_that_change(
    oracle: Oracle, tmp_path: Path, model: Model, wrong_on: tuple[str, ...], path: str
) -> None:
    wrong = [r for r in ("reference", "optimized", "xnnpack") if not second_is_right(oracle, model, r)]
    assert tuple(wrong) == wrong_on
    file = tmp_path / "computed.tflite"
    file.write_bytes(model_bytes(model))
    (report,) = validate_file(file, [load_profile("litert-hybrid")])
    assert report.covered == 1
    opcode = model.subgraphs[0].operators[0].opcode
    found = [(f.path, f.level, f.effect) for f in report.findings]
    assert found == ([(f"{opcode}/limits/{path}", "violation", "wrong results")] if path else [])
