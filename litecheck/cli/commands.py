"""Conversion of a function to a command: the help from its docstring, text and flags passed unchanged."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from litecheck.cli.console import USAGE
from litecheck.cli.file_conflicts import check_command
from litecheck.cli.help import HelpfulCommand, print_help
from litecheck.spelling import suggestion


class _Verbatim:
    """A type that passes text and flags unchanged.

    typer would build a pydantic adapter for this, and importing pydantic takes longer than checking a small model.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        several = param.multiple or param.nargs == -1
        return list(value or ()) if several else value


def disable_coercion(params: list[Any]) -> list[Any]:
    """Return the parameters, with text and flags passed unchanged by typer."""
    for param in params:
        plain = getattr(getattr(param, "type_descriptor", None), "annotation", None) in (str, bool, list[str])
        if plain and hasattr(param, "get_runtime_param"):
            param.get_runtime_param = _Verbatim
    return params


class PlainCommand(HelpfulCommand, TyperCommand):
    """A command with the same help and parameters under every version of typer, whose outputs spare its inputs."""

    def get_params(self, ctx: Any) -> list[Any]:
        return disable_coercion(super().get_params(ctx))

    def invoke(self, ctx: Any) -> Any:
        check_command(self.params, ctx.params)
        return super().invoke(ctx)


class PlainGroup(HelpfulCommand, TyperGroup):
    """A group of commands with the same help and parameters under every version of typer.

    Without a command it prints its help and fails: a CI step that lost its arguments must not pass.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args and not ctx.resilient_parsing:
            print_help(self, ctx)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        known = self.list_commands(ctx)
        if args[0] not in known:
            ctx.fail(f"unknown command '{args[0]}'{suggestion(args[0], known)}")
        return super().resolve_command(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return disable_coercion(super().get_params(ctx))


def add(app: typer.Typer, function: Callable[..., None]) -> None:
    """Add a function as a command of an application, under its own name."""
    app.command(function.__name__, cls=PlainCommand, help=_help(function))(function)


def _help(command: Callable[..., None]) -> str:
    """Return the docstring with each paragraph on one line, except those that start with ``\\b``: typer keeps line ends."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(p if p.startswith("\b") else " ".join(p.split("\n")) for p in paragraphs)
