"""litecheck diff on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
ONE, OTHER = (str(FIXTURES / f"broken_{name}.tflite") for name in ("bias_scale_2_ulps", "weight_zero_point"))


def ask(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["diff", *words])
    return result.exit_code, result.output


def test_the_same() -> None:
    code, text = ask(ONE, ONE, "--run", "0")
    assert (code, text.splitlines()[0]) == (0, "same: 1 operator compared")
    message = " ".join(text.split())
    assert "outputs different in 0 of 1 operator, in one inference on random inputs of seed 0" in message


def test_a_run_is_counted_in_every_report() -> None:
    """Weights of -128 become -127 in a single model: the operator is compared, and differs."""
    after = str(FIXTURES / "broken_weight_minus_128.tflite")
    _, text = ask(ONE, after, "--run", "3", "--ignore", "*", "-f", "json", "--arithmetic", "tflm")
    assert json.loads(text)["run"] == {"seed": 3, "arithmetic": "tflm", "compared": 1, "different": 1}
    _, text = ask(ONE, after, "-f", "json")
    assert "run" not in json.loads(text)
    _, text = ask(ONE, after, "--run", "3", "-f", "markdown")
    assert "different in 1 of 1 operator, in one inference on random inputs of seed 3" in text


def test_changes() -> None:
    code, text = ask(ONE, OTHER, "-f", "json")
    found = json.loads(text)
    assert code == found["exit_code"] == 1
    causes = [(c["kind"], c["role"]) for c in found["changes"] if c["cause"] < 0]
    assert causes == [("zero-point", "weight"), ("scale", "bias")]


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["--select", "scale"], {"scale"}),
        (["--ignore", "finding-*", "--ignore", "zero-point"], {"scale"}),
        (["--run", "0", "--select", "output-values"], {"output-values"}),
    ],
)
def test_filters(options: list[str], kinds: set[str]) -> None:
    after = OTHER if "--run" not in options else str(FIXTURES / "broken_weight_minus_128.tflite")
    _, text = ask(ONE, after, "-f", "json", *options)
    assert {change["kind"] for change in json.loads(text)["changes"]} == kinds


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([ONE, OTHER, "--select", "zero_point"], 64, "did you mean"),
        ([ONE, "no.tflite"], 2, "no.tflite"),
        ([ONE, OTHER, "-f", "csv"], 64, "unknown format"),
    ],
)
def test_wrong_commands(words: list[str], code: int, message: str) -> None:
    found, text = ask(*words)
    assert (found, message in " ".join(text.split())) == (code, True), text


def test_quiet() -> None:
    assert ask(ONE, ONE, "-q") == (0, "")
    assert ask(ONE, OTHER, "-q")[1].count("\n") == 1
