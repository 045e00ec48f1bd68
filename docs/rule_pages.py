"""Pages of the rule reference: a page for each profile, and a page for each of its operators."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from litecheck.finding import Effect
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.rendering.rules import Row, rows, scope, shows, signature, strip_role

#: Effect of a requirement without a stated effect in its profile.
_UNSAID: Effect = "the profile forbids it"
#: A cell of docs/rules.md: the line of an entry in a rule file.
_ENTRY = re.compile(r"\[(\d+)\]\(\.\./rules/([\w-]+)\.yaml#L\d+\)")


def pages(profiles: Iterable[Profile]) -> dict[str, str]:
    """Return the rule reference as Markdown pages by path: a page for each profile, and a page for each of its operators.

    A profile that extends another lists the requirements that it adds or narrows, and the impacts that it changes.
    Example of a path: ``litert-int8/CONV_2D``.
    """
    found = {}
    profiles = {profile.name: profile for profile in profiles}
    for profile in profiles.values():
        parent = profiles.get(profile.extends or "")
        listed = []
        for opcode, rule in profile.operators.items():
            own = [row for row in rows(profile, rule) if _states(profile, row.requirement)]
            changed = _changed_impacts(profile, rule, parent) if parent else ""
            if own or changed:
                found[f"{profile.name}/{opcode}"] = f"{_operator_page(profile, rule, own)}\n{changed}"
                listed.append(f"- [{opcode}]({profile.name}/{opcode}.md)")
        top = _profile_section(profile)
        found[profile.name] = "\n\n".join((top, _PREFACE, "\n".join(listed))) + "\n"
    return found


def rules_index_on_the_site(markdown: str, found: Collection[str]) -> str:
    """Return docs/rules.md with links to rule pages instead of links to lines of rule files.

    Example: ``[50](../rules/litert-int8.yaml#L50)`` in the row of CONV_2D becomes ``[50](rules/litert-int8/CONV_2D.md)``.
    """

    def linked(row: re.Match[str]) -> str:
        return _ENTRY.sub(
            lambda entry: (
                f"[{entry[1]}](rules/{path}.md)" if (path := f"{entry[2]}/{row[1]}") in found else entry[0]
            ),
            row[0],
        )

    return re.sub(r"^\| (\w+) \|.*$", linked, markdown, flags=re.MULTILINE)


_PREFACE = """The text before a colon is, behind the operator and a slash, the path of a requirement: `CONV_2D/weight/scale`.
Findings, `--select`, `--ignore`, `--set-level` and `litecheck explain` use this path. A violated requirement is a violation,
unless another level is stated. `[role]` can be absent, and `role...` takes all remaining tensors. The impact is in
parentheses; without one, it is *the profile forbids it*. The sentence below a group is the reason, with its source in
parentheses."""


def _states(profile: Profile, requirement: Requirement) -> bool:
    relaxed = requirement.relaxation is not None and requirement.relaxation.by.profile == profile.name
    return relaxed or requirement.demand.profile == profile.name


def _profile_section(profile: Profile) -> str:
    unlisted = "a violation" if profile.unlisted == "violation" else "not covered"
    facts = [
        f"{profile.title}. Source: {profile.source}",
        f"Checks operators with activations of {' or '.join(profile.activations)}; "
        f"an operator without a rule is {unlisted}.",
    ]
    if profile.runtime:
        facts.append(f"States the requirements of {profile.runtime}.")
    if profile.extends:
        facts.append(
            f"Extends `{profile.extends}`: the requirements of that profile apply, too. "
            "Only changed impacts are repeated."
        )
    return f"# {profile.name}\n\n" + "\n\n".join(facts)


def _operator_page(profile: Profile, rule: OperatorRule, own: Iterable[Row]) -> str:
    operands = f"Inputs: {signature(rule, rule.inputs)}. Outputs: {signature(rule, rule.outputs)}."
    lines = [f"# {rule.opcode} ({profile.name})", "", operands, *map(_sentence, scope(rule)), ""]
    lines += [_HOW_TO_READ.format(opcode=rule.opcode, profile=profile.name), ""]
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in own:
        if row.requirement.verb != "operands":
            reasons.setdefault((row.requirement.because, row.requirement.see), []).append(_item(row))
    for (because, see), items in reasons.items():
        lines += [*items, *_reason(because, see), ""]
    return "\n".join(lines).rstrip()


_HOW_TO_READ = """A finding names a requirement with the operator, for example `{opcode}/ROLE/dtype`. The text in
parentheses is the impact of a violation or, after a reason, its source: see [{profile}](../{profile}.md)."""


def _changed_impacts(profile: Profile, rule: OperatorRule, parent: Profile) -> str:
    """Return the inherited requirements of an operator by impact, if the profile changes the impact."""
    inherited = parent.operators.get(rule.opcode)
    if inherited is None:
        return ""
    before = {(row.name, row.requirement.demand): row.requirement.effect for row in rows(parent, inherited)}
    impacts: dict[str, dict[str, None]] = {}
    for row in rows(profile, rule):
        r = row.requirement
        listed_above = r.verb == "operands" or _states(profile, r)
        if not listed_above and before.get((row.name, r.demand), r.effect) != r.effect:
            impacts.setdefault(r.effect, {})[f"`{row.name}`"] = None
    if not impacts:
        return ""
    listed = "\n".join(f"- {impact}: {', '.join(names)}" for impact, names in impacts.items())
    return (
        f"\n## Impacts of inherited requirements\n\n[{parent.name}](../{parent.name}/{rule.opcode}.md) states these "
        f"requirements. Their impacts in {profile.name}:\n\n{listed}\n"
    )


def _item(row: Row) -> str:
    r = row.requirement
    said = (r.level if r.level != "violation" else "", r.effect if r.effect != _UNSAID else "")
    level = f" ({': '.join(filter(None, said))})" if any(said) else ""
    relaxed = f"; {r.relaxation.value} {shows(r.relaxation)}: {r.relaxation.because}" if r.relaxation else ""
    return f"- `{row.name}`: {strip_role(r)}{level}{relaxed}"


def _reason(because: str, see: str) -> Iterator[str]:
    if because or see:
        yield ""
        yield _sentence(f"{because} ({see})" if because and see else because or f"see {see}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
