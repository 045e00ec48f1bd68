"""``litecheck diff``: changes from one model to another."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli.complete import completions
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors
from litecheck.cli.limit_options import MEGABYTES, SECONDS, Memory, Timeout, limit_reference
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import SCOPE, option


def _kinds(usage: str, text: str) -> object:
    return option(usage, SCOPE, text, autocompletion=completions("litecheck.differences.change", "KINDS"))


@handle_errors
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help="Read the model before: a .tflite file.")],
    after: Annotated[str, typer.Argument(metavar="B", help="Read the model after.")],
    select: Annotated[
        list[str] | None,
        _kinds("--select KIND", "Report only these kinds of changes. Repeatable. [default: all]"),
    ] = None,
    ignore: Annotated[
        list[str] | None, _kinds("--ignore KIND", "Skip these kinds of changes. Repeatable. [default: none]")
    ] = None,
    run: Annotated[
        int | None,
        option(
            "--run SEED",
            SCOPE,
            "Run both models on random inputs of this seed, and report operators with different outputs. "
            "[default: no run]",
            min=0,
        ),
    ] = None,
    arithmetic: Annotated[
        str,
        option(
            "--arithmetic ARITHMETIC",
            SCOPE,
            "Compute with this arithmetic in --run, a name or a file. [default: litert-reference]",
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

    litecheck matches operators by structure, so a different order of operators or tensors, or a different name inside
    the model, is no change. Changes that follow from another change are counted under their cause: a bias scale follows
    the scale of the weight. KIND is a kind of change, with wildcards: scale, constant, operator-*, finding-new.

    \b
    [bold]Exit codes[/]
      0   the models are the same
      1   the models differ
      2   a model was not read, or --run cannot compare the outputs
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
