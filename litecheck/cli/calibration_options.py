"""Options of ``litecheck convert`` about ranges: the method, the statistics, stated ranges, and data for an evaluation."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, panels

_methods = complete.choices("minmax", "percentile:99.99", "mse", "entropy")

Calibrate = Annotated[
    list[str] | None,
    typer.Option(
        "--calibrate",
        metavar="[NAME=]METHOD",
        rich_help_panel=panels.ADVANCED,
        help="Choose ranges by minmax, percentile:P, mse or entropy, of all tensors or of those with this name or pattern. "
        "Repeatable. [default: minmax]",
        autocompletion=_methods,
    ),
]
CalibrationCache = Annotated[
    str | None,
    typer.Option(
        "--calibration-cache",
        metavar="FILE",
        rich_help_panel=panels.ADVANCED,
        help="Read calibration statistics from this file, or write them if it does not exist.",
    ),
]
Ranges = Annotated[
    list[str] | None,
    typer.Option(
        "--range",
        metavar="NAME=LOW:HIGH",
        rich_help_panel=panels.ADVANCED,
        help="Use this range of a tensor, by name or pattern, in place of the observed range: --range image=0:1. "
        "Repeatable. [default: observed ranges]",
    ),
]
Evaluate = Annotated[
    list[str] | None,
    typer.Option(
        "--evaluate",
        metavar="PATH",
        rich_help_panel=panels.INPUTS,
        help="Compare both models on these samples as well, which are not used for calibration: --evaluate test.npz. "
        "Repeatable. [default: only --data]",
    ),
]
