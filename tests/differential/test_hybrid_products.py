"""BATCH_MATMUL of float32 and int8 without elements or with a zero point: impacts against LiteRT's resolvers."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck import validate
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.differential.structure.oracle import LiteRT

pytestmark = pytest.mark.runtime
DEFAULT_ONLY, CRASH = "rejected by the default interpreter only", "crashes"
COLUMNS, DEPTH = "limits/columns_without_matrices", "limits/symmetric_rows_without_depth"
EMPTY, ZERO = "limits/delegated_empty_dimensions", "rhs/zero_point"
RUNS = ("runs", "runs", "runs")
REFUSED, LOAD_CRASH = ("runs", "runs", "refused"), ("runs", "runs", "crashes")
RUN_CRASH = ("crashes", "crashes", "refused")
#: Shapes of lhs and rhs, zero point of rhs, options, stages by resolver, findings.
CASES = [
    ((1, 2, 3), (1, 3, 4), 0, {}, RUNS, {}),
    ((1, 2, 3), (0, 3, 4), 0, {}, LOAD_CRASH, {COLUMNS: CRASH}),
    ((0, 2, 3), (0, 3, 4), 0, {}, LOAD_CRASH, {COLUMNS: CRASH}),
    ((1, 2, 3), (0, 4, 3), 0, {"adj_y": True}, LOAD_CRASH, {COLUMNS: CRASH}),
    ((0, 2, 3), (1, 3, 4), 0, {}, REFUSED, {EMPTY: DEFAULT_ONLY}),
    ((1, 2, 3), (0, 3, 0), 0, {}, REFUSED, {EMPTY: DEFAULT_ONLY}),
    ((2, 0), (0, 4), 0, {}, RUN_CRASH, {EMPTY: DEFAULT_ONLY, DEPTH: CRASH}),
    ((2, 0), (0, 4), 0, {"asymmetric_quantize_inputs": True}, REFUSED, {EMPTY: DEFAULT_ONLY}),
    ((0, 0), (0, 4), 0, {}, REFUSED, {EMPTY: DEFAULT_ONLY}),
    ((1, 2, 3), (1, 3, 4), 5, {}, REFUSED, {ZERO: DEFAULT_ONLY}),
    ((1, 2, 3), (1, 3, 4), -128, {}, REFUSED, {ZERO: DEFAULT_ONLY}),
    ((0, 2, 3), (0, 3, 4), 5, {}, REFUSED, {ZERO: DEFAULT_ONLY}),
]


def product(lhs: tuple[int, ...], rhs: tuple[int, ...], zero_point: int, options: dict[str, bool]) -> Model:
    columns = rhs[-2 if options.get("adj_y") else -1]
    output = (*np.broadcast_shapes(lhs[:-2], rhs[:-2]), lhs[-2], columns)
    weights = constant("w", np.full(rhs, 7, np.int8), qparams(0.5, zero_point))
    x, y = run_time("x", lhs, "float32"), run_time("y", output, "float32")
    return one_operator("BATCH_MATMUL", [x, weights], [y], options, version=4)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]} {case[1]} {case[2]} {case[3]}")
def test_products_have_the_measured_impact(case: tuple) -> None:
    lhs, rhs, zero_point, options, stages, findings = case
    model = product(lhs, rhs, zero_point, options)
    with LiteRT() as litert:
        answers = litert.ask_all(
            model_bytes(model), [[np.ones(lhs, np.float32)]], ("reference", "optimized", "xnnpack")
        )
    assert tuple(a.stage for a in answers.values()) == stages
    found = {f.path: f.effect for f in validate(model).findings if f.level == "violation"}
    assert found == {f"BATCH_MATMUL/{path}": impact for path, impact in findings.items()}


def test_litert_ignores_the_zero_point_of_a_float_product() -> None:
    model, x = product((1, 2, 3), (1, 3, 4), 5, {}), np.ones((1, 2, 3), np.float32)
    with LiteRT() as litert:
        (output,) = litert.ask(model_bytes(model), [[x]], "optimized").outputs[0]
    assert np.allclose(output, 3 * 7 * 0.5, atol=0.1)  # the file states 3 * (7 - 5) * 0.5
