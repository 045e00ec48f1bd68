"""Patterns of different values: limits, sides of the zero point, a constant offset, a single direction."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.comparison.scatter import Scatter
from litecheck.comparison.trends import trends
from litecheck.comparison.types import MismatchCluster
from litecheck.model.build import qparams
from litecheck.model.types import Tensor
from litecheck.quantization import Quantization


def patterns_by_name(
    expected: Any, actual: Any, dtype: str = "int8", zero: int | None = 0
) -> dict[str, MismatchCluster]:
    """Return the patterns of a single run by name."""
    parameters = Quantization() if zero is None else qparams(0.5, zero)
    wanted, given = np.array(expected, dtype), np.array(actual, dtype)
    tensor = Tensor(0, "out", dtype, wanted.shape, quantization=parameters)
    scatter = Scatter.of(tensor, [wanted], [given], [np.flatnonzero(wanted != given)])
    return {found.pattern: found for found in trends(scatter)}


#: 200 values from -100 to 99; every fourth value may differ.
VALUES = np.arange(-100, 100)
SOME = VALUES % 4 == 0


def where(mask: Any, device: Any, expected: Any = VALUES) -> Any:
    return np.where(mask, device, expected)


def test_one_offset() -> None:
    found = patterns_by_name(VALUES, where(SOME, VALUES + 3))
    assert set(found) == {"offset"}
    assert (found["offset"].offset, found["offset"].held, found["offset"].count) == (3, 50, 50)
    assert patterns_by_name(VALUES, where(SOME, VALUES - 2))["offset"].offset == -2


def test_one_direction() -> None:
    steps = 1 + VALUES % 3
    assert patterns_by_name(VALUES, where(SOME, VALUES + steps))["direction"].side == "larger"
    assert patterns_by_name(VALUES, where(SOME, VALUES - steps))["direction"].side == "smaller"
    mixed = np.where(VALUES % 8 == 0, 1, -1)
    assert "direction" not in patterns_by_name(VALUES, where(SOME, VALUES + mixed))


@pytest.mark.parametrize("zero", [0, 11])
def test_nearer_to_the_zero_point_or_farther_from_it(zero: int) -> None:
    outward = np.where(VALUES - zero > 0, 1, -1)
    away = SOME & (np.abs(VALUES - zero) > 2)
    for sign, side in ((1, "farther"), (-1, "nearer")):
        found = patterns_by_name(VALUES, where(away, VALUES + sign * outward), zero=zero)
        assert set(found) == {"direction"}
        assert (found["direction"].side, found["direction"].zero_point) == (side, zero)
    assert patterns_by_name(VALUES, where(away, VALUES + outward), zero=None) == {}


@pytest.mark.parametrize(("differing", "told_of"), [(15, False), (16, True)])
def test_the_number_of_differences_for_a_direction(differing: int, told_of: bool) -> None:
    """4 * 2^-15 is above 10^-4, 4 * 2^-16 below."""
    some = np.zeros(200, np.bool_)
    some[60 : 60 + differing] = True
    found = patterns_by_name(VALUES, where(some, VALUES + 1 + VALUES % 2))
    assert ("direction" in found) is told_of


def test_reals_have_a_direction_and_no_offset() -> None:
    found = patterns_by_name(VALUES, where(SOME, VALUES + 3.0), "float32", None)
    assert {name: one.side for name, one in found.items()} == {"direction": "larger"}
    assert patterns_by_name(VALUES, where(SOME, np.inf), "float32", None) == {}


@pytest.mark.parametrize(("low", "side"), [(True, "below"), (False, "above")])
def test_one_side_of_the_zero_point(low: bool, side: str) -> None:
    zero = 40
    there = np.less(VALUES, zero - 3) if low else np.greater(VALUES, zero + 3)
    mixed = np.where(VALUES % 8 < 4, 1, -1)
    found = patterns_by_name(VALUES, where(there & (VALUES % 2 == 0), VALUES + mixed), zero=zero)["side"]
    assert (found.side, found.zero_point, found.apart) == (side, zero, ("rails",))
    assert (found.there, found.size) == (140 if low else 59, 200)


@pytest.mark.parametrize(("low", "side"), [(True, "below"), (False, "above")])
def test_the_zero_point_itself_is_on_either_side(low: bool, side: str) -> None:
    """The device outputs the zero point where the reference is next to it."""
    zero = 40
    there = np.less(VALUES, zero) if low else np.greater(VALUES, zero)
    steps = np.where(VALUES % 4 == 0, -1, 1) if low else np.where(VALUES % 4 == 0, 1, -1)
    assert (
        patterns_by_name(
            VALUES, where(there & (VALUES % 2 == 1) | (there & SOME), VALUES + steps), zero=zero
        )["side"].side
        == side
    )


def test_a_random_side_is_not_reported() -> None:
    """Nine differences among 140 of 200 elements: 0.7^9 is 4 %."""
    some = np.isin(VALUES, np.arange(-90, 0, 10))
    mixed = np.where(VALUES % 20 == 0, 1, -1)
    assert "side" not in patterns_by_name(VALUES, where(some, VALUES + mixed), zero=40)


def test_values_on_both_sides() -> None:
    mixed = np.where(VALUES % 8 == 0, 1, -1)
    assert "side" not in patterns_by_name(VALUES, where(SOME, VALUES + mixed), zero=40)
    below = VALUES < 42
    assert "side" not in patterns_by_name(VALUES, where(below, VALUES + 1), zero=41)
    assert "side" not in patterns_by_name(VALUES, where(VALUES < 30, VALUES + mixed), zero=None)


def test_the_reference_at_a_limit() -> None:
    expected = np.where(VALUES < -60, -128, VALUES)
    found = patterns_by_name(expected, where(VALUES < -60, -127 + VALUES % 2, expected))["expected"]
    assert (found.values, found.ends) == ((-128,), ("smallest of the type",))
    assert (found.held, found.count, found.there, found.size) == (40, 40, 40, 200)
    top = np.where(VALUES > 60, 127, VALUES)
    found = patterns_by_name(top, where(VALUES > 60, 126 - VALUES % 2, top))["expected"]
    assert (found.values, found.ends) == ((127,), ("largest of the type",))


def test_the_reference_at_the_ends_that_occur() -> None:
    expected = np.clip(VALUES, -60, 70)
    for value, end in ((-60, "smallest here"), (70, "largest here")):
        at = expected == value
        found = patterns_by_name(expected, where(at, expected + np.where(VALUES % 2 == 0, 1, 2), expected))[
            "expected"
        ]
        assert (found.values, found.ends) == ((value,), (end,))
    both = (expected == -60) | (expected == 70)
    found = patterns_by_name(expected, where(both, expected + np.where(VALUES % 2 == 0, 1, 2), expected))[
        "expected"
    ]
    assert (found.values, found.ends) == ((-60, 70), ("smallest here", "largest here"))


def test_the_device_has_one_value() -> None:
    found = patterns_by_name(VALUES, where(SOME & (VALUES != 20), 20))["given"]
    assert (found.values, found.held, found.there) == ((20,), 49, 50)
    assert "given" not in patterns_by_name(VALUES, where(SOME, 20 + VALUES % 8 // 4))


def test_reals_have_no_rails_and_no_sides() -> None:
    found = patterns_by_name(VALUES, where(VALUES < -60, 7.0), "float32", None)
    assert set(found) == {"direction"}
