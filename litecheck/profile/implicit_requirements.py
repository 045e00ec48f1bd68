"""Implied requirements, which no entry of a profile states: every operator is listed, and rewrites of a target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from litecheck.finding import CPU, REFUSED, Demand, Effect, Level
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.types import Exactly, Profile, Requirement
from litecheck.target_kinds import import_attribute, target_kind

#: Required value if a profile forbids unlisted operators, and if a target's list lacks the operator.
HAS_A_RULE, IN_THE_LIST = Exactly("an operator it has a rule for"), Exactly("an operator of the list")
#: Effect on an unlisted operator, by the profile's ``unlisted``.
_EFFECTS: dict[str, Effect] = {"violation": "the profile forbids it", CPU: CPU, REFUSED: REFUSED}
_VERB = "unsupported"
#: An operator that is newer than the schema.
_NEWER = re.compile(r"BUILTIN \d+")


def must_be_listed(profile: Profile, opcode: str) -> Requirement:
    """Return the requirement that an operator is listed, for a profile that states the status of unlisted operators."""
    placed = profile.unlisted in (CPU, REFUSED)
    level: Level = "warning" if profile.unlisted == CPU else "violation"
    because = (
        "the target's list names every operator that it runs"
        if placed
        else "the profile lists every operator that is supported"
    )
    return Requirement(
        f"{opcode}/{_VERB}", _VERB, None, IN_THE_LIST if placed else HAS_A_RULE, because,
        profile.source if placed else "", profile.unlisted_demand or Demand(profile.name, profile.file, 1), level,
        effect=_EFFECTS[profile.unlisted], hint=profile.unlisted_hints.get(opcode, ""),
    )  # fmt: skip


def implied(profile: Profile, pattern: str) -> Iterator[Requirement]:
    """Return the requirements that a pattern of paths matches and that no entry of the profile states.

    For example, ``*/unsupported`` matches the requirement that every operator is listed.
    """
    names, _, below = pattern.strip("/").partition("/")
    if below and not fnmatchcase(_VERB, below):
        return
    stated = target_kind(profile.target).requirements if profile.target else ""
    if stated:
        yield from import_attribute(stated)(profile, names.split("|"))
    if profile.unlisted not in _EFFECTS:
        return
    unlisted = load_schema().enums["BuiltinOperator"].keys() - set(profile.operators)
    for name in names.split("|"):
        if _NEWER.fullmatch(name) or any(fnmatchcase(opcode, name) for opcode in unlisted):
            yield must_be_listed(profile, name)
