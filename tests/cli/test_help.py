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
 Usage: small weigh [OPTIONS] MODEL... [UNIT]

 Weigh models and say what they weigh, in as many words as it takes to fill
 more than one line.

╭─ Arguments ──────────────────────────────────────────────────────────────────╮
│ MODEL...  What is weighed. [required]                                        │
│ UNIT      In what; [bold] is no markup here.                                 │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────────────╮
│ --scales S   The scales. [required]                                          │
╰──────────────────────────────────────────────────────────────────────────────╯
╭─ Output ─────────────────────────────────────────────────────────────────────╮
│ --quiet, -q  Say nothing of what is not to be said, even if that is much.    │
│   loud=yes   Say it all.                                                     │
│ --help       Show this message and exit.                                     │
╰──────────────────────────────────────────────────────────────────────────────╯

 Examples
   small weigh a.tflite  *
"""


def weigh(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="What is weighed.")],
    scales: Annotated[str, typer.Option(metavar="S", help="The scales.")],
    unit: Annotated[str, typer.Argument(metavar="UNIT", help="In what; [bold] is no markup here.")] = "g",
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet",
            "-q",
            rich_help_panel="Output",
            help="Say nothing of what is not to be said, even if that is much.\nloud=yes: Say it all.",
        ),
    ] = False,
    secret: Annotated[bool, typer.Option("--secret", hidden=True)] = False,
) -> None:
    """Weigh models and say what they weigh, in as many words as it
    takes to fill more than one line.

    \b
    [bold]Examples[/]
      small weigh a.tflite  *
    """


def bottle() -> None:
    """Bottle them."""


for _function in (weigh, bottle):
    add(SMALL, _function)


def shown(application: Any, *arguments: str) -> str:
    """What is printed at 80 columns; help has succeeded."""
    result = CliRunner().invoke(application, arguments, prog_name="small", env={"COLUMNS": "80"})
    assert result.exit_code == 0
    return result.output


def every_command() -> list[tuple[str, ...]]:
    """Names of all commands, those of groups with the group's."""
    group: Any = typer.main.get_command(app)
    found: list[tuple[str, ...]] = [()]
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        found += [(name,), *((name, inner) for inner in getattr(command, "commands", ()))]
    return found


def test_the_layout() -> None:
    assert shown(SMALL, "weigh", "--help").rstrip("\n") == HELP.rstrip("\n")


@pytest.mark.parametrize("arguments", every_command(), ids=" ".join)
def test_every_parameter_is_told_and_fits(arguments: tuple[str, ...]) -> None:
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
def test_a_group_alone_says_what_there_is_and_fails(arguments: tuple[str, ...]) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="litecheck", env={"COLUMNS": "80"})
    assert result.exit_code == 64
    assert "Commands" in result.output
    assert "Error" not in result.output


def test_an_error_names_the_usage_as_help_does() -> None:
    result = CliRunner().invoke(SMALL, ["weigh", "--no-such"], prog_name="small", env={"COLUMNS": "80"})
    assert result.exit_code
    assert "Usage: small weigh [OPTIONS] MODEL... [UNIT]" in result.output
