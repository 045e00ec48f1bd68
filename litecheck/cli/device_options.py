"""Options of the commands that run models on a device: ``verify``, ``diagnose``, ``suite run``."""

from __future__ import annotations

from typing import Annotated

from litecheck.cli import complete
from litecheck.cli.limit_options import jobs_option
from litecheck.cli.panels import DEVICE, LIMITS, option

DeviceName = Annotated[
    str,
    option(
        "--device -d DEVICE",
        DEVICE,
        'Run models on this device: litert:xnnpack, tflm, delegate:LIB.so[,KEY=VALUE], command:"PROGRAM {model} '
        "{runs}\", recorded:DIR, ... 'litecheck devices' lists them.",
        autocompletion=complete.devices,
    ),
]
Build = Annotated[
    str,
    option(
        "--device-version TEXT", DEVICE, "Set the device version in reports. [default: that of the device]"
    ),
]
Seconds = Annotated[
    float,
    option(
        "--timeout SECONDS",
        LIMITS,
        "Stop an inference after this time. A time above 600 also applies to operators of the reference. [default: 60]",
        min=0.1,
    ),
]
Megabytes = Annotated[
    int,
    option(
        "--memory MB",
        LIMITS,
        "Limit the memory of a device process, on Linux. A limit above 4096 also applies to tensors of the "
        "reference. [default: 4096]",
        min=16,
    ),
]
Jobs = Annotated[int, jobs_option("Run N cases in parallel.")]
Resume = Annotated[
    bool,
    option("--resume", LIMITS, "Continue an interrupted run from its checkpoint file."),
]
