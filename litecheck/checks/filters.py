"""Filters and baselines in the library API, for a report or for a model of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from litecheck.checks import baseline, policy
from litecheck.checks.baseline import BaselineEntry
from litecheck.checks.validate import DEFAULT_PROFILES
from litecheck.dates import iso_date
from litecheck.errors import wrong_type
from litecheck.finding import Level
from litecheck.profile.load import load_profile
from litecheck.profile.types import Profile
from litecheck.public_call import shows_call
from litecheck.report import ModelReport, Report
from litecheck.version import __version__

Filtered = TypeVar("Filtered", Report, ModelReport)


@shows_call("litecheck.filter_report(report, ignore=['CONV_2D/*'])")
def filter_report(
    report: Filtered,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    levels: Mapping[str, Level] | None = None,
    profiles: Sequence[Profile] | None = None,
) -> Filtered:
    """Return the report with only the selected findings, with ignored findings waived and with the given levels.

    Patterns are requirement paths, abbreviated and with wildcards: ``CONV_2D``, ``*/weight/granularity``. ``profiles``
    are the profiles passed to ``validate``, if any. A pattern that matches none of their requirements raises
    ConfigError.
    """
    if isinstance(select, str) or isinstance(ignore, str):
        call = "litecheck.filter_report(report, ignore=['*/weight/granularity'])"
        raise wrong_type("filter_report", "sequences of paths", select or ignore, call)
    given = ((path, policy.as_level(level, f"level of {path}")) for path, level in (levels or {}).items())
    choices = policy.Policy(tuple(select), tuple(ignore), tuple(given))
    policy.check_patterns(choices, profiles or map(load_profile, DEFAULT_PROFILES))
    whole = policy.apply_selection(policy.apply(_run(report, "filter_report"), choices), choices)
    return _same_kind_as(report, whole)


@shows_call("litecheck.write_baseline('baseline.json', report)")
def write_baseline(
    path: str | Path,
    report: Report | ModelReport,
    keep: Sequence[BaselineEntry] = (),
    *,
    reason: str = "",
    expires: str = "",
) -> None:
    """Write the findings that are not waived as a baseline; entries of ``keep`` (an earlier baseline) for other models
    stay, and entries without a reason get ``reason``. New entries apply until the day ``expires``, for example
    ``2027-03-31``.

    Raise ConfigError if the file cannot be written, or ``expires`` is not a date.
    """
    last = iso_date(expires) if expires else ""
    made = baseline.entries(_run(report, "write_baseline"), keep, reason=reason, expires=last)
    baseline.write(path, made)


@shows_call("litecheck.apply_baseline(report, 'baseline.json')")
def apply_baseline(report: Filtered, path: str | Path) -> Filtered:
    """Return the report with the findings of a baseline file waived. Raise ConfigError if the file is not a
    baseline."""
    known = baseline.read_baseline(path)
    return _same_kind_as(report, baseline.apply(_run(report, "apply_baseline"), known, str(path)))


def _run(report: Report | ModelReport, function: str) -> Report:
    if isinstance(report, ModelReport):
        return Report(__version__, (report,))
    if not isinstance(report, Report):
        call = f"litecheck.{function}(litecheck.validate(model), ...)"
        raise wrong_type(function, "a Report or a ModelReport", report, call)
    return report


def _same_kind_as(report: Filtered, whole: Report) -> Filtered:
    """Return the whole run, or its only model, like the argument of the call."""
    if isinstance(report, Report):
        return replace(whole)
    (model,) = whole.models
    return model
