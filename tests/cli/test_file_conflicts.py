"""Outputs that would overwrite inputs or each other are rejected by every command before any computation."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from litecheck.cli.file_conflicts import WRITERS, Written, check_conflicts
from litecheck.errors import ConfigError
from tests.cli.test_options import options

Run = Callable[..., Result]

#: Smallest command line of each command that writes files. ``in.tflite`` is its first input.
COMMANDS = {
    "validate": "in.tflite",
    "convert": "in.tflite",
    "trace": "other.tflite in.tflite",
    "diff": "other.tflite in.tflite",
    "verify": "in.tflite --device litert:reference",
    "diagnose": "in.tflite --device litert:reference",
    "run": "in.tflite --seed 0",
    "compare": "other.npy in.tflite",
    "quantize": "in.tflite --scale 1",
    "dequantize": "in.tflite --scale 1",
    "suite make": "--profile ./in.tflite",
    "suite run": "in.tflite --device litert:reference",
    "suite judge": "suite results --claims in.tflite",
    "suite prove": "in.tflite",
    "suite diff": "in.tflite other.json",
    "certify": "suite results --claims in.tflite",
}
#: Values of options with more than a file.
FORMS = {"--format": "json:{}", "--set": "record={}"}
#: Options with the word "Write" in the help that write no file of their own.
NOT_FILES = {"--outputs", "--force", "--arithmetic", "--stream", "--count"}


def writers() -> list[tuple[str, str]]:
    found = [(command, option) for command, option, p in options() if option in WRITERS]
    plain = {(command, "--format") for command, option, p in options() if p.metavar == "FORMAT"}
    return [pair for pair in found if pair not in plain]


@pytest.mark.parametrize(("command", "option"), writers())
@pytest.mark.parametrize("spelling", ["./in.tflite", "folder/../in.tflite", "symbolic", "hard"])
def test_no_command_overwrites_its_input(
    run: Run, tmp_path: Path, command: str, option: str, spelling: str
) -> None:
    Path("in.tflite").write_bytes(b"content")
    Path("folder").mkdir()
    os.symlink("in.tflite", "symbolic")
    os.link("in.tflite", "hard")
    done = run(*command.split(), *COMMANDS[command].split(), option, FORMS.get(option, "{}").format(spelling))
    assert (done.exit_code, done.stdout) == (64, "")
    assert f"{option} {spelling}: the output would overwrite the input" in " ".join(done.stderr.split())
    assert Path("in.tflite").read_bytes() == b"content"


def test_every_option_that_writes_is_known() -> None:
    message = {option for _, option, p in options() if p.help.startswith("Write") or "or write" in p.help}
    assert message - NOT_FILES <= set(WRITERS)


@pytest.mark.parametrize(
    ("written", "arguments", "read", "message"),
    [
        ([("-f", "new.json")], ["a.tflite"], [], None),
        ([("-f", "/dev/null"), ("-o", "/dev/null")], ["/dev/null"], [], None),
        ([("-f", "-")], ["-"], [], None),
        ([("-f", "a.json"), ("-o", "./a.json")], [], [], "-o ./a.json: two outputs to one file, also -f"),
        ([("-f", "a.tflite")], ["*.tflite"], [], "overwrite the input a.tflite"),
        ([("-f", "models/b.tflite")], ["models"], [], "overwrite the input models"),
        ([("-f", "models/b.tflite")], ["**/*.tflite"], [], "overwrite the input models/b.tflite"),
        ([("-f", "models/report.html")], ["models"], [], None),
        ([("-f", "suite/manifest.json")], ["suite"], [], "overwrite the input suite"),
        ([("-o", "models/b.tflite")], [], ["models"], None),
        ([("-o", "suite/x.npy")], [], ["suite"], "overwrite the input suite"),
        ([("-o", "suite")], ["suite"], [], "overwrite the input suite"),
        ([("-o", "suite/x.npy")], ["0=suite/x.npy"], [], "overwrite the input suite/x.npy"),
        ([("-o", "suite/x.npy")], ["suite/x.npy:key"], [], "overwrite the input suite/x.npy"),
        ([("-o", "a.tflite")], ["command:python a.tflite {model}"], [], "overwrite the input a.tflite"),
    ],
)
def test_files(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    written: Written,
    arguments: list[str],
    read: list[str],
    message: str | None,
) -> None:
    monkeypatch.chdir(tmp_path)
    for file in ("a.tflite", "models/b.tflite", "models/report.html", "suite/manifest.json", "suite/x.npy"):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_bytes(b"")
    if message is None:
        check_conflicts(written, arguments, read)
    else:
        with pytest.raises(ConfigError, match=message):
            check_conflicts(written, arguments, read)


def test_a_baseline_is_updated_in_place(run: Run) -> None:
    update = ("validate", "good.tflite", "--write-baseline", "known.json", "--fail-on", "note")
    assert run(*update).exit_code == 0
    assert run(*update, "--baseline", "known.json").exit_code == 0


def test_outputs_of_a_configuration_spare_the_models(run: Run) -> None:
    Path("litecheck.toml").write_text('format = ["json:good.tflite"]\n')
    content = Path("good.tflite").read_bytes()
    assert run("validate", "good.tflite").exit_code == 64
    assert Path("good.tflite").read_bytes() == content


def test_a_name_is_no_file(run: Run) -> None:
    """``--profile tiny.yaml`` is a file; the profile tflm is not a file, even beside a file of this name."""
    Path("tflm").write_text("")
    assert run("validate", "good.tflite", "--profile", "tflm", "-f", "json:tflm").exit_code in (0, 1, 2)
