"""Options of ``litecheck validate``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, panels
from litecheck.cli.config import MOST
from litecheck.cli.limit_options import jobs_option
from litecheck.cli.outputs import format_option

ModelFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Read .tflite files, folders (recursive), globs, or - for stdin."
    ),
]
ProfileNames = Annotated[list[str] | None, complete.profile_option("by the type of activations")]
Outputs = Annotated[list[str] | None, format_option("validate")]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline", metavar="FILE", rich_help_panel=panels.FAILURE, help="Waive the findings in this file."
    ),
]
WriteBaseline = Annotated[
    str | None,
    typer.Option(
        "--write-baseline",
        metavar="FILE",
        rich_help_panel=panels.FAILURE,
        help="Write the findings to this file and waive them; with --select, only those. An existing "
        "baseline is updated.",
    ),
]
Reason = Annotated[
    str | None,
    typer.Option(
        "--reason",
        metavar="TEXT",
        rich_help_panel=panels.FAILURE,
        help="Set the reason of new entries of --write-baseline. [default: none]",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="PATH",
        autocompletion=complete.paths,
        rich_help_panel=panels.RULES,
        help="Report only findings of these requirements. Repeatable. [default: all]",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="PATH",
        autocompletion=complete.paths,
        rich_help_panel=panels.RULES,
        help="Waive findings of these requirements. Repeatable.",
    ),
]
Level = Annotated[
    list[str] | None,
    typer.Option(
        "--set-level",
        metavar="PATH=LEVEL",
        autocompletion=complete.levelled_paths,
        rich_help_panel=panels.RULES,
        help="Set the level of findings of these requirements: violation, warning or note. Repeatable.",
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        "--fail-on",
        metavar="LEVEL",
        autocompletion=complete.levels,
        rich_help_panel=panels.FAILURE,
        help="Fail if a finding has this level or a higher one: violation, warning or note. [default: violation]",
    ),
]
RequireCoverage = Annotated[
    bool,
    typer.Option(
        "--require-coverage",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator is not covered by a rule.",
    ),
]
RequireIntegerIo = Annotated[
    bool,
    typer.Option(
        "--require-integer-io",
        rich_help_panel=panels.FAILURE,
        help="Fail if a model has a float input or output.",
    ),
]
FailOnFallback = Annotated[
    bool,
    typer.Option(
        "--fail-on-fallback",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator does not run on the NPU of the profile but on the CPU.",
    ),
]


def _check_count(text: str | None) -> str | None:
    if text is not None and not (text.isdecimal() and len(text) <= len(str(MOST))):
        raise typer.BadParameter(f"got '{text}', expected a whole number from 0 to {MOST:,}")
    return text


#: A text, because typer would import pydantic to read a number.
MaxPartitions = Annotated[
    str | None,
    typer.Option(
        "--max-partitions",
        metavar="N",
        callback=_check_count,
        rich_help_panel=panels.FAILURE,
        help="Fail if the NPU runs a model in more than N partitions: runs of operators without a CPU operator between.",
    ),
]
Compile = Annotated[
    bool,
    typer.Option(
        "--compile",
        rich_help_panel=panels.ADVANCED,
        help="Run the compiler of the NPU (for ethos-u*: Vela), and report its placement, partitions and memory.",
    ),
]
NoRequireCoverage = Annotated[
    bool,
    typer.Option(
        "--no-require-coverage", hidden=True, help="Ignore require-coverage of the configuration file."
    ),
]
ConfigFile = Annotated[
    str | None,
    typer.Option(
        "--config",
        metavar="FILE",
        rich_help_panel=panels.ADVANCED,
        help="Read options from this file. [default: the nearest litecheck.toml or pyproject.toml]",
    ),
]
Isolated = Annotated[
    bool,
    typer.Option("--isolated", rich_help_panel=panels.ADVANCED, help="Ignore configuration files."),
]
Jobs = Annotated[int, jobs_option("Run N checks in parallel, each of one model.", panels.ADVANCED)]
Statistics = Annotated[
    bool,
    typer.Option(
        "--statistics",
        rich_help_panel=panels.OUTPUT,
        help="Print statistics in place of findings: violations by requirement.",
    ),
]
