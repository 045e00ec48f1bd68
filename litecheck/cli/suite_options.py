"""Options of the commands of ``litecheck suite``."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from litecheck.cli import complete
from litecheck.cli.limit_options import jobs_option
from litecheck.cli.outputs import format_option
from litecheck.cli.panels import ADVANCED, FAILURE, LIMITS, OUTPUT, RULES, SCOPE, STREAM, option

if TYPE_CHECKING:
    from litecheck.suite.manifest import Suite
    from litecheck.suite.verdict import SuiteReport

_SUITE: Any = typer.Argument(
    metavar="SUITE", help="Read the suite in this folder, made by 'litecheck suite make'."
)
_RESULTS: Any = typer.Argument(
    metavar="RESULTS", help="Read the results of 'litecheck suite run', or a folder with outputs/."
)
Folder = Annotated[str, _SUITE]
JudgedFolder = Annotated[str | None, _SUITE]
ResultsFolder = Annotated[str, _RESULTS]
JudgedResults = Annotated[str | None, _RESULTS]
Stream = Annotated[
    str | None,
    option(
        "--stream NAME",
        STREAM,
        "Write test vectors to stdout, one a line, in place of a folder: requantize, CONV_2D, ADD, LOGISTIC, ...",
    ),
]
Count = Annotated[
    int | None,
    option("--count N", STREAM, "Write N vectors of a stream. [default: by --level]", min=1),
]
StreamResults = Annotated[
    str | None,
    option(
        "--stream-results FILE",
        STREAM,
        "Read the results of a stream from this file, in place of folders; - is stdin.",
    ),
]
StreamHeader = Annotated[
    str | None,
    option(
        "--stream-header FILE",
        STREAM,
        "Read the stream's header from this file, for a simulator that does not repeat it.",
    ),
]
SuiteProfile = Annotated[
    str,
    option(
        "--profile -p PROFILE",
        RULES,
        f"{complete.PROFILE_HELP} [default: litert-int8]",
        autocompletion=complete.profiles,
    ),
]
Select = Annotated[
    list[str] | None,
    option(
        "--select OPERATOR",
        RULES,
        "Test only these operators, by kind (CONV_2D) or pattern ('*POOL*'). Repeatable. [default: all]",
    ),
]
Level = Annotated[
    str,
    option(
        "--level LEVEL",
        RULES,
        "Set the size: smoke (seconds), standard (a minute), exhaustive (minutes). [default: standard]",
        autocompletion=complete.completions("litecheck.suite.case", "LEVELS"),
    ),
]
SuiteSeed = Annotated[
    int,
    option("--seed SEED", RULES, "Set the seed of random inputs. [default: 0]", min=0),
]
AnswersOf = Annotated[
    list[str] | None,
    option(
        "--arithmetic ARITHMETIC",
        RULES,
        "Write expected outputs of this arithmetic, a name or a file; 'litecheck rules --arithmetics' lists the names. "
        "Repeatable. [default: those of LiteRT's runtimes]",
        autocompletion=complete.arithmetics,
    ),
]
Claimed = Annotated[
    list[str] | None,
    option(
        "--arithmetic ARITHMETIC",
        FAILURE,
        "Accept outputs of this arithmetic, a name or a file. Repeatable. "
        "[default: for litert:* and tflm their own, else any arithmetic of the suite, for each operator]",
        autocompletion=complete.arithmetics,
    ),
]
Expected = Annotated[
    str,
    option(
        "--arithmetic ARITHMETIC",
        SCOPE,
        "Expect outputs of this arithmetic of the suite. [default: litert-reference, else its first]",
        autocompletion=complete.arithmetics,
    ),
]
ClaimsFile = Annotated[
    str | None,
    option(
        "--claims FILE",
        FAILURE,
        "Read the claims of the device from this file. For suite judge, a list of operators is enough.",
    ),
]
WaiverFiles = Annotated[
    list[str] | None,
    option(
        "--waivers FILE",
        FAILURE,
        "Read waivers from this file: cases that may fail until a date. Repeatable.",
    ),
]
Partial = Annotated[
    bool,
    option("--partial", FAILURE, "Accept results of some of the cases: missing results do not fail."),
]
Day = Annotated[
    str | None,
    option("--date DATE", FAILURE, "Apply waivers as of this day, as in 2027-03-31. [default: today]"),
]
NewFolder = Annotated[
    str | None,
    option("--output -o DIR", OUTPUT, "Write the suite to this new folder."),
]
ResultsOut = Annotated[
    str,
    option("--output -o DIR", OUTPUT, "Write the results to this folder."),
]
Processes = Annotated[int, jobs_option("Run N operators in parallel.")]
NoDefects = Annotated[
    bool,
    option("--no-defects", LIMITS, "Skip the search for the defects that each case detects: much faster."),
]
ResumeMaking = Annotated[
    bool,
    option(
        "--resume",
        LIMITS,
        "Continue an interrupted suite with its complete operators.",
    ),
]
Time = Annotated[
    str | None,
    option(
        "--budget N|TIME",
        LIMITS,
        "Limit device inferences to N, or device time to 90s, 10m, 2h. The input of each case that detects most "
        "defects comes first.",
    ),
]
Cluster = Annotated[
    str | None,
    option(
        "--cluster ADDRESS[,...]",
        ADVANCED,
        "Run cases on the workers of a Dask scheduler, tcp://host:8786. {worker} in DEVICE is the name of a worker. "
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


def judging(
    suite: Suite, claims: str | None, waivers: list[str] | None, date: str | None
) -> Callable[..., SuiteReport]:
    """Return ``judge`` of a suite under the claims, the waivers and the date of the options."""
    from litecheck.dates import iso_date
    from litecheck.suite.claims_file import load_claims
    from litecheck.suite.result_verdicts import judge
    from litecheck.suite.waivers import load_waivers

    return partial(
        judge,
        suite,
        claims=load_claims(claims, suite.manifest.profile) if claims else None,
        waivers=[waiver for file in waivers or () for waiver in load_waivers(file)],
        date=iso_date(date) if date else "",
    )


def check_level(level: str) -> str:
    """Return the level. Raise ConfigError for an unknown level."""
    from litecheck.errors import ConfigError
    from litecheck.spelling import did_you_mean
    from litecheck.suite.case import LEVELS

    if level not in LEVELS:
        raise ConfigError(f"--level {level}: there are {', '.join(LEVELS)}{did_you_mean(level, LEVELS)}")
    return level
