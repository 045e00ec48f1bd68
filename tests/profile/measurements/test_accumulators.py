"""Largest sums of products: compared with all possible inputs, computed by hand, in windows, and not applicable."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from litecheck.model import stored_values as scan
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.measurements import accumulators
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement


@pytest.fixture(autouse=True)
def every_sum_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure small layers too."""
    monkeypatch.setattr(accumulators, "INT32", 0)
    monkeypatch.setattr(accumulators, "PLAIN", 0)


def layer(
    opcode: str,
    weights: np.ndarray,
    bias: np.ndarray | None = None,
    dtype: str = "int8",
    zero: int = 0,
    own_zero: int = 0,
    roles: tuple[str, ...] = ("input", "weight", "bias"),
    kind: str | None = None,
    **options: Option,
) -> Operands:
    """Return a layer with scales 1/2, 1/4 and 1/8."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    x = graph.tensor("x", (2, 2), dtype, qparams(0.5, zero))
    w = graph.constant("w", weights, qparams(0.25, own_zero), kind)
    given = [x, w] + ([] if bias is None else [graph.constant("b", bias, qparams(0.125))])
    y = graph.tensor("y", (2, 2), dtype, qparams(0.125))
    graph.add(opcode, given, [y], **options)
    main = builder.finish().subgraphs[0]
    bound = {role: (main.tensors[index],) for role, index in zip((*roles,), given, strict=False)}
    return Operands(main.operators[0], {**bound, "output": (main.tensors[y],)}, main, builder.finish())


def largest(operands: Operands, name: str = "largest_accumulator") -> Measured:
    return measurement(name)(operands)


def test_the_accumulator_equals_that_of_the_best_input() -> None:
    rng = np.random.default_rng(1)
    for _ in range(20):
        weights = rng.integers(-127, 128, (3, 4)).astype(np.int8)
        bias = rng.integers(-500, 500, 3).astype(np.int32)
        zero = int(rng.integers(-128, 128))
        ends = np.array(list(product((-128 - zero, 127 - zero, 0), repeat=4)))
        sums = ends @ weights.astype(np.int64).T + bias
        assert largest(layer("FULLY_CONNECTED", weights, bias, zero=zero)) == abs(sums).max()


def test_a_smaller_input_gives_a_smaller_accumulator() -> None:
    """Negative control: it is the largest sum, not a bound above it."""
    weights = np.array([[127, -127]], np.int8)
    assert largest(layer("FULLY_CONNECTED", weights)) == 127 * 127 + 127 * 128
    weights[0, 1] += 1
    assert largest(layer("FULLY_CONNECTED", weights)) == 127 * 128 + 126 * 127


@pytest.mark.parametrize(
    ("opcode", "shape", "options", "wanted"),
    [
        ("CONV_2D", (2, 3, 3, 2), {}, 18),
        ("DEPTHWISE_CONV_2D", (1, 3, 3, 5), {}, 9),
        ("FULLY_CONNECTED", (4, 6), {}, 6),
        # of a 3x3 filter with stride 2, an output pixel meets 2 * 2 taps at most
        ("TRANSPOSE_CONV", (2, 3, 3, 5), {"stride_h": 2, "stride_w": 2}, 4 * 5),
        ("TRANSPOSE_CONV", (2, 3, 3, 5), {"stride_h": 1, "stride_w": 1}, 9 * 5),
        ("TRANSPOSE_CONV", (2, 1, 1, 5), {"stride_h": 3, "stride_w": 3}, 5),
    ],
)
def test_number_of_summed_products(
    opcode: str, shape: tuple[int, ...], options: dict[str, Option], wanted: int
) -> None:
    assert largest(layer(opcode, np.ones(shape, np.int8), **options)) == 128 * wanted


@pytest.mark.parametrize(
    ("roles", "options", "wanted"),
    [
        (("lhs", "rhs"), {}, 3),  # rhs is (summed, columns)
        (("lhs", "rhs"), {"adj_y": True}, 5),
        (("rhs", "lhs"), {}, 5),  # lhs is (rows, summed)
        (("rhs", "lhs"), {"adj_x": True}, 3),
    ],
)
def test_a_constant_side_of_a_product_of_matrices(
    roles: tuple[str, ...], options: dict[str, Option], wanted: int
) -> None:
    operands = layer("BATCH_MATMUL", np.full((2, 3, 5), 3, np.int8), own_zero=1, roles=roles, **options)
    assert largest(operands) == 128 * 2 * wanted


@pytest.mark.parametrize("window", [1, 4, 7, 64])
def test_windows_do_not_show(monkeypatch: pytest.MonkeyPatch, window: int) -> None:
    monkeypatch.setattr(scan, "WINDOW", window)
    rng = np.random.default_rng(window)
    for shape, axes in (((3, 5, 2), (1,)), ((1, 7, 3), (1,)), ((6, 4, 1), (1,))):
        for kind in ("int8", "int4"):
            values = rng.integers(-8, 8, shape).astype(np.int8)
            builder = ModelBuilder("w")
            graph = builder.subgraph("main")
            graph.constant("w", values, None, kind)
            found = scan.signed_sums(builder.finish().subgraphs[0].tensors[0], shape, 2)
            assert found is not None
            centred = values.astype(np.int64) - 2
            assert (found[0] == np.maximum(centred, 0).sum(axes)).all()
            assert (found[1] == np.minimum(centred, 0).sum(axes)).all()


def test_steps_are_those_of_the_output() -> None:
    operands = layer("FULLY_CONNECTED", np.full((1, 2), 100, np.int8), np.int32([1000]))
    assert largest(operands, "largest_rescaled_sum") == 2 * 100 * 127 + 1000


def test_biases_by_measurement_and_type() -> None:
    weights = np.ones((1, 2), np.int8)
    narrow, wide = (layer("FULLY_CONNECTED", weights, np.array([9], d), "int16") for d in ("int32", "int64"))
    none = layer("FULLY_CONNECTED", weights, None, "int16")
    names = ("largest_accumulator", "largest_int32_accumulator", "unbiased_accumulator")
    assert [largest(narrow, name) for name in names] == [2 * 32767 + 9, 2 * 32767 + 9, None]
    assert [largest(wide, name) for name in names] == [2 * 32767 + 9, None, None]
    assert [largest(none, name) for name in names] == [2 * 32768, None, 2 * 32768]


def test_layers_without_a_measurement() -> None:
    ones = np.ones((2, 3), np.int8)
    assert largest(layer("FULLY_CONNECTED", ones, zero=300)) is None
    assert largest(layer("FULLY_CONNECTED", ones, dtype="float32")) is None
    assert largest(layer("FULLY_CONNECTED", ones, np.ones(5, np.int32))) is None
    assert largest(layer("FULLY_CONNECTED", np.ones(3, np.int8))) is None
    assert largest(layer("DEPTHWISE_CONV_2D", ones)) is None
    assert largest(layer("TRANSPOSE_CONV", ones)) is None
    assert largest(layer("FULLY_CONNECTED", ones.astype(np.float32))) is None
    assert largest(layer("BATCH_MATMUL", ones, roles=("lhs",))) is None
    assert largest(layer("FULLY_CONNECTED", ones, np.full(2, -(2**63)), "int16")) == 2**63
    assert largest(layer("FULLY_CONNECTED", ones, roles=("input",)), "largest_rescaled_sum") is None


def test_small_plain_layers_are_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    ones = np.ones((2, 3), np.int8)
    assert largest(layer("FULLY_CONNECTED", ones, np.full(2, 2**30, np.int32))) is None
    assert largest(layer("FULLY_CONNECTED", ones, np.full(2, 2**31 - 1, np.int32))) == 2**31 - 1 + 3 * 127
