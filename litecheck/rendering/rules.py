"""Requirements of profiles: tables and plain values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litecheck.checks.wording import requirement_phrase
from litecheck.errors import ConfigError
from litecheck.profile.load import profile_names
from litecheck.profile.parser import PSEUDO
from litecheck.profile.types import OperatorRule, Profile, Relaxation, Requirement
from litecheck.rendering.escape import json_document, visible
from litecheck.rendering.measurements import measurement_hint
from litecheck.rendering.word_table import print_table
from litecheck.spelling import did_you_mean

if TYPE_CHECKING:
    from rich.console import Console


@dataclass(frozen=True, slots=True)
class Row:
    """A requirement with its rule, or with None if no entry states the requirement.

    ``alternative`` is the name of the alternative of ``any_of`` that has the requirement, or "".
    """

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


def signature(rule: OperatorRule, roles: Iterable[str]) -> str:
    """Return ``input, weight, [bias]``: optional roles in brackets, repeated roles with dots."""
    marks = (f"[{r}]" if r in rule.optional else f"{r}..." if r in rule.repeated else r for r in roles)
    return ", ".join(marks) or "none"


def required_text(requirement: Requirement) -> str:
    """Return the required value as in findings, and the range that is only a warning."""
    tolerated = getattr(requirement.value, "tolerance", 0)
    less = f"; a warning up to a relative {tolerated}" if tolerated else ""
    return requirement_phrase(requirement) + less


def strip_role(requirement: Requirement) -> str:
    """Return the required value without the operand, which the path states."""
    return required_text(requirement).replace(f" of {requirement.role}", "", 1)


def print_profiles(profiles: Iterable[Profile], console: Console) -> None:
    """Print a table of profiles."""
    listed = (
        (p.name, " ".join(p.activations), str(len(p.operators.keys() - PSEUDO)), p.extends or "", p.title)
        for p in profiles
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
                signature(rule, rule.inputs),
                signature(rule, rule.outputs),
            )
            for rule in profile.operators.values()
        )
        heads = ("operator", "requirements", "inputs", "outputs")
        print_table(heads, listed, (*_WHOLE, "requirements"), console)


def print_rules(profiles: Iterable[Profile], opcode: str, console: Console) -> None:
    """Print the rule of each profile for an operator: its scope, then each requirement with level and line.

    Raise ConfigError if no profile has a rule for the operator.
    """
    for profile in _require_rule(profiles, opcode):
        rule = profile.operators[opcode]
        console.print(visible(f"{rule.opcode} by {profile.name}"), style="bold")
        for line in scope(rule):
            console.print(visible(line))
        listed = [
            (row.name, strip_role(row.requirement), row.requirement.level, str(row.requirement.demand))
            for row in rows(profile, rule)
        ]
        print_table(("requirement", "required", "level", "rule"), listed, _WHOLE, console)


def _require_rule(profiles: Iterable[Profile], opcode: str) -> tuple[Profile, ...]:
    profiles = tuple(profiles)
    found = tuple(profile for profile in profiles if opcode in profile.operators)
    if not found:
        known = dict.fromkeys(name for profile in profiles for name in profile.operators)
        if opcode in profile_names() or opcode.endswith((".yaml", ".yml")):
            raise ConfigError(f"{opcode} is a profile, no operator: litecheck rules --profile {opcode}")
        names = ", ".join(profile.name for profile in profiles)
        hint = did_you_mean(opcode, (*known, *profile_names())) or measurement_hint(opcode)
        raise ConfigError(f"{opcode}: no rule for this operator in {names}{hint}")
    return found


def scope(rule: OperatorRule) -> Iterator[str]:
    """Yield the reason of a rule, its exemptions, and its alternatives."""
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
    chosen = _require_rule(profiles, opcode) if opcode else profiles
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
    r, relaxed = row.requirement, row.requirement.relaxation
    return {
        "path": r.path,
        "alternative": row.alternative or None,
        "required": required_text(r),
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


#: Columns that take the room they need; the remaining columns wrap.
_WHOLE = ("profile", "operator", "requirement", "level", "rule")
