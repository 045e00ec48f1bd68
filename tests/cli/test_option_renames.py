"""The old name of an option gives an error with the new name."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from typer.testing import Result

from litecheck.cli.option_renames import _RENAMED, current_option
from tests.cli.test_options import commands

Run = Callable[..., Result]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("verify", "m.tflite", "-d", "tflm", "--whole"), "unknown option --whole; it is now --unit model"),
        (("run", "m.tflite", "--random", "0"), "unknown option --random; it is now --seed SEED"),
        (("convert", "m.tflite", "--random", "2"), "it is now --data random:N"),
        (("suite", "judge", "--stream", "-"), "it is now --stream-results FILE"),
        (("validate", "m.tflite", "--level", "A=note"), "it is now --set-level PATH=LEVEL"),
    ],
)
def test_the_error_names_the_present_option(arguments: tuple[str, ...], message: str, run: Run) -> None:
    result = run(*arguments)
    assert result.exit_code == 64
    assert message in result.stderr


def test_old_names_are_removed_and_new_names_exist() -> None:
    known = {name: {opt for p in command.params for opt in p.opts} for name, command in commands()}
    for command, options in _RENAMED.items():
        for old in options:
            assert old not in known[command], (command, old)
            assert current_option(f"litecheck {command}", old).split()[0] in known[command], (command, old)


def test_an_option_that_was_never_there_has_no_new_name() -> None:
    assert current_option("litecheck verify", "--no-such") == ""
