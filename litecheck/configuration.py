"""Configuration file of a run and the options that it sets, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Value of an option in the configuration file. Lists are tuples.
Setting = str | bool | int | tuple[str, ...] | Mapping[str, str | tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Configuration:
    """A configuration file in use.

    ``options`` are the effective options of the file by key, without the options that the command line overrides.
    """

    file: str
    options: Mapping[str, Setting] = field(default_factory=dict)
