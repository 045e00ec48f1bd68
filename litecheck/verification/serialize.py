"""Conversion of verifications to JSON and back, bit for bit, for the journal and the json report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litecheck.errors import ConfigError
from litecheck.typed_json import decode, encode
from litecheck.verification.result import Verdict, Verification

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 2
_KEY = "litecheck_verification"


def to_json(verification: Verification) -> dict[str, Any]:
    """Convert a verification to plain dicts and lists, keys in the order of the fields."""
    return {_KEY: VERSION, **encode(verification, Verification)}


def from_json(document: object) -> Verification:
    """Restore the verification that ``to_json`` encoded. Unknown keys are ignored: reports contain derived keys.

    Raise ConfigError, with the place, for a document that is not a verification or has another version.
    """
    version = document.get(_KEY) if isinstance(document, Mapping) else None
    if version != VERSION:
        raise ConfigError(f"no verification: {_KEY} is {version!r}, not {VERSION}")
    verification: Verification = decode(document, Verification, "verification")
    return verification


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """Convert one verdict to plain dicts and lists."""
    document: dict[str, Any] = encode(verdict, Verdict)
    return document


def journal_entry(verdict: Verdict, fits: frozenset[str]) -> dict[str, Any]:
    """Return the journal entry of a verdict and the published arithmetics it fits."""
    return {"verdict": verdict_to_json(verdict), "fits": sorted(fits)}


def from_note(entry: Mapping[str, Any]) -> tuple[str, tuple[Verdict, frozenset[str]]]:
    """Restore the arguments of :func:`journal_entry` by case name. Raise ConfigError, KeyError or TypeError otherwise."""
    verdict = verdict_from_json(entry["verdict"])
    return verdict.case, (verdict, frozenset(entry["fits"]))


def verdict_from_json(document: object) -> Verdict:
    """Restore the verdict that ``verdict_to_json`` encoded. Raise ConfigError, with the place, for other documents."""
    verdict: Verdict = decode(document, Verdict, "verification")
    return verdict
