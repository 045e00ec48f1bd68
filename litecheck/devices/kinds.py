"""The kinds of devices that ``--device`` can name: the modules of litecheck.devices.adapters, each with its ``KIND``."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from litecheck.devices.port import Device, Spec
from litecheck.devices.process import QUIET
from litecheck.target_kinds import bundled_kinds

_ADAPTERS = "litecheck.devices.adapters"
#: One thread each: jobs run side by side, and a child that has threads cannot be forked.
#: glibc fills memory it hands out: what foreign code never wrote then looks like nothing it could have computed.
FILLED = {**QUIET, "MALLOC_PERTURB_": "165"}

#: From the text of an option or an argument to what the adapter gets of it; raises ValueError.
Read = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class DeviceKind:
    """One kind of device: how what ``--device NAME:ARGUMENT,KEY=VALUE`` says becomes an adapter's options.

    ``adapter`` is a Factory as ``module:attribute``; a device without one, which needs no child process, is made by
    ``opened``. ``modules`` must be there, else the error names the ``extra`` of litecheck; ``package`` is whose version
    is told. ``options`` are those it has, with how each is read; None admits all. ``argument`` gives the adapter's
    options that the argument stands for, and raises ValueError for one that cannot be; None admits none. ``whole``: the
    argument is everything behind the colon, commas included; ``choices`` are arguments there are.

    ``usage`` is the text that ``--device`` takes, ``summary`` describes the device in a line of a list.

    ``files`` are what a device is made of, ``version`` is what it says of itself, ``driver`` what the program of a
    reproducer is told to drive it without litecheck (see litecheck/verify/reproducers/run.py), with the ``package`` to
    install.
    """

    name: str
    adapter: str = ""
    usage: str = ""
    summary: str = ""
    opened: Callable[[Spec], Device] | None = None
    modules: tuple[str, ...] = ()
    extra: str = ""
    package: str = ""
    options: Mapping[str, Read] | None = field(default_factory=dict)
    argument: Callable[[str], Mapping[str, str]] | None = None
    whole: bool = False
    choices: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=lambda: QUIET)
    files: Callable[[Spec], Iterable[Path]] | None = None
    version: Callable[[Spec], str] | None = None
    driver: Callable[[Spec], Mapping[str, Any]] | None = None


@cache
def kinds() -> Mapping[str, DeviceKind]:
    """litecheck's own kinds of devices, by name, with those of its targets. No runtime is loaded."""
    adapters = pkgutil.iter_modules(import_module(_ADAPTERS).__path__, f"{_ADAPTERS}.")
    modules = [
        *(m.name for m in adapters),
        *(kind.device for kind in bundled_kinds().values() if kind.device),
    ]
    found = sorted((import_module(name).KIND for name in modules), key=lambda kind: kind.name)
    return {kind.name: kind for kind in found}


def at_least_one(value: str) -> int:
    """A count. Raises ValueError."""
    if not value.isdecimal() or int(value) < 1:
        raise ValueError("a number from 1 is wanted")
    return int(value)
