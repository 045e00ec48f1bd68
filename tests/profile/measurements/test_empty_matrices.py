"""Empty products that XNNPACK takes and rejects, or leaves to LiteRT's kernels."""

from __future__ import annotations

import pytest

from litecheck.cases.one_operator import one_operator, run_time
from litecheck.model.build import qparams
from litecheck.profile.known_faults import bind_operands
from litecheck.profile.measurements.measured_operator import Measured
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import Quantization

LHS, RHS, OUTPUT = (2, 0, 3), (2, 3, 4), (2, 0, 4)
TENTH, COLUMNS, SHIFTED = qparams(0.1), qparams([0.1] * 4, 0, 2), qparams(0.1, 5)


def empty_dimensions(
    types: str, lhs: Quantization | None, rhs: Quantization | None, shape: tuple[int, ...] = LHS
) -> Measured:
    """Measure a product; ``types`` are those of lhs, rhs and output."""
    shapes = (("lhs", shape, lhs), ("rhs", RHS, rhs), ("output", (*shape[:-1], 4), lhs))
    made = [run_time(n, s, t, q) for (n, s, q), t in zip(shapes, types.split(), strict=True)]
    model = one_operator("BATCH_MATMUL", made[:2], made[2:])
    main = model.subgraphs[0]
    return measurement("delegated_empty_dimensions")(bind_operands(model, main, main.operators[0]))


@pytest.mark.parametrize(
    ("types", "lhs", "rhs", "value"),
    [
        ("float32 float32 float32", None, None, 1),
        ("float32 int8 float32", None, TENTH, 1),
        ("float32 int8 float32", None, COLUMNS, 1),
        ("int8 int8 int8", TENTH, TENTH, 1),
        ("int8 int8 int8", SHIFTED, TENTH, 1),
        ("int8 int8 int8", TENTH, SHIFTED, None),
        ("int8 int8 int8", TENTH, COLUMNS, None),
        ("int8 int8 int32", TENTH, TENTH, None),
        ("int16 int16 int16", TENTH, TENTH, None),
        ("int16 int8 int16", TENTH, TENTH, None),
    ],
)
def test_only_products_that_xnnpack_takes(
    types: str, lhs: Quantization | None, rhs: Quantization | None, value: Measured
) -> None:
    assert empty_dimensions(types, lhs, rhs) == value


def test_full_matrices_have_no_empty_dimension() -> None:
    assert empty_dimensions("int8 int8 int8", TENTH, TENTH, (2, 2, 3)) == 0
