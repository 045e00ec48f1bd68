"""The typer application: its commands, ``--version``, and a start without typer's type machinery."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from litecheck.cli.compare import compare
from litecheck.cli.dequantize import dequantize
from litecheck.cli.diagnose import diagnose
from litecheck.cli.explain import explain
from litecheck.cli.inspect import inspect
from litecheck.cli.quantize import quantize
from litecheck.cli.rules import rules
from litecheck.cli.run import run
from litecheck.cli.validate import validate
from litecheck.cli.verify import verify


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
        if plain and hasattr(param, "_runtime_param"):
            param._runtime_param = _Verbatim()
    return params


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return _spared(super().get_params(ctx))


class _Group(TyperGroup):
    def get_params(self, ctx: Any) -> list[Any]:
        return _spared(super().get_params(ctx))


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


for _command in (validate, inspect, explain, rules, quantize, dequantize, compare, run, verify, diagnose):
    app.command(cls=_Command, help=_help(_command))(_command)
