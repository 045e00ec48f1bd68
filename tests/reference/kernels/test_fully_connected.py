"""FULLY_CONNECTED on rows with outputs calculated by hand, and the laws of shapes, zero points and types."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.reference.backends import OPTIMIZED, XNNPACK
from litecheck.reference.kernels import fully_connected
from litecheck.reference.kernels.fully_connected import fully_connected as product
from litecheck.reference.kernels.fully_connected import fully_connected_float as real_product
from litecheck.reference.runtime_tensors import RunError

from .layers import DOUBLE, NONE, RELU, output, real, stored


def options(fused: int = NONE, keep: bool = False, **more: Any) -> Table:
    fields = {"fused_activation_function": fused, "keep_num_dims": keep, **more}
    return Table("FullyConnectedOptions", fields)


ROWS = stored([[1, 2, 3], [-4, 5, 6]], 0.5, 1)  # minus the zero point 0, 1, 2 / -5, 4, 5
WEIGHT = [[1, 2, 3], [1, -1, 2]]  # sums 8, 3 / 18, 1


@pytest.mark.parametrize(
    ("bias", "fused", "expected"),
    [
        (None, NONE, [[3, -2], [13, -4]]),
        ([10, -20], NONE, [[13, -22], [23, -24]]),
        ([10, -20], RELU, [[13, -5], [23, -5]]),
    ],
)
def test_sums_of_rows(bias: list[int] | None, fused: int, expected: list[list[int]]) -> None:
    """0.5 * 0.25 / 0.125 = 1, so that an output is the sum plus its zero point -5."""
    added = None if bias is None else stored(bias, 0.125, dtype="int32")
    made = product(ROWS, stored(WEIGHT, 0.25), added, output(0.125, -5), options(fused), DOUBLE)
    assert made.dtype == np.int8
    assert made.tolist() == expected


def test_a_zero_point_of_weights_counts_with_a_single_scale() -> None:
    """(7 - 4) * 2 = 6 and (5 - 4) * 2 = 2; with a scale for each unit 7 * 2 and 5 * 2 * 0.5."""
    rows, weight = stored([[2]]), [[7], [5]]
    one = product(rows, stored(weight, 1.0, 4), None, output(), options(), DOUBLE)
    each = product(rows, stored(weight, [1.0, 0.5], 4), None, output(), options(), DOUBLE)
    assert (one.tolist(), each.tolist()) == ([[6, 2]], [[14, 5]])


@pytest.mark.parametrize(
    ("shape", "given", "expected"),
    [
        ((2, 3, 4), options(), (6, 5)),
        ((2, 3, 4), options(keep=True), (2, 3, 5)),
        ((2, 3, 4), None, (6, 5)),
        ((2, 2, 2), options(), (2, 5)),
        ((4,), options(keep=True), (5,)),
    ],
)
def test_shapes(shape: tuple[int, ...], given: Table | None, expected: tuple[int, ...]) -> None:
    """An input is reshaped to rows of the weights' depth 4."""
    weight = stored(np.ones((5, 4)))
    assert product(stored(np.ones(shape)), weight, None, output(), given, DOUBLE).shape == expected
    made = real_product(real(np.ones(shape)), real(np.ones((5, 4))), None, output(dtype="float32"), given, {})
    assert made.shape == expected


@pytest.mark.parametrize(("rows", "units", "depth"), [((3, 2), 0, 4), ((3, 2), 5, 0), ((0,), 5, 4)])
def test_empty_products(rows: tuple[int, ...], units: int, depth: int) -> None:
    """Without a product an output is its bias."""
    x, added = np.ones((*rows, depth)), np.arange(units)
    made = product(
        stored(x), stored(np.ones((units, depth))), stored(added, dtype="int32"), output(), options(), DOUBLE
    )
    floats = real_product(
        real(x), real(np.ones((units, depth))), real(added), output(dtype="float32"), options(), {}
    )
    for found in (made, floats):
        assert found.tolist() == (added + np.full((int(np.prod(rows)), 1), depth)).tolist()


def test_weights_need_two_dimensions() -> None:
    with pytest.raises(RunError, match=r"weights have shape \[3\], not two dimensions"):
        product(ROWS, stored([1, 2, 3]), None, output(), options(), DOUBLE)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_parts_of_a_batch_change_nothing(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(2)
    batch, weight = stored(random.integers(-9, 9, (5, 3))), random.integers(-9, 9, (4, 3))
    monkeypatch.setattr(fully_connected, "ROWS", rows)
    made = product(batch, stored(weight), None, output(), options(), DOUBLE)
    assert made.tolist() == np.clip(batch.data.astype(int) @ weight.T, -128, 127).tolist()


@pytest.mark.parametrize(
    ("variant", "bias", "stated", "expected"),
    [
        ("double", None, 0, -13719),
        ("double", "int32", 4, -13719),
        ("reduced", "int64", 2, 19049),
        ("reduced", None, 0, 19049),
        ("float64", None, 2, -13719),
        ("float64", None, 4, 19049),
    ],
)
def test_the_variant_states_the_width_of_int16_sums(
    variant: str, bias: str | None, stated: int, expected: int
) -> None:
    """600 * 32767 * 127 = 2496845400 overflows 32 bits; ``float64`` exists for sums of both widths.

    Type 2 is int32, 4 is int64. In steps of 2 ** 17 the sum is 19049.4, less 2 ** 32 it is -13718.6.
    """
    rows, weight = stored(np.full((1, 600), 32767), dtype="int16"), stored(np.full((1, 600), 127))
    added = None if bias is None else stored([0], dtype=bias)
    given = options(quantized_bias_type=stated)
    made = product(rows, weight, added, output(2.0**17, 0, "int16"), given, {**DOUBLE, "requantize": variant})
    assert made.tolist() == [[expected]]


def test_the_real_product() -> None:
    rows, weight = real([[1, 2], [-3, 4]]), real([[0.5, 1], [2, -1]])
    bare = real_product(rows, weight, None, output(dtype="float32"), options(), {})
    assert bare.tolist() == [[2.5, 0.0], [2.5, -10.0]]
    made = real_product(rows, weight, real([1, -1]), output(dtype="float32"), options(RELU), {})
    assert made.tolist() == [[3.5, 0.0], [3.5, 0.0]]


def test_int8_weights_on_real_rows() -> None:
    """Each row has its scale: 127, -64 in steps of 0.01, 127, 0 in steps of 0.1; sums 62 and 254, weights in halves."""
    rows, weight = real([[1.27, -0.64], [12.7, 0.0]]), stored([[2, 3]], 0.5)
    made = real_product(
        rows, weight, real([1.0]), output(dtype="float32"), options(), {"dynamic": "as-asked"}, frozenset()
    )
    np.testing.assert_allclose(made.reshape(-1), [1.31, 13.7], rtol=1e-6)


@pytest.mark.parametrize(
    ("dtype", "variant", "backends", "expected"),
    [
        ("int8", "xnnpack", (XNNPACK, OPTIMIZED), "xnnpack"),
        ("int8", "xnnpack", (OPTIMIZED,), "as-asked"),
        ("int4", "xnnpack", (OPTIMIZED,), "symmetric"),
        ("int4", "xnnpack", (), "as-asked"),
        ("int4", "symmetric", (OPTIMIZED,), "symmetric"),
        ("int4", "symmetric", (XNNPACK,), "as-asked"),
        ("int8", "as-asked", (XNNPACK, OPTIMIZED), "as-asked"),
    ],
)
def test_quantization_of_rows(dtype: str, variant: str, backends: tuple[Any, ...], expected: str) -> None:
    weight = stored([[1]])
    weight.dtype = dtype
    assert fully_connected._variant(weight, {"dynamic": variant}, frozenset(backends)) == expected


def test_weights_without_a_kernel() -> None:
    with pytest.raises(RunError, match="no kernel for float32 activations under these uint8 weights"):
        real_product(
            real([[1, 2]]), stored([[1, 2]], dtype="uint8"), None, output(dtype="float32"), options(),
            {"dynamic": "as-asked"},
        )  # fmt: skip


@pytest.mark.parametrize(
    ("scales", "multiplier", "expected"),
    [
        (0.173, "float32", 101),
        (0.173, "float64", 100),
        ([0.173, 0.173], "float32", 100),
        ([0.173, 0.173], "float64", 100),
    ],
)
def test_the_width_of_the_product_of_scales(scales: Any, multiplier: str, expected: int) -> None:
    """In float32 0.1 * 0.173 is larger by 5e-8 of its value, so that the sum with the bias exceeds the tie at 100.5."""
    scale = 0.7 * 2.0**18
    product_of_scales = np.float64(np.float32(0.1) * np.float32(0.173)) / np.float64(np.float32(scale))
    total = int(np.ceil(100.5 / product_of_scales)) + 5
    bias = stored([total, total], dtype="int32")
    weight, variants = stored([[1], [1]], scales), {"requantize": "double", "multiplier": multiplier}
    made = product(stored([[0]], 0.1), weight, bias, output(scale), options(), variants)
    assert made.tolist() == [[expected, expected]]
