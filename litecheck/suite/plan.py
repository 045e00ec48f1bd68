"""Which cases a profile's operators have: made from its rules, designed by hand for what decides, and to be refused."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from litecheck.errors import ConfigError
from litecheck.profile.types import Profile
from litecheck.spelling import did_you_mean
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.designed import designed
from litecheck.suite.manifest import Uncovered


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """The cases of one operator, as they come, and what it has none for."""

    cases: Iterator[SuiteCase]
    uncovered: tuple[Uncovered, ...] = ()


def operators(profile: Profile, select: Sequence[str] = ()) -> tuple[str, ...]:
    """The operators of a profile that patterns choose (``CONV*``), in its order; all of them without a pattern.

    Raises ConfigError for a pattern that chooses none.
    """
    names = tuple(profile.operators)
    for pattern in select:
        if not any(fnmatchcase(name, pattern.upper()) for name in names):
            known = f"{did_you_mean(pattern.upper(), names)}"
            raise ConfigError(f"{profile.name} has no operator {pattern!r}{known}")
    return tuple(n for n in names if not select or any(fnmatchcase(n, p.upper()) for p in select))


def digest_of_rules(profile: Profile) -> str:
    """The SHA-256 of every demand of a profile, the same wherever its files lie."""
    digest = hashlib.sha256(profile.name.encode())
    for r in profile.requirements():
        digest.update(
            f"\n{r.path}\t{r.value}\t{r.level}\t{r.effect}\t{r.relaxed and r.relaxed.value}".encode()
        )
    return digest.hexdigest()


def cases(profile: Profile, opcode: str, level: str, seed: int) -> Made:
    """The cases of an operator up to a level."""
    return Made(_named(designed(profile, opcode, seed), level))


def _named(several: Iterator[SuiteCase], level: str) -> Iterator[SuiteCase]:
    """Those up to a level; a name that comes again gets a number."""
    seen: Counter[str] = Counter()
    for case in several:
        if LEVELS.index(case.level) <= LEVELS.index(level):
            seen[case.name] += 1
            yield replace(case, name=f"{case.name}-{seen[case.name]}") if seen[case.name] > 1 else case
