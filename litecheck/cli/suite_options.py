"""Options of the commands of ``litecheck suite``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, panels
from litecheck.cli.limit_options import jobs_option
from litecheck.cli.outputs import format_option


def _levels(incomplete: str) -> list[str]:
    from litecheck.suite.case import LEVELS

    return [level for level in LEVELS if level.startswith(incomplete)]


Folder = Annotated[
    str,
    typer.Argument(metavar="SUITE", help="Read the suite in this folder, made by 'litecheck suite make'."),
]
JudgedFolder = Annotated[
    str | None,
    typer.Argument(metavar="SUITE", help="Read the suite in this folder, made by 'litecheck suite make'."),
]
ResultsFolder = Annotated[
    str,
    typer.Argument(
        metavar="RESULTS", help="Read the results of 'litecheck suite run', or a folder with outputs/."
    ),
]
JudgedResults = Annotated[
    str | None,
    typer.Argument(
        metavar="RESULTS", help="Read the results of 'litecheck suite run', or a folder with outputs/."
    ),
]
Stream = Annotated[
    str | None,
    typer.Option(
        "--stream",
        metavar="NAME",
        rich_help_panel=panels.STREAM,
        help="Write test vectors to stdout, one a line, in place of a folder: requantize, CONV_2D, ADD, LOGISTIC, ...",
    ),
]
Count = Annotated[
    int | None,
    typer.Option(
        "--count",
        metavar="N",
        min=1,
        rich_help_panel=panels.STREAM,
        help="Write N vectors of a stream. [default: by --level]",
    ),
]
StreamResults = Annotated[
    str | None,
    typer.Option(
        "--stream-results",
        metavar="FILE",
        rich_help_panel=panels.STREAM,
        help="Read the results of a stream from this file, in place of folders; - is stdin.",
    ),
]
StreamHeader = Annotated[
    str | None,
    typer.Option(
        "--stream-header",
        metavar="FILE",
        rich_help_panel=panels.STREAM,
        help="Read the stream's header from this file, for a simulator that does not repeat it.",
    ),
]
SuiteProfile = Annotated[
    str,
    typer.Option(
        "--profile",
        "-p",
        metavar="PROFILE",
        autocompletion=complete.profiles,
        rich_help_panel=panels.RULES,
        help=f"{complete.PROFILE_HELP} [default: litert-int8]",
    ),
]
Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="OPERATOR",
        rich_help_panel=panels.RULES,
        help="Test only these operators, by kind (CONV_2D) or pattern ('*POOL*'). Repeatable. [default: all]",
    ),
]
Level = Annotated[
    str,
    typer.Option(
        "--level",
        metavar="LEVEL",
        autocompletion=_levels,
        rich_help_panel=panels.RULES,
        help="Set the size: smoke (seconds), standard (minutes), exhaustive (hours). [default: standard]",
    ),
]
SuiteSeed = Annotated[
    int,
    typer.Option(
        "--seed",
        metavar="SEED",
        min=0,
        rich_help_panel=panels.RULES,
        help="Set the seed of random inputs. [default: 0]",
    ),
]
AnswersOf = Annotated[
    list[str] | None,
    typer.Option(
        "--arithmetic",
        metavar="ARITHMETIC",
        autocompletion=complete.arithmetics,
        rich_help_panel=panels.RULES,
        help="Write expected outputs of this arithmetic, a name or a file; 'litecheck rules --arithmetics' lists the names. "
        "Repeatable. [default: those of LiteRT's runtimes]",
    ),
]
Claimed = Annotated[
    list[str] | None,
    typer.Option(
        "--arithmetic",
        metavar="ARITHMETIC",
        autocompletion=complete.arithmetics,
        rich_help_panel=panels.FAILURE,
        help="Accept outputs of this arithmetic, a name or a file. Repeatable. "
        "[default: for litert:* and tflm their own, else the one that fits an operator best]",
    ),
]
Expected = Annotated[
    str,
    typer.Option(
        "--arithmetic",
        metavar="ARITHMETIC",
        autocompletion=complete.arithmetics,
        rich_help_panel=panels.SCOPE,
        help="Expect outputs of this arithmetic of the suite. [default: litert-reference, else its first]",
    ),
]
ClaimsFile = Annotated[
    str | None,
    typer.Option(
        "--claims",
        metavar="FILE",
        rich_help_panel=panels.FAILURE,
        help="Read the claims of the device from this file. For suite judge, a list of operators is enough.",
    ),
]
WaiverFiles = Annotated[
    list[str] | None,
    typer.Option(
        "--waivers",
        metavar="FILE",
        rich_help_panel=panels.FAILURE,
        help="Read waivers from this file: cases that may fail until a date. Repeatable.",
    ),
]
Partial = Annotated[
    bool,
    typer.Option(
        "--partial",
        rich_help_panel=panels.FAILURE,
        help="Accept results of some of the cases: missing results do not fail.",
    ),
]
Day = Annotated[
    str | None,
    typer.Option(
        "--date",
        metavar="DATE",
        rich_help_panel=panels.FAILURE,
        help="Apply waivers as of this day, as in 2027-03-31. [default: today]",
    ),
]
NewFolder = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        rich_help_panel=panels.OUTPUT,
        help="Write the suite to this new folder.",
    ),
]
ResultsOut = Annotated[
    str,
    typer.Option(
        "--output",
        "-o",
        metavar="DIR",
        rich_help_panel=panels.OUTPUT,
        help="Write the results to this folder.",
    ),
]
Processes = Annotated[int, jobs_option("Run N operators in parallel.")]
NoDefects = Annotated[
    bool,
    typer.Option(
        "--no-defects",
        rich_help_panel=panels.LIMITS,
        help="Skip the search for the defects that each case detects: much faster.",
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="N|TIME",
        rich_help_panel=panels.LIMITS,
        help="Limit device inferences to N, or device time to 90s, 10m, 2h. The most telling input of each case comes "
        "first.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS[,...]",
        rich_help_panel=panels.ADVANCED,
        help="Run cases on the workers of a Dask scheduler, tcp://host:8786. {worker} in DEVICE is the name of a worker. "
        "With ADDRESS,resource=NAME a worker runs one case for each unit of this resource.",
    ),
]
SuiteOutputs = Annotated[list[str] | None, format_option("suite")]
ProofOutputs = Annotated[list[str] | None, format_option("prove")]


def parse_cluster(text: str) -> tuple[str, str]:
    """Return the address and the resource of ``--cluster``; "" without a resource.

    For example, ``tcp://10.0.0.1:8786,resource=board`` gives ``("tcp://10.0.0.1:8786", "board")``.
    """
    address, _, resource = text.partition(",resource=")
    return address, resource


def checked_level(level: str) -> str:
    """Return the level. Raises ConfigError for an unknown level."""
    from litecheck.errors import ConfigError
    from litecheck.spelling import did_you_mean
    from litecheck.suite.case import LEVELS

    if level not in LEVELS:
        raise ConfigError(f"--level {level}: there are {', '.join(LEVELS)}{did_you_mean(level, LEVELS)}")
    return level
