"""Messages in a single line, exit codes, and the message of a bug in litecheck."""

from __future__ import annotations

import errno
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import Result

from litecheck import cli, files
from litecheck.cli import app, console
from litecheck.devices.port import DeviceError
from litecheck.errors import (
    ConfigError,
    InputError,
    LitecheckError,
    ModelError,
    OutputError,
    Problem,
    ProfileError,
)

HOSTILE = "a\n::error::b\x1b[31m\u202e"
SHOWN = "a\\n::error::b\\x1b[31m\\u202e"
FULL = OSError(errno.ENOSPC, "No space left on device")


def ended(error: BaseException) -> int:
    """Return the exit code of a command that raises ``error``."""

    @console.handle_errors
    def command() -> None:
        raise error

    with pytest.raises(typer.Exit) as end:
        command()
    return end.value.exit_code


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("report.json", ""),
        ("there/report.json", ""),
        ("new/deep/report.json", "note: there is no folder 'new/deep'; it is made for report.json\n"),
    ],
)
def test_a_folder_that_an_output_makes_is_stated(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    console.check_output(name)
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (ConfigError(HOSTILE), 64, f"error: {SHOWN}\n"),
        (InputError(HOSTILE), 2, f"error: {SHOWN}\n"),
        (LitecheckError(HOSTILE), 2, f"error: {SHOWN}\n"),
        (ProfileError(HOSTILE, 3, HOSTILE), 64, f"error: {SHOWN}:3: {SHOWN}\n"),
        (
            ModelError(HOSTILE, (Problem("bad", HOSTILE, 4, HOSTILE), Problem("worse", "", None, "y"))),
            2,
            f"error: {SHOWN}: {SHOWN}, byte 4: {SHOWN} [bad]\nerror: {SHOWN}: y [worse]\n",
        ),
        (
            DeviceError(HOSTILE, f"first\nsecond {HOSTILE}"),
            2,
            f"error: {SHOWN}\nfirst\nsecond a\n:\\x3aerror::b",
        ),
        (OutputError(HOSTILE), 74, f"error: {SHOWN}\n"),
        (files.unwritable(HOSTILE, FULL), 74, f"error: {SHOWN}: cannot be written, the disk is full\n"),
        (
            files.unwritable("x", PermissionError(errno.EACCES, "Denied")),
            64,
            "error: x: cannot be written, Denied\n",
        ),
        (PermissionError(errno.EACCES, "Denied", HOSTILE), 2, f"error: {SHOWN}: Denied\n"),
        (KeyboardInterrupt(HOSTILE), 130, f"{SHOWN}\n"),
        (MemoryError(), 2, "error: out of memory: this system has no memory for the model and its tensors\n"),
    ],
)
def test_expected_failures(
    error: BaseException,
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(console, "abandon", lambda stream: None)
    assert ended(error) == code
    assert capsys.readouterr().err.startswith(message)


def test_lines_of_a_device_stay_lines_and_none_of_them_is_a_command(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ended(DeviceError("it said", "one\n::error::two\n\x1b[8mthree")) == 2
    assert capsys.readouterr().err == "error: it said\none\n:\\x3aerror::two\n\\x1b[8mthree\n"


def test_a_message_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    console.log(f"wrote {HOSTILE}")
    console.log("nothing", quiet=True)
    assert capsys.readouterr().err == f"wrote {SHOWN}\n"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a function that runs a command with a warning and a bug, and returns the exit code."""

    def fail(**_: object) -> None:
        warnings.warn(HOSTILE, stacklevel=1)
        raise KeyError(HOSTILE)

    def run() -> int:
        monkeypatch.setattr(app, "app", fail)
        monkeypatch.setattr(cli.gc, "freeze", lambda: None)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            with pytest.raises(SystemExit) as end:
                cli.main()
        return int(end.value.code or 0)

    return run


def test_a_mistake_of_litecheck_is_called_that(
    broken: Callable[[], int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(console.TRACEBACK, raising=False)
    assert broken() == 2
    warning, error, mistake, hint = capsys.readouterr().err.splitlines()
    assert warning == f"warning: UserWarning: {SHOWN}"
    assert error == f"error: KeyError: {HOSTILE!r}"
    assert mistake == "This is a mistake in litecheck, not in your model; please report it."
    assert hint == "Set LITECHECK_TRACEBACK=1 and run the same command again to see the traceback."


def test_the_traceback_is_shown_on_request(
    broken: Callable[[], int], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(console.TRACEBACK, "1")
    assert broken() == 2
    message = capsys.readouterr().err
    assert "Traceback (most recent call last)" in message
    assert "raise KeyError(HOSTILE)" in message
    assert "\x1b" not in message
    assert "LITECHECK_TRACEBACK" not in message


def test_a_full_disk_of_every_written_file_has_one_exit_code(
    run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    np.save("reals.npy", np.zeros(3, np.float32))

    def full(*_: object) -> None:
        raise FULL

    monkeypatch.setattr(os, "replace", full)
    for command in (
        ("validate", "bad.tflite", "-f", "json:report.json"),
        ("validate", "bad.tflite", "--write-baseline", "baseline.json"),
        ("run", "good.tflite", "--seed", "0", "-o", "out.npz"),
        ("convert", "float.tflite", "-o", "new.tflite", "--data", "random:1", "--device", "litecheck"),
        ("quantize", "reals.npy", "-o", "stored.npy", "--scale", "1"),
    ):
        result = run(*command)
        assert (result.exit_code, "the disk is full" in result.stderr) == (74, True), command
