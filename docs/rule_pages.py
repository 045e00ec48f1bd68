"""Pages of the rule reference: a page for each profile, and a page for each of its operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from litecheck.finding import Effect
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.rendering.rules import Row, rows, scope, shows, signature, without_role

#: The effect of a requirement whose profile states none.
_UNSAID: Effect = "the profile forbids it"


def pages(profiles: Iterable[Profile]) -> dict[str, str]:
    """Return the rule reference as Markdown pages by path: a page for each profile, and a page for each of its operators.

    A profile that extends another lists only the requirements that it adds or narrows. Example of a path:
    ``litert-int8/CONV_2D``.
    """
    found = {}
    for profile in profiles:
        listed = []
        for opcode, rule in profile.operators.items():
            own = [row for row in rows(profile, rule) if _states(profile, row.requirement)]
            if own:
                found[f"{profile.name}/{opcode}"] = f"{_operator_page(profile, rule, own)}\n"
                listed.append(f"- [{opcode}]({profile.name}/{opcode}.md)")
        top = _profile_section(profile)
        found[profile.name] = "\n\n".join((top, _PREFACE, "\n".join(listed))) + "\n"
    return found


_PREFACE = """The text before a colon is, behind the operator and a slash, the path of a requirement: `CONV_2D/weight/scale`.
Findings, `--select`, `--ignore`, `--set-level` and `litecheck explain` use this path. A violated requirement is a violation,
unless another level is stated. `[role]` can be absent, and `role...` takes all remaining tensors. The impact is in
parentheses. The sentence below a group is the reason, with its source in parentheses."""


def _states(profile: Profile, requirement: Requirement) -> bool:
    relaxed = requirement.relaxed is not None and requirement.relaxed.by.profile == profile.name
    return relaxed or requirement.demand.profile == profile.name


def _profile_section(profile: Profile) -> str:
    unlisted = "a violation" if profile.unlisted == "violation" else "not covered"
    facts = [
        f"{profile.title}. Source: {profile.source}",
        f"Judges operators whose activations are {' or '.join(profile.activations)}; "
        f"an operator without a rule is {unlisted}.",
    ]
    if profile.runtime:
        facts.append(f"States the demands of {profile.runtime}.")
    if profile.extends:
        facts.append(
            f"Extends `{profile.extends}`: what that profile demands holds here too and is not repeated."
        )
    return f"# {profile.name}\n\n" + "\n\n".join(facts)


def _operator_page(profile: Profile, rule: OperatorRule, own: Iterable[Row]) -> str:
    operands = f"Inputs: {signature(rule, rule.inputs)}. Outputs: {signature(rule, rule.outputs)}."
    lines = [f"# {rule.opcode} ({profile.name})", "", operands, *map(_sentence, scope(rule)), ""]
    reasons: dict[tuple[str, str], list[str]] = {}
    for row in own:
        if row.requirement.verb != "operands":
            reasons.setdefault((row.requirement.because, row.requirement.see), []).append(_item(row))
    for (because, see), items in reasons.items():
        lines += [*items, *_reason(because, see), ""]
    return "\n".join(lines).rstrip()


def _item(row: Row) -> str:
    r = row.requirement
    said = (r.level if r.level != "violation" else "", r.effect if r.effect != _UNSAID else "")
    level = f" ({': '.join(filter(None, said))})" if any(said) else ""
    relaxed = f"; {r.relaxed.value} {shows(r.relaxed)}: {r.relaxed.because}" if r.relaxed else ""
    return f"- `{row.name}`: {without_role(r)}{level}{relaxed}"


def _reason(because: str, see: str) -> Iterator[str]:
    if because or see:
        yield ""
        yield _sentence(f"{because} ({see})" if because and see else because or f"see {see}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
