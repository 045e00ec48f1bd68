"""Options of ``litecheck verify``, in the order of its help."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete
from litecheck.cli.advanced_settings import KEYS, help_of_keys
from litecheck.cli.outputs import format_option
from litecheck.cli.panels import ADVANCED, DEVICE, FAILURE, INPUTS, LIMITS, OUTPUT, SCOPE, option

ModelFiles = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Read .tflite files, folders (recursive), globs, or - for stdin."
    ),
]
Arithmetics = Annotated[
    list[str] | None,
    option(
        "--arithmetic ARITHMETIC",
        DEVICE,
        "Accept outputs of this arithmetic, a name or a file; 'litecheck rules --arithmetics' lists the names. "
        "Repeatable. [default: for litert:* and tflm their own, else any published arithmetic]",
        autocompletion=complete.arithmetics,
    ),
]
Tolerances = Annotated[
    str | None,
    option(
        "--tolerances PROFILE",
        DEVICE,
        "Read the tolerance of each operator from 'conformance:' of this profile, usually your own .yaml. "
        "[default: none, bit-exact]",
        autocompletion=complete.profiles,
    ),
]
Selection = Annotated[
    list[str] | None,
    option(
        "--select OPERATOR",
        SCOPE,
        "Test only these operators, by kind (CONV_2D) or number (3). Repeatable. [default: all]",
    ),
]
Unit = Annotated[
    str,
    option(
        "--unit UNIT",
        SCOPE,
        "Test units of this size: operator, N consecutive operators, model, or the part between tensors A and B, "
        "A..B, by name or number, as 3..12. [default: operator]",
    ),
]
Inputs = Annotated[
    list[str] | None,
    option("--input NAME=FILE", INPUTS, "Use stored values for a model input. Repeatable."),
]
Data = Annotated[
    list[str] | None,
    option(
        "--data PATH",
        INPUTS,
        "Use samples of an .npz file, a folder, or a script with get_calibration_data(). Repeatable. "
        "[default: a random sample]",
    ),
]
Samples = Annotated[
    int,
    option("--samples N", INPUTS, "Use at most N samples of each --data. [default: 4]", min=1),
]
FailOnFallback = Annotated[
    bool,
    option("--fail-on-fallback", FAILURE, "Fail if an operator does not run on the device but on the CPU."),
]
RequireCoverage = Annotated[
    bool,
    option("--require-coverage", FAILURE, "Fail if an operator has no reference kernel."),
]
Budget = Annotated[
    str | None,
    option("--budget N|TIME", LIMITS, "Limit device inferences to N, or to a duration: 90s, 10m, 2h."),
]
DryRun = Annotated[
    bool,
    option("--dry-run", LIMITS, "Print only the number of inferences and an estimate of their time."),
]
Outputs = Annotated[list[str] | None, format_option("verify")]
Reproduce = Annotated[
    str | None,
    option("--reproduce DIR", OUTPUT, "Write a minimal reproducer of each failure to DIR."),
]
Set = Annotated[
    list[str] | None,
    option(
        "--set KEY=VALUE",
        ADVANCED,
        help_of_keys(),
        autocompletion=complete.choices(*(f"{key}=" for key in KEYS)),
    ),
]


def parse_unit(text: str) -> dict[str, int | bool | tuple[str, str]]:
    """Return the fields of Settings for a unit. Raise ConfigError.

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
