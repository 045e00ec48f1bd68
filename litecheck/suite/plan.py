"""A suite's cases in a fixed order: for every operator of a profile those that conform, then those to be refused."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial

from litecheck.profile.types import Profile
from litecheck.suite.case import SuiteCase
from litecheck.suite.gap import Gap
from litecheck.suite.positives import positives
from litecheck.suite.refusals import refusals

#: What a profile has rules of that are no operators.
_NO_OPERATORS = ("OPERATOR", "TENSOR", "SUBGRAPH")


def operators(profile: Profile, select: Sequence[str] = ()) -> tuple[str, ...]:
    """The operators of a profile that are selected; all without a selection. Patterns take ``*`` and ``?``."""
    names = (name for name in profile.operators if name not in _NO_OPERATORS)
    return tuple(n for n in names if not select or any(fnmatchcase(n, s.partition("/")[0]) for s in select))


def planned(profile: Profile, level: str, select: Sequence[str], seed: int) -> Iterator[SuiteCase | Gap]:
    """All cases up to a level, and what there is none for. A pattern is of an operator, or of a case's name."""
    for opcode in operators(profile, select):
        yield from planned_of(profile, opcode, level, select, seed)


def planned_of(
    profile: Profile, opcode: str, level: str, select: Sequence[str], seed: int
) -> Iterator[SuiteCase | Gap]:
    """What is planned of one operator."""
    yield from positives(profile, opcode, level, seed)
    yield from refusals(profile, opcode, level, seed, partial(_chosen, select))


def cases(profile: Profile, level: str, select: Sequence[str], seed: int) -> Iterator[SuiteCase]:
    """All cases up to a level whose operator or name is selected."""
    for made in planned(profile, level, select, seed):
        if isinstance(made, SuiteCase) and selected(made, select):
            yield made


def gaps(profile: Profile, level: str, select: Sequence[str], seed: int) -> Iterator[Gap]:
    """What such a suite has no case for."""
    return (made for made in planned(profile, level, select, seed) if isinstance(made, Gap))


def selected(case: SuiteCase, select: Sequence[str]) -> bool:
    """Whether a pattern is of the case's operator, or, with a slash, of its name."""
    return _chosen(select, case.name)


def _chosen(select: Sequence[str], name: str) -> bool:
    """Whether a pattern is of the operator of a case of this name, or, with a slash, of the name."""
    return not select or any(fnmatchcase(name if "/" in s else name.partition("/")[0], s) for s in select)
