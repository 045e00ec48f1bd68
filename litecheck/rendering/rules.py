"""Requirements of profiles: tables, plain values, and the documentation's rule reference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litecheck.checks.wording import required
from litecheck.errors import ConfigError
from litecheck.finding import Effect
from litecheck.profile.load import profile_names
from litecheck.profile.types import OperatorRule, Profile, Relaxation, Requirement
from litecheck.rendering.escape import json_document, visible
from litecheck.rendering.word_table import print_table
from litecheck.spelling import did_you_mean

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Row:
    """A requirement of a rule, or of none where no entry states it; ``alternative`` names the way of ``any_of`` it
    belongs to, else ``""``."""

    profile: Profile
    rule: OperatorRule | None
    requirement: Requirement
    alternative: str = ""

    @property
    def name(self) -> str:
        """The path below the operator, with the alternative, if any."""
        short = self.requirement.path.partition("/")[2]
        return f"{short} ({self.alternative})" if self.alternative else short


def rows(profile: Profile, rule: OperatorRule) -> Iterator[Row]:
    """Yield every requirement of a rule, in the file's order."""
    if rule.unsupported:
        yield Row(profile, rule, rule.unsupported)
        return
    yield from (Row(profile, rule, requirement) for requirement in rule.requirements)
    for alternative in rule.any_of:
        yield from (
            Row(profile, rule, requirement, alternative.name) for requirement in alternative.requirements
        )


def _signature(rule: OperatorRule, roles: Iterable[str]) -> str:
    marks = (f"[{r}]" if r in rule.optional else f"{r}..." if r in rule.repeated else r for r in roles)
    return ", ".join(marks) or "none"


def demanded(requirement: Requirement) -> str:
    """Return the required value as in findings, and the range that is only a warning."""
    tolerated = getattr(requirement.value, "tolerated", 0)
    less = f"; a warning up to a relative {tolerated}" if tolerated else ""
    return required(requirement) + less


def _without_role(requirement: Requirement) -> str:
    """The same beside a path that names the operand already."""
    return demanded(requirement).replace(f" of {requirement.role}", "", 1)


def print_profiles(profiles: Iterable[Profile], console: Console) -> None:
    """Print a table of profiles."""
    listed = (
        (p.name, " ".join(p.activations), str(len(p.operators)), p.extends or "", p.title) for p in profiles
    )
    whole = (*_WHOLE, "operators", "extends")
    print_table(("profile", "judges", "operators", "extends", "title"), listed, whole, console)


def print_operators(profiles: Iterable[Profile], console: Console) -> None:
    """Print the heading and the operators of each profile, with their roles."""
    for profile in profiles:
        console.print(visible(f"{profile.name}: {profile.title}"), style="bold")
        console.print(f"{visible(profile.source)}\noperators without a rule: {profile.unlisted}")
        listed = (
            (
                rule.opcode,
                str(len(tuple(rule.all_requirements()))),
                _signature(rule, rule.inputs),
                _signature(rule, rule.outputs),
            )
            for rule in profile.operators.values()
        )
        heads = ("operator", "requirements", "inputs", "outputs")
        print_table(heads, listed, (*_WHOLE, "requirements"), console)


def print_rules(profiles: Iterable[Profile], opcode: str, console: Console) -> None:
    """Print the rule of each profile for an operator: its scope, then each requirement with level and line.

    Raises ConfigError if no profile has a rule for the operator.
    """
    for profile in _with_rule(profiles, opcode):
        rule = profile.operators[opcode]
        console.print(visible(f"{rule.opcode} by {profile.name}"), style="bold")
        for line in _scope(rule):
            console.print(visible(line))
        listed = [
            (row.name, _without_role(row.requirement), row.requirement.level, str(row.requirement.demand))
            for row in rows(profile, rule)
        ]
        print_table(("requirement", "required", "level", "rule"), listed, _WHOLE, console)


def _with_rule(profiles: Iterable[Profile], opcode: str) -> tuple[Profile, ...]:
    profiles = tuple(profiles)
    found = tuple(profile for profile in profiles if opcode in profile.operators)
    if not found:
        known = dict.fromkeys(name for profile in profiles for name in profile.operators)
        if opcode in profile_names() or opcode.endswith((".yaml", ".yml")):
            raise ConfigError(f"{opcode} is a profile, no operator: litecheck rules --profile {opcode}")
        names = ", ".join(profile.name for profile in profiles)
        hint = did_you_mean(opcode, (*known, *profile_names()))
        raise ConfigError(f"{opcode}: no rule for this operator in {names}{hint}")
    return found


def _scope(rule: OperatorRule) -> Iterator[str]:
    if rule.because:
        yield rule.because
    for exemption in rule.exemptions:
        types = " or ".join(exemption.dtypes)
        yield f"not covered where {exemption.role} is {types}: {exemption.because}"
    if len(rule.any_of) > 1:
        yield f"one of these ways must be kept whole: {', '.join(a.name for a in rule.any_of)}"


def shows(relaxed: Relaxation) -> str:
    """Describe the status of a tensor that satisfies only the relaxed requirement."""
    return "also conforms" if relaxed.shows == "conforms" else f"is {relaxed.shows}"


def json_text(profiles: Iterable[Profile], opcode: str | None = None) -> str:
    """Return profiles as a JSON document: all rules, or an operator's. Raise ConfigError as ``print_rules``."""
    chosen = _with_rule(profiles, opcode) if opcode else profiles
    values = [profile_values(profile, opcode) for profile in chosen]
    return json_document({"litecheck_rules": 1, "profiles": values})


def profile_values(profile: Profile, opcode: str | None = None) -> dict[str, Any]:
    """Return a profile as plain values for JSON: all rules, or those of an operator."""
    rules = [rule for rule in profile.operators.values() if opcode in (None, rule.opcode)]
    return {
        "profile": profile.name,
        "title": profile.title,
        "source": profile.source,
        "file": profile.file,
        "extends": profile.extends,
        "activations": list(profile.activations),
        "unlisted": profile.unlisted,
        "runtime": profile.runtime,
        "judges": profile.judges,
        "operators": {rule.opcode: _rule_values(profile, rule) for rule in rules},
    }


def _rule_values(profile: Profile, rule: OperatorRule) -> dict[str, Any]:
    return {
        "inputs": list(rule.inputs),
        "outputs": list(rule.outputs),
        "optional": [role for role in rule.inputs if role in rule.optional],
        "repeated": [role for role in (*rule.inputs, *rule.outputs) if role in rule.repeated],
        "intermediates": list(rule.intermediates),
        "activations": list(rule.activations),
        "nothing_to_judge": rule.nothing_to_judge,
        "because": rule.because,
        "see": rule.see,
        "except": [{"role": e.role, "dtypes": list(e.dtypes), "because": e.because} for e in rule.exemptions],
        "requirements": [_requirement_values(row) for row in rows(profile, rule)],
    }


def _requirement_values(row: Row) -> dict[str, Any]:
    r, relaxed = row.requirement, row.requirement.relaxed
    return {
        "path": r.path,
        "alternative": row.alternative or None,
        "required": demanded(r),
        "value": str(r.value),
        "level": r.level,
        "effect": r.effect,
        "because": r.because,
        "hint": r.hint,
        "see": r.see,
        "demanded_by": {"profile": r.demand.profile, "file": r.demand.file, "line": r.demand.line},
        "relaxed": relaxed
        and {
            "value": str(relaxed.value),
            "because": relaxed.because,
            "shows": relaxed.shows,
            "by": str(relaxed.by),
        },
    }


def reference_pages(profiles: Iterable[Profile]) -> dict[str, str]:
    """Return the rule reference as Markdown pages by path: a page for each profile, and a page for each of its operators.

    A profile that extends another lists only the requirements that it adds or narrows. Example of a path:
    ``litert-int8/CONV_2D``.
    """
    pages = {}
    for profile in profiles:
        listed = []
        for opcode, rule in profile.operators.items():
            own = [row for row in rows(profile, rule) if _states(profile, row.requirement)]
            if own:
                section = _operator_section(profile, rule, own).replace("### ", "# ", 1)
                pages[f"{profile.name}/{opcode}"] = f"{section}\n"
                listed.append(f"- [{opcode}]({profile.name}/{opcode}.md)")
        top = _profile_section(profile).replace("## ", "# ", 1)
        pages[profile.name] = "\n\n".join((top, _PREFACE, "\n".join(listed))) + "\n"
    return pages


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
    return f"## {profile.name}\n\n" + "\n\n".join(facts)


def _operator_section(profile: Profile, rule: OperatorRule, own: Iterable[Row]) -> str:
    operands = f"Inputs: {_signature(rule, rule.inputs)}. Outputs: {_signature(rule, rule.outputs)}."
    lines = [f"### {rule.opcode} ({profile.name})", "", operands, *map(_sentence, _scope(rule)), ""]
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
    return f"- `{row.name}`: {_without_role(r)}{level}{relaxed}"


def _reason(because: str, see: str) -> Iterator[str]:
    if because or see:
        yield ""
        yield _sentence(f"{because} ({see})" if because and see else because or f"see {see}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


#: The effect of a requirement whose profile states none.
_UNSAID: Effect = "the profile forbids it"
#: Columns that take the room they need; the remaining columns wrap.
_WHOLE = ("profile", "operator", "requirement", "level", "rule")
