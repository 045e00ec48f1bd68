"""Baselines: findings that were there before and shall not block new work, kept in a file of their own.

A baseline is a multiset: two equal findings are two entries, and each entry waives one finding. What a
finding is known by survives edits elsewhere in the model: its model, its requirement path, its fingerprint.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from litecheck.checks.policy import map_findings
from litecheck.documents import decode_json, encode_json
from litecheck.errors import ConfigError
from litecheck.files import atomic_write, from_here, read_file
from litecheck.finding import Finding, Waiver
from litecheck.report import ModelReport, Report, StaleEntry

#: The format's version; it stands in the file as ``litecheck_baseline``.
VERSION = 1

#: An entry's keys in the file, in the order in which entries are sorted.
KEYS = ("model", "path", "where", "fingerprint")

Entry = StaleEntry
_Key = tuple[str, str, str]


def read(path: str | Path) -> tuple[Entry, ...]:
    """The entries of a baseline file. Raises ConfigError, with the file, for whatever is no baseline."""
    content = decode_json(read_file(path), str(path))
    if not isinstance(content, dict) or "litecheck_baseline" not in content:
        raise ConfigError(f"{path}: not a baseline, the key 'litecheck_baseline' is missing")
    if content["litecheck_baseline"] != VERSION:
        found = str(content["litecheck_baseline"])[:40]
        raise ConfigError(f"{path}: a baseline of version {found}; this litecheck reads version {VERSION}")
    findings = content.get("findings")
    if not isinstance(findings, list):
        raise ConfigError(f"{path}: not a baseline, 'findings' is no list")
    return tuple(_entry(path, number, item) for number, item in enumerate(findings))


def _entry(path: str | Path, number: int, item: Any) -> Entry:
    values = [item[key] for key in KEYS if isinstance(item.get(key), str)] if isinstance(item, dict) else []
    if len(values) < len(KEYS):
        raise ConfigError(f"{path}: finding {number} of the baseline lacks one of {', '.join(KEYS)}")
    return Entry(*values)


def write(path: str | Path, entries: Iterable[Entry]) -> None:
    """Write a baseline file, sorted, so that equal baselines are equal files. Raises ConfigError."""
    rows = sorted((e.file, e.path, e.where, e.fingerprint) for e in entries)
    content = {"litecheck_baseline": VERSION, "findings": [dict(zip(KEYS, row, strict=True)) for row in rows]}
    atomic_write(path, encode_json(content))


def entries(report: Report, keep: Iterable[Entry] = ()) -> tuple[Entry, ...]:
    """What a baseline of this run holds: every finding that nobody waived.

    Of an earlier baseline, ``keep``, the entries of models that this run did not judge stay, where there still is such
    a file.
    """
    judged = {_name(model) for model in report.models if not model.problems}
    kept = tuple(entry for entry in keep if entry.file not in judged and not _gone(entry))
    now = (_entry_of(model, finding) for model in report.models for finding in model.active)
    return (*now, *kept)


def apply(report: Report, known: Iterable[Entry], file: str, origin: str = "") -> Report:
    """Waive every finding the baseline knows, and report as stale the entries that match nothing any more.

    An entry for a model that this run did not judge is stale only where the file is gone. A finding that is waived already
    keeps its waiver and still uses up its entry. Waivers name the ``file``, and the ``origin`` of its name.
    """
    known = tuple(known)
    left = Counter(map(_key, known))
    waiver = Waiver(f"baseline {file}{origin}", "known when the baseline was written")
    models = tuple(_waive(model, left, waiver) for model in report.models)
    judged = {_name(model) for model in report.models if not model.problems}
    named = {_name(model) for model in report.models}
    stale = []
    for entry in known:
        if entry.file in judged and left[_key(entry)] > 0:
            left[_key(entry)] -= 1
            stale.append(entry)
        elif entry.file not in named and _gone(entry):
            stale.append(replace(entry, reason="the model of this baseline entry is gone"))
    return replace(report, models=models, stale=(*report.stale, *stale))


def _waive(model: ModelReport, left: Counter[_Key], waiver: Waiver) -> ModelReport:
    def change(finding: Finding) -> Finding:
        key = _key(_entry_of(model, finding))
        if left[key] <= 0:
            return finding
        left[key] -= 1
        return finding if finding.waiver else replace(finding, waiver=waiver)

    return map_findings(model, change)


def _key(entry: Entry) -> _Key:
    return entry.file, entry.path, entry.fingerprint


def _entry_of(model: ModelReport, finding: Finding) -> Entry:
    return Entry(_name(model), finding.path, str(finding.where), finding.fingerprint)


def _name(model: ModelReport) -> str:
    """The model as given, with forward slashes; a file below the current folder is named relative to it."""
    name = from_here(model.file)
    return f"{name}!{model.member}" if model.member else name


def _gone(entry: Entry) -> bool:
    """Whether the file is there no more that an entry speaks of; its name may have an exclamation mark itself."""
    return not any(map(os.path.lexists, (entry.file, entry.file.partition("!")[0])))
