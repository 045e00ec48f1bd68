"""``litecheck suite diff``: comparison of two runs of a suite."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import suite_options as options
from litecheck.cli.console import NoColor, OutputOptions, Quiet, Verbose, handle_errors
from litecheck.cli.outputs import format_option, parse_outputs, write
from litecheck.cli.panels import FAILURE, option

_RUN = "Read a report of 'litecheck suite judge -f json', or a folder of results."


@handle_errors
def diff(
    before: Annotated[str, typer.Argument(metavar="A", help=_RUN)],
    after: Annotated[str, typer.Argument(metavar="B", help="Read the later one, or that of another device.")],
    suite: Annotated[
        str | None,
        option("--suite DIR", FAILURE, "Judge folders of results by this suite."),
    ] = None,
    claims: options.ClaimsFile = None,
    waivers: options.WaiverFiles = None,
    date: options.Day = None,
    outputs: Annotated[list[str] | None, format_option("suite-diff")] = None,
    quiet: Quiet = False,
    verbose: Verbose = False,
    no_color: NoColor = False,
) -> None:
    """Compare two results of a suite: regressions first.

    A case that passed and does not pass now is a regression. A missing result does not pass.

    \b
    [bold]Exit codes[/]
      0   no regression
      1   a regression
      2   no case ran in both results
      64  invalid command or option, or no such results
      74  the disk is full

    \b
    [bold]Examples[/]
      litecheck suite diff old.json new.json
      litecheck suite diff results-1 results-2 --suite suite -f markdown:diff.md
    """
    from litecheck.suite.manifest import read_suite
    from litecheck.suite.run_comparison import compare_runs, read_run

    targets = parse_outputs(outputs or (), "suite-diff")
    read = read_suite(suite) if suite else None
    judged = options.judging(read, claims, waivers, date) if read else None
    found = compare_runs(*(read_run(path, judged, read) for path in (before, after)))
    write(found, targets, OutputOptions(quiet=quiet, verbose=verbose, no_color=no_color))
    raise typer.Exit(found.exit_code)
