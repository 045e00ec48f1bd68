from __future__ import annotations

import pytest

from litecheck.devices.command_line import split_command


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


def test_a_command_line_elsewhere() -> None:
    assert split_command(r"'./my tool' a\ b {model}", windows=False) == ["./my tool", "a b", "{model}"]


@pytest.mark.parametrize("windows", [True, False])
def test_an_open_quote_is_an_error(windows: bool) -> None:
    with pytest.raises(ValueError, match="No closing quotation"):
        split_command('run "a', windows=windows)
