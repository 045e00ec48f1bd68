"""Complete description of a requirement, for people."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import fill, shorten

from litecheck.checks.limits import satisfies
from litecheck.checks.policy import hint_of, known_paths
from litecheck.checks.validate import DEFAULT_PROFILES
from litecheck.checks.wording import requirement_phrase
from litecheck.errors import ConfigError, wrong_type
from litecheck.finding import Finding, Where
from litecheck.profile.implicit_requirements import HAS_A_RULE, IN_THE_LIST, implied_requirements
from litecheck.profile.known_faults import known_faults
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.measurements.registry import measurement_description, operator_measurements
from litecheck.profile.measurements.suggestion import suggestion_text
from litecheck.profile.notes import all_notes
from litecheck.profile.paths import path_matches
from litecheck.profile.types import Constraint, Exactly, Profile, Range, Requirement, Roles, parts_of
from litecheck.public_call import shows_call
from litecheck.rendering.escape import place
from litecheck.rendering.measurements import measurement_hint
from litecheck.rendering.rules import Row, required_text, rows, shows

#: Maximum number of requirements that are explained in full; of more, a line each is printed.
_IN_FULL = 12
#: Smallest number of columns.
NARROWEST = 20


@shows_call("litecheck.explain('CONV_2D/weight/zero_point', [litecheck.load_profile('tflm')])", "path")
def explain(path: str, profiles: Sequence[Profile] | None = None, width: int = 80) -> str:
    """Return every requirement that ``path`` matches: up to 12 in full, more with a line each.

    The default profiles are those of ``validate``. ``path`` can have wildcards and can be incomplete, as in
    ``CONV_2D``. Raise ConfigError if no requirement matches.
    """
    if not isinstance(path, str):
        raise wrong_type(
            "explain", "a requirement's path", path, "litecheck.explain('CONV_2D/weight/zero_point')"
        )
    if not width >= NARROWEST:
        raise ConfigError(f"width: got {width} columns, expected at least {NARROWEST}")
    chosen = tuple(map(load_profile, DEFAULT_PROFILES)) if profiles is None else tuple(profiles)
    named = list(_drop_repeated(row for profile in chosen for row in named_rows(profile, path)))
    if not named:
        raise _missing_error(path, chosen)
    if len(named) > _IN_FULL:
        return _summary(path, named, width)
    return "\n".join(explanation(row, width) for row in named)


def _summary(path: str, named: Sequence[Row], width: int) -> str:
    """Return a line for each requirement, and the command that explains one."""
    lines = (
        f"{row.requirement.path} ({row.profile.name}): {required_text(row.requirement)}" for row in named
    )
    shown = (shorten(line, width, placeholder=" ...") for line in lines)
    command = f"litecheck explain {named[0].requirement.path}{_option(named[0].profile)}"
    more = f"{len(named):,} requirements. To explain one: {command}"
    return "\n".join((*shown, "", fill(more, width, break_on_hyphens=False), ""))


def _option(profile: Profile) -> str:
    """Return `` --profile NAME``, or its file if the profile is not litecheck's own; "" for the default profiles."""
    if profile.name in DEFAULT_PROFILES:
        return ""
    return f" --profile {profile.name if profile.name in profile_names() else profile.file}"


def named_rows(profile: Profile, path: str) -> Iterator[Row]:
    """Yield the requirements of a profile that a path names, including requirements without an entry."""
    rules = profile.operators
    # The path of an operator without wildcards needs only the rule of this operator.
    opcode = path.strip("/").partition("/")[0]
    asked = (rules[opcode],) if opcode in rules else rules.values()
    every = (row for rule in asked for row in rows(profile, rule))
    yield from (row for row in every if path_matches(row.requirement.path, path))
    yield from (Row(profile, None, requirement) for requirement in implied_requirements(profile, path))


def _drop_repeated(found: Iterable[Row]) -> Iterator[Row]:
    """Yield rows without repeating requirements of a runtime that several profiles have, such as ``ADD/types``."""
    seen = set()
    for row in found:
        stated = (row.requirement.path, row.requirement.demand.file, row.requirement.demand.line)
        if row.rule is not None or stated not in seen:
            yield row
        seen.add(stated)


def _missing_error(path: str, chosen: Sequence[Profile]) -> ConfigError:
    """Return the error for a path that none of the profiles has, with profiles that have it or similar paths."""
    names = tuple(profile.name for profile in chosen)
    known = (name for name in dict.fromkeys((*DEFAULT_PROFILES, *profile_names())) if name not in names)
    others = [name for name in known if any(True for _ in named_rows(load_profile(name), path))]
    if others:
        have = f"{', '.join(others)} {'has' if len(others) == 1 else 'have'} it: --profile {others[0]}"
        return ConfigError(f"{path}: no requirement of {', '.join(names)} has this path; {have}")
    name, measured_names = path.partition("/limits/")[2], tuple(operator_measurements())
    if name and name.isidentifier() and name not in measured_names:
        hint = suggestion_text(name, measured_names) or ";"
        return ConfigError(
            f"{path}: no measurement {name!r}{hint} 'litecheck rules --measurements' lists all"
        )
    hint = hint_of(path, known_paths(chosen)) or measurement_hint(path)
    return ConfigError(f"{path}: no requirement has this path{hint}")


def explanation(row: Row, width: int = 80) -> str:
    """Describe a requirement: its value, reason, source, level and an example finding, in ``width`` columns."""
    r = row.requirement
    relaxed = (
        f"{r.relaxation.value} {shows(r.relaxation)}, because {r.relaxation.because}" if r.relaxation else ""
    )
    lines = [
        ("required", required_text(r)),
        ("measured", measurement_description(r.path)),
        (
            "alternative",
            f"{row.alternative}, one of {len(row.rule.any_of)}" if row.alternative and row.rule else "",
        ),
        ("because", r.because),
        ("level", r.level),
        ("impact", r.effect),
        ("fix", r.hint),
        ("source", r.see),
        ("rule", f"{r.demand.profile}, {r.demand}"),
        ("relaxed", relaxed),
        ("relaxed by", str(r.relaxation.by) if r.relaxation else ""),
        ("example", example(row)),
    ]
    body = (
        fill(value, width, initial_indent=f"  {key:<13}", subsequent_indent=" " * 15, break_on_hyphens=False)
        for key, value in lines
        if value
    )
    return "\n".join((f"{r.path} ({row.profile.name})", *body, ""))


def example(row: Row) -> str:
    """Return an example finding with invented values."""
    r, opcode = row.requirement, row.requirement.path.partition("/")[0]
    if not set("*?[|").isdisjoint(opcode):
        opcode = "CUSTOM"
    tensor = (17, f"block3/{r.role}") if r.role else (None, None)
    where = Where(0, "", 12, opcode, f"block3/{opcode.lower()}", r.role, None, *tensor)
    finding = Finding(
        r.path, r.level, where, _found(r), requirement_phrase(r), r.because, r.see, r.demand, r.effect
    )
    return f"{place(where)}: {finding.sentence}"


_FOUND = {
    "dtype": ("it is uint8", "it is float32"),
    "granularity": ("it has one scale for the whole tensor", "it has 64 scales"),
    "axis": ("its quantized dimension is 1, of shape [64, 3, 3, 64]", "its quantized dimension is 0"),
    "scale": ("scale is 0.25", "scale is inf"),
}


def _outside(value: Constraint) -> int | Fraction:
    """Return a number that a constraint does not allow."""
    if isinstance(value, Range):
        return value.low - 1
    parts, fits = parts_of(value), satisfies(value)
    ends = [
        part.high if isinstance(part, Range) else part.value
        for part in parts
        if isinstance(part, Range | Exactly)
    ]
    beyond = [end + 1 for end in ends if isinstance(end, Fraction)]
    numbers: list[int | Fraction] = [3, *beyond, 4]
    return next(number for number in numbers if not fits(number))


def _fault_text(r: Requirement) -> str:
    """Return the known fault that an implied requirement excludes."""
    return next((f"{f.place}: it {f.description}" for f in known_faults() if f.line == r.demand.line), "")


def _found(r: Requirement) -> str:
    """Return a violation of the requirement, in the wording of its check."""
    outside = _outside(r.value)
    if r.verb == "operands":
        return "it is absent" if r.role else "it has 7 inputs and 1 output"
    if r.verb == "zero_point":
        return f"zero point is {outside}"
    if r.verb == "range":
        return f"1 of 576 values lies outside, the farthest is {outside}"
    if r.verb == "limits":
        return f"{r.path.rpartition('/')[2].replace('_', ' ')} is {outside}"
    if r.verb == "unsupported":
        if r.value == IN_THE_LIST:
            return "it is not in the list"
        return "it is not in the profile" if r.value == HAS_A_RULE else f"it is not {r.value}"
    if r.verb == "types":
        return "its types are input bool, output bool"
    if r.verb == "note":
        return next((n.example for n in all_notes() if r.path.endswith(f"/{n.name}")), _fault_text(r))
    if r.verb == "kernel":
        return "'NMS' needs a custom kernel or delegate"
    if r.verb == "shapes":
        return "[1, 4] and [1, 3] do not broadcast"
    if isinstance(r.value, Roles):
        first, last = r.value.roles[0], r.value.roles[-1]
        return f"{first} has scale 0.5, zero point 0; {last} has scale 0.25, zero point 0"
    usual, other = _FOUND[r.verb]
    stated = str(r.value)
    taken = "uint8" in stated or "per-tensor" in stated or stated in ("1", "1/4", "positive", "normal")
    return other if taken else usual
