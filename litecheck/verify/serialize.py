"""A verification as JSON and back, bit for bit: what the journal keeps and what the json report holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litecheck.errors import ConfigError
from litecheck.typed_json import decoded, encoded
from litecheck.verify.outcome import Verdict, Verification

#: Raised when a key changes its meaning or goes away.
VERSION = 2
_KEY = "litecheck_verification"


def to_json(verification: Verification) -> dict[str, Any]:
    """Plain dicts and lists, keys in the order of the fields."""
    return {_KEY: VERSION, **encoded(verification, Verification)}


def from_json(document: object) -> Verification:
    """What ``to_json`` was given. Keys it does not know are passed over: reports hold derived ones.

    Raises ConfigError, with the place, for what is no verification or one of another version.
    """
    version = document.get(_KEY) if isinstance(document, Mapping) else None
    if version != VERSION:
        raise ConfigError(f"no verification: {_KEY} is {version!r}, not {VERSION}")
    verification: Verification = decoded(document, Verification, "verification")
    return verification


def verdict_to_json(verdict: Verdict) -> dict[str, Any]:
    """One case as plain dicts and lists."""
    document: dict[str, Any] = encoded(verdict, Verdict)
    return document


def noted(verdict: Verdict, fits: frozenset[str]) -> dict[str, Any]:
    """A verdict with the published arithmetics it fits, as a journal keeps it."""
    return {"verdict": verdict_to_json(verdict), "fits": sorted(fits)}


def from_note(entry: Mapping[str, Any]) -> tuple[str, tuple[Verdict, frozenset[str]]]:
    """What :func:`noted` was given, by the case's name. Raises ConfigError, KeyError, TypeError for what is none."""
    verdict = verdict_from_json(entry["verdict"])
    return verdict.case, (verdict, frozenset(entry["fits"]))


def verdict_from_json(document: object) -> Verdict:
    """What ``verdict_to_json`` was given. Raises ConfigError, with the place, for what is none."""
    verdict: Verdict = decoded(document, Verdict, "verification")
    return verdict
