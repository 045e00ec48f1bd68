"""Help looks the same under every version of typer that pyproject.toml admits."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from litecheck.cli.app import app
from litecheck.cli.commands import PlainGroup, add

SMALL = typer.Typer(cls=PlainGroup, add_completion=False)
HELP = """\
 Usage: small measure [OPTIONS] MODEL... [UNIT]

 Measure models and print their sizes, with so many words that the text fills
 more than a single line.

╭─ Arguments ──────────────────────────────────────────────────────────────────╮
│ MODEL...  Model files. [required]                                            │
│ UNIT      Unit of the sizes; [bold] is no markup here.                       │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────╮
│ --steps S    Step of the sizes. [required]                                   │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Output ─────────────────────────────────────────────────────────────────────╮
│ --quiet, -q  Print no size of a model that is smaller than the limit.        │
│   loud=yes   Print all.                                                      │
│ --help       Show this message and exit.                                     │
╰──────────────────────────────────────────────────────────────────────────────╯

 Examples
   small measure a.tflite  *
"""


def measure(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="Model files.")],
    steps: Annotated[str, typer.Option(metavar="S", help="Step of the sizes.")],
    unit: Annotated[
        str, typer.Argument(metavar="UNIT", help="Unit of the sizes; [bold] is no markup here.")
    ] = "g",
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            rich_help_panel="Output",
            help="Print no size of a model that is smaller than the limit.\nloud=yes: Print all.",
        ),
    ] = False,
    secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
) -> None:
    """Measure models and print their sizes, with so many words that the
    text fills more than a single line.

    \b
    [bold]Examples[/]
      small measure a.tflite  *
    """


def pack() -> None:
    """Pack the models."""


for _function in (measure, pack):
    add(SMALL, _function)


def shown(application: Any, *arguments: str) -> str:
    """Return the output at 80 columns of help that succeeds."""
    result = CliRunner().invoke(application, arguments, prog_name="small", env={"COLUMNS": "80"})
    assert result.exit_code == 0
    return result.output


def every_command() -> list[tuple[str, ...]]:
    """Return the names of all commands; a command of a group as (group, command)."""
    group: Any = typer.main.get_command(app)
    found: list[tuple[str, ...]] = [()]
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        found += [(name,), *((name, inner) for inner in getattr(command, "commands", ()))]
    return found


def test_the_layout() -> None:
    assert shown(SMALL, "measure", "--help").rstrip("\n") == HELP.rstrip("\n")


@pytest.mark.parametrize("arguments", every_command(), ids=" ".join)
def test_every_parameter_is_listed_and_fits(arguments: tuple[str, ...]) -> None:
    text = shown(app, *arguments, "--help")
    assert max(map(len, text.splitlines())) <= 80
    assert "…" not in text
    command: Any = typer.main.get_command(app)
    for name in arguments:
        command = command.get_command(None, name)
    for parameter in command.params:
        if not getattr(parameter, "hidden", False):
            assert parameter.help, f"{parameter.name} has no help"
            assert any(name in text for name in (*parameter.opts, parameter.metavar) if name)


@pytest.mark.parametrize("arguments", [(), ("suite",)], ids=" ".join)
def test_a_group_without_a_command_lists_commands_and_fails(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="litecheck", env={"COLUMNS": "80"})
    assert result.exit_code == 64
    assert "Commands" in result.output
    assert "Error" not in result.output


def test_an_error_names_the_usage_as_help_does() -> None:
    result = CliRunner().invoke(SMALL, ["measure", "--no-such"], prog_name="small", env={"COLUMNS": "80"})
    assert result.exit_code
    assert "Usage: small measure [OPTIONS] MODEL... [UNIT]" in result.output
