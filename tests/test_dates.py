"""Days in ISO form."""

from __future__ import annotations

import pytest

from litecheck.dates import iso_date, today
from litecheck.errors import ConfigError


def test_days_are_iso() -> None:
    assert iso_date(today()) == today()
    assert iso_date("2024-02-29") == "2024-02-29"


@pytest.mark.parametrize("word", ["tomorrow", "2027-3-31", "2027-02-29", "20270331", ""])
def test_other_texts_are_no_days(word: str) -> None:
    with pytest.raises(ConfigError, match=f"{word!r} is not a date such as 2027-03-31"):
        iso_date(word)
