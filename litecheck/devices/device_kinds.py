"""Kinds of devices for ``--device``: the modules of litecheck.devices.adapters, each with its ``KIND``."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from litecheck.devices.port import Device, DeviceSpec
from litecheck.devices.process import QUIET
from litecheck.target_kinds import bundled_kinds

_ADAPTERS = "litecheck.devices.adapters"
#: Environment of foreign code. glibc fills allocated memory with a pattern, so that unwritten outputs are visible. QUIET
#: limits a child to one thread: jobs run in parallel, and a child with several threads cannot be forked.
FILLED = {**QUIET, "MALLOC_PERTURB_": "165"}

#: Parser of an option's text. Raises ValueError.
Read = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """Kind of device: converts ``--device NAME:ARGUMENT,KEY=VALUE`` to an adapter's options.

    ``adapter`` is a Factory as ``module:attribute``. A device without an adapter needs no child process and is created
    by ``open_device``. ``modules`` must be installed, else the error names the ``extra`` of litecheck. ``package`` is the
    package whose version is shown. ``options`` maps each option to its parser; None allows all options. ``argument``
    returns the adapter's options for the argument, and raises ValueError for a bad argument; None allows no argument.
    With ``whole`` the argument is everything after the colon, commas included. ``choices`` are the possible arguments.
    ``usage`` is the text that ``--device`` accepts, ``summary`` describes the device in one line of a list. ``files``
    are the files of a device, and ``version`` is its version text. ``driver`` is the data with which the program of a
    reproducer (litecheck/verification/reproducers/reproducer_program.py) runs the device without litecheck, with the
    ``package`` to install.
    """

    name: str
    adapter: str = ""
    usage: str = ""
    summary: str = ""
    open_device: Callable[[DeviceSpec], Device] | None = None
    modules: tuple[str, ...] = ()
    extra: str = ""
    package: str = ""
    options: Mapping[str, Read] | None = field(default_factory=dict)
    argument: Callable[[str], Mapping[str, str]] | None = None
    whole: bool = False
    choices: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: QUIET)
    files: Callable[[DeviceSpec], Iterable[Path]] | None = None
    version: Callable[[DeviceSpec], str] | None = None
    driver: Callable[[DeviceSpec], Mapping[str, Any]] | None = None


@cache
def kinds() -> Mapping[str, DeviceKind]:
    """Return litecheck's kinds of devices by name, including those of its targets. No runtime is loaded."""
    adapters = pkgutil.iter_modules(import_module(_ADAPTERS).__path__, f"{_ADAPTERS}.")
    modules = [
        *(m.name for m in adapters),
        *(kind.device for kind in bundled_kinds().values() if kind.device),
    ]
    found = sorted((import_module(name).KIND for name in modules), key=lambda kind: kind.name)
    return {kind.name: kind for kind in found}


def at_least_one(value: str) -> int:
    """Return a count of at least 1. Raises ValueError."""
    if not value.isdecimal() or int(value) < 1:
        raise ValueError("a number from 1 is wanted")
    return int(value)
