"""The pages of hardware targets, which only the site has, and the table of operators by target."""

from __future__ import annotations

import re
from collections.abc import Iterator

from docs.measurements import measurements_table
from litecheck.finding import CPU
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import OneOf, OperatorRule, Profile, Requirement
from litecheck.rendering.rules import Row, required_text, rows
from litecheck.targets.ethos_u.rewrites import Rewrites, rewrites_of

_HEAD = """\
# {title}

This page lists all requirements of the profile `{name}`. It is generated from the profile.
[Hardware targets](../targets.md) explains placements and evidence.

Source: {source}.

An operator runs on the NPU if it conforms to all its requirements. The source of each requirement is in parentheses{marks}.
"""
#: Explanation of the sources of a profile that was compared with its compiler.
_MARKS = ": *list* is the\ncompiler's own list of constraints, *measured* is observed behavior"
_MEASURES = "measured"
_EVERY = "\n## Every operator\n\nOperators without an entry below: {unlisted}.\n"
_MEASURED = "\n## Measurements\n\nThe measurements of `limits/` above.\n\n"


def targets() -> tuple[Profile, ...]:
    """Return the profiles that predict placements."""
    return tuple(p for p in map(load_profile, profile_names()) if p.judges == "placement")


def pages() -> dict[str, str]:
    """Return the page of each target by path. A target that extends another target has no page."""
    return {f"targets/{target.name}": page(target) for target in targets() if not target.extends}


def linked_to_pages(markdown: str) -> str:
    """Return a page of docs/ with its links to profiles of targets as links to their pages.

    Example: ``(../rules/targets/ethos-u65.yaml)`` becomes ``(targets/ethos-u55.md)``, the page of its parent.
    """
    for target in targets():
        markdown = markdown.replace(f"](../{target.file})", f"](targets/{target.extends or target.name}.md)")
    return markdown


def page(profile: Profile) -> str:
    """Return the page of a target in Markdown: requirements of every operator, then of each kind."""
    every = profile.operators.get(ANY_OPERATOR)
    common = frozenset() if every is None else frozenset(map(_source, every.requirements))
    marks = _MARKS if any(_MEASURES in r.see for r in profile.requirements()) else ""
    parts = [_HEAD.format(title=profile.title, name=profile.name, source=profile.source, marks=marks)]
    if every is not None:
        unlisted = "stay on the CPU" if profile.unlisted == CPU else profile.unlisted
        parts += [_EVERY.format(unlisted=unlisted), *_lines(profile, every)]
    for rule in profile.operators.values():
        if rule is not every:
            own = _lines(profile, rule, common)
            parts += [f"\n## {rule.opcode}\n", *(own or ["\nNo other requirements.\n"])]
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
    """Yield the compiler's transformations of several operators."""
    made = rewrites_of(profile)
    if made != Rewrites():
        yield "\n## Transformations of several operators\n\n"
    for one in made.fusions.values():
        yield f"- `{one.before}`, `{one.opcode}`, `{one.after}`: *{one.because}* ({one.see})\n"
    for kind in made.casts.values():
        yield f"- `{kind.dtype}`: *{kind.because}* ({kind.see})\n"
    for maker, variable in made.variables.items():
        yield f"- `{maker}`: *{variable.because}* ({variable.see})\n"
    for steps in made.decompositions.values():
        yield f"- `{steps.opcode}`: *{steps.because}* ({steps.see})\n"


def _without(profile: Profile) -> Iterator[str]:
    """Yield replacements for operators without an entry."""
    if profile.unlisted_hints:
        yield "\n## Replacements\n\nReplacements for operators without an entry:\n\n"
    yield from (f"- {op}: {hint}\n" for op, hint in profile.unlisted_hints.items())


def _source(requirement: Requirement) -> tuple[str, int]:
    return requirement.demand.file, requirement.demand.line


def _lines(
    profile: Profile, rule: OperatorRule, without: frozenset[tuple[str, int]] = frozenset()
) -> list[str]:
    """Return the requirements of a rule, grouped by effect."""
    groups: dict[str, list[str]] = {}
    for row in rows(profile, rule):
        requirement = row.requirement
        if row.alternative:
            continue
        if requirement.verb != "operands" and _source(requirement) not in without:
            groups.setdefault(requirement.effect, []).append(_item(row))
    out = [
        line
        for effect, items in groups.items()
        for line in (f"\nRequired, else {_clause(effect)}:\n\n", *items)
    ]
    return [*out, *_alternatives(rule)]


def _alternatives(rule: OperatorRule) -> Iterator[str]:
    """Yield the alternatives of ``any_of``, a line for each."""
    if rule.any_of:
        yield f"\nOne of these must hold completely, else {_clause(rule.any_of[0].requirements[0].effect)}:\n\n"
    for alternative in rule.any_of:
        stated = alternative.requirements
        told = ", ".join(required_text(r) for r in stated)
        whys = dict.fromkeys(f"*{r.because}* ({r.see})" for r in stated)
        yield f"- `{alternative.name}`: {told}. {'; '.join(whys)}\n"


def _clause(effect: str) -> str:
    """Return an effect as the end of a sentence about an operator."""
    return f"it {effect}" if effect.startswith(("stays", "crashes")) else effect


def _item(row: Row) -> str:
    requirement = row.requirement
    hint = f"; fix: {requirement.hint}" if requirement.hint else ""
    return (
        f"- `{row.name}`: {required_text(requirement)}. *{requirement.because}*{hint} ({requirement.see})\n"
    )


def matrix() -> Iterator[str]:
    """Yield a row for each operator of any target, with the dtypes of its inputs on each target."""
    columns = targets()
    names = sorted({name for target in columns for name in target.operators} - {ANY_OPERATOR})
    yield f"| operator | {' | '.join(_linked(target) for target in columns)} |\n"
    yield f"| --- |{' --- |' * len(columns)}\n"
    for name in names:
        yield f"| {name} | {' | '.join(types(target, name) for target in columns)} |\n"


def _linked(target: Profile) -> str:
    return f"[{target.name}](../{target.file})"


#: Limits that list dtypes.
_LISTS = ("input_dtype",)


def types(target: Profile, opcode: str) -> str:
    """Return the dtypes of the first computed feature map. Example: ``int8, int16``."""
    rule = target.operators.get(opcode)
    if rule is None or rule.unsupported:
        return "-"
    stated = {r.path.partition("/")[2]: _words(r) for r in rule.requirements}
    roles = [stated.get(f"{role}/dtype", ()) for role in rule.inputs if role != "condition"]
    listed = next((names for names in roles if "int8" in names), max(roles))
    # matmul_input_dtype of a layer with weights applies to computed weights only.
    limits = _LISTS if "weight" in rule.inputs else (*_LISTS, "matmul_input_dtype")
    lists = [stated[f"limits/{limit}"] for limit in limits if f"limits/{limit}" in stated]
    return ", ".join(name for name in listed if all(name in one for one in lists))


def _words(requirement: Requirement) -> tuple[str, ...]:
    value = requirement.value
    return tuple(map(str, value.values)) if isinstance(value, OneOf) else (str(value),)
