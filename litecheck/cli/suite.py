"""``litecheck suite``: what a device is asked to show that it computes as it should, and what its answers say."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.console import NoColor, PlainFormat, ends_well

suite = typer.Typer(
    name="suite",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Ask a simulator or firmware for every rounding, tie and rail of an operator, and judge what it answers.",
)


@suite.command()
@ends_well
def make(
    stream: Annotated[
        str, typer.Option(metavar="NAME", help="requantize, or an operator: CONV_2D, ADD, LOGISTIC, ...")
    ],
    arithmetic: Annotated[
        str,
        typer.Option(metavar="A", autocompletion=complete.arithmetics, help="What answers are right under."),
    ] = "litert-reference",
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Other numbers of the same kind.")] = 0,
    count: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="How many vectors; default: as the level has.")
    ] = None,
    level: Annotated[str, typer.Option(metavar="L", help="smoke, standard or exhaustive.")] = "standard",
) -> None:
    """Write vectors for a simulator, one a line; docs/stream.md has the protocol."""
    from litecheck.cli.suite_stream import make_stream

    make_stream(stream, arithmetic=arithmetic, seed=seed, count=count, level=level)


@suite.command()
@ends_well
def judge(
    stream: Annotated[str, typer.Option(metavar="FILE", help="A simulator's answers; - is stdin.")],
    header: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="The stream itself, for a simulator that does not hand on its header."
        ),
    ] = None,
    output: PlainFormat = "text",
    no_color: NoColor = False,
) -> None:
    """Judge a simulator's answers to a stream: how many are wrong, the first, the worst, and which mistake it is.

    Exit codes: 0 every answer is right; 1 not; 2 the answers are not those to the stream.
    """
    from litecheck.cli.suite_stream import judge_answers

    judge_answers(stream, header=header, output=output, no_color=no_color)
