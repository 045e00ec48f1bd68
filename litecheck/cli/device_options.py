"""Options of the commands that run models on a device: ``verify``, ``diagnose``, ``suite run``."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete, panels
from litecheck.cli.limit_options import jobs_option

DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="DEVICE",
        autocompletion=complete.devices,
        rich_help_panel=panels.DEVICE,
        help='Run models on this device: litert:xnnpack, tflm, delegate:LIB.so[,KEY=VALUE], command:"PROGRAM {model} '
        "{runs}\", recorded:DIR, ... 'litecheck devices' lists them.",
    ),
]
Build = Annotated[
    str,
    typer.Option(
        "--device-version",
        metavar="TEXT",
        rich_help_panel=panels.DEVICE,
        help="Set the device version in reports. [default: that of the device]",
    ),
]
Seconds = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        rich_help_panel=panels.LIMITS,
        help="Stop an inference after this time. A time above 600 also applies to operators of the reference. [default: 60]",
    ),
]
Megabytes = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="MB",
        min=16,
        rich_help_panel=panels.LIMITS,
        help="Limit the memory of a device process, on Linux. A limit above 4096 also applies to tensors of the "
        "reference. [default: 4096]",
    ),
]
Jobs = Annotated[int, jobs_option("Run N cases in parallel.")]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume",
        rich_help_panel=panels.LIMITS,
        help="Continue an interrupted run from its checkpoint file.",
    ),
]
