"""Rules as tables, plain values and pages: words of requirements, signatures, and operators without a rule."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from docs.rule_pages import pages as rule_pages
from docs.rule_pages import rules_index_on_the_site
from litecheck.errors import ConfigError
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.rendering.rules import (
    json_text,
    print_operators,
    print_profiles,
    print_rules,
    profile_values,
    required_text,
    rows,
)

RULES = """profile: acme
title: Acme NPU
source: https://example.org/acme
unlisted: violation
kinds:
  activation: {dtype: int8, granularity: per-tensor}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    because: the array multiplies rows
    see: manual 3.1
    tensors:
      input: activation
      weight: {dtype: int8, zero_point: {value: 0, because: no sum over activations, see: manual 3.2}}
      output: activation
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
  TANH: {unsupported: the table is missing}
"""
CHILD = """profile: child
title: Child
source: b
extends: ./acme.yaml
ops:
  FULLY_CONNECTED:
    tensors:
      input: {zero_point: 0..5}
"""


@pytest.fixture
def acme(tmp_path: Path) -> Profile:
    (tmp_path / "acme.yaml").write_text(RULES, "utf-8")
    return load_profile(str(tmp_path / "acme.yaml"))


@pytest.fixture
def child(acme: Profile, tmp_path: Path) -> Profile:
    (tmp_path / "child.yaml").write_text(CHILD, "utf-8")
    return load_profile(str(tmp_path / "child.yaml"))


def printed(write, *arguments) -> list[str]:  # type: ignore[no-untyped-def]
    console = Console(file=io.StringIO(), width=140, markup=False)
    write(*arguments, console)
    return [line.strip() for line in console.file.getvalue().splitlines() if line.strip(" ─")]  # type: ignore[attr-defined]


def cells(line: str) -> list[str]:
    return [cell for cell in line.split("  ") if cell.strip()]


def test_profiles(acme: Profile) -> None:
    head, line = printed(print_profiles, [acme])
    assert [c.strip() for c in cells(head)] == ["profile", "judges", "operators", "extends", "title"]
    assert [c.strip() for c in cells(line)] == ["acme", "int8", "3", "Acme NPU"]


def test_operators_with_their_operands(acme: Profile) -> None:
    told = printed(print_operators, [acme])
    assert told[:3] == ["acme: Acme NPU", "https://example.org/acme", "operators without a rule: violation"]
    (fully,) = (line for line in told if line.startswith("FULLY_CONNECTED"))
    (joined,) = (line for line in told if line.startswith("CONCATENATION"))
    assert [c.strip() for c in cells(fully)][2:] == ["input, weight, [bias]", "output"]
    assert [c.strip() for c in cells(joined)][2:] == ["values...", "output"]
    count = len([*acme.operators["FULLY_CONNECTED"].all_requirements()])
    assert cells(fully)[1].strip() == str(count)


def test_the_rule_of_an_operator(acme: Profile) -> None:
    told = printed(print_rules, [acme], "FULLY_CONNECTED")
    assert told[:2] == ["FULLY_CONNECTED by acme", "the array multiplies rows"]
    (zero,) = (line for line in told if line.startswith("weight/zero_point"))
    assert [c.strip() for c in cells(zero)][:3] == ["weight/zero_point", "zero point 0", "violation"]
    assert "acme.yaml" in zero or any(line.strip().endswith("yaml:16") for line in told)


@pytest.mark.parametrize(
    ("opcode", "message"),
    [
        ("CONCATENATE", "CONCATENATE: no rule for this operator in acme; did you mean 'CONCATENATION'"),
        ("litert-int8", "litert-int8 is a profile, no operator: litecheck rules --profile litert-int8"),
        ("own.yaml", "own.yaml is a profile, no operator"),
        ("zzzzzz", "zzzzzz: no rule for this operator in acme$"),
    ],
)
def test_operators_without_a_rule(acme: Profile, opcode: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        printed(print_rules, [acme], opcode)


def test_an_unsupported_operator_has_one_requirement(acme: Profile) -> None:
    assert [row.name for row in rows(acme, acme.operators["TANH"])] == [
        acme.operators["TANH"].unsupported.path.partition("/")[2]
    ]  # type: ignore[union-attr]


def test_alternatives_are_named() -> None:
    profile = load_profile("litert-runtime")
    rule = next(rule for rule in profile.operators.values() if len(rule.any_of) > 1)
    names = {a.name for a in rule.any_of}
    named = [row for row in rows(profile, rule) if row.alternative]
    assert {row.alternative for row in named} == names
    assert all(row.name.endswith(f" ({row.alternative})") for row in named)
    told = printed(print_rules, [profile], rule.opcode)
    assert any(line.startswith("one of these ways must be kept whole: ") for line in told)


def test_a_tolerated_relative_error_is_stated() -> None:
    rule = load_profile("litert-int8").operators["CONV_2D"]
    scale = next(r for r in rule.requirements if r.path == "CONV_2D/bias/scale")
    assert required_text(scale).endswith("; a warning up to a relative 1/1000")


def test_values(acme: Profile) -> None:
    found = profile_values(acme)
    assert {key: found[key] for key in ("profile", "title", "source", "activations", "unlisted", "extends")} == {
        "profile": "acme", "title": "Acme NPU", "source": "https://example.org/acme", "activations": ["int8"],
        "unlisted": "violation", "extends": acme.extends,
    }  # fmt: skip
    assert [*found["operators"]] == ["FULLY_CONNECTED", "CONCATENATION", "TANH"]
    fully = found["operators"]["FULLY_CONNECTED"]
    assert (fully["inputs"], fully["outputs"], fully["optional"], fully["repeated"]) == (
        ["input", "weight", "bias"], ["output"], ["bias"], [],
    )  # fmt: skip
    assert (fully["because"], fully["see"], fully["activations"]) == (
        "the array multiplies rows", "manual 3.1", ["input", "output"],
    )  # fmt: skip
    zero = next(r for r in fully["requirements"] if r["path"] == "FULLY_CONNECTED/weight/zero_point")
    assert {key: zero[key] for key in ("alternative", "required", "value", "level", "because", "see", "relaxed")} == {
        "alternative": None, "required": "zero point 0 of weight", "value": "0", "level": "violation",
        "because": "no sum over activations", "see": "manual 3.2", "relaxed": None,
    }  # fmt: skip
    assert zero["demanded_by"]["line"] == 16


def test_json_of_one_operator(acme: Profile) -> None:
    found = json.loads(json_text([acme], "TANH"))
    assert found["litecheck_rules"] == 1
    assert [[*p["operators"]] for p in found["profiles"]] == [["TANH"]]
    assert [p["profile"] for p in json.loads(json_text([acme]))["profiles"]] == ["acme"]


def test_the_reference_lists_requirements_that_a_profile_states(acme: Profile, child: Profile) -> None:
    pages = rule_pages([acme, child])
    assert all(text.startswith("# ") and text.endswith("\n") for text in pages.values())
    assert pages["acme"].startswith(
        "# acme\n\nAcme NPU. Source: https://example.org/acme\n\n"
        "Checks operators with activations of int8; an operator without a rule is a violation."
    )
    assert "- [FULLY_CONNECTED](acme/FULLY_CONNECTED.md)" in pages["acme"]
    rule = pages["acme/FULLY_CONNECTED"]
    assert rule.startswith(
        "# FULLY_CONNECTED (acme)\n\n"
        "Inputs: input, weight, [bias]. Outputs: output.\nThe array multiplies rows.\n"
    )
    assert "- `weight/zero_point`: zero point 0\n\nNo sum over activations (manual 3.2)." in rule
    assert "Extends `" in pages["child"]
    assert [
        line.partition(":")[0]
        for line in pages["child/FULLY_CONNECTED"].splitlines()
        if line.startswith("- ")
    ] == ["- `input/zero_point`"]
    assert "child/CONCATENATION" not in pages


def test_the_reference_lists_impacts_that_a_child_changes(acme: Profile, tmp_path: Path) -> None:
    text = CHILD + 'effects: {"*/*/dtype": fails to load}\n'
    (tmp_path / "child.yaml").write_text(text, "utf-8")
    pages = rule_pages([acme, load_profile(str(tmp_path / "child.yaml"))])
    changed = "[acme](../acme/CONCATENATION.md) states these requirements. Their impacts in child:\n\n"
    assert changed + "- fails to load: `values/dtype`, `output/dtype`\n" in pages["child/CONCATENATION"]
    assert (
        "`CONCATENATION/ROLE/dtype`. The text in\nparentheses is the impact" in pages["child/CONCATENATION"]
    )


def test_the_index_of_the_site_links_to_rule_pages() -> None:
    row = "| ADD | [115](../rules/litert-int8.yaml#L115) | [9](../rules/tflm.yaml#L9) |"
    assert rules_index_on_the_site(row, {"litert-int8/ADD"}) == (
        "| ADD | [115](rules/litert-int8/ADD.md) | [9](../rules/tflm.yaml#L9) |"
    )
