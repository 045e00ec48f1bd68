"""The accumulator that a value needs, against every accumulator tried."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from litecheck.comparison.element import Exact, required_accumulators
from litecheck.comparison.types import ExplainedElement
from litecheck.comparison.wording import element_sentence

#: Range of the accumulators; their outputs include all values of int8.
REACH = 320


def element(accumulator: int, multiplier: Fraction, zero: int = 0) -> Exact:
    return Exact(accumulator * multiplier, zero, accumulator, multiplier)


@settings(max_examples=30)
@given(
    st.fractions(Fraction(1, 2), 3, max_denominator=60),
    st.booleans(),
    st.integers(-20, 20),
    st.integers(-128, 127),
)
@example(multiplier=Fraction(2), negative=False, zero=0, device=127)
@example(multiplier=Fraction(2), negative=True, zero=0, device=127)
@example(multiplier=Fraction(5, 2), negative=False, zero=0, device=-128)
def test_exactly_the_accumulators_that_give_a_value(
    multiplier: Fraction, negative: bool, zero: int, device: int
) -> None:
    multiplier = -multiplier if negative else multiplier
    giving = {
        a
        for a in range(-REACH, REACH + 1)
        for quotient in [a * multiplier]
        # A tie may be rounded up or down.
        for rounded in {math.floor(quotient + Fraction(1, 2)), math.ceil(quotient - Fraction(1, 2))}
        if min(max(rounded + zero, -128), 127) == device
    }
    found = required_accumulators(element(0, multiplier, zero), device, -128, 127)
    if found is None:
        assert not giving
        return
    low, high = found.first, found.last
    assert giving == set(range(-REACH if low is None else low, (REACH if high is None else high) + 1))


def sentence(accumulator: int, device: int) -> str:
    """Return the sentence on an accumulator that differs from the needed accumulator, with a multiplier of
    1/8."""
    multiplier = Fraction(1, 8)
    needs = required_accumulators(element(accumulator, multiplier), device, -128, 127)
    told = ExplainedElement((0,), "0", "x", (), 6, device, accumulator, 0.125, None, "6.5000", needs=needs)
    return element_sentence(told)


def test_no_accumulator_needs_none() -> None:
    assert required_accumulators(Exact(Fraction(3, 2)), 5, -128, 127) is None


@pytest.mark.parametrize(
    ("accumulator", "device", "words"),
    [
        (52, 88, "88 needs an accumulator of 700 to 708, 648 to 656 more"),
        (800, 88, "88 needs an accumulator of 700 to 708, 92 to 100 less"),
        (52, 127, "127 needs an accumulator of at least 1012, at least 960 more"),
        (52, -128, "-128 needs an accumulator of at most -1020, at least 1072 less"),
    ],
)
def test_the_distance_to_the_needed_accumulator_is_stated(accumulator: int, device: int, words: str) -> None:
    assert f"; {words}; " in sentence(accumulator, device)


def test_a_matching_accumulator_is_not_mentioned() -> None:
    assert "needs" not in sentence(704, 88)
