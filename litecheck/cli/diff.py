"""``litecheck diff``: what changed from one model to another."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import panels
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import format_option, parse_outputs, write


def _kinds(incomplete: str) -> list[str]:
    from litecheck.differences.change import KINDS

    return [kind for kind in KINDS if kind.startswith(incomplete)]


def _patterns(name: str, text: str) -> object:
    return typer.Option(name, metavar="KIND", autocompletion=_kinds, rich_help_panel=panels.SCOPE, help=text)


@handle_errors
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="Read the model before: a .tflite file.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Read the model after.")],
    select: Annotated[
        list[str] | None,
        _patterns("--select", "Report only these kinds of changes. Repeatable. [default: all]"),
    ] = None,
    ignore: Annotated[
        list[str] | None, _patterns("--ignore", "Skip these kinds of changes. Repeatable. [default: none]")
    ] = None,
    run: Annotated[
        int | None,
        typer.Option(
            "--run",
            metavar="SEED",
            min=0,
            rich_help_panel=panels.SCOPE,
            help="Run both models on random inputs of this seed, and report operators with other outputs. "
            "[default: no run]",
        ),
    ] = None,
    arithmetic: Annotated[
        str,
        typer.Option(
            "--arithmetic",
            metavar="ARITHMETIC",
            rich_help_panel=panels.SCOPE,
            help="Compute with this arithmetic in --run, a name or a file. [default: litert-reference]",
        ),
    ] = "litert-reference",
    outputs: Annotated[list[str] | None, format_option("diff")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
    memory: Memory = MEGABYTES,
    timeout: Timeout = SECONDS,
) -> None:
    """Report the changes from one model to another.

    litecheck matches operators by structure, so another order of operators or tensors, or other names inside, are no
    change. Changes that follow from another are counted under their cause: a bias scale follows the scale of the
    weight. KIND is a kind of change, with wildcards: scale, constant, operator-*, finding-new.

    \b
    [bold]Exit codes[/]
      0   the models are the same
      1   the models differ
      2   a model was not read
      64  invalid command or option
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck diff old.tflite new.tflite
      litecheck diff old.tflite new.tflite --ignore metadata -f markdown
      litecheck diff old.tflite new.tflite --select 'finding-*'
      litecheck diff old.tflite new.tflite --run 0
    """
    limit_reference(memory, timeout)
    from litecheck.differences.model_difference import diff as compared

    targets = parse_outputs(outputs or (), "diff")
    found = compared(
        before, after, select=tuple(select or ()), ignore=tuple(ignore or ()), seed=run, arithmetic=arithmetic
    )
    write(found, targets, OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(found.exit_code)
