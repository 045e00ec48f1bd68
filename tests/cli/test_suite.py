"""litecheck suite make, run, judge, prove."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Run = Callable[..., Result]
SELECT = ("--select", "TANH/int8/65-536*", "--select", "TANH/int8/refuse-input*")


@pytest.fixture(autouse=True)
def folder(folder: Path, run: Run) -> Path:
    """Write a suite of a valid test case and several invalid models."""
    made = run("suite", "make", "-o", "suite", *SELECT)
    assert (made.exit_code, made.stdout) == (0, "")
    assert made.stderr.startswith("wrote suite: ")
    return folder


def test_from_rules_to_a_report(run: Run) -> None:
    pytest.importorskip("ai_edge_litert", reason="a suite runs on LiteRT")
    ran = run("suite", "run", "suite", "-d", "litert:optimized", "-o", "results")
    assert (ran.exit_code, ran.stdout) == (0, "")
    judged = run("suite", "judge", "suite", "results", "-f", "json:report.json", "-f", "text")
    assert judged.exit_code == 0
    assert "TANH" in judged.stdout
    report = json.loads(Path("report.json").read_text())
    assert report["verdict"] == "conforms"


def test_operators_that_the_profile_makes_untestable_are_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "chip.yaml").write_text(
        "profile: chip\nextends: litert-int8\nactivations: int8\nops: {TANH: {limits: {input.rank: 9}}}\n"
    )
    made = run(
        "suite",
        "make",
        "-o",
        "chip",
        "-p",
        str(tmp_path / "chip.yaml"),
        "--select",
        "TANH",
        "--level",
        "smoke",
    )
    assert made.exit_code == 0
    assert "note: no valid case of 1 operator: TANH int8 (breaks TANH/limits/input.rank)" in made.stderr


def test_a_device_without_any_output_has_an_exit_code(run: Run, tmp_path: Path) -> None:
    (tmp_path / "device.py").write_text("import sys\nprint('no memory', file=sys.stderr)\nsys.exit(3)")
    device = f"command:{sys.executable} {tmp_path / 'device.py'} {{model}} {{runs}}"
    ran = run("suite", "run", "suite", "-d", device, "-o", "results", "--quiet")
    assert ran.exit_code == 2
    assert "0 of 1 valid cases computed, 1 rejected: exit status 3; no memory" in ran.stderr


def test_an_undetected_mistake_has_an_exit_code(run: Run) -> None:
    """Values drawn for a single scale do not reveal the rounding of ties, which would need another scale."""
    proved = run("suite", "prove", "suite", "-f", "json")
    document = json.loads(proved.stdout)
    assert proved.exit_code == 1
    survivors = {row["mistake"] for row in document["rows"] if not row["case"] and not row["because"]}
    assert "round: half-even" in survivors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("make",), "got neither -o DIR nor --stream NAME"),
        (("make", "-o", "suite"), "suite: is there already"),
        (("make", "-o", "other", "--level", "standart"), "did you mean 'standard'?"),
        (("make", "-o", "other", "--select", "TAHN"), "did you mean 'TANH'?"),
        (("run", "nowhere", "-d", "litert:reference", "-o", "r"), "nowhere: no suite"),
        (
            ("run", "suite", "-d", "litert:reference", "-o", "r", "--budget", "x"),
            "a number of invocations or a time is wanted",
        ),
        (("judge", "suite"), "got neither SUITE and RESULTS nor --stream-results FILE"),
        (("judge", "suite", "suite"), "no results"),
        (("prove", "."), ".: no suite"),
        (("diff", "suite", "suite"), "Add --suite DIR"),
    ],
)
def test_wrong_arguments_are_errors(arguments: tuple[str, ...], words: str, run: Run) -> None:
    result = run("suite", *arguments)
    assert result.exit_code == 64
    assert words in " ".join(result.stderr.split())


def test_missing_results_fail_unless_partial_is_set(run: Run) -> None:
    """Only the first case has results; the report begins with "results of 1 of 2 cases"."""
    assert (
        run(
            "suite",
            "make",
            "-o",
            "two",
            "--select",
            "TANH/int8/one-plain",
            "--select",
            "TANH/int8/tail-plain",
        ).exit_code
        == 0
    )
    manifest = json.loads(Path("two/manifest.json").read_text())
    case = manifest["cases"][0]
    place = Path("results/outputs") / case["name"]
    place.mkdir(parents=True)
    (place / "output-0.bin").write_bytes(
        (Path("two") / case["answers"][0]["outputs"][0]["file"]).read_bytes()
    )
    count = len(manifest["cases"])
    judged = run("suite", "judge", "two", "results")
    assert judged.exit_code == 1
    assert f"fails: results of 1 of {count} cases" in judged.stdout.splitlines()[0]
    part = run("suite", "judge", "two", "results", "--partial")
    assert part.exit_code == 0
    assert f"conforms: results of 1 of {count} cases" in " ".join(part.stdout.split()[:20])
    Path("only.yaml").write_text("operators: [TANH]\n")
    assert run("suite", "judge", "two", "results", "--claims", "only.yaml").exit_code == 1
    Path("only.yaml").write_text("operators: [ADD]\n")
    assert "not claimed" in run("suite", "judge", "two", "results", "--claims", "only.yaml").stdout
