"""Demands that no entry states: that an operator be listed, what joining three operators to one asks of the first, and what
variables ask of all that read and write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase

from litecheck.finding import CPU, REFUSED, Demand, Effect, Level
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.operators import facts_of
from litecheck.profile.rewrites import Fusion, Keeping
from litecheck.profile.types import Exactly, Profile, Requirement

#: What an operator must be where a profile forbids what it does not list, and where a target's list leaves it out.
HAS_A_RULE, IN_THE_LIST = Exactly("an operator it has a rule for"), Exactly("an operator of the list")
#: What the operand must be by which the first of three operators dilates the second.
CONSTANT = Exactly("a constant")
#: Where all must be that read or write a variable of which one is on the accelerator.
TOGETHER = Exactly("on the accelerator with all that read or write its variable")
#: What becomes of an operator that a profile does not list, by what that profile says of such.
_EFFECTS: dict[str, Effect] = {"violation": "the profile forbids it", CPU: CPU, REFUSED: REFUSED}
_VERB = "unsupported"
#: An operator that is newer than the schema.
_NEWER = re.compile(r"BUILTIN \d+")


def must_be_listed(profile: Profile, opcode: str) -> Requirement:
    """What a profile that says what becomes of unlisted operators demands of one."""
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


def must_be_constant(fusion: Fusion) -> Requirement:
    """That what dilates the one operator a compiler takes three for is no computed value."""
    return Requirement(
        f"{fusion.before}/{_VERB}", _VERB, None, CONSTANT, fusion.because, fusion.see, fusion.demand,
        effect="crashes the compiler",
    )  # fmt: skip


def must_be_together(keeping: Keeping, opcode: str) -> Requirement:
    """That nothing else that reads or writes an operator's variable stays on the CPU."""
    return Requirement(
        f"{opcode}/{_VERB}", _VERB, None, TOGETHER, keeping.because, keeping.see, keeping.demand,
        effect="crashes the compiler",
    )  # fmt: skip


def implied(profile: Profile, pattern: str) -> Iterator[Requirement]:
    """The demands of a profile that a pattern of paths names and no entry states; of a pattern for several operators, what
    holds for all that are not listed, as ``*/unsupported``."""
    names, _, below = pattern.strip("/").partition("/")
    if below and not fnmatchcase(_VERB, below):
        return
    for fusion in profile.rewrites.fusions.values():
        if any(fnmatchcase(fusion.before, name) for name in names.split("|")):
            yield must_be_constant(fusion)
    for keeping in profile.rewrites.keepings.values():
        for opcode in profile.operators:
            if "handle" in facts_of(opcode).inputs.values() and any(
                fnmatchcase(opcode, n) for n in names.split("|")
            ):
                yield must_be_together(keeping, opcode)
    if profile.unlisted not in _EFFECTS:
        return
    unlisted = load_schema().enums["BuiltinOperator"].keys() - set(profile.operators)
    for name in names.split("|"):
        if _NEWER.fullmatch(name) or any(fnmatchcase(opcode, name) for opcode in unlisted):
            yield must_be_listed(profile, name)
