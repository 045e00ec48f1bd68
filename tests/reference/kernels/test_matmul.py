"""BATCH_MATMUL, with numbers calculated by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.backends import ALL_BACKENDS, OPTIMIZED
from litecheck.reference.kernels.matmul import batch_matmul, batch_matmul_float
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError
from tests.reference.kernels.layers import output, quantized, real, stored

ROUNDED = {"requantize": "double", "multiplier": "float32"}
A, B = [[1, 2, 3], [4, 5, 6]], [[1, -2], [3, -4], [5, -6]]
#: A times B.
AB = [[22, -28], [49, -64]]


def options(**fields: bool) -> Table:
    return Table("BatchMatMulOptions", fields)


def product(lhs: Operand, rhs: Operand, spec: OutputSpec, given: Table | None = None) -> list[Any]:
    return batch_matmul(lhs, rhs, spec, given, ROUNDED).tolist()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("lhs", "rhs", "spec", "expected"),
    [
        (stored(A), stored(B), output(), AB),
        (stored(A, 0.5), stored(B, 0.5), output(0.25), AB),
        (stored(A, 0.5), stored(B, 0.5), output(0.5), [[11, -14], [25, -32]]),
        (stored(A), stored(B), output(1.0, 10), [[32, -18], [59, -54]]),
        (stored(np.array(A) + 7, 1.0, 7), stored(B), output(), AB),
        (stored(A), stored(np.array(B) - 9, 1.0, -9), output(), AB),
        (stored(np.array(A) + 7, 1.0, 7), stored(np.array(B) - 9, 1.0, -9), output(), AB),
        (stored(A, 4.0), stored(B), output(), [[88, -112], [127, -128]]),
        (stored(A), stored(B, [1.0, 0.5]), output(), [[22, -14], [49, -32]]),
        (
            stored(A, dtype="int16"),
            stored(B, dtype="int16"),
            output(0.25, dtype="int16"),
            [[88, -112], [196, -256]],
        ),
    ],
)
def test_products(lhs: Operand, rhs: Operand, spec: OutputSpec, expected: list[Any]) -> None:
    assert product(lhs, rhs, spec) == expected


def test_transposed_matrices() -> None:
    left, right = np.transpose(A), np.transpose(B)
    assert product(stored(left), stored(B), output(), options(adj_x=True)) == AB
    assert product(stored(A), stored(right), output(), options(adj_y=True)) == AB
    assert product(stored(left), stored(right), output(), options(adj_x=True, adj_y=True)) == AB
    assert product(stored(A), stored(B), output(), options()) == AB


def test_leading_dimensions_broadcast() -> None:
    assert product(stored([A, np.negative(A)]), stored(B), output()) == [AB, np.negative(AB).tolist()]


def test_sums_in_32_bits() -> None:
    """Zero points are left out; the type of the output is int32."""
    made = batch_matmul(stored(A, 1.0, 7), stored(B, 1.0, 5), output(dtype="int32"), None, ROUNDED)
    assert (made.tolist(), made.dtype) == (AB, np.int32)


def test_sums_beyond_float32_are_exact() -> None:
    """2,000 products of 127 * 127 and a product of 1 * 1 need 25 bits."""
    row, column = np.full((1, 2001), 127), np.full((2001, 1), 127)
    row[0, 0] = column[0, 0] = 1
    made = batch_matmul(stored(row), stored(column), output(dtype="int32"), None, ROUNDED)
    assert made.tolist() == [[2000 * 127 * 127 + 1]]


@pytest.mark.parametrize(
    ("lhs", "rhs", "text"),
    [
        (stored([1, 2]), stored(B), r"no matrices: shapes \[2\] and \[3, 2\]"),
        (stored(A), stored([1, 2, 3]), r"no matrices: shapes \[2, 3\] and \[3\]"),
        (stored(A), stored(A), r"\[2, 3\] times \[2, 3\] does not fit"),
    ],
)
def test_shapes_that_do_not_fit(lhs: Operand, rhs: Operand, text: str) -> None:
    with pytest.raises(RunError, match=text):
        product(lhs, rhs, output())


@pytest.mark.parametrize(("width", "value"), [("float32", -4030), ("float64", -4031)])
def test_the_width_of_the_product_of_scales(width: str, value: int) -> None:
    """-75563 steps; LiteRT multiplies the scales in float32, TFLM in float64."""
    left = Operand(np.array([[-25187, -2], [0, 0]], np.int16), "int16", quantized(0.0014595945831388235))
    right = Operand(np.array([[3], [1]], np.int16), "int16", quantized(0.0007670379127375782))
    spec = OutputSpec("int16", (2, 1), quantized(2.0989224140066653e-05))
    made = batch_matmul(left, right, spec, None, {"requantize": "reduced", "multiplier": width})
    assert made.tolist() == [[value], [0]]


SPEC = OutputSpec("float32", ())


def test_real_products() -> None:
    made = batch_matmul_float(
        real(A), real(np.transpose(B)), SPEC, options(adj_y=True), {"dynamic": "as-asked"}
    )
    assert made.tolist() == AB


@pytest.mark.parametrize("dynamic", ["as-asked", "xnnpack"])
@pytest.mark.parametrize("backends", [ALL_BACKENDS, frozenset({OPTIMIZED})])
def test_rows_are_quantized_for_an_int8_matrix(dynamic: str, backends: Any) -> None:
    """127 steps of 1 in each row make roundings exact. The second row has steps of 2."""
    left = real([[127, -127, 3], [254, -254, 4]])
    right = Operand(np.array(B, np.int8), "int8", quantized(0.5))
    made = batch_matmul_float(left, right, SPEC, options(), {"dynamic": dynamic}, backends)
    exact = left.data @ (np.array(B) * 0.5)
    np.testing.assert_allclose(made, exact, atol=6)
    if dynamic == "as-asked":
        np.testing.assert_allclose(made, exact, atol=1e-3)


@pytest.mark.parametrize("asymmetric", [False, True])
def test_rows_of_an_int8_matrix_without_depth(asymmetric: bool) -> None:
    """A sum of no products is 0."""
    left, right = real(np.zeros((2, 0))), Operand(np.zeros((0, 4), np.int8), "int8", quantized(0.5))
    given = options(asymmetric_quantize_inputs=asymmetric)
    made = batch_matmul_float(left, right, SPEC, given, {"dynamic": "as-asked"})
    assert made.tolist() == [[0.0] * 4] * 2


def test_a_real_product_with_int16_is_rejected() -> None:
    with pytest.raises(RunError, match="no kernel for float32 times int16"):
        batch_matmul_float(real(A), stored(B, dtype="int16"), SPEC, None, {"dynamic": "as-asked"})
