"""Declared values of measurements are the values that they return."""

from __future__ import annotations

import pytest

from litecheck.profile.measurements.register import OPERAND, OPERATOR
from litecheck.profile.measurements.registry import register_all, setter_of, vocabulary
from litecheck.profile.measurements.vocabulary import TYPES, of_enum

#: A returned value besides numbers that no rule can contain.
NO_NUMBER = "not finite"


@pytest.mark.parametrize("name", [*OPERATOR, *(f"input.{name}" for name in OPERAND)])
def test_words_that_rules_refuse_belong_to_measurements_that_give_words(name: str) -> None:
    words = set(setter_of(name).rejected_words) - {NO_NUMBER}
    assert not (vocabulary(name).numeric and words)


def test_words_are_those_of_the_schema() -> None:
    assert set(of_enum("Padding", "a padding").list_words()) == {"SAME", "VALID"}
    assert {"int8", "float32", "bfloat16"} <= set(TYPES.list_words())
    assert vocabulary("padding").has("VALID")
    assert not vocabulary("padding").has("valid")


def test_words_may_follow_a_pattern() -> None:
    register_all()
    gives = vocabulary("transpose_conv_stride_class")
    assert gives.has("plain")
    assert gives.has("w3h1")
    assert not gives.has("w3")
