"""The typer application: its commands, ``--version``, and a start that builds only the requested command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer

from litecheck.cli.commands import PlainGroup, add
from litecheck.cli.console import failures_told
from litecheck.cli.streams import guard_streams
from litecheck.errors import ConfigError
from litecheck.files import MODEL_SUFFIXES

#: Commands in the order of the help. Each command is in the module of its name.
COMMANDS = (
    "validate", "convert", "trace", "diff", "verify", "diagnose", "inspect", "explain", "rules", "run", "compare",
    "quantize", "dequantize", "suite", "certify", "devices",
)  # fmt: skip
#: Words of other tools for a command.
_SYNONYMS = {
    "check": "validate", "lint": "validate", "test": "verify", "analyze": "trace", "debug": "trace", "info": "inspect",
    "show": "inspect", "profiles": "rules", "list": "rules",
}  # fmt: skip


#: Base class of typer's exceptions for a wrong command line. typer exports only a subclass.
_UsageError: Any = typer.BadParameter.__base__


@contextmanager
def _failures_told() -> Iterator[None]:
    """Print a wrong command line and exit with USAGE. typer's code 2 would mean that a model was not checked."""
    with failures_told():
        try:
            yield
        except _UsageError as error:
            from litecheck.cli.usage_errors import usage_text

            raise ConfigError(usage_text(error)) from error


class _Group(PlainGroup):
    """A command group that builds a command on request: reading all signatures takes longer than most commands run."""

    def main(self, *args: Any, **extra: Any) -> Any:
        with guard_streams():
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
            ctx.fail(f"unknown command '{name}'. To validate a model: litecheck validate {name}")
        if name in _SYNONYMS:
            ctx.fail(f"unknown command '{name}'; did you mean '{_SYNONYMS[name]}'?")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        # For an unknown name, typer searches all commands for a similar name.
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
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Validate quantized LiteRT (.tflite) models, convert float models, verify devices.

    \b
    [bold]Which command?[/]
      Does a model follow the rules of LiteRT, TFLM or an NPU?    validate
      What does a rule require, and why?                          explain, rules
      How do I make an int8 model?                                convert
      Where does an int8 model lose accuracy, and why?            trace
      What changed between two models?                            diff
      Does a device compute a model exactly?                      verify
      Which rounding does a device have?                          diagnose
      Does a device without Python conform?                       suite, certify
      Are two tensors equal, and if not, why?                     compare
      What is in a model file?                                    inspect
      What does a model compute, bit for bit?                     run

    \b
    [bold]Exit codes[/]
      0   every model or device conforms
      1   a model or device does not conform
      2   a model or device was not checked
      64  invalid command, option, configuration or profile
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck validate model.tflite
      litecheck verify model.tflite --device litert:reference
      litecheck verify --help
    """


def _command(name: str) -> Any:
    module = import_module(f"litecheck.cli.{name}")
    if hasattr(module, "app"):
        return typer.main.get_group(module.app)
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    add(alone, getattr(module, name))
    return typer.main.get_command(alone)
