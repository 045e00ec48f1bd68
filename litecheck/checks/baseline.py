"""Baselines: files of known findings that are waived in later runs.

A baseline is a multiset: two equal findings are two entries, and each entry waives one finding. An entry consists of
the model, the requirement path and the fingerprint of a finding, so it survives edits elsewhere in the model. A
``reason``, which a person adds to an entry, is reported with the waiver and kept when the baseline is written again. An
entry that ``expires`` waives nothing after this day.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from litecheck.checks.policy import map_findings
from litecheck.dates import iso_date, today
from litecheck.documents import decode_json, encode_json
from litecheck.errors import ConfigError
from litecheck.files import atomic_write, from_here, read_file
from litecheck.finding import Finding, StaleEntry, Waiver
from litecheck.profile.paths import path_matches
from litecheck.public_call import shows_call
from litecheck.report import ModelReport, Report
from litecheck.spelling import suggestion

#: Version of the format, under the key ``litecheck_baseline`` of the file.
VERSION = 1

#: An entry's keys in the file, in the order in which entries are sorted.
KEYS = ("model", "path", "where", "fingerprint")
#: Keys that an entry can have as well.
OPTIONAL = ("reason", "expires")

_Key = tuple[str, str, str]
#: Reasons and last days of entries.
_Remarks = dict[_Key, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class BaselineEntry:
    """A known finding of a model. ``reason`` and ``expires`` (a day, ISO) are empty unless a person stated them."""

    file: str
    path: str
    where: str
    fingerprint: str
    reason: str = ""
    expires: str = ""

    @property
    def key(self) -> _Key:
        return self.file, self.path, self.fingerprint

    def as_stale(self) -> StaleEntry:
        return StaleEntry(self.file, self.path, self.where, self.fingerprint)

    def is_expired(self, day: str) -> bool:
        """Return True if the last day of the entry is before a day."""
        return bool(self.expires) and self.expires < day


@shows_call("litecheck.read_baseline('baseline.json')")
def read_baseline(path: str | Path) -> tuple[BaselineEntry, ...]:
    """Read the entries of a baseline file. Raise ConfigError, with the file, if it is not a baseline."""
    content = decode_json(read_file(path), str(path))
    if not isinstance(content, dict) or "litecheck_baseline" not in content:
        raise ConfigError(f"{path}: not a baseline, the key 'litecheck_baseline' is missing")
    if content["litecheck_baseline"] != VERSION:
        found = str(content["litecheck_baseline"])[:40]
        raise ConfigError(f"{path}: a baseline of version {found}; this litecheck reads version {VERSION}")
    findings = content.get("findings")
    if not isinstance(findings, list):
        raise ConfigError(f"{path}: not a baseline, 'findings' is not a list")
    return tuple(_entry(path, number, item) for number, item in enumerate(findings))


def _entry(path: str | Path, number: int, item: Any) -> BaselineEntry:
    values = [item[key] for key in KEYS if isinstance(item.get(key), str)] if isinstance(item, dict) else []
    if len(values) < len(KEYS):
        raise ConfigError(f"{path}: finding {number} of the baseline lacks one of {', '.join(KEYS)}")
    unknown = next((str(key) for key in item if key not in (*KEYS, *OPTIONAL)), None)
    if unknown is not None:
        hint = suggestion(unknown, (*KEYS, *OPTIONAL))
        raise ConfigError(f"{path}: finding {number} of the baseline: unknown key {unknown!r}{hint}")
    for key in OPTIONAL:
        if not isinstance(item.get(key, ""), str):
            raise ConfigError(f"{path}: finding {number} of the baseline: {key!r} is not text")
    try:
        expires = iso_date(item["expires"]) if "expires" in item else ""
    except ConfigError as error:
        raise ConfigError(f"{path}: finding {number} of the baseline: expires: {error}") from None
    return replace(BaselineEntry(*values), reason=item.get("reason", ""), expires=expires)


def write(path: str | Path, entries: Iterable[BaselineEntry]) -> None:
    """Write a baseline file, sorted, so that equal baselines are equal files. Raise ConfigError."""
    rows = sorted((e.file, e.path, e.where, e.fingerprint, e.reason, e.expires) for e in entries)
    findings = [
        dict(zip(KEYS, row, strict=False))
        | {key: word for key, word in zip(OPTIONAL, row[len(KEYS) :], strict=True) if word}
        for row in rows
    ]
    atomic_write(path, encode_json({"litecheck_baseline": VERSION, "findings": findings}))


def entries(
    report: Report,
    keep: Sequence[BaselineEntry] = (),
    select: Collection[str] = (),
    reason: str = "",
    expires: str = "",
) -> tuple[BaselineEntry, ...]:
    """Return the entries of a baseline of this run: an entry for each selected finding that is not waived.

    ``keep`` is an earlier baseline. Entries of checked models stay if their requirement is not selected, entries of
    other models if their file still exists. A finding that has an entry in ``keep`` keeps its reason and its last day,
    unless this day has passed and ``expires`` is a new one; every other finding gets ``reason`` and ``expires``.
    """

    def selected(path: str) -> bool:
        return not select or any(path_matches(path, pattern) for pattern in select)

    judged = {_name(model) for model in report.models if not model.problems}
    kept = (e for e in keep if not (selected(e.path) if e.file in judged else _gone(e)))
    remarks = _remarks(keep)

    def remarked(entry: BaselineEntry) -> BaselineEntry:
        earlier = _next(remarks, entry.key)
        if earlier is None:
            return replace(entry, reason=reason, expires=expires)
        entry = replace(entry, reason=earlier[0] or reason, expires=earlier[1])
        return replace(entry, expires=expires) if expires and entry.is_expired(today()) else entry

    now = (_entry_of(model, f) for model in report.models for f in model.active if selected(f.path))
    return (*map(remarked, now), *kept)


def apply(
    report: Report, known: Iterable[BaselineEntry], file: str, origin: str = "", day: str = ""
) -> Report:
    """Waive every finding in the baseline, and report the entries without a finding, and those that expired before
    ``day`` (default: today), as stale.

    An entry for a model that this run did not check is stale only if its file is gone. A finding that is already waived
    keeps its waiver and uses up its entry. Waivers name the ``file``, and the ``origin`` of its name.
    """
    known, day = tuple(known), day or today()
    valid = [entry for entry in known if not entry.is_expired(day)]
    left = _remarks(valid)
    models = tuple(_waive(model, left, f"baseline {file}{origin}") for model in report.models)
    judged = {_name(model) for model in report.models if not model.problems}
    named = {_name(model) for model in report.models}
    stale = []
    for entry in known:
        if entry.is_expired(day) and entry.file in judged:
            stale.append(
                replace(entry.as_stale(), reason=f"this baseline entry expired after {entry.expires}")
            )
        elif entry.file in judged and _next(left, entry.key) is not None:
            stale.append(entry.as_stale())
        elif entry.file not in named and _gone(entry):
            stale.append(replace(entry.as_stale(), reason="the model of this baseline entry is gone"))
    return replace(report, models=models, stale=(*report.stale, *stale))


def _waive(model: ModelReport, left: _Remarks, by: str) -> ModelReport:
    def change(finding: Finding) -> Finding:
        remark = _next(left, _entry_of(model, finding).key)
        if remark is None:
            return finding
        reason, expires = remark
        reason = reason or "known when the baseline was written"
        until = f", until {expires}" if expires else ""
        return finding if finding.waiver else replace(finding, waiver=Waiver(by, f"{reason}{until}"))

    return map_findings(model, change)


def _remarks(entries: Iterable[BaselineEntry]) -> _Remarks:
    """Return the reasons and last days of the entries by key, in the order of the entries."""
    remarks: _Remarks = defaultdict(list)
    for entry in entries:
        remarks[entry.key].append((entry.reason, entry.expires))
    return remarks


def _next(remarks: _Remarks, key: _Key) -> tuple[str, str] | None:
    """Remove and return the next reason and last day of a key; None without one."""
    return remarks[key].pop(0) if remarks.get(key) else None


def other_path_sentence(report: Report, known: Iterable[BaselineEntry]) -> str:
    """Return a sentence about entries for the same findings of a model with another path; "" without any.

    Example: the baseline was written in another folder, or with an absolute path.
    """
    entries = {(entry.path, entry.fingerprint): entry.file for entry in known}
    for model in report.models:
        name = _name(model)
        for finding in model.active:
            stated = entries.get((finding.path, finding.fingerprint), name)
            if os.path.basename(stated) == os.path.basename(name) and stated != name:
                return (
                    f"entries of {stated} do not apply to {name}. Name models by the same path as when the baseline was "
                    "written, in the same folder."
                )
    return ""


def _entry_of(model: ModelReport, finding: Finding) -> BaselineEntry:
    return BaselineEntry(_name(model), finding.path, str(finding.where), finding.fingerprint)


def _name(model: ModelReport) -> str:
    """Return the model's path with forward slashes, relative to the current folder if the file is below it."""
    name = from_here(model.file)
    return f"{name}!{model.member}" if model.member else name


def _gone(entry: BaselineEntry) -> bool:
    """Return True if the file of an entry no longer exists. The path of the file may itself contain an exclamation
    mark."""
    return not any(map(os.path.lexists, (entry.file, entry.file.partition("!")[0])))
