"""A wrong command line gives an error in a single line: the problem, the expected value, the next step."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.testing import Result

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (
            ("inspect", "good.tflite", "--operator", "x"),
            "--operator: got 'x', expected the number of an operator, for example 12. See 'litecheck inspect --help'",
        ),
        (
            ("inspect", "good.tflite", "--operator", "9" * 5000),
            f"--operator: got '{'9' * 5000}', expected the number of an operator, for example 12. "
            "See 'litecheck inspect --help'",
        ),
        (
            ("inspect", "good.tflite", "--subgraph", "1\n\x1b[31m"),
            r"--subgraph: got '1\n\x1b[31m', expected a whole number. See 'litecheck inspect --help'",
        ),
        (
            ("validate", "good.tflite", "-o", "report.json"),
            "unknown option -o; a report is written by --format FORMAT:FILE, for example -f json:report.json. "
            "See 'litecheck validate --help'",
        ),
        (
            ("suite", "judge", "--report", "r.html"),
            "unknown option --report; a report is written by --format FORMAT:FILE, for example -f json:report.json. "
            "See 'litecheck suite judge --help'",
        ),
        (
            ("trace", "good.tflite", "--html"),
            "unknown option --html; a report is written by --format html or --format html:FILE. "
            "See 'litecheck trace --help'",
        ),
        (
            ("trace", "good.tflite", "--pdf"),
            "unknown option --pdf. See 'litecheck trace --help'",
        ),
        (
            ("run", "good.tflite", "--seed", "-1"),
            "--seed: got '-1', expected a whole number from 0. See 'litecheck run --help'",
        ),
        (
            ("run", "good.tflite", "--timeout", "0"),
            "--timeout: got '0.0', expected a number from 0.1. See 'litecheck run --help'",
        ),
        (
            ("convert", "good.tflite", "--min-snr", "high"),
            "--min-snr: got 'high', expected a number. See 'litecheck convert --help'",
        ),
        (
            ("run", "good.tflite", "--outputs", "some"),
            "--outputs: got 'some', expected model or all. See 'litecheck run --help'",
        ),
        (
            ("validate", "good.tflite", "--max-partitions", "-1"),
            "--max-partitions: got '-1', expected a whole number from 0 to 999,999,999. See 'litecheck validate --help'",
        ),
        (("validate",), "missing argument MODEL. See 'litecheck validate --help'"),
        (
            ("convert", "good.tflite", "int8.tflite"),
            "unexpected argument int8.tflite; did you mean --output int8.tflite? See 'litecheck convert --help'",
        ),
        (
            ("run", "good.tflite", "x.npy"),
            "unexpected argument x.npy; did you mean --input x.npy? See 'litecheck run --help'",
        ),
        (
            ("convert", "good.tflite", "x.npz"),
            "unexpected argument x.npz; did you mean --data x.npz? See 'litecheck convert --help'",
        ),
        (
            ("diff", "a.tflite", "b.tflite", "c.tflite"),
            "unexpected argument c.tflite. See 'litecheck diff --help'",
        ),
        (
            ("verify", "good.tflite"),
            "missing option --device; 'litecheck devices' lists the devices. See 'litecheck verify --help'",
        ),
        (
            ("validate", "--profil", "tflm"),
            "unknown option --profil; did you mean --profile? See 'litecheck validate --help'",
        ),
        (("inspect", "-z"), "unknown option -z. See 'litecheck inspect --help'"),
        (("validate", "good.tflite", "--profile"), "option '--profile' requires an argument"),
        (("validat",), "unknown command 'validat'; did you mean 'validate'? See 'litecheck --help'"),
        (("check", "m.tflite"), "unknown command 'check'; did you mean 'validate'? See 'litecheck --help'"),
        (
            ("suite", "xyz"),
            "unknown command 'xyz'; available: make, run, judge, prove, diff. See 'litecheck suite --help'",
        ),
        (
            ("good.tflite",),
            "unknown command 'good.tflite'. To validate a model: litecheck validate good.tflite. See 'litecheck --help'",
        ),
    ],
)
def test_the_error_is_one_line(arguments: tuple[str, ...], text: str, run: Run) -> None:
    result = run(*arguments)
    assert (result.exit_code, result.stdout, result.stderr) == (64, "", f"error: {text}\n")
