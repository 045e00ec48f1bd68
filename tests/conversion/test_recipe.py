"""Rules of a recipe: the operators that they select, and their order."""

from __future__ import annotations

import pytest

from litecheck.conversion.recipe import (
    OperatorScheme,
    OperatorSelector,
    QuantizationRecipe,
    RecipeRule,
    operator_depths,
    rules_by_operator,
)
from litecheck.conversion.request import Request
from litecheck.errors import ConfigError
from tests.conversion.mobile_nets import mobile_net

NET = mobile_net(1, blocks=1)
#: Seven operators: stem, expand, depthwise, project, ADD, MEAN, FULLY_CONNECTED.
COUNT = len(NET.subgraphs[0].operators)


def selected(**parts: object) -> list[int]:
    rule = RecipeRule(OperatorScheme("float32"), OperatorSelector(**parts), "r.yaml:3")
    return [index for (_, index), rules in rules_by_operator(NET, (rule,)).items() if rules]


@pytest.mark.parametrize(
    ("parts", "indexes"),
    [
        ({}, [*range(COUNT)]),
        ({"patterns": ("#2", "ADD")}, [2, 4]),
        ({"opcodes": ("*CONV_2D",)}, [0, 1, 2, 3]),
        ({"opcodes": ("*CONV_2D",), "names": ("block0/*",)}, [1, 2, 3]),
        ({"search": "block0/.*t;$"}, [3]),
        ({"numbers": ((1, 1), (5, 9))}, [1, 5, 6]),
        ({"depths": ((0, 1),)}, [0, 1]),
        ({"depths": ((-2, -1),)}, [5, 6]),
        ({"opcodes": ("ADD",), "depths": ((4, 4),)}, [4]),
    ],
)
def test_selection(parts: dict[str, object], indexes: list[int]) -> None:
    assert selected(**parts) == indexes


@pytest.mark.parametrize(
    ("parts", "case"),
    [
        ({"patterns": ("#99",)}, "number, opcode or name; there are #0 to #6"),
        ({"patterns": ("CONV2D",)}, r"number, opcode or name; did you mean 'CONV_2D'\?"),
        ({"opcodes": ("SIN",)}, "opcode"),
        ({"opcodes": ("ADD",), "names": ("block0/depthwise",)}, "opcode and name"),
        ({"numbers": ((9, 9),)}, "number; there are #0 to #6"),
        ({"depths": ((99, 99),)}, "depth"),
        ({"patterns": ("3",)}, "number, opcode or name; did you mean '#3'\\?"),
        ({"patterns": ("300",)}, "number, opcode or name; there are #0 to #6"),
    ],
)
def test_a_rule_without_an_operator_is_an_error(parts: dict[str, object], case: str) -> None:
    with pytest.raises(ConfigError, match=f"^r.yaml:3: no operator has this {case}$"):
        selected(**parts)
    rule = RecipeRule(OperatorScheme("float32"), OperatorSelector(**parts), optional=True)
    assert not any(rules_by_operator(NET, (rule,)).values())


def test_the_shortcut_lies_behind_the_longest_path() -> None:
    assert operator_depths(NET.subgraphs[0]) == (0, 1, 2, 3, 4, 5, 6)


def test_options_are_rules_and_the_last_has_priority() -> None:
    request = Request("int8", keep=("ADD",), int16x8=("#4", "#5"))
    rules = rules_by_operator(NET, request.rules)
    assert [rule.scheme.to for rule in rules[0, 4]] == ["float32", "int16x8", "int8"]
    assert [rule.reason for rule in rules[0, 4][:2]] == ["kept by --keep-float ADD", "kept by --int16x8 #4"]
    assert [rule.scheme.to for rule in rules[0, 5]] == ["int16x8", "int8"]


@pytest.mark.parametrize(
    ("kinds", "to"),
    [
        (("float32", "int16x8", "int8"), "int8"),
        (("dynamic", "int16x8"), "int16x8"),
        (("weight-only", "float16"), "dynamic"),
    ],
)
def test_kind_of_conversion(kinds: tuple[str, ...], to: str) -> None:
    assert QuantizationRecipe("r", tuple(RecipeRule(OperatorScheme(kind)) for kind in kinds)).to == to
