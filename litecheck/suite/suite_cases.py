"""Cases of a suite in a fixed order: for every operator of a profile, conforming models, then invalid models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import partial

from litecheck.errors import ConfigError
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.rule_header import ANY
from litecheck.profile.types import Profile
from litecheck.spelling import did_you_mean
from litecheck.suite.accept_cases import accept_cases
from litecheck.suite.case import SuiteCase
from litecheck.suite.geometry_cases import geometric
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.option_combinations import listed_types
from litecheck.suite.reject_cases import reject_cases

#: Subjects of rules that are not operators.
_NO_OPERATORS = ("OPERATOR", "TENSOR", "SUBGRAPH")


def operators(profile: Profile, select: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the selected operators of a profile; all without a selection. Patterns take ``*`` and ``?``."""
    names = (name for name in profile.operators if name not in _NO_OPERATORS)
    return tuple(n for n in names if not select or any(fnmatchcase(n, s.partition("/")[0]) for s in select))


def select_operators(profile: Profile, select: Sequence[str]) -> tuple[str, ...]:
    """Return the operators that patterns select. Raise ConfigError with every pattern without an operator."""
    unknown = [p for p in dict.fromkeys(select) if not operators(profile, (p,))]
    if unknown:
        raise ConfigError(
            f"{profile.name} has no operator {'; nor '.join(_unknown_text(profile, p) for p in unknown)}"
        )
    return operators(profile, select)


def _unknown_text(profile: Profile, pattern: str) -> str:
    """Return an unknown pattern with profiles that have it, or similar operators.

    Example: ``'CONV_2X'; did you mean 'CONV_2D'?``.
    """
    others = _profiles_with(pattern)
    hint = f"; profiles with it: {', '.join(others)}" if others else ""
    return f"{pattern!r}{hint or did_you_mean(pattern.upper(), operators(profile))}"


def _profiles_with(pattern: str) -> list[str]:
    """Return the profiles of litecheck with an operator that has rules for its values."""
    loaded = map(load_profile, profile_names())
    judging = (p for p in loaded if p.judges != "placement" and ANY not in p.activations)
    return [p.name for p in judging if operators(p, (pattern,))]


def with_types(profile: Profile) -> Profile:
    """Return a profile for any type as one for the types that its rules list for activations.

    Raise ConfigError if they list none. Example: ``activations: any`` with int8 inputs and outputs gives ``[int8]``.
    """
    if ANY not in profile.activations:
        return profile
    types = dict.fromkeys(
        dtype
        for rule in profile.operators.values()
        for r in rule.all_requirements()
        if r.verb == "dtype" and r.role in rule.activations
        for dtype in listed_types(r)
    )
    if not types:
        raise ConfigError(f"{profile.name} lists no type of activations: no suite is made from it")
    return replace(profile, activations=tuple(types))


def plan_cases(
    profile: Profile, level: str, select: Sequence[str], seed: int
) -> Iterator[SuiteCase | MissingCase]:
    """Yield all cases up to a level, and gaps. A pattern matches an operator, or a case's name."""
    for opcode in operators(profile, select):
        yield from plan_operator_cases(profile, opcode, level, select, seed)


def plan_operator_cases(
    profile: Profile, opcode: str, level: str, select: Sequence[str], seed: int
) -> Iterator[SuiteCase | MissingCase]:
    """Yield the cases and gaps of an operator."""
    profile = with_types(profile)
    yield from accept_cases(profile, opcode, level, seed)
    yield from geometric(profile, opcode, level, seed)
    yield from reject_cases(profile, opcode, level, seed, partial(_selects_name, select))


def cases(profile: Profile, level: str, select: Sequence[str], seed: int) -> Iterator[SuiteCase]:
    """Yield all cases up to a level whose operator or name is selected."""
    for made in plan_cases(profile, level, select, seed):
        if isinstance(made, SuiteCase) and is_selected(made, select):
            yield made


def gaps(profile: Profile, level: str, select: Sequence[str], seed: int) -> Iterator[MissingCase]:
    """Return the gaps of a suite."""
    return (made for made in plan_cases(profile, level, select, seed) if isinstance(made, MissingCase))


def is_selected(case: SuiteCase, select: Sequence[str]) -> bool:
    """Return True if a pattern matches the case's operator or, with a slash, its name."""
    return _selects_name(select, case.name)


def _selects_name(select: Sequence[str], name: str) -> bool:
    """Return True if a pattern matches the operator in this case name or, with a slash, the name."""
    return not select or any(fnmatchcase(name if "/" in s else name.partition("/")[0], s) for s in select)
