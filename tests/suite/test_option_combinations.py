"""Choices that a rule offers: types, granularities and alternatives."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.profile.load import load_profile
from litecheck.suite.option_combinations import Choice, choices
from tests.suite.drafted import SMALL


@pytest.fixture
def small(tmp_path: Path):  # type: ignore[no-untyped-def]
    file = tmp_path / "small.yaml"
    file.write_text(SMALL, "utf-8")
    return load_profile(str(file))


def test_each_other_type_and_granularity_is_a_choice(small) -> None:  # type: ignore[no-untyped-def]
    """The first type of a rule is the default: per-axis weights, int8 ``rhs``."""
    add, fully = (small.operators[opcode] for opcode in ("ADD", "FULLY_CONNECTED"))
    assert [*choices(small, add, "int8")] == [Choice("int8"), Choice("int8", 0, (("rhs", "int16"),))]
    assert [*choices(small, fully, "int8")] == [Choice("int8"), Choice("int8", single="weight")]
    assert [*choices(small, add, "int16")] == []


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (Choice("int8"), ()),
        (Choice("int8", types=(("on_true", "int16"),)), ("on-true-int16",)),
        (Choice("int8", single="weight"), ("one-scale",)),
        (Choice("int8", several="weight"), ("several-scales",)),
        (Choice("int8", types=(("rhs", "int16"),), single="lhs"), ("rhs-int16", "one-scale")),
    ],
)
def test_words_of_a_choice(small, choice: Choice, words: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    assert choice.words(small.operators["ADD"]) == words


def test_alternatives_have_their_name() -> None:
    profile = load_profile("litert-runtime")
    rule = next(rule for rule in profile.operators.values() if len(rule.any_of) > 1)
    named = [Choice("int8", n).words(rule)[0] for n in range(len(rule.any_of))]
    assert named == [a.name.replace("_", "-") for a in rule.any_of]
