"""The typer application: its commands, ``--version``, and a start that builds only the command it is called for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from litecheck.cli.commands import PlainGroup, add
from litecheck.cli.console import USAGE, failures_told, print_usage_error
from litecheck.cli.streams import guarded_streams
from litecheck.files import MODEL_SUFFIXES

#: In the order of the help; each stands in the module of its name.
COMMANDS = (
    "validate", "inspect", "explain", "rules", "quantize", "dequantize", "compare", "run", "verify", "diagnose",
    "convert", "suite", "certify",
)  # fmt: skip


#: typer has an exception for every wrong command line, and exports one below it.
_UsageError: Any = typer.BadParameter.__base__


@contextmanager
def _failures_told() -> Iterator[None]:
    """A wrong command line ends with a code of its own: 2, which typer gives it, says that a model was not checked."""
    try:
        with failures_told():
            yield
    except _UsageError as error:
        context = error.ctx
        usage = context.get_usage() if context else ""
        help_command = f"{context.command_path} {context.help_option_names[0]}" if context else ""
        print_usage_error(usage, help_command, error.format_message())
        raise typer.Exit(USAGE) from error


class _Group(PlainGroup):
    """Builds a command when it is asked for: reading the signatures of all takes longer than most of them run."""

    def main(self, *args: Any, **extra: Any) -> Any:
        with guarded_streams():
            return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> Any:
        with _failures_told():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: Any) -> Any:
        with _failures_told():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and (os.path.exists(name) or name.lower().endswith(MODEL_SUFFIXES)):
            ctx.fail(f"'{name}' is no command; to judge a model: litecheck validate {name}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # For a name that is none, typer looks through all for the one that was meant.
        for name in (cmd_name,) if cmd_name in COMMANDS else COMMANDS:
            if name not in self.commands:
                self.add_command(_command(name), name)
        return super().get_command(ctx, cmd_name)


app = typer.Typer(
    cls=_Group,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from litecheck.version import __version__

        print(f"litecheck {__version__}")
        raise typer.Exit


@app.callback()
def litecheck(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="The version, and exit.")
    ] = False,
) -> None:
    """Judge quantized LiteRT (.tflite) models: located, explained, without guessing.

    Exit codes: 0 all models conform; 1 one violates its rules; 2 one is not checked; 64 wrong command; 74 disk full.
    """


def _command(name: str) -> Any:
    module = import_module(f"litecheck.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_group(module.app)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    add(alone, getattr(module, name))
    return typer.main.get_command(alone)
