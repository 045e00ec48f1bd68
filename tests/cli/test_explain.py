"""litecheck explain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.checks.validate import validate
from litecheck.data import rules_dir
from litecheck.model.load import load_model
from litecheck.profile.load import load_profile, profile_names
from litecheck.rendering.explain import explain
from litecheck.targets.ethos_u.placement import place_model

EXAMPLE = rules_dir() / "examples" / "per-tensor-npu.yaml"
FIXTURES = Path(__file__).parents[2] / "fixtures"

Run = Callable[..., Result]


def test_one_requirement(run: Run) -> None:
    result = run("explain", "FULLY_CONNECTED/weight/zero_point", "-p", "tiny.yaml")
    assert result.exit_code == 0
    assert "required     zero point 0 of weight" in result.stdout
    assert "because      a zero point costs a sum" in result.stdout
    assert "rule         tiny, tiny.yaml:" in result.stdout
    assert "level        violation" in result.stdout
    assert "impact       the profile forbids it" in result.stdout
    assert "zero point is 3; tiny" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_an_operator_and_wildcards(run: Run) -> None:
    everything = run("explain", "FULLY_CONNECTED", "-p", "tiny.yaml").stdout
    assert everything.count("\n  required ") == 10
    some = run("explain", "*/*/granularity", "-p", "tiny.yaml").stdout
    assert [li for li in some.splitlines() if li.startswith("F")] == [
        "FULLY_CONNECTED/input/granularity (tiny)",
        "FULLY_CONNECTED/weight/granularity (tiny)",
        "FULLY_CONNECTED/output/granularity (tiny)",
    ]


def test_the_example_has_the_effect_of_the_requirement(run: Run) -> None:
    told = run("explain", "TANH/output/scale", "-p", "litert-int8").stdout
    assert "impact       outside the specification" in told
    assert told.split()[-3:] == ["(outside", "the", "specification)"]


def test_an_unknown_path(run: Run) -> None:
    result = run("explain", "FULLY_CONNECTED/wait", "-p", "tiny.yaml")
    assert result.exit_code == 64
    assert "did you mean 'FULLY_CONNECTED/weight'?" in result.stderr


def test_an_operator_that_a_target_does_not_list(run: Run) -> None:
    for opcode in ("CAST", "CUSTOM"):
        told = run("explain", f"{opcode}/unsupported", "-p", "ethos-u55").stdout
        assert told.startswith(f"{opcode}/unsupported (ethos-u55)\n  required     an operator of the list\n")
        assert "rule         ethos-u55, rules/targets/ethos-u55.yaml:23" in told
        assert "impact       stays on the CPU" in told


def test_an_operator_that_the_profile_does_not_list(run: Run) -> None:
    told = run("explain", "GELU", "-p", str(EXAMPLE)).stdout
    assert "required     an operator of the profile" in told
    assert "per-tensor-npu.yaml:16" in told
    assert "example      GELU #12 'block3/gelu': it is not in the profile" in told
    every = run("explain", "*/unsupported", "-p", str(EXAMPLE)).stdout
    assert every.startswith("*/unsupported (per-tensor-npu)")


def test_an_operator_that_a_target_fuses(run: Run) -> None:
    told = run("explain", "SPACE_TO_BATCH_ND/unsupported", "-p", "ethos-u55").stdout
    assert "required     a constant" in told
    assert "impact       crashes the compiler" in told


def test_a_path_of_another_profile_names_it(run: Run) -> None:
    result = run("explain", "ARG_MAX/limits/axis_length")
    assert result.exit_code == 64
    assert "ethos-u55, ethos-u65 have it: --profile ethos-u55" in " ".join(result.stderr.split())
    assert run("explain", "ARG_MAX/limits/axis_length", "-p", "ethos-u55").exit_code == 0


def test_a_path_that_no_profile_has(run: Run) -> None:
    for path in ("ADDD/unsupported", "ADDD", "ADD/limits/stride_w"):
        result = run("explain", path, "-p", str(EXAMPLE))
        assert result.exit_code == 64
        assert "no requirement has this path" in result.stderr


def test_a_word_that_only_measurements_have_names_the_command(run: Run) -> None:
    hint = "'litecheck rules --measurements overflow' lists measurements with this word"
    for command in ("explain", "rules"):
        assert hint in " ".join(run(command, "overflow").stderr.split())
    assert "--measurements" not in run("explain", "zzzzzz").stderr
    assert "largest_int32_accumulator" in run("rules", "--measurements", "overflow").stdout.replace("\n", "")


@pytest.mark.parametrize("name", ["ethos-u55", "ethos-u85", "vectorblox", "artpec-9", str(EXAMPLE)])
def test_every_path_of_a_report_is_explained(name: str) -> None:
    profile = load_profile(name)
    paths = set()
    for file in sorted(FIXTURES.glob("[!d]*.tflite"))[::2]:
        model = load_model(file)
        placed = profile.judges == "placement"
        found = place_model(model, profile)[1] if placed else validate(model, profiles=(profile,)).findings
        paths |= {f.path for f in found}
    assert paths
    for path in paths:
        assert f"{path} ({profile.name})" in explain(path, (profile,))


def test_every_requirement_of_the_shipped_profiles_has_an_explanation(run: Run) -> None:
    for profile in profile_names():
        result = run("explain", "*", "-p", profile)
        assert result.exit_code == 0
        assert result.stdout.count("  required ") == result.stdout.count("  example ")
