"""Lists of devices and of arithmetics: for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from litecheck.errors import install_hint
from litecheck.rendering.columns import print_wrapped
from litecheck.rendering.escape import json_document, visible
from litecheck.rendering.word_table import print_table

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.devices.listing import ListedDevice
    from litecheck.reference.engine.arithmetic import Arithmetic


def devices_json(devices: Sequence[ListedDevice]) -> str:
    """Return the devices as JSON; ``missing_extra`` is null if nothing is missing."""
    rows = [
        {"device": device.usage, "summary": device.summary, "missing_extra": device.missing_extra or None}
        for device in devices
    ]
    return json_document({"devices": rows})


def print_devices(devices: Sequence[ListedDevice], console: Console) -> None:
    """Print each device in two lines: the text for ``--device``, and below it the summary."""
    for device in devices:
        console.print(visible(device.usage), style="bold", soft_wrap=True)
        install = f"; to install: {install_hint(device.missing_extra)}" if device.missing_extra else ""
        print_wrapped([f"  {visible(device.summary)}{install}"], console)


def arithmetics_json(arithmetics: Sequence[Arithmetic]) -> str:
    """Return ``{"arithmetics": [{"name": ..., "title": ..., "source": ...}]}``."""
    rows = [{"name": one.name, "title": one.title, "source": one.source} for one in arithmetics]
    return json_document({"arithmetics": rows})


def print_arithmetics(arithmetics: Sequence[Arithmetic], console: Console) -> None:
    """Print a table of names and titles."""
    print_table(
        ("arithmetic", "title"), ((one.name, one.title) for one in arithmetics), ("arithmetic",), console
    )
