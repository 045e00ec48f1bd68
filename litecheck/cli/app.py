"""The typer application: its commands, ``--version``, and a start that builds only the command it is called for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

#: In the order of the help; each stands in the module of its name.
COMMANDS = (
    "validate", "inspect", "explain", "rules", "quantize", "dequantize", "compare", "run", "verify", "diagnose",
    "convert", "suite",
)  # fmt: skip


class _Verbatim:
    """Hands text and flags on as they are.

    typer would build a pydantic adapter to do the same, and importing pydantic takes longer than judging
    a small model does.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        return list(value or ()) if several else value


def _spared(params: list[Any]) -> list[Any]:
    for param in params:
        plain = getattr(getattr(param, "type_descriptor", None), "annotation", None) in (str, bool, list[str])
        if plain and hasattr(param, "get_runtime_param"):
            param.get_runtime_param = _Verbatim
    return params


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _spared(super().get_params(ctx))


class _Group(TyperGroup):
    """Builds a command when it is asked for: reading the signatures of all takes longer than most of them run."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _spared(super().get_params(ctx))

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
    no_args_is_help=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from litecheck.version import __version__

        print(f"litecheck {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def litecheck(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="The version, and exit.")
    ] = False,
) -> None:
    """Judge quantized LiteRT (.tflite) models: located, explained, without guessing.

    Exit codes: 0 all models conform; 1 one violates its rules; 2 one could not be judged.
    """
    if ctx.invoked_subcommand is None:
        # Not 0: a gate whose arguments got lost must not pass.
        print(ctx.get_help())
        raise typer.Exit(2)


def _help(command: Callable[..., None]) -> str:
    """The docstring, each paragraph on one line but those that start with ``\\b``: typer keeps line ends."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(p if p.startswith("\b") else " ".join(p.split("\n")) for p in paragraphs)


def _command(name: str) -> Any:
    function = getattr(import_module(f"litecheck.cli.{name}"), name)
    if isinstance(function, typer.Typer):  # a group of commands
        return typer.main.get_command(function)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name, cls=_Command, help=_help(function))(function)
    return typer.main.get_command(alone)
