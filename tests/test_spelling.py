"""Suggestions for misspelt words."""

from __future__ import annotations

import pytest

from litecheck.spelling import closest, did_you_mean

KNOWN = ("CONV_2D", "conv_2d", "SOFTMAX", "tflm")


@pytest.mark.parametrize(
    ("word", "expected"),
    [("CONV_2", "CONV_2D"), ("softmax", "SOFTMAX"), ("Conv_2d", "CONV_2D"), ("tfml", "tflm"), ("xyz", "")],
)
def test_the_closest_word(word: str, expected: str) -> None:
    assert closest(word, iter(KNOWN)) == expected
    assert did_you_mean(word, KNOWN) == (f"; did you mean '{expected}'?" if expected else "")
