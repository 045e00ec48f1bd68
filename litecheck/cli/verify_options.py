"""Options of ``litecheck verify``, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, panels
from litecheck.cli.outputs import format_option
from litecheck.cli.verify_advanced import complete_key, help_of_keys

ModelFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Read .tflite files, folders (recursive), globs, or - for stdin."
    ),
]
Arithmetics = Annotated[
    list[str] | None,
    typer.Option(
        "--arithmetic",
        metavar="ARITHMETIC",
        autocompletion=complete.arithmetics,
        rich_help_panel=panels.DEVICE,
        help="Accept outputs of this arithmetic, a name or a file; 'litecheck rules --arithmetics' lists the names. "
        "Repeatable. [default: for litert:* and tflm their own, else any published arithmetic]",
    ),
]
Tolerances = Annotated[
    str | None,
    typer.Option(
        "--tolerances",
        metavar="PROFILE",
        autocompletion=complete.profiles,
        rich_help_panel=panels.DEVICE,
        help="Read the tolerance of each operator from 'conformance:' of this profile, usually your own .yaml. "
        "[default: none, bit-exact]",
    ),
]
Selection = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="OPERATOR",
        rich_help_panel=panels.SCOPE,
        help="Test only these operators, by kind (CONV_2D) or number (3). Repeatable. [default: all]",
    ),
]
Unit = Annotated[
    str,
    typer.Option(
        "--unit",
        metavar="UNIT",
        rich_help_panel=panels.SCOPE,
        help="Test units of this size: operator, N consecutive operators, model, or the part between tensors A and B, "
        "A..B, by name or number, as 3..12. [default: operator]",
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=FILE",
        rich_help_panel=panels.INPUTS,
        help="Use stored values for a model input. Repeatable.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="PATH",
        rich_help_panel=panels.INPUTS,
        help="Use samples of an .npz file, a folder, or a script with get_calibration_data(). Repeatable. "
        "[default: a random sample]",
    ),
]
Samples = Annotated[
    int,
    typer.Option(
        "--samples",
        metavar="N",
        min=1,
        rich_help_panel=panels.INPUTS,
        help="Use at most N samples of each --data. [default: 4]",
    ),
]
FailOnFallback = Annotated[
    bool,
    typer.Option(
        "--fail-on-fallback",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator does not run on the device but on the CPU.",
    ),
]
RequireCoverage = Annotated[
    bool,
    typer.Option(
        "--require-coverage",
        rich_help_panel=panels.FAILURE,
        help="Fail if an operator has no reference kernel.",
    ),
]
Budget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="N|TIME",
        rich_help_panel=panels.LIMITS,
        help="Limit device inferences to N, or to a duration: 90s, 10m, 2h.",
    ),
]
DryRun = Annotated[
    bool,
    typer.Option(
        "--dry-run",
        rich_help_panel=panels.LIMITS,
        help="Print only the number of inferences and an estimate of their time.",
    ),
]
Outputs = Annotated[list[str] | None, format_option("verify")]
Reproduce = Annotated[
    str | None,
    typer.Option(
        "--reproduce",
        metavar="DIR",
        rich_help_panel=panels.OUTPUT,
        help="Write a minimal reproducer of each failure to DIR.",
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        autocompletion=complete_key,
        rich_help_panel=panels.ADVANCED,
        help=help_of_keys(),
    ),
]


def parse_unit(text: str) -> dict[str, int | bool | tuple[str, str]]:
    """Return the fields of Settings for a unit. Raises ConfigError.

    For example, ``3`` gives ``{"segment": 3}``, ``conv1..softmax`` gives ``{"between": ("conv1", "softmax")}``.
    """
    from litecheck.errors import ConfigError

    if text == "operator":
        return {}
    if text == "model":
        return {"whole": True}
    if text.isascii() and text.isdigit() and int(text):
        return {"segment": int(text)}
    first, dots, last = text.partition("..")
    if dots and first and last and ".." not in last:
        return {"between": (first, last)}
    raise ConfigError(
        f"--unit {text}: got {text!r}, expected operator, model, a number of operators, or two tensors A..B"
    )
