"""What the shell offers for option values, profiles, operators, requirement paths, levels; and the profiles they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import typer

from litecheck.cli import panels
from litecheck.errors import LitecheckError
from litecheck.finding import LEVELS

if TYPE_CHECKING:
    from litecheck.profile.types import Profile

#: The first sentence of the help of every ``--profile``.
PROFILE_HELP = "Use the rules of this profile, a name or a file; 'litecheck rules' lists the names."


def offered(module: str, function: str) -> Callable[[str], list[str]]:
    """A completion with the names that a function lists; it is imported when it is asked for."""

    def complete(incomplete: str) -> list[str]:
        names: Iterable[str] = getattr(import_module(module), function)()
        return [name for name in names if name.startswith(incomplete)]

    return complete


#: Profiles and arithmetics that come with litecheck; kinds of devices, LiteRT's with each of its kernels, and plugins.
profiles = offered("litecheck.profile.load", "profile_names")
arithmetics = offered("litecheck.reference.engine.arithmetic", "arithmetic_names")
devices = offered("litecheck.devices.registry", "device_names")


def profile_option(default: str = "") -> Any:
    """Return ``--profile`` of a command that takes several; ``default`` describes the profiles without it."""
    ending = f" [default: {default}]" if default else ""
    return typer.Option(
        "--profile",
        "-p",
        metavar="PROFILE",
        autocompletion=profiles,
        rich_help_panel=panels.RULES,
        help=f"{PROFILE_HELP} Repeatable.{ending}",
    )


def levels(incomplete: str) -> list[str]:
    """The levels, gravest first."""
    return [level for level in reversed(LEVELS) if level.startswith(incomplete)]


def operators(incomplete: str) -> list[str]:
    """The operators for which a profile has a rule."""
    names = dict.fromkeys(name for p in _profiles() for name in p.operators)
    return [name for name in names if name.startswith(incomplete)]


def rule_subjects(context: typer.Context, incomplete: str) -> list[str]:
    """Operators; with ``--measurements`` the names of those."""
    if not context.params.get("measurements"):
        return operators(incomplete)
    from litecheck.rendering.measurements import measurement_names

    return measurement_names(incomplete)


def paths(incomplete: str) -> list[str]:
    """Operators, and below one operator its requirements."""
    opcode, below, _ = incomplete.partition("/")
    if not below:
        return operators(incomplete)
    rules = (rule for p in _profiles() if (rule := p.operators.get(opcode)))
    there = (requirement.path for rule in rules for requirement in rule.all_requirements())
    return [path for path in dict.fromkeys(there) if path.startswith(incomplete)]


def levelled_paths(incomplete: str) -> list[str]:
    """PATH, then PATH=LEVEL."""
    path, equals, level = incomplete.partition("=")
    return [f"{path}={word}" for word in levels(level)] if equals else paths(path)


def _profiles() -> tuple[Profile, ...]:
    """The profiles that come with litecheck; completion is silent about what it cannot read."""
    try:
        return every()
    except LitecheckError:
        return ()


def chosen(names: Sequence[str] | None) -> tuple[Profile, ...]:
    """The profiles of these names and files, or those ``validate`` takes by itself. Raises ProfileError."""
    from litecheck.checks.validate import DEFAULT_PROFILES
    from litecheck.profile.load import load_profile

    return tuple(map(load_profile, names or DEFAULT_PROFILES))


def every() -> tuple[Profile, ...]:
    """The profiles that come with litecheck."""
    from litecheck.profile.load import load_profile, profile_names

    return tuple(map(load_profile, profile_names()))
