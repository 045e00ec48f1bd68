"""Options ``--memory``, ``--timeout`` and ``--jobs``, and the effect of the first two on the reference."""

from __future__ import annotations

from typing import Annotated, Any

from litecheck.cli.panels import LIMITS, option

#: Defaults of the reference, in MB and seconds, equal to those of ComputeLimits.
MEGABYTES, SECONDS = 4096, 600.0

Memory = Annotated[
    int,
    option(
        "--memory MB",
        LIMITS,
        f"Limit the memory of tensors in the reference kernels. [default: {MEGABYTES}]",
        min=1,
    ),
]
Timeout = Annotated[
    float,
    option(
        "--timeout SECONDS",
        LIMITS,
        "Stop an operator of the reference kernels, and the subgraphs that it calls, after this time. "
        f"[default: {SECONDS:g}]",
        min=0.1,
    ),
]


def jobs_option(text: str, panel: str = LIMITS) -> Any:
    """Return the option ``--jobs`` of a command. ``text`` states the parallel work."""
    return option("--jobs -j N", panel, f"{text} [default: 1]", min=1)


def limit_reference(memory: int, timeout: float) -> None:
    """Limit every later inference of the reference in this process.

    Calls of subgraphs are limited in proportion to a time above the default. For example, 1200 s allow 500,000 calls.
    """
    from litecheck.reference.compute_limits import ComputeLimits, set_limits

    calls = int(ComputeLimits().calls * max(1.0, timeout / SECONDS))
    set_limits(ComputeLimits(memory << 20, calls, timeout))


def limit_beside_device(memory: int, timeout: float) -> None:
    """Raise the limits of the reference to those of the device, if the device has more.

    For example, ``--timeout 5`` stops a device that hangs after 5 s, while the reference keeps its 600 s.
    """
    limit_reference(max(memory, MEGABYTES), max(timeout, SECONDS))
