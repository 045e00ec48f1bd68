"""Shell completion of option values, profiles, operators, requirement paths and levels; and loading of named profiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from litecheck.cli.panels import RULES, option
from litecheck.errors import LitecheckError
from litecheck.finding import LEVELS

if TYPE_CHECKING:
    from litecheck.profile.types import Profile

#: First sentence of the help of every ``--profile``.
PROFILE_HELP = "Use the rules of this profile, a name or a file; 'litecheck rules' lists the names."


def completions(module: str, name: str) -> Callable[[str], list[str]]:
    """Return a completion of the names in a constant, or of those that a function lists. It is imported on use."""

    def complete(incomplete: str) -> list[str]:
        found = getattr(import_module(module), name)
        return choices(*(found() if callable(found) else found))(incomplete)

    return complete


def choices(*names: str) -> Callable[[str], list[str]]:
    """Return a completion of these names."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return complete


#: Completions of profiles and arithmetics of litecheck, and of devices: LiteRT's with each kernel set, and plugins.
profiles = completions("litecheck.profile.load", "profile_names")
arithmetics = completions("litecheck.reference.engine.arithmetic", "arithmetic_names")
devices = completions("litecheck.devices.registry", "device_names")


def profile_option(default: str = "") -> Any:
    """Return ``--profile`` of a command that takes several; ``default`` describes the profiles without it."""
    ending = f" [default: {default}]" if default else ""
    return option(
        "--profile -p PROFILE", RULES, f"{PROFILE_HELP} Repeatable.{ending}", autocompletion=profiles
    )


def levels(incomplete: str) -> list[str]:
    """Complete a level, most severe first."""
    return choices(*reversed(LEVELS))(incomplete)


def operators(incomplete: str) -> list[str]:
    """Complete an operator for which a profile has a rule."""
    return choices(*dict.fromkeys(name for p in _profiles() for name in p.operators))(incomplete)


def rule_subjects(context: typer.Context, incomplete: str) -> list[str]:
    """Complete an operator, or with ``--measurements`` the name of a measurement."""
    if not context.params.get("measurements"):
        return operators(incomplete)
    from litecheck.rendering.measurements import measurement_names

    return measurement_names(incomplete)


def paths(incomplete: str) -> list[str]:
    """Complete an operator or, after the name of an operator, its requirements."""
    opcode, below, _ = incomplete.partition("/")
    if not below:
        return operators(incomplete)
    rules = (rule for p in _profiles() if (rule := p.operators.get(opcode)))
    there = (requirement.path for rule in rules for requirement in rule.all_requirements())
    return [path for path in dict.fromkeys(there) if path.startswith(incomplete)]


def complete_level_paths(incomplete: str) -> list[str]:
    """Complete PATH, then PATH=LEVEL."""
    path, equals, level = incomplete.partition("=")
    return [f"{path}={word}" for word in levels(level)] if equals else paths(path)


def _profiles() -> tuple[Profile, ...]:
    """Return litecheck's own profiles, or none if they cannot be read, because completion prints no errors."""
    try:
        return every()
    except LitecheckError:
        return ()


def selected_profiles(names: Sequence[str] | None) -> tuple[Profile, ...]:
    """Return the profiles with these names and files, or the defaults of ``validate``. Raise ProfileError."""
    from litecheck.checks.validate import DEFAULT_PROFILES
    from litecheck.profile.load import load_profile

    return tuple(map(load_profile, names or DEFAULT_PROFILES))


def every() -> tuple[Profile, ...]:
    """Return litecheck's own profiles."""
    from litecheck.profile.load import load_profile, profile_names

    return tuple(map(load_profile, profile_names()))
