"""Means of pooling windows, with numbers calculated by hand."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.reference.numerics.pooled_means import ROUND, count_covered, pooled_means
from litecheck.reference.numerics.windows import SAME, VALID, axis
from litecheck.reference.runtime_tensors import RunError


def test_padding_is_not_covered() -> None:
    rows, columns = axis(3, 2, 2, 1, SAME), axis(4, 3, 2, 1, SAME)  # SAME pads the end first
    assert count_covered(rows, columns)[:, :, 0].tolist() == [[6, 4], [3, 2]]


def test_a_window_of_padding_only_is_rejected() -> None:
    nothing = axis(1, 1, 2, 1, VALID)
    beyond = type(nothing)(1, 1, 2, 1, 2, 0)
    with pytest.raises(RunError, match="covers nothing but padding"):
        count_covered(beyond, nothing)


@pytest.mark.parametrize(
    ("rounding", "means"),
    [
        ("half-away", [2, -2]),
        ("half-up", [2, -1]),
        ("half-even", [2, -2]),
        ("floor", [1, -2]),
        ("truncate", [1, -1]),
    ],
)
def test_roundings_of_six_quarters(rounding: str, means: list[int]) -> None:
    whole = axis(2, 2, 1, 1, VALID)
    totals = np.array([6, -6], np.int32).reshape(1, 1, 1, 2)
    assert pooled_means(totals, whole, whole, rounding, (-128, 127)).reshape(-1).tolist() == means
    assert pooled_means(totals, whole, whole, rounding, (0, 1)).reshape(-1).tolist() == [1, 0]
    assert set(ROUND) == {"half-away", "half-up", "half-even", "floor", "truncate"}
