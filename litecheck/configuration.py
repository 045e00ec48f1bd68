"""The configuration file of a run, and the options that came from the file, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: The value of an option, as the file states it; lists are tuples.
Setting = str | bool | int | tuple[str, ...] | Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration file in use.

    ``options`` are the options of the file that are in force, by key. An option that the command line overrides is not
    among them.
    """

    file: str
    options: Mapping[str, Setting] = field(default_factory=dict)
