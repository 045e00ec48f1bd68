"""Causes found in stored integers without real values: names, sentences and counts for small tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from litecheck.quantizer.causes.integer_patterns import patterns
from litecheck.quantizer.comparison_result import Mismatch
from litecheck.quantizer.onnx_types import storage
from litecheck.quantizer.types import Parameters


def causes(
    expected: Any, actual: Any, dtype: str = "int8", zero: Sequence[int] | None = None, real: Any = None
) -> list[tuple[str, str]]:
    """Return names and sentences of the causes. Every cause is exact and counts the differing elements."""
    wanted, given = np.array(expected, storage(dtype)), np.array(actual, storage(dtype))
    differing = int((wanted != given).sum())
    parameters = None if zero is None else Parameters(np.ones(len(zero), np.float32), np.array(zero))
    case = Mismatch(
        wanted.reshape(-1),
        given.reshape(-1),
        dtype,
        wanted.shape,
        differing,
        real=real,
        parameters=parameters,
    )
    found = patterns(case)
    assert all(one.explained == differing and one.broken == 0 for one in found)
    assert all(one.exact is (one.name != "half-even-pattern") for one in found)
    return [(one.name, one.sentence) for one in found]


SIGN = "The device's integers have the top bit turned over: signed and unsigned are {} apart."


@pytest.mark.parametrize(
    ("expected", "actual", "dtype", "found"),
    [
        ([1, 2, 100], [3, 4, 102], "int8",
         [("offset", "Every integer is off by +2, as from a zero point off by +2.")]),
        ([1, 2, 126], [3, 4, 127], "int8",
         [("offset", "Every integer is off by +2, as from a zero point off by +2.")]),
        ([1, 2, 126], [3, 4, -128], "int8",
         [("offset-wrapped",
           "Every integer is off by +2, as from a zero point off by +2, and wraps around instead of saturating.")]),
        ([1, 2, 0], [0, 1, 255], "uint8",
         [("offset-wrapped",
           "Every integer is off by -1, as from a zero point off by -1, and wraps around instead of saturating.")]),
        ([1, 2, 3], [3, 4, 9], "int8", []),
        ([1, -2, 100], [-127, 126, -28], "int8", [("sign-bit", SIGN.format(128))]),
        ([1, 200, 100], [129, 72, 228], "uint8", [("sign-bit", SIGN.format(128))]),
        ([1, -2, 7], [-7, 6, -1], "int4", [("sign-bit", SIGN.format(8))]),
        ([-128, 5, -128], [-127, 5, -127], "int8",
         [("symmetric-saturation", "The device saturates at -127 instead of -128.")]),
        ([-128, 5, -126], [-127, 5, -127], "int8", []),
        ([258, 1, 3], [513, 256, 768], "int16",
         [("byte-order", "The device's integers have their bytes in the other order.")]),
        ([1, 2, 3, 4], [2, 1, 4, 3], "int4",
         [("high-bits-first", "The device packs the high bits of each byte first.")]),
        ([1, 1, 2, 3], [3, 2, 1, 1], "uint2",
         [("high-bits-first", "The device packs the high bits of each byte first.")]),
        ([1, 2, 3], [2, 1, 3], "int4", []),
    ],
)  # fmt: skip
def test_causes(expected: Any, actual: Any, dtype: str, found: list[tuple[str, str]]) -> None:
    assert causes(expected, actual, dtype) == found


def test_a_narrower_range_needs_eight_differences() -> None:
    expected = [-100, *range(-50, 50), 90, *[120] * 6]
    clipped = [max(-90, min(95, value)) for value in expected]
    assert causes(expected, clipped) == []
    expected += [99]
    clipped += [95]
    assert causes(expected, clipped) == [("clipped", "The device clips to -90..95.")]


def test_a_full_range_is_not_narrower() -> None:
    expected = [-128, 127, *range(8)]
    assert causes(expected, [127, -128, *range(8, 0, -1)]) == []


def test_symmetric_saturation_is_of_signed_types() -> None:
    expected = [0] * 8 + [5, 255]
    assert causes(expected, [1] * 8 + [5, 255], "uint8") == [("clipped", "The device clips to 1..255.")]


@pytest.mark.parametrize(
    ("shape", "order", "layout"),
    [((2, 3), (1, 0), "1, 0"), ((2, 3, 4), (2, 0, 1), "2, 0, 1"), ((1, 2, 3), (0, 2, 1), "0, 2, 1")],
)
def test_transposed(shape: tuple[int, ...], order: tuple[int, ...], layout: str) -> None:
    expected = np.arange(np.prod(shape)).reshape(shape)
    turned = expected.transpose(order).reshape(shape)
    sentence = f"The device's elements lie in the order of the axes ({layout})."
    assert causes(expected, turned) == [("transposed", sentence)]


ODD, EVEN = [1, 3, 5, 7, -1, -3, -5, -7], [0, 2, 4, 6, 0, -2, -4, -6]
TOWARD_EVEN = [
    (
        "half-even-pattern",
        "Every difference is one step towards zero onto an even value, as when ties go to even.",
    )
]


@pytest.mark.parametrize(
    ("expected", "actual", "zero", "real", "found"),
    [
        ([*ODD, 9, 8], [*EVEN, 9, 8], [0], None, TOWARD_EVEN),
        (np.array(ODD) + 3, np.array(EVEN) + 3, [3], None, TOWARD_EVEN),
        ([*ODD, 9], [*EVEN, 9], [1], None, []),
        ([*ODD, 9], [*EVEN, 9], None, None, []),
        ([*ODD, 9], [*EVEN, 9], [0, 0], None, []),
        ([*ODD, 9], [*EVEN, 9], [0], np.zeros(9), []),
        ([*ODD[:7], 9], [*EVEN[:7], 9], [0], None, []),
        ([*ODD, 9, 4], [*EVEN, 9, 3], [0], None, []),
        ([*ODD, 9], [*EVEN, 10], [0], None, []),
        ([*ODD, 9], [*EVEN, 6], [0], None, []),
    ],
)
def test_trace_of_ties_to_even(expected: Any, actual: Any, zero: Any, real: Any, found: Any) -> None:
    assert causes(expected, actual, zero=zero, real=real) == found


def test_a_scale_for_each_channel_has_one_zero_point_at_most() -> None:
    """A missing zero point counts as 0."""
    wanted, given = np.array([*ODD, 9], np.int8), np.array([*EVEN, 9], np.int8)
    parameters = Parameters(np.ones(1, np.float32), None)
    case = Mismatch(wanted, given, "int8", (9,), 8, parameters=parameters)
    assert [one.name for one in patterns(case)] == ["half-even-pattern"]
