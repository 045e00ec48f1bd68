"""Sums of stored values in registers of 16 bits, with numbers calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.narrow_sums import saturating, wrapping
from litecheck.reference.engine.interpreter import run
from tests.reference.defects.test_defects import arithmetic

NAMES = ("sum-16", "sum-16-centered", "sum-16-wraps", "sum-16-wraps-centered")


@pytest.mark.parametrize(
    ("terms", "saturated", "wrapped"),
    [
        ([127] * 258, 32766, 32766),
        ([127] * 259, 32767, -32643),  # 32,893
        ([-128] * 256, -32768, -32768),
        ([-128] * 257, -32768, 32640),  # -32,896
        # 300 times 127 saturates, then 100 times -127 reduces it: 32,767 - 12,700
        ([127] * 300 + [-127] * 100, 20067, 25400),
        ([-127] * 100 + [127] * 300, 25400, 25400),
    ],
)
def test_registers(terms: list[int], saturated: int, wrapped: int) -> None:
    given = np.array([[terms, [0] * len(terms)]])
    assert saturating(given).tolist() == [[saturated, 0]]
    assert wrapping(given).tolist() == [[wrapped, 0]]


def reduction(opcode: str, shape: tuple[int, ...], axes: tuple[int, ...], scale: float) -> Model:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", shape, "int8", qparams(1.0, 100))
    axis = graph.constant("axis", np.array(axes, np.int32))
    kept = tuple(n for d, n in enumerate(shape) if d not in axes)
    made = graph.tensor("y", kept, "int8", qparams(scale, 0))
    graph.add(opcode, [given, axis], [made])
    graph.inputs(given)
    graph.outputs(made)
    return builder.finish()


def pooling(side: int, window: int, out: int, stride: int, padding: str) -> Model:
    builder = ModelBuilder()
    graph = builder.subgraph()
    given = graph.tensor("x", (1, side, side, 1), "int8", qparams(1.0, 0))
    made = graph.tensor("y", (1, out, out, 1), "int8", qparams(1.0, 0))
    graph.add("AVERAGE_POOL_2D", [given], [made], filter_height=window, filter_width=window, stride_h=stride,
              stride_w=stride, padding=padding)  # fmt: skip
    graph.inputs(given)
    graph.outputs(made)
    return builder.finish()


def under(model: Model, opcode: str, name: str, data: np.ndarray) -> list[int]:
    made = run(model, {"x": data}, arithmetic=arithmetic(opcode, defect=name)).outputs["y"]
    return [int(value) for value in made.reshape(-1)]


@pytest.mark.parametrize(
    ("name", "mean", "summed"),
    [
        # 400 times 90 is 36,000; less 400 times the zero point 100 it is -4,000: mean -10, sum -40 of scale 100
        ("none", -10, -40),
        # 32,767 - 40,000 = -7,233: mean -18.08, sum -72.33
        ("sum-16", -18, -72),
        # -29,536 - 40,000 = -69,536: mean -173.84 saturates
        ("sum-16-wraps", -128, -128),
        # -4,000 fits into 16 bits
        ("sum-16-centered", -10, -40),
        ("sum-16-wraps-centered", -10, -40),
    ],
)
def test_means_and_sums(name: str, mean: int, summed: int) -> None:
    data = np.full((2, 20, 20), 90, np.int8)
    assert under(reduction("MEAN", data.shape, (1, 2), 1.0), "MEAN", name, data) == [mean] * 2
    assert under(reduction("SUM", data.shape, (1, 2), 100.0), "SUM", name, data) == [summed] * 2


def test_centered_sums_of_all_axes() -> None:
    # 400 times (-28 - 100) is -51,200: saturates to -32,768, mean -81.92; wraps to 14,336, mean 35.84
    data = np.full((20, 20), -28, np.int8)
    model = reduction("MEAN", data.shape, (0, 1), 1.0)
    assert under(model, "MEAN", "sum-16-centered", data) == [-82]
    assert under(model, "MEAN", "sum-16-wraps-centered", data) == [36]
    assert under(model, "MEAN", "sum-16", data) == under(model, "MEAN", "none", data) == [-128]


@pytest.mark.parametrize(("name", "mean"), [("none", 120), ("sum-16", 101), ("sum-16-wraps", -82)])
def test_a_pooling_window_beyond_16_bits(name: str, mean: int) -> None:
    """18 x 18 times 120 is 38,880: saturates to 32,767, mean 101.13; wraps to -26,656, mean -82.27."""
    data = np.full((1, 18, 18, 1), 120, np.int8)
    assert under(pooling(18, 18, 1, 1, "VALID"), "AVERAGE_POOL_2D", name, data) == [mean]


@pytest.mark.parametrize("name", ["sum-16", "sum-16-wraps"])
def test_padding_does_not_count(name: str) -> None:
    """SAME pads 4 before and 5 after: windows cover 256, 240, 240 and 225 elements, at least -32,768 in total."""
    data = np.full((1, 31, 31, 1), -128, np.int8)
    assert under(pooling(31, 20, 2, 20, "SAME"), "AVERAGE_POOL_2D", name, data) == [-128] * 4


def test_operators_with_narrow_sums() -> None:
    assert [set(NAMES) & set(defects_of(op)) for op in ("MEAN", "SUM")] == [set(NAMES)] * 2
    assert set(NAMES) & set(defects_of("AVERAGE_POOL_2D")) == {"sum-16", "sum-16-wraps"}
    assert not any(set(NAMES) & set(defects_of(op)) for op in ("CONV_2D", "MAX_POOL_2D", "BATCH_MATMUL"))
