"""Budgets in the forms of the command line."""

from __future__ import annotations

import pytest

from litecheck.errors import ConfigError
from litecheck.verification.settings import Budget, parse_budget


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("118", Budget(invocations=118)),
        ("90s", Budget(seconds=90)),
        ("10m", Budget(seconds=600)),
        ("1.5 min", Budget(seconds=90)),
        (" 2H ", Budget(seconds=7200)),
    ],
)
def test_budgets(text: str, budget: Budget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize("text", ["", "0", "0s", "1.5", "-3", "many", "10 days", "3d", "1e3", "1e3s"])
def test_texts_that_are_no_budget(text: str) -> None:
    with pytest.raises(ConfigError, match=r"a number of invocations or a time is wanted"):
        parse_budget(text)
