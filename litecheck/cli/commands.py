"""What a function becomes as a command: its help from the docstring, its text and flags as they are given."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getdoc
from typing import Any

import typer
from typer.core import TyperCommand


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


class PlainCommand(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return spared(super().get_params(ctx))


def add(app: typer.Typer, function: Callable[..., None]) -> None:
    """Make a function a command of an application, called as it is."""
    app.command(function.__name__, cls=PlainCommand, help=_help(function))(function)


def _help(command: Callable[..., None]) -> str:
    """The docstring, each paragraph on one line but those that start with ``\\b``: typer keeps line ends."""
    paragraphs = (getdoc(command) or "").split("\n\n")
    return "\n\n".join(p if p.startswith("\b") else " ".join(p.split("\n")) for p in paragraphs)
