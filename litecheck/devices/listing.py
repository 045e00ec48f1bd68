"""List of the devices for ``--device``, as a table or JSON."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec

from litecheck.devices.device_kinds import kinds
from litecheck.devices.registry import GROUP


@dataclass(frozen=True, slots=True)
class ListedDevice:
    """Kind of device: the text for ``--device``, a summary, and the extra to install if its package is missing."""

    usage: str
    summary: str
    missing_extra: str = ""


def listed_devices() -> tuple[ListedDevice, ...]:
    """Return litecheck's kinds of devices, then those of installed packages. No runtime is loaded."""
    own = tuple(
        ListedDevice(
            kind.usage or kind.name,
            kind.summary,
            "" if all(find_spec(module) for module in kind.modules) else kind.extra,
        )
        for kind in kinds().values()
    )
    points = (point for point in entry_points(group=GROUP) if point.name not in kinds())
    return own + tuple(
        ListedDevice(point.name, f"a plugin of {point.dist.name}" if point.dist else "a plugin")
        for point in points
    )
