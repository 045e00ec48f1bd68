"""Probability that random differences form a pattern."""

from __future__ import annotations

from dataclasses import replace
from math import comb, exp, log

import numpy as np
import pytest

from litecheck.comparison.scatter import Pattern, Scatter, chance, log_probability_bound, narrowest
from litecheck.comparison.types import MismatchCluster
from litecheck.model.types import Tensor
from litecheck.quantization import Quantization


@pytest.mark.parametrize(
    ("size", "there", "count"), [(10, 4, 2), (50, 20, 7), (6, 6, 3), (9, 1, 1), (5, 2, 3)]
)
def test_the_probability_that_all_lie_there(size: int, there: int, count: int) -> None:
    assert chance(size, there, count) == pytest.approx(comb(there, count) / comb(size, count))


@pytest.mark.parametrize(("size", "there", "count", "held"), [(20, 5, 6, 5), (20, 5, 6, 6), (40, 10, 12, 7)])
def test_the_bound_is_not_below_the_probability(size: int, there: int, count: int, held: int) -> None:
    ways = sum(comb(there, n) * comb(size - there, count - n) for n in range(held, min(there, count) + 1))
    exact = ways / comb(size, count)
    assert exact <= exp(log_probability_bound(size, there, count, held)) < 1


def test_the_bound_by_hand() -> None:
    """All 6 of 6 in a quarter: (1/4)^6. Half of 4 in a quarter: 4 * (0.5 * log(2) + 0.5 * log(2/3))."""
    assert log_probability_bound(20, 5, 6, 6) == pytest.approx(-6 * log(4))
    assert log_probability_bound(20, 5, 4, 2) == pytest.approx(-4 * (0.5 * log(2) + 0.5 * log(0.5 / 0.75)))
    assert log_probability_bound(20, 5, 4, 1) == 0.0


def pattern(held: int, there: int, odds: float) -> Pattern:
    return Pattern(MismatchCluster("rows", held, 10, there=there), odds)


WHOLE, WIDER, PART, RARER = (
    pattern(10, 50, -20),
    pattern(10, 80, -40),
    pattern(8, 20, -15),
    pattern(9, 20, -30),
)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([], ()),
        ([WIDER, WHOLE], (WHOLE,)),
        ([PART], (PART,)),
        ([WHOLE, PART], (WHOLE,)),
        ([PART, RARER], (RARER,)),
        ([WHOLE, PART, RARER], (replace(RARER, settled=True),)),
    ],
)
def test_the_narrowest_pattern(found: list[Pattern], expected: tuple[Pattern, ...]) -> None:
    facts = [(p.cluster, p.odds, p.settled) for p in narrowest(found)]
    assert facts == [(p.cluster, p.odds, p.settled) for p in expected]


def scatter(expected: list[int], off: list[int], dtype: str = "int8") -> Scatter:
    wanted = np.array(expected, dtype)
    given = wanted.copy()
    given[off] += 1
    quantized = Quantization(np.ones(1, np.float32), np.array([3], np.int64))
    return Scatter.of(
        Tensor(0, "", dtype, wanted.shape, quantization=quantized), [wanted], [given], [np.array(off)]
    )


def test_facts_of_differences() -> None:
    made = scatter([5, 6, 7, 8], [1, 3])
    assert (made.count, made.shape, made.size, made.names) == (2, (4,), 4, ("0",))
    assert [list(values) for values in made.values] == [[6, 8], [7, 9]]
    assert (made.zero_point, made.limits, made.ends) == (3, (-128, 127), (5, 8))
    assert scatter([1, 2], [0], "float32").zero_point is None


def test_limits_without_differences_are_excluded() -> None:
    values = [0] * 10 + [5, 6, 7, 8] + [127] * 2
    made = scatter(values, [11, 12])
    assert made.rails == (-128, 0, 127)
    assert (made.size, made.exclusion_reasons) == (4, ("rails",))
    there = scatter(values, [0, 11])
    assert (there.size, there.exclusion_reasons) == (16, ())


def test_a_pattern_is_reported_if_it_is_improbable() -> None:
    values = [n % 100 for n in range(1000)]
    made = scatter(values, list(range(10, 20)))
    assert [p.has_all_differences for p in made.yield_pattern(MismatchCluster("rows", 10, 10), 20, 1)] == [
        True
    ]
    for there, tried in ((600, 1), (20, 10**16), (0, 1)):
        assert list(made.yield_pattern(MismatchCluster("rows", 10, 10), there, tried)) == []
    many = scatter(values, list(range(20)))
    assert list(many.yield_pattern(MismatchCluster("rows", 20, 20), 500, 1, close=True)) != []
    assert list(many.yield_pattern(MismatchCluster("rows", 20, 20), 501, 1, close=True)) == []
    (most,) = made.yield_pattern(MismatchCluster("rows", 10, 10), 20, 1, held=9)
    assert (most.settled, most.cluster.held, most.cluster.there, most.cluster.size) == (
        False,
        9,
        20,
        1000,
    )
    assert list(made.yield_pattern(MismatchCluster("rows", 10, 10), 20, 1, held=5)) == []


def test_the_rest_of_a_pattern() -> None:
    made = scatter([n % 100 for n in range(1000)], [3, 500, 501])
    where = np.arange(1000) < 10
    rest = made.exclude_pattern(Pattern(MismatchCluster("rows", 1, 3), -9.0, where))
    assert (rest.count, rest.size, rest.rest, rest.exclusion_reasons[:1]) == (2, 990, True, ("pattern",))
    assert made.exclude_pattern(Pattern(MismatchCluster("rows", 1, 3), -9.0)).count == 0
