"""List of devices: a table for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from litecheck.errors import install_hint
from litecheck.rendering.escape import safe_json, visible

if TYPE_CHECKING:
    from rich.console import Console

    from litecheck.devices.listing import ListedDevice


def devices_json(devices: Sequence[ListedDevice]) -> str:
    """Return the devices as JSON; ``missing_extra`` is null if nothing is missing."""
    rows = [
        {"device": device.usage, "summary": device.summary, "missing_extra": device.missing_extra or None}
        for device in devices
    ]
    return safe_json(json.dumps({"devices": rows}, indent=2)) + "\n"


def print_devices(devices: Sequence[ListedDevice], console: Console) -> None:
    """Print each device in two lines: the text for ``--device``, and below it the summary."""
    for device in devices:
        console.print(visible(device.usage), style="bold", soft_wrap=True)
        install = f"; to install: {install_hint(device.missing_extra)}" if device.missing_extra else ""
        console.print(f"  {visible(device.summary)}{install}", soft_wrap=True)
