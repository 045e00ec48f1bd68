"""User policy: findings selected, ignored or given another level, and the resulting statuses.

All functions are pure functions from report to report. Ignored findings stay, waived; findings that are not selected
are removed. A pattern is a requirement path in which each part may have wildcards: ``*/weight/zero_point``, ``CONV_*``,
``CONV_2D/limits/*``. A pattern with fewer parts than a path matches everything below it, so ``CONV_2D`` matches all
requirements of that operator.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from litecheck.errors import ConfigError
from litecheck.files import from_here
from litecheck.finding import LEVELS, Finding, Level, Waiver
from litecheck.profile.implicit_requirements import implied_requirements
from litecheck.profile.measurements.suggestion import suggestion_text
from litecheck.profile.paths import path_matches
from litecheck.profile.types import Profile
from litecheck.report import ModelReport, OperatorReport, Report

#: Paths that an error for an unknown path names.
_NAMED = 3


@dataclass(frozen=True, slots=True)
class Policy:
    """User's choices. An empty ``select`` selects everything; the last of several levels applies.

    ``per_file`` are pairs: a glob of files, and the paths that are ignored in them. ``ignored_by`` names the source of
    ``ignore``, and ``per_file_from`` the source of ``per_file``; waivers state both.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    levels: tuple[tuple[str, Level], ...] = ()
    per_file: tuple[tuple[str, tuple[str, ...]], ...] = ()
    ignored_by: str = "--ignore"
    per_file_from: str = ""


def apply(report: Report, policy: Policy) -> Report:
    """Return the report with levels set and ignored findings waived. ``select`` applies last, after any baseline."""
    return replace(report, models=tuple(_apply_policy(model, policy) for model in report.models))


def _apply_policy(model: ModelReport, policy: Policy) -> ModelReport:
    model = ignore(override_levels(model, policy.levels), policy.ignore, policy.ignored_by)
    for files, patterns in policy.per_file:
        if file_matches(model.file, files):
            model = ignore(model, patterns, f"per-file-ignores {files}{policy.per_file_from}")
    return model


def file_matches(file: str, pattern: str) -> bool:
    """Return True if a glob matches the file or a folder above it; a glob without a slash also matches the file name."""
    names = [os.path.abspath(file), from_here(file)] + ([] if "/" in pattern else [os.path.basename(file)])
    globs = (pattern.rstrip("/"), f"{pattern.rstrip('/')}/*")
    return any(fnmatchcase(name, glob) for name in names for glob in globs)


def apply_selection(report: Report, policy: Policy) -> Report:
    """Return the report with only the selected findings, in every model."""
    return replace(report, models=tuple(select(model, policy.select) for model in report.models))


def select(model: ModelReport, patterns: Collection[str]) -> ModelReport:
    """Return the model with only the findings that match, and with the selection; without patterns, unchanged."""
    if not patterns:
        return model
    within = f" within {', '.join(model.selection)}" if model.selection else ""
    selected = replace(model, selection=tuple(f"{pattern}{within}" for pattern in dict.fromkeys(patterns)))
    return _set_findings(
        selected, (f for f in model.findings if any(path_matches(f.path, p) for p in patterns))
    )


def ignore(model: ModelReport, patterns: Collection[str], by: str = "--ignore") -> ModelReport:
    """Waive the findings that match; a waived finding keeps its earlier waiver."""

    def waive(finding: Finding) -> Finding:
        pattern = next((p for p in patterns if path_matches(finding.path, p)), None)
        if pattern is None or finding.waiver:
            return finding
        return replace(finding, waiver=Waiver(by, pattern))

    return map_findings(model, waive) if patterns else model


def override_levels(model: ModelReport, levels: Collection[tuple[str, Level]]) -> ModelReport:
    """Set the level of the findings that match; the last of several matching patterns applies."""

    def grade(finding: Finding) -> Finding:
        chosen = [level for pattern, level in levels if path_matches(finding.path, pattern)]
        return replace(finding, level=chosen[-1]) if chosen else finding

    return map_findings(model, grade) if levels else model


def map_findings(model: ModelReport, change: Callable[[Finding], Finding]) -> ModelReport:
    """Return the model with every finding changed and with the resulting statuses."""
    return _set_findings(model, map(change, model.findings))


def _set_findings(model: ModelReport, findings: Iterable[Finding]) -> ModelReport:
    return with_statuses(replace(model, findings=tuple(findings)))


def with_statuses(model: ModelReport) -> ModelReport:
    """Return the model with each operator's status derived from its findings."""
    by_operator: dict[tuple[int, int], list[Finding]] = defaultdict(list)
    for finding in model.findings:
        by_operator[finding.where.subgraph, finding.where.operator].append(finding)
    operators = (with_status(op, by_operator.get((op.subgraph, op.index), ())) for op in model.operators)
    return replace(model, operators=tuple(operators))


def with_status(operator: OperatorReport, findings: Iterable[Finding]) -> OperatorReport:
    """Return the operator with the status that follows from its findings.

    - ``violates``: at least one finding of level *violation* that is not waived;
    - ``waived``: no such finding, but a waived finding of level *violation*; the reason states by whom and why;
    - otherwise the best status of the operator; it may still have warnings and notes.
    """
    violations = [f for f in findings if f.level == "violation"]
    waivers = dict.fromkeys(f"by {f.waiver.by}: {f.waiver.reason}" for f in violations if f.waiver)
    if any(not f.waiver for f in violations):
        return replace(operator, status="violates", reason="")
    if waivers:
        return replace(operator, status="waived", reason="; ".join(waivers))
    reason = "" if operator.at_best == "conforms" else operator.reason
    if (operator.status, operator.reason) == (operator.at_best, reason):
        return operator
    return replace(operator, status=operator.at_best, reason=reason)


def parse_level(text: str) -> tuple[str, Level]:
    """Return ``PATH=LEVEL`` as a pair. Raise ConfigError for any other text.

    For example, ``CONV_2D/weight=warning`` gives ``("CONV_2D/weight", "warning")``.
    """
    path, equals, word = text.rpartition("=")
    if not equals or not path.strip():
        raise ConfigError(
            f"{text}: a level is set as PATH=LEVEL, for example CONV_2D/weight/granularity=note"
        )
    return path.strip(), as_level(word.strip(), f"level of {path.strip()}")


def as_level(word: str, subject: str) -> Level:
    """Return the level with that name. Raise ConfigError, about the subject, for an unknown name."""
    for level in LEVELS:
        if level == word:
            return level
    raise ConfigError(f"{subject}: got {word!r}, expected violation, warning or note")


def check_gate(option: str, profiles: Iterable[Profile]) -> None:
    """Raise ConfigError for an option of targets if no profile is a target: the gate would always pass."""
    if all(p.judges != "placement" for p in profiles):
        raise ConfigError(
            f"{option} is for a target, and no --profile is one. Targets are ethos-u55 or a profile with judges: placement. "
            "For a chip without a CPU, use --require-coverage"
        )


def check_patterns(policy: Policy, profiles: Iterable[Profile]) -> None:
    """Raise ConfigError for a pattern that no requirement matches: a misspelled gate must not pass."""
    profiles = tuple(profiles)
    paths = known_paths(profiles)
    ignored = (path for _, paths in policy.per_file for path in paths)
    for pattern in (*policy.select, *policy.ignore, *ignored, *(path for path, _ in policy.levels)):
        if any(True for profile in profiles for _ in implied_requirements(profile, pattern)):
            continue
        if not any(path_matches(path, pattern) for path in paths):
            operator = pattern.partition("/")[0]
            more = (
                requirement.path
                for profile in profiles
                for requirement in implied_requirements(profile, operator)
            )
            raise ConfigError(f"{pattern}: no requirement has this path{hint_of(pattern, (*paths, *more))}")


def known_paths(profiles: Iterable[Profile]) -> tuple[str, ...]:
    """Return every requirement path of these profiles, each once, in the profiles' order."""
    return tuple(dict.fromkeys(r.path for profile in profiles for r in profile.requirements()))


def hint_of(pattern: str, paths: Iterable[str]) -> str:
    """Return advice with the known path that is most similar to the pattern at its depth, or with paths of its words.

    For example, ``CONV_2D/weigth/zero_point`` gives ``; did you mean 'CONV_2D/weight/zero_point'?``, and ``BIAS_SCALE``
    gives ``; paths with these words: 'CONV_2D/bias/scale', ...``.
    """
    known, depth = dict.fromkeys(paths), pattern.count("/") + 1
    similar = suggestion_text(pattern, dict.fromkeys("/".join(path.split("/")[:depth]) for path in known))
    words = re.findall(r"[a-z0-9]+", pattern.casefold())
    having = [path for path in known if words and all(word in path.casefold() for word in words)]
    if similar or not having:
        return similar
    more = f" and {len(having) - _NAMED} more" if len(having) > _NAMED else ""
    return f"; paths with these words: {', '.join(map(repr, having[:_NAMED]))}{more}"
