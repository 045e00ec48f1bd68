"""The options of ``litecheck suite``'s commands."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.outputs import format_option


def _levels(incomplete: str) -> list[str]:
    from litecheck.suite.case import LEVELS

    return [level for level in LEVELS if level.startswith(incomplete)]


Folder = Annotated[str, typer.Argument(metavar="SUITE", help="A folder that `litecheck suite make` wrote.")]
JudgedFolder = Annotated[
    str | None, typer.Argument(metavar="[SUITE]", help="A folder that `litecheck suite make` wrote.")
]
ResultsFolder = Annotated[
    str, typer.Argument(metavar="RESULTS", help="What `litecheck suite run` kept, or a folder with outputs/.")
]
JudgedResults = Annotated[
    str | None,
    typer.Argument(metavar="[RESULTS]", help="What `litecheck suite run` kept, or a folder with outputs/."),
]
Stream = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="In place of a folder, vectors for a simulator on stdout, one a line: requantize, CONV_2D, ADD, LOGISTIC, ...",
    ),
]
Count = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Vectors of a stream. Default: as the level has.")
]
Answers = Annotated[
    str | None,
    typer.Option(
        "--stream", metavar="FILE", help="In place of folders, a simulator's answers to a stream; - is stdin."
    ),
]
Header = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="The stream itself, for a simulator that does not hand on its header."),
]
SuiteProfile = Annotated[
    str,
    typer.Option(
        "--profile",
        "-p",
        metavar="P",
        autocompletion=complete.profiles,
        help="Whose rules the cases keep, or break.",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="OPERATOR", help="Only these, as a pattern (CONV_2D, '*POOL*'); repeatable."),
]
Level = Annotated[
    str,
    typer.Option(
        metavar="LEVEL",
        autocompletion=_levels,
        help="smoke (seconds), standard (minutes), exhaustive (hours).",
    ),
]
SuiteSeed = Annotated[int, typer.Option("--seed", metavar="SEED", min=0, help="What values are drawn from.")]
AnswersOf = Annotated[
    list[str] | None,
    typer.Option(
        "--arithmetic",
        metavar="A",
        autocompletion=complete.arithmetics,
        help="Write the answers of this arithmetic, by name or file; repeatable. Default: those of LiteRT's runtimes.",
    ),
]
Claimed = Annotated[
    list[str] | None,
    typer.Option(
        "--arithmetic",
        metavar="A",
        autocompletion=complete.arithmetics,
        help="Judge by this arithmetic of the suite's; repeatable. Default: whichever of them fits an operator best.",
    ),
]
Expected = Annotated[
    str,
    typer.Option(
        "--arithmetic",
        metavar="A",
        autocompletion=complete.arithmetics,
        help="Whose answers are expected, of the suite's. Default: litert-reference, or the suite's first.",
    ),
]
ClaimsFile = Annotated[
    str | None,
    typer.Option("--claims", metavar="FILE", help="What the device is claimed to do: claims.yaml."),
]
WaiverFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--waivers",
        metavar="FILE",
        help="Cases that may fail until a date, besides those of the claims; repeatable.",
    ),
]
Day = Annotated[
    str | None,
    typer.Option("--date", metavar="DATE", help="Judge waivers as of this day, 2027-03-31. Default: today."),
]
NewFolder = Annotated[str | None, typer.Option("--output", "-o", metavar="DIR", help="A new folder.")]
ResultsOut = Annotated[
    str, typer.Option("--output", "-o", metavar="DIR", help="Where outputs and results go.")
]
Processes = Annotated[
    int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Operators at the same time.")
]
NoFlags = Annotated[
    bool, typer.Option("--no-flags", help="Do not try which mistakes each case catches: much faster.")
]
Time = Annotated[
    str | None,
    typer.Option(
        "--budget", metavar="TIME", help="Begin no case after 90s, 10m, 2h; what is left is skipped."
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A Dask scheduler (tcp://host:8786): each worker opens the device for itself, {worker} in the device's "
        "text is its name.",
    ),
]
Resource = Annotated[
    str, typer.Option(metavar="NAME", help="What a worker of the cluster has one of for each board.")
]
SuiteOutputs = Annotated[list[str] | None, format_option("suite")]
ProofOutputs = Annotated[list[str] | None, format_option("prove")]


def checked_level(level: str) -> str:
    """A level. Raises ConfigError for what is none."""
    from litecheck.errors import ConfigError
    from litecheck.spelling import did_you_mean
    from litecheck.suite.case import LEVELS

    if level not in LEVELS:
        raise ConfigError(f"--level {level}: there are {', '.join(LEVELS)}{did_you_mean(level, LEVELS)}")
    return level


def seconds_of(budget: str) -> float:
    """``90s``, ``10m`` or ``2h`` in seconds. Raises ConfigError."""
    from litecheck.errors import ConfigError
    from litecheck.verify.settings import parse_budget

    seconds = parse_budget(budget).seconds
    if not seconds:
        raise ConfigError(f"--budget {budget}: a time is wanted, as in 90s, 10m, 2h")
    return seconds
