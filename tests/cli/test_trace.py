"""litecheck trace on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import litecheck
from litecheck.cli.app import app

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
OTHER = str(FIXTURES / "convert" / "residual_int8.tflite")
REAL, DATA = str(FIXTURES / "float_detector.tflite"), str(FIXTURES / "float_detector.npz")


def ask(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["trace", *words])
    return result.exit_code, result.output


@pytest.fixture(scope="module")
def quantized(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("trace") / "int8.tflite"
    litecheck.convert(REAL, str(path), data=(DATA,), device="litecheck", agreement=False)
    return str(path)


def test_the_culprit_comes_first(quantized: str) -> None:
    code, text = ask(REAL, quantized, "--data", DATA, "--no-fix")
    assert code == 1
    assert text.startswith("CONCATENATION #9 loses 45.8 dB more than it must")


def test_limits_replace_the_verdict(quantized: str) -> None:
    assert ask(REAL, quantized, "--data", DATA, "--no-fix", "--min-snr", "20")[0] == 0
    code, text = ask(REAL, quantized, "--data", DATA, "--no-fix", "--min-snr", "60", "-q")
    assert (code, "required at least 60 dB" in text) == (1, True)


def test_one_model_measures_ranges(quantized: str) -> None:
    code, text = ask(quantized, "--data", DATA, "-f", "json")
    found = json.loads(text)
    assert (code, found["reference"], found["culprits"]) == (0, "", [])
    assert found["samples"] == 16
    assert all(row["saturated"] is not None for row in found["operators"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([REAL, "INT8", REAL, "--data", DATA], 64, "got 3 files"),
        (["INT8", "--device", "tflm", "--data", DATA], 64, "--device needs the float model"),
        (["INT8", "--min-snr", "20", "--data", DATA], 64, "--min-snr needs the float model"),
        ([REAL, "INT8"], 64, "a trace needs data"),
        (["INT8", REAL, "--data", DATA], 2, "expected a float model first"),
        ([REAL, REAL, "--data", DATA], 2, "expected a quantized model, but none of its tensors is quantized"),
        ([REAL, "--data", DATA], 2, "no input or output of its operators is quantized"),
        ([REAL, OTHER, "--data", DATA], 2, "its inputs are [1, 12, 12, 3], those of"),
        ([REAL, "no.tflite", "--data", DATA], 2, "no.tflite"),
    ],
)
def test_wrong_commands(words: list[str], code: int, message: str, quantized: str) -> None:
    found, text = ask(*(quantized if word == "INT8" else word for word in words))
    assert (found, message in " ".join(text.split())) == (code, True), text
