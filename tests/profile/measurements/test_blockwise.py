"""Measurements of blockwise weights: values computed by hand, and None without blockwise weights."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement, operator_measurements
from litecheck.quantization import Blockwise, Quantization


def operands(
    shape: tuple[int, ...] = (6, 64),
    dtype: str = "int4",
    block: int = 32,
    scales: np.ndarray | None = None,
    zeros: np.ndarray | None = None,
    where: int | None = None,
    activation: str = "NONE",
) -> Operands:
    """Return a FULLY_CONNECTED; by default, its weights have a float16 scale for each block."""
    builder = ModelBuilder("blocks")
    graph = builder.subgraph("main")
    held = np.full((shape[0], 2), 0.25, np.float16) if scales is None else scales
    table = graph.constant("scales", held)
    zero = -1 if zeros is None else graph.constant("zero points", zeros)
    stated = Quantization(details=Blockwise(table if where is None else where, zero, block))
    w = graph.constant("w", np.ones(shape, np.int8), stated, dtype)
    x, y = graph.tensor("x", (1, 64), "float32"), graph.tensor("y", (1, shape[0]), "float32")
    graph.add("FULLY_CONNECTED", [x, w], [y], fused_activation_function=activation)
    model = builder.finish()
    main = model.subgraphs[0]
    roles = {"input": (main.tensors[x],), "weight": (main.tensors[w],), "output": (main.tensors[y],)}
    return Operands(main.operators[0], roles, main, model)


HALVES = np.float16([[0.5, 0.0], [np.nan, np.inf], [-0.5, 6e-8]])


@pytest.mark.parametrize(
    ("name", "given", "wanted"),
    [
        ("block_weight_type", {}, "int4"),
        ("block_weight_type", {"dtype": "int8"}, "int8"),
        ("block_bits", {"block": 32}, 128),
        ("block_bits", {"block": 2, "dtype": "int2"}, 4),
        ("block_rows", {"shape": (3, 64)}, 3),
        ("block_columns", {"shape": (3, 8, 5)}, 40),
        ("block_column_odd", {"shape": (3, 64)}, 0),
        ("block_column_odd", {"shape": (3, 63)}, 1),
        ("block_remainder", {"shape": (3, 64)}, 0),
        ("block_remainder", {"shape": (3, 80)}, 16),
        ("block_remainder", {"block": 0}, 64),
        ("block_scale_type", {}, "float16"),
        ("block_scale_type", {"scales": np.ones((6, 2), np.float32)}, "float32"),
        ("block_scale_type", {"where": 99}, "absent"),
        ("block_scale_type", {"where": -1}, "absent"),
        ("block_scale_type", {"where": 2}, "absent"),  # the input: a tensor without values
        ("block_scales_off", {}, 0),
        ("block_scales_off", {"scales": np.ones(11, np.float16)}, -1),
        ("block_scales_off", {"scales": np.ones((6, 3), np.float16)}, 6),
        ("block_scales_off", {"where": 99}, None),
        ("block_scales_off", {"block": -1}, None),
        ("block_scales_unsound", {}, 0),
        ("block_scales_unsound", {"scales": HALVES}, 4),  # a subnormal scale is valid
        ("block_scales_unsound", {"scales": np.ones(4, np.int32)}, None),
        ("block_zero_points", {}, 0),
        ("block_zero_points", {"zeros": np.zeros(12, np.int8)}, 0),
        ("block_zero_points", {"zeros": np.int8([0, 3, -1])}, 2),
        ("block_activation", {}, 0),
        ("block_activation", {"activation": "RELU6"}, 3),
    ],
)
def test_measured(name: str, given: dict[str, object], wanted: Measured) -> None:
    assert measurement(name)(operands(**given)) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name", [name for name in operator_measurements() if name.startswith("block_") and name != "block_size"]
)
def test_operators_without_blockwise_weights_have_no_measurement(name: str) -> None:
    builder = ModelBuilder("plain")
    graph = builder.subgraph("main")
    w = graph.constant("w", np.ones((6, 64), np.int8), qparams(0.5))
    graph.add("FULLY_CONNECTED", [w], [w])
    model = builder.finish()
    main = model.subgraphs[0]
    assert measurement(name)(Operands(main.operators[0], {"weight": (main.tensors[w],)}, main, model)) is None
