"""Days in ISO form, as waivers and baselines state them."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime, timezone

from litecheck.errors import ConfigError

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def iso_date(word: str) -> str:
    """Return a day as ``2027-03-31``. Raise ConfigError for a text that is not a date."""
    if _DATE.fullmatch(word):
        with suppress(ValueError):
            return date.fromisoformat(word).isoformat()
    raise ConfigError(f"{word!r} is not a date such as 2027-03-31")


def today() -> str:
    """Return the current day in UTC, ISO."""
    return datetime.now(timezone.utc).date().isoformat()
