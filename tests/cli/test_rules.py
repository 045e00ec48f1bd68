"""litecheck rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator, ValidationError
from typer.testing import Result

Run = Callable[..., Result]


def test_profiles(run: Run) -> None:
    result = run("rules")
    assert result.exit_code == 0
    for name in ("litert-int8", "litert-runtime", "litert-int16x8"):
        assert name in result.stdout


def test_operators_of_a_profile(run: Run) -> None:
    result = run("rules", "-p", "tiny.yaml")
    assert "tiny: A profile for tests" in result.stdout
    assert "input, weight" in result.stdout


def test_an_operators_rule(run: Run) -> None:
    text = run("rules", "FULLY_CONNECTED", "-p", "tiny.yaml").stdout
    line = next(li for li in text.splitlines() if "weight/granularity" in li)
    assert "per-axis" in line
    assert "note" in line
    assert "tiny.yaml:" in line
    assert max(map(len, text.splitlines())) <= 80


def test_requirements_stay_visible_beside_long_paths(run: Run) -> None:
    lines = run("rules", "TRANSPOSE_CONV", "-p", "ethos-u85").stdout.splitlines()
    assert "required" in lines[2].split()
    text = " ".join(lines)
    assert "present" in text
    assert "ethos-u85" in text
    assert max(map(len, lines)) <= 80


def test_json(run: Run) -> None:
    result = run("rules", "FULLY_CONNECTED", "-p", "tiny.yaml", "-f", "json")
    (profile,) = json.loads(result.stdout)["profiles"]
    found = {r["path"]: r for r in profile["operators"]["FULLY_CONNECTED"]["requirements"]}
    assert found["FULLY_CONNECTED/weight/zero_point"]["value"] == "0"
    assert found["FULLY_CONNECTED/weight/zero_point"]["because"] == "a zero point costs a sum"
    assert found["FULLY_CONNECTED/weight/granularity"]["level"] == "note"
    assert found["FULLY_CONNECTED/weight/granularity"]["effect"] == "the profile forbids it"
    assert (profile["runtime"], profile["judges"]) == ("", "quantization")


def test_an_unknown_operator(run: Run) -> None:
    result = run("rules", "FULLY_CONECTED", "-p", "tiny.yaml")
    assert result.exit_code == 64
    assert "did you mean 'FULLY_CONNECTED'?" in result.stderr


@pytest.mark.parametrize("name", ["ethos-u55", "tiny.yaml"])
def test_a_profile_in_an_operators_place(run: Run, name: str) -> None:
    result = run("rules", name)
    assert result.exit_code == 64
    assert f"{name} is a profile, no operator: litecheck rules --profile {name}" in result.stderr
    assert "did you mean 'vectorblox'?" in " ".join(run("rules", "vectorblocks").stderr.split())


def test_measurements(run: Run) -> None:
    text = run("rules", "--measurements").stdout
    assert all(name in text for name in ("stride_w", "fused_activation", "role.channels"))
    some = run("rules", "--measurements", "stride").stdout
    assert "Horizontal stride of a" in some
    assert "fused_activation" not in some
    values = json.loads(run("rules", "--measurements", "*_mode", "-f", "json").stdout)["measurements"]
    assert values == [
        {
            "name": "mirror_mode",
            "gives": "a mode",
            "words": ["REFLECT", "SYMMETRIC"],
            "meaning": "Mode of MIRROR_PAD: ``REFLECT``, ``SYMMETRIC``, or the number of an unknown mode. "
            "Example: option 0 gives ``REFLECT``.",
        }
    ]
    assert "role.channels" in run("rules", "--measurements", "weight.channels").stdout


def test_no_measurement_of_a_name(run: Run) -> None:
    result = run("rules", "--measurements", "strid_w")
    assert result.exit_code == 64
    assert (
        "strid_w: no name or description of a measurement contains this; did you mean 'stride_w'?"
        in result.stderr
    )


@pytest.mark.parametrize(
    "arguments", [("CONV_2D", "-p", "ethos-u55"), ("-p", "ethos-u55"), ("--measurements",)]
)
def test_no_word_of_a_table_is_cut(run: Run, arguments: tuple[str, ...]) -> None:
    """At 80 columns, long text wraps after a separator."""
    for line in run("rules", *arguments).stdout.splitlines():
        assert len(line) <= 80
        for cell in re.split(r" {3,}", line.strip()):
            assert not re.fullmatch(r"(tion|ion|al|es|ts|uotient|bles|s_results|n)", cell)
    assert "limits/fused_" in run("rules", "CONV_2D", "-p", "ethos-u55").stdout


def test_the_template_is_a_valid_profile(run: Run, folder: Path) -> None:
    text = run("rules", "--template").stdout
    assert text.startswith("# yaml-language-server: $schema=profile.schema.json")
    (folder / "mine.yaml").write_text(text)
    assert run("validate", "good.tflite", "-p", "mine.yaml", "-q").exit_code in (0, 1)
    assert "acme-npu: ACME NPU" in run("rules", "-p", "mine.yaml").stdout


def test_the_schema_describes_the_template(run: Run) -> None:
    schema = json.loads(run("rules", "--schema").stdout)
    profile = yaml.load(run("rules", "--template").stdout, yaml.BaseLoader)
    Draft202012Validator(schema).validate(profile)
    with pytest.raises(ValidationError):
        Draft202012Validator(schema).validate({**profile, "nonsense": "1"})


@pytest.mark.parametrize("profile", ["tiny.yaml", "litert-int8"])
def test_the_source_shows_the_cited_line(run: Run, profile: str) -> None:
    report = json.loads(run("validate", "bad.tflite", "-p", profile, "-f", "json").stdout)
    cited = report["models"][0]["findings"][0]["demanded_by"]
    head, *lines = run(
        "rules", "--source", "-p", cited["profile"] if "/" in cited["file"] else profile
    ).stdout.splitlines()
    assert head == cited["file"]
    number, key = lines[cited["line"] - 1].split()[:2]
    assert (number, key) == (str(cited["line"]), "zero_point:")


def test_one_file_at_a_time(run: Run) -> None:
    for arguments in (
        ["--source"], ["--template", "--schema"], ["CONV_2D", "--template"], ["--measurements", "--schema"],
    ):  # fmt: skip
        assert run("rules", *arguments).exit_code == 64


def test_arithmetics(run: Run) -> None:
    from litecheck.reference.engine.arithmetic import arithmetic_names

    names = arithmetic_names()
    text = run("rules", "--arithmetics").stdout
    listed = json.loads(run("rules", "--arithmetics", "-f", "json").stdout)["arithmetics"]
    assert [one["name"] for one in listed] == list(names)
    assert all(name in text for name in names)
    assert all(one["title"] for one in listed)
    assert run("rules", "ADD", "--arithmetics").exit_code == 64
