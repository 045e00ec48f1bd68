"""Conditions of known faults: their values, and unknown names. Real faults: tests/differential/fault_pairs.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.fault_conditions import is_known, value_of
from litecheck.profile.known_faults import bind_operands
from tests.differential.detection import CODE, options

X, Y = run_time("x", (2, 8), "int8", qparams(0.5, 3)), run_time("y", (2, 3), "int8", qparams(0.25))
LAYER = one_operator(
    "FULLY_CONNECTED",
    [X, constant("w", np.arange(-12, 12, dtype=np.int8).reshape(3, 8), qparams([0.5, 1, 2])), None],
    [Y], {"keep_num_dims": True, "fused_activation_function": "RELU6"},
)  # fmt: skip
SUM = one_operator(
    "ADD", [run_time("a", (4,), "int8", qparams(0.5)), run_time("b", (1, 4), "int8", qparams(2))],
    [run_time("y", (1, 4), "int8", qparams(0.25))],
)  # fmt: skip
POOL = one_operator(
    "AVERAGE_POOL_2D", [run_time("x", (1, 5, 3, 1), "float32")], [run_time("y", (1, 1, 1, 1), "float32")],
    {"filter_height": 7, "filter_width": 4},
)  # fmt: skip
MATRICES = one_operator(
    "BATCH_MATMUL",
    [run_time(n, (2, 1, 3, 4, 4), "float32") for n in "ab"],
    [run_time("y", (2, 1, 3, 4, 4), "float32")],
)


def matrices(lhs: tuple[int, ...], rhs: tuple[int, ...], **given: bool) -> Model:
    """Return a product of matrices of two shapes."""
    sides = [run_time(n, shape, "float32") for n, shape in (("a", lhs), ("b", rhs))]
    return one_operator("BATCH_MATMUL", sides, [run_time("y", (1,), "float32")], given)


def detections(**given: float | bool) -> Model:
    """Return an operator of TFLite_Detection_PostProcess with options."""
    builder = ModelBuilder("detections")
    graph = builder.subgraph("main")
    x, s, y = (graph.tensor(name, (1, 2, 4), "float32") for name in "xsy")
    graph.add("CUSTOM", [x, s], [y], custom_code=CODE, custom_options=options(**given))
    graph.inputs(x, s)
    graph.outputs(y)
    return builder.finish()


def loop(outputs: tuple[int, ...]) -> Model:
    """Return a WHILE whose body returns its inputs in this order, counted from 1; 0 is a computed tensor."""
    builder = ModelBuilder("loop")
    main, condition, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    for part in (main, condition, body):
        part.inputs(*(part.tensor(f"{n}", (1,), "int32") for n in range(len(outputs))))
    condition.outputs(condition.tensor("more", (1,), "bool"))
    body.outputs(*(n - 1 if n else body.tensor("new", (1,), "int32") for n in outputs))
    made = [main.tensor(f"{n} out", (1,), "int32") for n in range(len(outputs))]
    main.add("WHILE", list(range(len(outputs))), made, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs(*made)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "name", "value"),
    [
        (LAYER, "weight.type", "int8"),
        (LAYER, "bias.type", "absent"),
        (LAYER, "bias.rank", None),
        (LAYER, "weight.source", "constant"),
        (LAYER, "input.source", "computed"),
        (LAYER, "weight.granularity", "per-axis"),
        (LAYER, "input.granularity", "per-tensor"),
        (POOL, "input.granularity", "none"),
        (LAYER, "weight.rows", 3),
        (LAYER, "weight.row_size", 8),
        (LAYER, "weight.row_remainder", 3),
        (LAYER, "weight.stored", -12),
        (LAYER, "input.stored", None),
        (LAYER, "input.zero_point", 3),
        (LAYER, "weight_writer", "none"),
        (LAYER, "ends_model", "yes"),
        (LAYER, "keep_num_dims", "yes"),
        (LAYER, "fused_activation_function", "RELU6"),
        (LAYER, "no_option", None),
        (SUM, "coarsest_scale", 2),
        (SUM, "product_ratio", 4),
        (SUM, "broadcasts", "yes"),
        (MATRICES, "broadcasts", "no"),
        (SUM, "rank_gap", 1),
        (SUM, "scale_ratio", 8),
        (POOL, "window_beyond_input", 2),
        (MATRICES, "outer_dimensions", 2),
        (MATRICES, "rhs.matrices", 6),
        (MATRICES, "single_beside_empty", 0),
        (MATRICES, "symmetric_rows_without_depth", 0),
        (matrices((0, 1, 2, 3), (0, 0, 3, 4)), "single_beside_empty", 1),
        (matrices((2, 2, 3), (0, 1, 3, 4)), "single_beside_empty", 1),
        (matrices((0, 2, 3), (2, 3, 4)), "single_beside_empty", 0),
        (matrices((2, 3), (0, 3, 4)), "rhs.matrices", 0),
        (matrices((5, 2, 0), (5, 0, 4)), "symmetric_rows_without_depth", 10),
        (matrices((0, 2, 0), (0, 0, 4)), "symmetric_rows_without_depth", 0),
        (matrices((0, 2), (0, 4), adj_x=True), "symmetric_rows_without_depth", 2),
        (matrices((2, 0), (0, 4), asymmetric_quantize_inputs=True), "symmetric_rows_without_depth", 0),
        (matrices((0, 2), (2, 4)), "symmetric_rows_without_depth", 0),
        (LAYER, "symmetric_rows_without_depth", None),
        (LAYER, "projected_beyond_cells", None),
        (LAYER, "block_size_by_32", None),
        (LAYER, "classes_per_detection", None),
        (detections(max_classes_per_detection=3), "classes_per_detection", 3),
        (detections(max_classes_per_detection=3, use_regular_nms=False), "classes_per_detection", 3),
        (detections(max_classes_per_detection=3, use_regular_nms=True), "classes_per_detection", None),
        (detections(), "classes_per_detection", 0),
        (loop((1, 2, 3)), "overwritten_loop_inputs", 0),
        (loop((1, 3, 2)), "overwritten_loop_inputs", 1),
        (loop((0, 3, 2)), "overwritten_loop_inputs", 1),
        (loop((0, 2, 3)), "overwritten_loop_inputs", 0),
        (loop((0, 3, 0)), "overwritten_loop_inputs", 0),
        (loop((1, 1, 1)), "overwritten_loop_inputs", 0),
        (loop((2, 3, 1)), "overwritten_loop_inputs", 1),
        (LAYER, "overwritten_loop_inputs", None),
    ],
)
def test_values(model: Model, name: str, value: Any) -> None:
    main = model.subgraphs[0]
    assert value_of(name, bind_operands(model, main, main.operators[0])) == value


@pytest.mark.parametrize(
    ("name", "known"),
    [("bias.type", True), ("input.rank", True), ("input.rnak", False), ("beta", True), ("a b", False)],
)
def test_known_names(name: str, known: bool) -> None:
    assert is_known(name) == known
