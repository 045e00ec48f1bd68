"""What the shell offers for option values, profiles, operators, requirement paths, levels; and the profiles they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from litecheck.errors import LitecheckError
from litecheck.finding import LEVELS

if TYPE_CHECKING:
    from litecheck.profile.types import Profile


def profiles(incomplete: str) -> list[str]:
    """The names of the profiles that come with litecheck."""
    from litecheck.profile.load import profile_names

    return [name for name in profile_names() if name.startswith(incomplete)]


def levels(incomplete: str) -> list[str]:
    """The levels, gravest first."""
    return [level for level in reversed(LEVELS) if level.startswith(incomplete)]


def operators(incomplete: str) -> list[str]:
    """The operators for which a profile has a rule."""
    return list(
        dict.fromkeys(name for p in _profiles() for name in p.operators if name.startswith(incomplete))
    )


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


def arithmetics(incomplete: str) -> list[str]:
    """The arithmetics that come with litecheck."""
    from litecheck.reference.engine.arithmetic import arithmetic_names

    return [name for name in arithmetic_names() if name.startswith(incomplete)]


def devices(incomplete: str) -> list[str]:
    """Kinds of devices, LiteRT's with each of its kernels, and installed plugins."""
    from litecheck.devices.registry import device_names

    return [name for name in device_names() if name.startswith(incomplete)]


def feeds(incomplete: str) -> list[str]:
    """What a case can be fed."""
    from litecheck.cases.inputs import KINDS

    return [name for name in KINDS if name.startswith(incomplete)]


def chosen(names: Sequence[str] | None) -> tuple[Profile, ...]:
    """The profiles of these names and files, or those ``validate`` takes by itself. Raises ProfileError."""
    from litecheck.checks.validate import DEFAULT_PROFILES
    from litecheck.profile.load import load_profile

    return tuple(map(load_profile, names or DEFAULT_PROFILES))


def every() -> tuple[Profile, ...]:
    """The profiles that come with litecheck."""
    from litecheck.profile.load import load_profile, profile_names

    return tuple(map(load_profile, profile_names()))
