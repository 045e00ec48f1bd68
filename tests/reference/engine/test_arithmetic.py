"""Arithmetic files: the published files are valid, and errors in user files state their line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from litecheck.data import rules_dir, schemas_dir
from litecheck.errors import ProfileError
from litecheck.reference.engine.arithmetic import arithmetic_names, load_arithmetic
from litecheck.reference.registry import kernels

GOOD = """\
arithmetic: acme
title: Acme
source: https://example.org
extends: litert-reference
operators:
  RESIZE_BILINEAR:
    interpolate: q11
    because: eleven bits
"""


def written(folder: Path, text: str, name: str = "acme.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_published_arithmetics() -> None:
    names = arithmetic_names()
    assert {"litert-reference", "litert-optimized", "litert-xnnpack", "tflm", "single-rounding"} <= set(names)
    for name in names:
        arithmetic = load_arithmetic(name)
        assert arithmetic.name == name
        assert arithmetic.source.startswith("https://")
        for opcode, stages in arithmetic.stages.items():
            cells = {c.path: c for kernel in kernels()[opcode] for c in kernel.slots()}
            assert all(variant in cells[path].variants for path, variant in stages.items()), opcode


def test_all_arithmetics_except_the_reference_state_reasons() -> None:
    reference = load_arithmetic("litert-reference")
    for name in ("litert-optimized", "litert-xnnpack"):
        other = load_arithmetic(name)
        departs = [o for o, stages in other.stages.items() if stages != reference.stages.get(o, {})]
        assert departs
        assert [o for o in departs if not other.reasons[o]] == []


def test_a_user_defined_arithmetic(tmp_path: Path) -> None:
    acme = load_arithmetic(written(tmp_path, GOOD))
    assert acme.variants("RESIZE_BILINEAR")["interpolate"] == "q11"
    assert acme.reasons["RESIZE_BILINEAR"] == "eleven bits"
    child = (
        GOOD.replace("acme\n", "child\n", 1).replace("litert-reference", "acme.yaml").split("operators:")[0]
    )
    assert (
        load_arithmetic(written(tmp_path, child, "child.yaml")).variants("RESIZE_BILINEAR")["interpolate"]
        == "q11"
    )


def test_an_entry_of_a_type_precedes_that_of_the_operator(tmp_path: Path) -> None:
    """The general entry of a child does not change the parent's entry of a type."""
    typed = GOOD.replace("  RESIZE_BILINEAR:", "  RESIZE_BILINEAR/int16:")
    written(tmp_path, f"{typed}  RESIZE_BILINEAR: {{interpolate: q10}}\n")
    child = (
        GOOD.replace("acme", "child", 1).replace("litert-reference", "acme.yaml").replace("q11", "float32")
    )
    found = load_arithmetic(written(tmp_path, child, "child.yaml"))
    kinds = {kind: found.variants("RESIZE_BILINEAR", kind)["interpolate"] for kind in ("", "int8", "int16")}
    assert kinds == {"": "float32", "int8": "float32", "int16": "q11"}
    changed = found.under("RESIZE_BILINEAR", {"interpolate": "q10"})
    assert changed.variants("RESIZE_BILINEAR", "int16") == {"interpolate": "q10"}


def test_a_step_states_a_variant_or_a_variant_by_condition(tmp_path: Path) -> None:
    """Among the stated keys, the key with the most true conditions applies; the first condition has the highest rank."""
    stated = "interpolate: {default: q11, declined: float32, uint8: q10, declined+uint8: float32-weights}"
    acme = load_arithmetic(written(tmp_path, GOOD.replace("interpolate: q11", stated))).variants(
        "RESIZE_BILINEAR"
    )
    assert dict(acme) == {
        "interpolate": "q11",
        "interpolate/declined": "float32",
        "interpolate/uint8": "q10",
        "interpolate/declined+uint8": "float32-weights",
    }
    (step,) = (s for k in kernels()["RESIZE_BILINEAR"] for s in k.steps.values())
    chosen = {cell.conditions: cell.variant(acme) for cell in step.slots("interpolate")}
    assert chosen[()] == chosen["int16",] == "q11"
    assert (chosen["declined",], chosen["uint8",]) == ("float32", "q10")
    assert chosen["declined", "uint8"] == "float32-weights"
    without = {path: variant for path, variant in acme.items() if "+" not in path}
    (both,) = (cell for cell in step.slots("interpolate") if cell.conditions == ("declined", "uint8"))
    assert both.variant(without) == "float32"
    assert both.variant({"interpolate/uint8": "q10"}) == "q10"
    assert both.variant({"interpolate": "half-even"}) == both.variants[0] == "float32-half-up"


def test_a_child_overrides_single_conditions_of_a_step(tmp_path: Path) -> None:
    child = GOOD.replace("litert-reference", "litert-xnnpack").replace(": q11", ": {uint8: q10}")
    parent, found = load_arithmetic("litert-xnnpack"), load_arithmetic(written(tmp_path, child))
    changed = {**parent.variants("RESIZE_BILINEAR"), "interpolate/uint8": "q10"}
    assert found.variants("RESIZE_BILINEAR") == changed != parent.variants("RESIZE_BILINEAR")


@pytest.mark.parametrize(
    ("old", "line", "new"),
    [
        (
            "interpolate: q11\n    declined: q10\n    declined_unsigned: float32-weights",
            8,
            "declined is a condition of interpolate and no step of its own; "
            "write interpolate: {default: q11, declined: q10, declined+uint8: float32-weights}",
        ),
        (
            "unsigned: q10",
            7,
            "unsigned is a condition of interpolate and no step of its own; write interpolate: {uint8",
        ),
    ],
)
def test_an_old_spelling_is_rejected_and_the_new_spelling_named(
    tmp_path: Path, old: str, line: int, new: str
) -> None:
    with pytest.raises(ProfileError, match=re.escape(new)) as caught:
        load_arithmetic(written(tmp_path, GOOD.replace("interpolate: q11", old)))
    assert f"acme.yaml:{line}" in str(caught.value)


@pytest.mark.parametrize(
    ("found", "instead", "line", "message"),
    [
        (
            "interpolate: q11",
            "interpolate: {declind: q11}",
            7,
            "no condition 'declind'; did you mean 'declined'",
        ),
        ("interpolate: q11", "interpolate: {default: q11, uint8: q12}", 7, "has no interpolate 'q12'"),
        ("interpolate: q11", "interpolate: q12", 7, "RESIZE_BILINEAR has no interpolate 'q12'"),
        ("interpolate: q11", "interpolat: q11", 7, "interpolat"),
        ("  RESIZE_BILINEAR", "  RESIZE_BILINAER", 6, "did you mean 'RESIZE_BILINEAR'"),
        ("  RESIZE_BILINEAR", "  RESIZE_BILINEAR/real", 6, "RESIZE_BILINEAR has no type 'real'"),
        ("title", "titel", 2, "titel"),
        ("    because: eleven bits", "    interpolate: q11", 8, "interpolate"),
        ("arithmetic: acme\n", "", 1, "the key arithmetic, its name, is missing"),
        ("extends: litert-reference", "extends: litert-referenz", None, "no arithmetic 'litert-referenz'"),
    ],
)
def test_errors_state_their_line(
    tmp_path: Path, found: str, instead: str, line: int | None, message: str
) -> None:
    path = written(tmp_path, GOOD.replace(found, instead, 1))
    with pytest.raises(ProfileError) as caught:
        load_arithmetic(path)
    assert message in str(caught.value)
    if line is not None:
        assert f"acme.yaml:{line}" in str(caught.value)


def test_a_circle_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD.replace("litert-reference", "acme.yaml"))
    with pytest.raises(ProfileError, match="extends itself"):
        load_arithmetic(path)


@pytest.mark.parametrize(
    ("name", "advice"),
    [("litert-xnnpac", "did you mean 'litert-xnnpack'"), ("litert-int8", "it is a profile, for --profile")],
)
def test_an_unknown_name(name: str, advice: str) -> None:
    with pytest.raises(ProfileError, match=advice):
        load_arithmetic(name)


def test_the_json_schema_describes_arithmetic_files() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")
    schema = json.loads((schemas_dir() / "arithmetic.schema.json").read_text("utf-8"))
    judge = jsonschema.Draft202012Validator(schema)
    for name in arithmetic_names():
        judge.validate(yaml.safe_load((rules_dir() / "arithmetic" / f"{name}.yaml").read_text("utf-8")))
    assert judge.is_valid(yaml.safe_load(GOOD))
    assert not judge.is_valid(yaml.safe_load(GOOD.replace("title", "titel")))
    assert not judge.is_valid(yaml.safe_load(GOOD.replace("RESIZE_BILINEAR", "resize")))
    assert judge.is_valid(yaml.safe_load(GOOD.replace("RESIZE_BILINEAR", "RESIZE_BILINEAR/int16")))
    assert judge.is_valid(yaml.safe_load(GOOD.replace("q11", "{default: q11, declined+uint8: q10}")))
    assert not judge.is_valid(yaml.safe_load(GOOD.replace("q11", "{Declined: q10}")))
    assert not judge.is_valid(yaml.safe_load(GOOD.replace("q11", "{default: [q10]}")))


def test_the_example_in_the_guide_is_an_arithmetic_file(tmp_path: Path) -> None:
    guide = (rules_dir().parent / "docs" / "run.md").read_text("utf-8")
    (example,) = re.findall(r"^```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    acme = load_arithmetic(written(tmp_path, example))
    assert (acme.name, acme.variants("CONV_2D")["requantize"]) == ("acme-npu2", "single")
