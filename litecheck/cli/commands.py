"""What a function becomes as a command: its help from the docstring, its text and flags as they are given."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from litecheck.cli.console import USAGE
from litecheck.cli.help import HelpfulCommand, print_help


class _Verbatim:
    """Hands text and flags on as they are.

    typer would build a pydantic adapter to do the same, and importing pydantic takes longer than judging
    a small model does.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        return list(value or ()) if several else value


def spared(params: list[Any]) -> list[Any]:
    """Parameters of which typer hands text and flags on as they are."""
    for param in params:
        plain = getattr(getattr(param, "type_descriptor", None), "annotation", None) in (str, bool, list[str])
        if plain and hasattr(param, "get_runtime_param"):
            param.get_runtime_param = _Verbatim
    return params


class PlainCommand(HelpfulCommand, TyperCommand):
    """A command whose help and parameters are the same under every version of typer."""

    def get_params(self, ctx: Any) -> list[Any]:
        return spared(super().get_params(ctx))


class PlainGroup(HelpfulCommand, TyperGroup):
    """A group of commands, likewise. Called for none of them it says what there is, and fails: a gate whose arguments got
    lost must not pass."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print_help(self, ctx)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return spared(super().get_params(ctx))


def add(app: typer.Typer, function: Callable[..., None]) -> None:
    """Make a function a command of an application, called as it is."""
    app.command(function.__name__, cls=PlainCommand, help=_help(function))(function)


def _help(command: Callable[..., None]) -> str:
    """The docstring, each paragraph on one line but those that start with ``\\b``: typer keeps line ends."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(p if p.startswith("\b") else " ".join(p.split("\n")) for p in paragraphs)
