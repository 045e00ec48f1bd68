"""Explanations of requirements: the example value of a limit violates the limit."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import pytest

from litecheck.checks.limits import satisfies
from litecheck.errors import ConfigError
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.types import Constraint, Exactly, MultipleOf, OneOf, Range
from litecheck.rendering.explain import _outside, explain


def exactly(*values: int) -> OneOf:
    return OneOf(tuple(Exactly(Fraction(v)) for v in values))


@pytest.mark.parametrize(
    ("value", "outside"),
    [
        (Exactly(Fraction(0)), 3),
        (Exactly(Fraction(3)), 4),
        (Exactly("SAME"), 3),
        (exactly(1, 2, 3, 5), 4),
        (exactly(3, 4), 5),
        (Range(Fraction(1), Fraction(3)), 0),
        (MultipleOf(Fraction(16)), 3),
        (MultipleOf(Fraction(3)), 4),
        (OneOf((Range(Fraction(0), Fraction(2**31 - 1)), Exactly(Fraction(-5)))), 2**31),
    ],
)
def test_a_made_up_number_lies_outside(value: Constraint, outside: int) -> None:
    assert _outside(value) == outside


@pytest.mark.parametrize("name", profile_names())
def test_no_profile_has_a_limit_that_its_example_keeps(name: str) -> None:
    for r in load_profile(name).requirements():
        if r.verb == "limits":
            assert not satisfies(r.value)(_outside(r.value)), r.path


def test_an_explanation_of_each_verb(golden: Callable[[str, str], None]) -> None:
    """The explained requirement is the first of its check; line numbers of the rule file are omitted."""
    found: dict[str, str] = {}
    for name in ("litert-runtime", "litert-structure", "ethos-u55", "vectorblox", "tflm"):
        profile = load_profile(name)
        for r in profile.requirements():
            if r.verb not in found:
                found[r.verb] = explain(r.path, [profile])
    text = "".join(f"{verb}\n{text}\n\n" for verb, text in sorted(found.items()))
    golden("explain.txt", re.sub(r"(?<=yaml):\d+", "", text))


def test_many_requirements_have_a_line_each() -> None:
    """An operator has a line for each requirement; the path of a requirement gives the full explanation."""
    summary = explain("CONV_2D").splitlines()
    assert "CONV_2D/input/dtype (litert-runtime): type int8 of input" in summary
    assert (
        summary[-1] == f"{len(summary) - 2} requirements. To explain one: litecheck explain CONV_2D/operands"
    )
    assert "  because" in explain("CONV_2D/weight/zero_point")


def test_the_command_of_one_requirement_names_the_profile() -> None:
    last = explain("CONV_2D", [load_profile("ethos-u55")]).splitlines()
    assert " ".join(last[-2:]).endswith("litecheck explain CONV_2D/operands --profile ethos-u55")


def test_an_unknown_measurement_has_a_suggestion() -> None:
    with pytest.raises(ConfigError, match="no measurement 'filter_h'; did you mean 'kernel_h'"):
        explain("CONV_2D/limits/filter_h")


def test_a_width_without_room_for_words_is_an_error() -> None:
    assert explain("CONV_2D", width=20)
    with pytest.raises(ConfigError, match="width: got 19 columns, expected at least 20"):
        explain("CONV_2D", width=19)
