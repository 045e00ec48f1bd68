"""The options of a device, which verify and diagnose share."""

from __future__ import annotations

from typing import Annotated

import typer

from litecheck.cli import complete

DeviceName = Annotated[
    str,
    typer.Option(
        "--device",
        "-d",
        metavar="DEVICE",
        autocompletion=complete.devices,
        help="litert:reference, litert:optimized, litert:xnnpack, tflm, openvino, delegate:LIB.so[,key=value], "
        'command:"PROGRAM {model} {runs}", recorded:DIR, or an installed plugin\'s name.',
    ),
]
Seconds = Annotated[float, typer.Option(metavar="SECONDS", min=0.1, help="What one invocation may take.")]
Megabytes = Annotated[int, typer.Option(metavar="MB", min=16, help="Memory one case may take.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", metavar="N", min=1, help="Cases at the same time.")]
