"""Measurements of convolutions on both sides of their borders."""

from __future__ import annotations

from typing import Any

import pytest

from tests.profile.measurements.examples import t, value_of


@pytest.mark.parametrize(
    ("window", "strides", "batches", "value"),
    [
        ((1, 1), (1, 1), ((1, 6), (1, 6)), None),  # pointwise
        ((1, 1), (2, 1), ((1, 6), (1, 6)), 6),
        ((1, 1), (1, 2), ((1, 6), (1, 6)), 6),
        ((1, 3), (1, 1), ((1, 6), (1, 6)), 6),
        ((3, 1), (1, 1), ((1, 6), (1, 6)), 6),
        ((1, 1), (1, 1), ((1, 3), (1, 6)), 6),
        ((3, 3), (1, 1), ((6, 1), (6, 1)), 1),
        ((3, 3), (1, 1), ((1, 2), (1, 1)), 2),
    ],
)
def test_misaligned_batch_dim(
    window: tuple[int, int], strides: tuple[int, int], batches: tuple[tuple[int, int], ...], value: int | None
) -> None:
    tensors = {
        "input": t(*batches[0], 4, 4, 8),
        "weight": t(8, *window, 8),
        "output": t(*batches[1], 4, 4, 8),
    }
    options = dict(zip(("stride_h", "stride_w"), strides, strict=True))
    assert value_of("misaligned_batch_dim", "CONV_2D", tensors, options) == value


@pytest.mark.parametrize(
    ("window", "sides", "strides", "word"),
    [
        ((3, 3), (4, 4), (1, 1), "plain"),
        ((3, 3), (4, 4), (2, 2), "double"),
        ((1, 3), (1, 4), (1, 2), "wide"),
        ((1, 3), (2, 4), (1, 2), "w2h1"),
        ((2, 3), (1, 4), (1, 2), "w2h1"),
        ((3, 1), (4, 1), (2, 1), "high"),
        ((3, 1), (4, 2), (2, 1), "w1h2"),
        ((1, 3), (1, 4), (2, 1), "w1h2"),
        ((3, 1), (4, 1), (1, 2), "w2h1"),
    ],
)
def test_stride_class_of_a_transposed_convolution(
    window: tuple[int, int], sides: tuple[int, int], strides: tuple[int, int], word: str
) -> None:
    tensors: dict[str, dict[str, Any]] = {
        "weight": t(8, *window, 8),
        "input": t(1, *sides, 8),
        "output": t(1, *(n * s for n, s in zip(sides, strides, strict=True)), 8),
    }
    options = dict(zip(("stride_h", "stride_w"), strides, strict=True))
    assert str(value_of("transpose_conv_stride_class", "TRANSPOSE_CONV", tensors, options)) == word
