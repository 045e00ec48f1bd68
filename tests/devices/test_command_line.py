from __future__ import annotations

import sys
from pathlib import Path

import pytest

from litecheck.devices.command_line import MissingFileError, files, split_command, version, words


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (r"C:\tools\run.exe {model} {runs}", [r"C:\tools\run.exe", "{model}", "{runs}"]),
        (r'"C:\My tools\run.exe" {model} "a b"', [r"C:\My tools\run.exe", "{model}", "a b"]),
        (r"\\server\share\run.exe --option='x'", [r"\\server\share\run.exe", "--option='x'"]),
        (r'run.exe "#3" # {model}', ["run.exe", "#3", "#", "{model}"]),
    ],
)
def test_a_command_line_of_windows(command: str, words: list[str]) -> None:
    assert split_command(command, windows=True) == words


def test_a_command_line_of_posix() -> None:
    assert split_command(r"'./my tool' a\ b {model}", windows=False) == ["./my tool", "a b", "{model}"]


@pytest.mark.parametrize("windows", [True, False])
def test_an_open_quote_is_an_error(windows: bool) -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split_command('run "a', windows=windows)


@pytest.mark.parametrize(
    "command", [f"'{sys.executable}' {{runs}}", f"'{sys.executable}' {{model}} {{inputs}} {{outputs}}"]
)
def test_a_command_has_a_place_for_inputs_and_outputs(command: str) -> None:
    assert words(command) == [sys.executable, *command.split()[1:]]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", 'a program is missing, as in command:"run_on_board {model} {runs}"'),
        ("a {inputs}", "the command does not say where {outputs} go, nor {runs}"),
        ("a {outputs}", "the command does not say where {inputs} go, nor {runs}"),
        ("a", "the command does not say where {inputs} and {outputs} go, nor {runs}"),
        ("a {runs} {inputs}", "{runs} is instead of {inputs} and {outputs}"),
        ("a {runs} {outputs} {inputs}", "{runs} is instead of {inputs} and {outputs}"),
        ("./no-program {runs}", "there is no program './no-program'"),
    ],
)
def test_a_command_that_cannot_be_started(command: str, message: str) -> None:
    with pytest.raises(ValueError) as refused:  # noqa: PT011
        words(command)
    assert str(refused.value) == message


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            "{python} missing.py {{model}} {{runs}}",
            "there is no file 'missing.py' for {python}; did you mean 'missung.py'?",
        ),
        ("{python} -u -O tools/x.py {{runs}}", "there is no file 'tools/x.py' for {python}"),
        ("sh missing.sh {{runs}}", "there is no file 'missing.sh' for sh; did you mean 'missung.py'?"),
        (
            "./broken {{runs}}",
            "./broken: there is no interpreter '/nowhere/python', which its first line names",
        ),
        ("./env {{runs}}", "./env: there is no interpreter 'python-of-nobody', which its first line names"),
    ],
)
def test_a_script_or_interpreter_that_does_not_exist(
    command: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("missung.py").touch()
    for name, line in (("broken", "#!/nowhere/python -u"), ("env", "#!/usr/bin/env -S python-of-nobody -u")):
        Path(name).write_text(line + "\n")
        Path(name).chmod(0o755)
    if sys.platform == "win32" and command.startswith((".", "sh")):
        pytest.skip("scripts of a POSIX shell")
    with pytest.raises(MissingFileError) as refused:
        words(command.format(python=sys.executable))
    assert str(refused.value) == message.format(python=sys.executable)


@pytest.mark.parametrize(
    "command",
    [
        "{python} -m missing {{runs}}",
        "{python} -c pass missing.py {{runs}}",
        "{python} -W ignore there.py missing.py {{runs}}",
        "{python} {{model}} missing.py {{runs}}",
        "sh -c './missing.sh {{runs}}'",
        "./fine missing.py {{runs}}",
    ],
)
def test_other_words_need_not_be_files(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board's program may name files of the board, and an interpreter's other arguments are its script's."""
    monkeypatch.chdir(tmp_path)
    Path("there.py").touch()
    Path("fine").write_text("#!/bin/sh\n")
    Path("fine").chmod(0o755)
    if sys.platform == "win32" and command.startswith((".", "sh")):
        pytest.skip("scripts of a POSIX shell")
    assert words(command.format(python=sys.executable))


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Write a program that prints its arguments in the second line, with control characters, and exits with an error
    for 3 or more."""
    file = tmp_path / "npu"
    file.write_text('#!/bin/sh\nprintf "\\n npu \\033[1m%s \\n" "$*"\ntest $# -lt 3\n')
    file.chmod(0o755)
    return file


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("{runs}", "npu [1m--version"),
        ("-v {runs} more", "npu [1m-v --version"),
        ("{model} more {runs}", "npu [1m--version"),
        ("-v -w {runs}", ""),  # exit status 1
        ("more {runs}", ""),
        ("-c {runs}", ""),
    ],
)
def test_the_version_of_a_program(program: Path, arguments: str, message: str) -> None:
    assert version(f"'{program}' {arguments}") == message
    assert version(f"'{program}' '{program}' {{runs}}") == f"npu [1m{program} --version"[:100]


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
def test_a_version_has_a_hundred_characters(program: Path) -> None:
    assert version(f"'{program}' -{'x' * 200} {{runs}}") == f"npu [1m-{'x' * 200}"[:100]


def test_files_of_a_command(program: Path) -> None:
    found = list(files([sys.executable, str(program), str(program.parent), "no-file"]))
    assert found == [Path(sys.executable), program]
    assert list(files(["no-program", str(program)])) == [program]
