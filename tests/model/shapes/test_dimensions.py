"""Arithmetic on partly unknown shapes, and requirements of operands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from litecheck.model.shapes import Call, ShapeError
from litecheck.model.shapes import dimensions as d
from tests.model.shapes.test_laws import operand


def call(**operands: Any) -> Call:
    return Call("ADD", {role: (operand(value),) for role, value in operands.items()}, None, 1)


def misfit(asked: Callable[[], object]) -> tuple[str | None, str]:
    with pytest.raises(ShapeError) as raised:
        asked()
    return raised.value.role, raised.value.found


@pytest.mark.parametrize(
    ("shape", "expected"),
    [(None, None), ((), 1), ((2, 3), 6), ((2, None), None), ((None, 0), 0), ((0, 5), 0), ((7,), 7)],
)
def test_the_number_of_elements(shape: Any, expected: int | None) -> None:
    assert d.count(shape) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"), [(1, 1, False), (1, 2, True), (None, 2, False), (1, None, False)]
)
def test_lengths_that_are_known_to_differ(a: int | None, b: int | None, expected: bool) -> None:
    assert d.differ(a, b) is expected


def test_small_functions() -> None:
    assert (d.either(None, 3), d.either(2, None), d.either(2, 2)) == (3, 2, 2)
    assert d.shape_text((1, None, 3)) == "[1, ?, 3]"
    assert d.words("weights_time") == "weights time"
    assert (d.rank_of(None), d.rank_of((1, 2))) == (None, 2)
    assert (d.total([1, 2, 0]), d.total([1, None]), d.total([])) == (3, None, 0)
    assert (d.unknown(None), d.unknown(0), d.unknown(2)) == (None, (), (None, None))
    assert (d.unknown(64), d.unknown(65), d.unknown(-1)) == ((None,) * 64, None, None)


@pytest.mark.parametrize(("axis", "expected"), [(0, 0), (2, 2), (-1, 2), (-3, 0)])
def test_an_axis_counts_from_both_ends(axis: int, expected: int) -> None:
    assert d.axis_within(axis, 3) == expected


@pytest.mark.parametrize("axis", [3, -4])
def test_an_axis_outside(axis: int) -> None:
    assert misfit(lambda: d.axis_within(axis, 3)) == (
        "axis",
        f"axis {axis} is outside a tensor of 3 dimensions",
    )


def test_ranks() -> None:
    given = call(x=(2, 3), y=None)
    assert (d.check_rank(given, "x", 2), d.check_rank(given, "x", 1, 2), d.check_rank(given, "x", 2, 3)) == (
        (2, 3),
    ) * 3
    assert (d.check_rank(given, "y", 2), d.at_least(given, "y", 2), d.at_least(given, "x", 2)) == (
        None,
        None,
        (2, 3),
    )
    assert misfit(lambda: d.check_rank(given, "x", 3)) == ("x", "the x has 2 dimensions, 3 wanted")
    assert misfit(lambda: d.check_rank(given, "x", 0, 1)) == ("x", "the x has 2 dimensions, 0 to 1 wanted")
    assert misfit(lambda: d.at_least(given, "x", 3)) == ("x", "the x has 2 dimensions, at least 3 wanted")


def test_constants() -> None:
    given = call(one=5, row=[5], two=[7, 8], empty=[], later=(2,), unknown=None)
    assert (d.single(given, "one"), d.single(given, "row"), d.single(given, "unknown")) == (5, 5, None)
    assert (d.first(given, "two"), d.first(given, "later"), d.first(given, "unknown")) == (7, None, None)
    assert (d.row(given, "two"), d.row(given, "two", 2), d.row(given, "later", 2)) == ([7, 8], [7, 8], None)
    assert misfit(lambda: d.single(given, "two")) == ("two", "the two has 2 values, 1 wanted")
    assert misfit(lambda: d.single(given, "empty")) == ("empty", "the empty has 0 values, 1 wanted")
    assert misfit(lambda: d.first(given, "empty")) == ("empty", "the empty is empty")
    assert misfit(lambda: d.row(given, "two", 3)) == ("two", "the two has 2 values, 3 wanted")


def test_equal_shapes() -> None:
    given = call(a=(2, None), b=(None, 3), c=(2, 4), e=(2,), none=None)
    assert d.equal_shapes(given, "a", "b") == (2, 3)
    assert (d.equal_shapes(given, "a", "none"), d.equal_shapes(given, "none", "b")) == ((2, None), (None, 3))
    assert misfit(lambda: d.equal_shapes(given, "b", "c")) == ("c", "the c is [2, 4], the b [?, 3]")
    assert misfit(lambda: d.equal_shapes(given, "a", "e")) == ("e", "the e is [2], the a [2, ?]")
