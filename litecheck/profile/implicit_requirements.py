"""Implied requirements, which no entry of a profile states: every operator is listed, and rewrites of a target."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from litecheck.finding import CPU, REFUSED, Demand, Effect, Level
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.custom_operators import FILE, kernels_line
from litecheck.profile.known_faults import KNOWN_FAULT, known_faults
from litecheck.profile.notes import all_notes
from litecheck.profile.type_table import row_text
from litecheck.profile.types import Exactly, Profile, Requirement
from litecheck.target_kinds import import_attribute, target_kind

#: Required value if a profile forbids unlisted operators, and if a target's list lacks the operator.
HAS_A_RULE, IN_THE_LIST = Exactly("an operator of the profile"), Exactly("an operator of the list")
#: Effect on an unlisted operator, by the profile's ``unlisted``.
_EFFECTS: dict[str, Effect] = {"violation": "the profile forbids it", CPU: CPU, REFUSED: REFUSED}
_VERB = "unsupported"
#: Name of an operator that is newer than the schema.
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


def types_supported(profile: Profile, opcode: str) -> Requirement | None:
    """Return the requirement that a runtime supports the types of an operator; None without a measured table."""
    table = profile.types
    types = table.operators.get(opcode) if table else None
    if table is None or types is None:
        return None
    because = f"{table.runtime} has no kernel for other types, as measured"
    rows = "; ".join(map(row_text, types.runs))
    required = f"{rows} ({', '.join(types.roles)})" if rows else "another operator"
    return Requirement(
        f"{opcode}/types", "types", None, Exactly(required), because, "",
        Demand(profile.name, table.file, types.line), effect=types.otherwise,
    )  # fmt: skip


def kernel_needed(profile: Profile) -> Requirement | None:
    """Return the requirement that a runtime has a kernel for a custom operator; None without a measured table."""
    if profile.types is None:
        return None
    return Requirement(
        "CUSTOM/kernel", "kernel", None, Exactly(f"a custom operator with a kernel in {profile.types.runtime}"),
        "the runtime rejects a model with an operator that it has no kernel for", "",
        Demand(profile.name, FILE, kernels_line(profile.types.name)), "warning", effect="fails to load",
        hint="register a custom kernel, or load the delegate that brings it",
    )  # fmt: skip


def _matching_notes(profile: Profile, names: list[str], below: str) -> Iterator[Requirement]:
    """Yield the notes and known faults that a pattern matches, for a profile of a runtime."""
    for note in all_notes() if profile.types else ():
        for opcode in note.operators:
            if any(fnmatchcase(opcode, name) for name in names) and fnmatchcase(note.name, below or "*"):
                yield note.requirement(opcode, profile.name)
    for fault in known_faults() if profile.types and fnmatchcase(KNOWN_FAULT, below or "*") else ():
        for kind in fault.operators if profile.types and fault.runtime == profile.types.name else ():
            if any(fnmatchcase(kind, name) for name in names):
                yield fault.requirement(kind, profile.name)


def implied_requirements(profile: Profile, pattern: str) -> Iterator[Requirement]:
    """Return the requirements that a pattern of paths matches and that no entry of the profile states.

    For example, ``*/unsupported`` matches the requirement that every operator is listed.
    """
    names, _, below = pattern.strip("/").partition("/")
    if not below or fnmatchcase("types", below):
        for opcode in profile.types.operators if profile.types else ():
            if any(fnmatchcase(opcode, name) for name in names.split("|")):
                yield from filter(None, [types_supported(profile, opcode)])
    if (not below or fnmatchcase("kernel", below)) and any(
        fnmatchcase("CUSTOM", n) for n in names.split("|")
    ):
        yield from filter(None, [kernel_needed(profile)])
    yield from _matching_notes(profile, names.split("|"), below)
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
