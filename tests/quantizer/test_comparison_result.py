"""Results of a comparison: buckets of differences, samples, and exit codes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from litecheck.quantizer.comparison_result import (
    TILE,
    Bucket,
    Comparison,
    Element,
    Mismatch,
    buckets,
    sample,
    tally,
)


@pytest.mark.parametrize(
    ("differences", "found"),
    [
        ([], []),
        ([0, 0], []),
        ([1, 1, -1, 8, 0], [(-1, -1, 1), (1, 1, 2), (8, 8, 1)]),
        ([9, 16, 17, -9, -16, -17], [(-32, -17, 1), (-16, -9, 2), (9, 16, 2), (17, 32, 1)]),
        ([2**62, -(2**63 - 1)], [(1 - 2**65, -(2**62) - 1, 1), (2**61 + 1, 2**62, 1)]),
    ],
)
def test_buckets_of_differences(differences: list[int], found: list[tuple[int, int, int]]) -> None:
    assert list(buckets(tally(np.array(differences, np.int64)))) == [Bucket(*each) for each in found]


def compared(**fields: Any) -> Comparison:
    return Comparison("int8", (4,), fields.pop("size", 4), 0.0, "", **fields)


@pytest.mark.parametrize(
    ("result", "exact", "within", "share", "code"),
    [
        (compared(), True, True, 0.0, 0),
        (compared(size=0), False, False, 0.0, 2),
        (compared(mismatches=1), False, True, 0.25, 0),
        (compared(mismatches=4, beyond=1), False, False, 1.0, 1),
    ],
)
def test_outcomes(result: Comparison, exact: bool, within: bool, share: float, code: int) -> None:
    assert (result.exact, result.within, result.share, result.exit_code) == (exact, within, share, code)


@pytest.mark.parametrize(
    ("fields", "difference", "neighbors"),
    [
        ({}, -3, None),
        ({"ulps": 9}, 9, None),
        ({"quotient": Fraction(5, 2), "zero_point": -1}, -3, (1, 2)),
        ({"quotient": Fraction(-5, 2)}, -3, (-3, -2)),
        ({"quotient": Fraction(4)}, -3, (4, 4)),
    ],
)
def test_elements(fields: dict[str, Any], difference: int, neighbors: tuple[int, int] | None) -> None:
    element = Element((0,), 5, 2, **fields)
    assert (element.difference, element.neighbours) == (difference, neighbors)
    assert compared(worst=element).largest == difference
    assert compared().largest == 0


@pytest.mark.parametrize(("size", "differing"), [(10, 3), (TILE, 1), (TILE + 5, TILE), (3 * TILE, 20_000)])
def test_samples_have_elements_of_both_kinds(size: int, differing: int) -> None:
    """A sample has about 8,192 differing and equal elements each, from every tile that has any."""
    actual = np.zeros(size, np.int8)
    actual[:: max(1, size // differing)][:differing] = 1
    case = Mismatch(np.zeros(size, np.int8), actual, "int8", (size,), differing)
    found = sample(case)
    assert len(set(found.tolist())) == len(found)
    different = int(actual[found].sum())
    assert min(differing, 1 << 12) <= different <= 1 << 13
    assert min(size - differing, 1 << 12) <= len(found) - different <= (1 << 13) + 16
    assert found.max() >= (size - 1) // TILE * TILE


def test_expected_integers_are_widened() -> None:
    case = Mismatch(np.array([-128, 127, 5], np.int8), np.zeros(3, np.int8), "int8", (3,), 3)
    wide = case.wide(slice(0, 2)) * 1000
    assert (wide.dtype, wide.tolist()) == (np.int64, [-128_000, 127_000])
    assert list(case.tiles()) == [slice(0, TILE)]
