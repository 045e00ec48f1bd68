"""Options of ``litecheck validate``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.config import MOST
from litecheck.cli.limit_options import jobs_option
from litecheck.cli.outputs import format_option
from litecheck.cli.panels import ADVANCED, FAILURE, OUTPUT, RULES, option

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
    option("--baseline FILE", FAILURE, "Waive the findings in this file."),
]
WriteBaseline = Annotated[
    str | None,
    option(
        "--write-baseline FILE",
        FAILURE,
        "Write the findings to this file and waive them; with --select, only those. An existing "
        "baseline is updated.",
    ),
]
Reason = Annotated[
    str | None,
    option("--reason TEXT", FAILURE, "Set the reason of new entries of --write-baseline. [default: none]"),
]
Expires = Annotated[
    str | None,
    option(
        "--expires DATE",
        FAILURE,
        "Set the last day of new entries of --write-baseline, as in 2027-03-31. [default: none]",
    ),
]
Select = Annotated[
    list[str] | None,
    option(
        "--select PATH",
        RULES,
        "Report only findings of these requirements. Repeatable. [default: all]",
        autocompletion=complete.paths,
    ),
]
Ignore = Annotated[
    list[str] | None,
    option(
        "--ignore PATH",
        RULES,
        "Waive findings of these requirements. Repeatable.",
        autocompletion=complete.paths,
    ),
]
Level = Annotated[
    list[str] | None,
    option(
        "--set-level PATH=LEVEL",
        RULES,
        "Set the level of findings of these requirements: violation, warning or note. Repeatable.",
        autocompletion=complete.complete_level_paths,
    ),
]
FailOn = Annotated[
    str | None,
    option(
        "--fail-on LEVEL",
        FAILURE,
        "Fail if a finding has this level or a higher one: violation, warning or note. [default: violation]",
        autocompletion=complete.levels,
    ),
]
RequireCoverage = Annotated[
    bool,
    option("--require-coverage", FAILURE, "Fail if an operator is not covered by a rule."),
]
RequireIntegerIo = Annotated[
    bool,
    option("--require-integer-io", FAILURE, "Fail if a model has a float input or output."),
]
AllowFloat = Annotated[
    bool,
    option("--allow-float", FAILURE, "Accept float models whose structure conforms. [default: exit code 2]"),
]
FailOnFallback = Annotated[
    bool,
    option(
        "--fail-on-fallback",
        FAILURE,
        "Fail if an operator does not run on the NPU of the profile but on the CPU.",
    ),
]


def _check_count(text: str | None) -> str | None:
    if text is not None and not (text.isdecimal() and len(text) <= len(str(MOST))):
        raise typer.BadParameter(f"got '{text}', expected a whole number from 0 to {MOST:,}")
    return text


#: A text, because typer would import pydantic to read a number.
MaxPartitions = Annotated[
    str | None,
    option(
        "--max-partitions N",
        FAILURE,
        "Fail if the NPU runs a model in more than N partitions: runs of operators without a CPU operator between.",
        callback=_check_count,
    ),
]
Compile = Annotated[
    bool,
    option(
        "--compile",
        ADVANCED,
        "Run the compiler of the NPU (for ethos-u*: Vela), and report its placement, partitions and memory.",
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
    option(
        "--config FILE",
        ADVANCED,
        "Read options from this file. [default: the nearest litecheck.toml or pyproject.toml]",
    ),
]
Isolated = Annotated[
    bool,
    option("--isolated", ADVANCED, "Ignore configuration files."),
]
Jobs = Annotated[int, jobs_option("Run N checks in parallel, each of one model.", ADVANCED)]
Statistics = Annotated[
    bool,
    option("--statistics", OUTPUT, "Print statistics in place of findings: violations by requirement."),
]
