"""Every option that names a file, with invalid content: the error names the file, and nothing else is
printed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litecheck.cli.app import app

FIXTURES = Path(__file__).parents[2] / "fixtures"
MODEL, FLOAT = str(FIXTURES / "fc_int8.tflite"), str(FIXTURES / "float.tflite")
FILE = "FILE"
#: Commands, and the suffix of the file in place of FILE.
COMMANDS = [
    (["validate", MODEL, "--profile", FILE], ".yaml"),
    (["validate", MODEL, "--baseline", FILE], ".json"),
    (["validate", FILE], ".tflite"),
    (["inspect", FILE], ".tflite"),
    (["rules", "--profile", FILE], ".yaml"),
    (["rules", "--source", "--profile", FILE], ".yaml"),
    (["explain", "TANH", "--profile", FILE], ".yaml"),
    (["run", MODEL, "--statistics", "--input", f"input={FILE}"], ".npy"),
    (["run", MODEL, "--statistics", "--input", f"input={FILE}"], ".npz"),
    (["run", MODEL, "--statistics", "--input", f"input={FILE}"], ".bin"),
    (["run", MODEL, "--statistics", "--seed", "0", "--arithmetic", FILE], ".yaml"),
    (["verify", MODEL, "-d", "recorded:.", "--arithmetic", FILE], ".yaml"),
    (["verify", MODEL, "-d", "recorded:.", "--data", FILE], ".npz"),
    (["verify", MODEL, "-d", "recorded:.", "--set", f"checkpoint={FILE}"], ".jsonl"),
    (["verify", MODEL, "-d", "recorded:.", "--set", f"checkpoint={FILE}", "--resume"], ".jsonl"),
    (["quantize", FILE, "-o", "o.npy", "--scale", "1", "--dtype", "int8"], ".npy"),
    (["quantize", FILE, "-o", "o.npy", "--scale", "1", "--dtype", "int8"], ".bin"),
    (["quantize", MODEL, "-o", "o.npy", "--dtype", "int8", "--scale", FILE], ".npy"),
    (["dequantize", FILE, "-o", "o.npy", "--scale", "1"], ".npy"),
    (["compare", FILE, FILE], ".npy"),
    (["convert", FLOAT, "-o", "o.tflite", "--data", FILE], ".npz"),
    (["convert", FLOAT, "-o", "o.tflite", "--data", FILE], ".npy"),
    (["convert", FLOAT, "-o", "o.tflite", "--plan", FILE], ".json"),
    (["convert", FLOAT, "-o", "o.tflite", "--data", "random:2", "--calibration-cache", FILE], ".json"),
    (["convert", FLOAT, "-o", "o.tflite", "--data", "random:2", "--profile", FILE], ".yaml"),
    (["suite", "make", "-o", "s", "--profile", FILE], ".yaml"),
    (["suite", "make", "-o", "s", "--select", "TANH", "--arithmetic", FILE], ".yaml"),
    (["suite", "judge", "--stream-results", FILE], ".txt"),
    (["suite", "diff", FILE, FILE], ".json"),
    (["certify", ".", ".", "--check", FILE], ".json"),
]


def pipe(path: Path) -> None:
    os.mkfifo(path)


def zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def deep(path: Path) -> None:
    path.write_bytes(b"[" * 100_000)


def digits(path: Path) -> None:
    path.write_bytes(b"9" * 5000)


def noise(path: Path) -> None:
    path.write_bytes(bytes(range(256)) * 4)


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(make, marks=pytest.mark.skipif(os.name == "nt", reason="as POSIX has them"))
        for make in (pipe, zero)
    ]
    + [deep, digits, noise, empty],
)
@pytest.mark.parametrize(
    ("command", "suffix"), COMMANDS, ids=lambda value: " ".join(value[:2]) if value else ""
)
def test_a_file_of_the_wrong_kind_is_an_error_with_its_name(
    command: list[str],
    suffix: str,
    make: Callable[[Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    in_time: None,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "1000")
    make(tmp_path / f"hostile{suffix}")
    before = set(os.listdir())
    words = [word.replace(FILE, f"hostile{suffix}") for word in command]
    done = CliRunner().invoke(app, words)
    if make is empty and f"checkpoint={FILE}" in command:
        return  # an empty file becomes the journal
    if suffix == ".bin" and make not in (pipe, zero) and not done.exit_code:
        return  # any content is valid as raw bytes
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (1, 2, 64)
    assert f"hostile{suffix}" in done.output
    assert "Traceback" not in done.output
    assert set(os.listdir()) <= before | {"hostile.jsonl"}
