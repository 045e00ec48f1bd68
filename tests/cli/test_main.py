"""The program as a process: help, version, colors, broken pipes, interrupts, bugs of litecheck."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

import litecheck

ROOT = Path(litecheck.__file__).parents[1]
Run = Callable[..., Result]


def environment(**more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS")}
    return kept | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"} | more


def program(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "litecheck", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment(**more), timeout=60)


def test_alone_it_shows_help_and_does_not_pass(run: Run) -> None:
    result = run()
    assert result.exit_code == 64
    for command in ("validate", "inspect", "explain", "rules"):
        assert command in result.stdout


def test_version(run: Run) -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"litecheck {litecheck.__version__}\n")


@pytest.mark.parametrize("command", ["validate", "inspect", "explain", "rules"])
def test_every_help_has_a_purpose_and_examples(run: Run, command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    assert "Examples" in text
    assert f"litecheck {command} " in text.split("Examples")[1]
    assert "list[str]" not in text.split("Examples")[0]


def test_exit_codes_of_the_process(folder: Path) -> None:
    assert program("validate", "good.tflite", "-p", "tiny.yaml").returncode == 0
    assert program("validate", "bad.tflite", "-p", "tiny.yaml").returncode == 1
    assert program("validate", "float.tflite", "-p", "tiny.yaml").returncode == 2


def test_colours_only_when_wanted(folder: Path) -> None:
    command = ("validate", "bad.tflite", "-p", "tiny.yaml")
    forced = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    assert "\x1b[" in program(*command, **forced).stdout
    assert "\x1b[" not in program(*command).stdout
    for plain in (program(*command, NO_COLOR="1", **forced), program(*command, "--no-color", **forced)):
        assert "\x1b" not in plain.stdout
        assert "violation" in plain.stdout


@pytest.mark.parametrize("more", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_help_and_errors_without_escape_codes(folder: Path, more: dict[str, str]) -> None:
    for arguments in (
        ("validate", "--help"),
        ("validate", "--nonsense"),
        ("validate", "x", "-p", "nonsense"),
    ):
        told = program(*arguments, **({"FORCE_COLOR": "1", "TERM": "xterm-256color"} | more))
        assert "\x1b" not in told.stdout + told.stderr
        assert told.stdout + told.stderr


@pytest.mark.parametrize("name", ["good.tflite", "absent.tflite"])
def test_a_model_instead_of_a_command_hints_at_validate(run: Run, name: str) -> None:
    result = run(name)
    assert result.exit_code == 64
    assert f"litecheck validate {name}" in " ".join(result.stderr.replace("│", "").split())


def test_machine_formats_have_no_colour(folder: Path) -> None:
    result = program("validate", "bad.tflite", "-p", "tiny.yaml", "-f", "json", FORCE_COLOR="1")
    assert "\x1b" not in result.stdout


def test_names_survive_a_narrow_encoding(folder: Path) -> None:
    (folder / "größe.tflite").write_bytes((folder / "good.tflite").read_bytes())
    result = program("validate", "größe.tflite", "-p", "tiny.yaml", PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert result.returncode == 0
    assert result.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently on Windows")
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_broken_pipe_is_quiet(folder: Path, form: str) -> None:
    command = [sys.executable, "-m", "litecheck", "validate", "bad.tflite", "-p", "tiny.yaml", "-f", form]
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        result = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, env=environment(), timeout=60)
    assert (result.returncode, result.stderr) == (141, b"")


@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_an_interrupt_is_quiet(folder: Path) -> None:
    command = [sys.executable, "-m", "litecheck", "validate", "-", "-p", "tiny.yaml"]
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment())
    assert started.stdin
    # More than the capacity of the pipe: after the write, the program has started to read and waits for more.
    started.stdin.write(bytes(1 << 20))
    started.stdin.flush()
    time.sleep(0.2)
    started.send_signal(signal.SIGINT)
    out, err = started.communicate(timeout=60)
    assert (started.returncode, out, err) == (130, b"", b"")


def test_our_own_mistakes_are_not_verdicts(folder: Path) -> None:
    code = (
        "import sys, litecheck.checks.validate as v\n"
        "def broken(*_, **__): raise RuntimeError('oops')\n"
        "v.validate_file = broken\n"
        "sys.argv = ['litecheck', 'validate', 'good.tflite', '-p', 'tiny.yaml']\n"
        "from litecheck.cli import main; main()"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert result.returncode == 2
    assert "RuntimeError: oops" in result.stderr
    assert "mistake in litecheck" in result.stderr


def test_validate_imports_no_large_library(folder: Path) -> None:
    code = (
        "import sys\n"
        "sys.argv = ['litecheck', 'validate', 'good.tflite', '-p', 'tiny.yaml']\n"
        "from litecheck.cli import main\n"
        "try: main()\n"
        "except SystemExit as e: assert e.code == 0\n"
        "print([m for m in ('pydantic', 'tensorflow', 'ai_edge_litert', 'onnx', 'json', 'email', 'http', 'numpy.ma',"
        " 'rich.progress', 'tomllib') if m in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert result.stderr.strip() == "[]"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("litecheck validate --profile litert-int8", "litert-int8"),
        ("litecheck validate -f sa", "sarif"),
        ("litecheck validate --fail-on w", "warning"),
        ("litecheck explain CONV_", "CONV_2D"),
        ("litecheck rules SOFT", "SOFTMAX"),
        ("litecheck rules --measurements stride_", "stride_w"),
        ("litecheck validate --select CONV_2D/weight/z", "CONV_2D/weight/zero_point"),
        ("litecheck inspect -f j", "json"),
    ],
)
def test_values_complete(folder: Path, words: str, expected: str) -> None:
    count = str(len(words.split()) - 1)
    done = {"_LITECHECK_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": count}
    assert expected in program(**done).stdout.split()


@pytest.mark.parametrize(
    "at", ["litecheck.cli.streams", "litecheck.cli.console", "litecheck.cli.app", "litecheck.cli.validate"]
)
def test_an_interrupt_between_two_imports_is_no_traceback(at: str) -> None:
    """Ctrl-C may arrive while a class is created: Python 3.11 wraps an exception in ``__set_name__``."""
    program = (
        "import os, signal, sys\n"
        "class Stop:\n"
        "    def __set_name__(self, owner, name): os.kill(os.getpid(), signal.SIGINT)\n"
        "class Finder:\n"
        "    def find_spec(self, name, *rest):\n"
        f"        if name == {at!r}: type('Owner', (), {{'stop': Stop()}})\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from litecheck.cli import main\n"
        "main()\n"
    )
    command = [sys.executable, "-c", program, "validate", "model.tflite"]
    done = subprocess.run(command, capture_output=True, env=environment(), timeout=60)
    assert (done.returncode % 256 in (130, 256 - signal.SIGINT), done.stdout, done.stderr) == (True, b"", b"")
