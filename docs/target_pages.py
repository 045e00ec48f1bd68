"""The pages of hardware targets, from their profiles: a page each, and the table of operators by target."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.measurements import measurements_table
from litecheck.finding import CPU
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import OneOf, OperatorRule, Profile, Requirement
from litecheck.rendering.rules import Row, demanded, rows
from litecheck.targets.ethos_u.rewrites import Rewrites, rewrites_of

_HEAD = """\
# {title}

Generated from the profile `{name}`; `python docs/generate.py` brings it up to date. What the places mean, and how far to
trust them, is said in [hardware targets](../targets.md).

Source: {source}.
An operator runs on the NPU where all that is said of it here holds. In parentheses stands where a demand is from{marks}.
"""
#: How a profile marks its demands that was held against its compiler.
_MARKS = ": *list* is what the\ncompiler prints of itself, *measured* what it does"
_MEASURES = "measured"
_EVERY = "\n## Every operator\n\nAlso those that have no entry below: {unlisted}.\n"
_MEASURED = "\n## Measurements\n\nWhat stands behind `limits/` above.\n\n"


def targets() -> tuple[Profile, ...]:
    """The profiles that say where operators run."""
    return tuple(p for p in map(load_profile, profile_names()) if p.judges == "placement")


def pages() -> dict[str, str]:
    """Every target's page by its name; one that only extends another has that one's."""
    return {target.name: page(target) for target in targets() if not target.extends}


def page(profile: Profile) -> str:
    """A target's page in Markdown: what is demanded of every operator, then what is demanded of each besides."""
    every = profile.operators.get(ANY_OPERATOR)
    common = frozenset() if every is None else frozenset(map(_source, every.requirements))
    marks = _MARKS if any(_MEASURES in r.see for r in profile.requirements()) else ""
    parts = [_HEAD.format(title=profile.title, name=profile.name, source=profile.source, marks=marks)]
    if every is not None:
        unlisted = "they stay on the CPU" if profile.unlisted == CPU else profile.unlisted
        parts += [_EVERY.format(unlisted=unlisted), *_lines(profile, every)]
    for rule in profile.operators.values():
        if rule is not every:
            own = _lines(profile, rule, common)
            parts += [f"\n## {rule.opcode}\n", *(own or ["\nNothing besides.\n"])]
    parts += (*_together(profile), *_without(profile))
    limits = {
        r.path.split("/")[2]
        for rule in profile.operators.values()
        for r in rule.all_requirements()
        if "/limits/" in r.path
    }
    return "".join(
        [*parts, _MEASURED, *measurements_table({re.sub(r"^.*\.", "role.", name) for name in limits})]
    )


def _together(profile: Profile) -> Iterator[str]:
    """What the compiler makes of operators together."""
    made = rewrites_of(profile)
    if made != Rewrites():
        yield "\n## Operators together\n\n"
    for one in made.fusions.values():
        yield f"- `{one.before}`, `{one.opcode}`, `{one.after}`: *{one.because}* ({one.see})\n"
    for kind in made.casts.values():
        yield f"- `{kind.dtype}`: *{kind.because}* ({kind.see})\n"
    for maker, variable in made.variables.items():
        yield f"- `{maker}`: *{variable.because}* ({variable.see})\n"
    for steps in made.decompositions.values():
        yield f"- `{steps.opcode}`: *{steps.because}* ({steps.see})\n"


def _without(profile: Profile) -> Iterator[str]:
    """How to do without operators that have no entry."""
    if profile.unlisted_hints:
        yield "\n## Without an entry\n\nHow to do without some operators that have no entry:\n\n"
    yield from (f"- {op}: {hint}\n" for op, hint in profile.unlisted_hints.items())


def _source(requirement: Requirement) -> tuple[str, int]:
    return requirement.demand.file, requirement.demand.line


def _lines(
    profile: Profile, rule: OperatorRule, without: frozenset[tuple[str, int]] = frozenset()
) -> list[str]:
    """A list of what a rule demands, by what becomes of an operator otherwise."""
    groups: dict[str, list[str]] = {}
    for row in rows(profile, rule):
        requirement = row.requirement
        if row.alternative:
            continue
        if requirement.verb != "operands" and _source(requirement) not in without:
            groups.setdefault(requirement.effect, []).append(_item(row))
    out = [line for effect, items in groups.items() for line in (f"\nElse {_clause(effect)}:\n\n", *items)]
    return [*out, *_alternatives(rule)]


def _alternatives(rule: OperatorRule) -> Iterator[str]:
    """What ``any_of`` lets an operator choose from, a line each."""
    if rule.any_of:
        yield f"\nOf these one must hold as a whole, else {_clause(rule.any_of[0].requirements[0].effect)}:\n\n"
    for alternative in rule.any_of:
        stated = alternative.requirements
        told = ", ".join(demanded(r) for r in stated)
        whys = dict.fromkeys(f"*{r.because}* ({r.see})" for r in stated)
        yield f"- `{alternative.name}`: {told}. {'; '.join(whys)}\n"


def _clause(effect: str) -> str:
    """An effect as the end of a sentence about an operator."""
    return f"it {effect}" if effect.startswith(("stays", "crashes")) else effect


def _item(row: Row) -> str:
    requirement = row.requirement
    hint = f"; to keep it, {requirement.hint}" if requirement.hint else ""
    return f"- `{row.name}`: {demanded(requirement)}. *{requirement.because}*{hint} ({requirement.see})\n"


def matrix() -> Iterator[str]:
    """Every operator that some target runs, with the types of its inputs that each takes."""
    columns = targets()
    names = sorted({name for target in columns for name in target.operators} - {ANY_OPERATOR})
    yield f"| operator | {' | '.join(_linked(target) for target in columns)} |\n"
    yield f"| --- |{' --- |' * len(columns)}\n"
    for name in names:
        yield f"| {name} | {' | '.join(types(target, name) for target in columns)} |\n"


def _linked(target: Profile) -> str:
    return f"[{target.name}](targets/{target.extends or target.name}.md)"


#: A limit that lists the types.
_LISTS = ("input_dtype",)


def types(target: Profile, opcode: str) -> str:
    """``int8, int16``: what the first feature map may be that is computed with."""
    rule = target.operators.get(opcode)
    if rule is None or rule.unsupported:
        return "-"
    stated = {r.path.partition("/")[2]: _words(r) for r in rule.requirements}
    roles = [stated.get(f"{role}/dtype", ()) for role in rule.inputs if role != "condition"]
    listed = next((names for names in roles if "int8" in names), max(roles))
    # Of a layer with weights it speaks of computed ones.
    limits = _LISTS if "weight" in rule.inputs else (*_LISTS, "matmul_input_dtype")
    lists = [stated[f"limits/{limit}"] for limit in limits if f"limits/{limit}" in stated]
    return ", ".join(name for name in listed if all(name in one for one in lists))


def _words(requirement: Requirement) -> tuple[str, ...]:
    value = requirement.value
    return tuple(map(str, value.values)) if isinstance(value, OneOf) else (str(value),)
