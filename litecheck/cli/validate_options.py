"""The options of ``litecheck validate``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.outputs import format_option

ModelFiles = Annotated[
    list[str], typer.Argument(metavar="MODEL...", help="Files, folders (searched recursively) or globs.")
]
ProfileNames = Annotated[
    list[str] | None,
    typer.Option(
        "--profile",
        "-p",
        metavar="P",
        autocompletion=complete.profiles,
        help="A profile's name or file; repeatable. Default: by the activations' type.",
    ),
]
Outputs = Annotated[list[str] | None, format_option("validate")]
Baseline = Annotated[
    str | None, typer.Option(metavar="FILE", help="Waive the findings that this file knows.")
]
WriteBaseline = Annotated[
    str | None, typer.Option(metavar="FILE", help="Write today's findings to this file and waive them.")
]
Select = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", autocompletion=complete.paths, help="Only these; repeatable."),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(metavar="PATH", autocompletion=complete.paths, help="Waive these; repeatable."),
]
Level = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH=LEVEL",
        autocompletion=complete.levelled_paths,
        help="Another level for these: violation, warning or note; repeatable.",
    ),
]
FailOn = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL",
        autocompletion=complete.levels,
        help="The mildest level that fails: violation (default), warning or note.",
    ),
]
RequireCoverage = Annotated[
    bool, typer.Option("--require-coverage", help="Fail where an operator is not covered.")
]
NoRequireCoverage = Annotated[
    bool, typer.Option("--no-require-coverage", hidden=True, help="Undo the configuration file's.")
]
