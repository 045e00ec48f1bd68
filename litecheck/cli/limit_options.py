"""The options ``--memory`` and ``--timeout`` of commands that compute models, and their effect on the reference."""

from __future__ import annotations

from typing import Annotated

import typer

#: Defaults of the reference, in MB and seconds; the same as those of ComputeLimits.
MEGABYTES, SECONDS = 4096, 600.0

Memory = Annotated[
    int, typer.Option("--memory", metavar="MB", min=1, help="Limit the memory of tensors in the reference.")
]
Timeout = Annotated[
    float,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=0.1,
        help="Limit the time of an operator in the reference, with the subgraphs that the operator calls.",
    ),
]


def limit_reference(memory: int, timeout: float) -> None:
    """Limit every later inference of the reference in this process.

    More time than the default allows as many times more calls of subgraphs. Example: 1200 s allow 500,000 calls.
    """
    from litecheck.reference.limits import ComputeLimits, set_limits

    calls = int(ComputeLimits().calls * max(1.0, timeout / SECONDS))
    set_limits(ComputeLimits(memory << 20, calls, timeout))


def limit_beside_device(memory: int, timeout: float) -> None:
    """Raise the limits of the reference to those of the device, where the device may take more.

    Example: ``--timeout 5`` ends a device that hangs after 5 s, while the reference keeps its 600 s.
    """
    limit_reference(max(memory, MEGABYTES), max(timeout, SECONDS))
