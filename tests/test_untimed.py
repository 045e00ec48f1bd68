"""No property is held to a time: how long an example takes depends on what else the machine does."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

#: What brings a limit back: a deadline of a test's own, or a list of checks in place of the profile's.
TIMED = re.compile(r"settings\([^)]*\b(deadline|suppress_health_check)=(?!None|list\()")


def test_the_profile_knows_no_deadline() -> None:
    default = settings()
    assert default.deadline is None
    assert HealthCheck.too_slow in default.suppress_health_check


def test_no_test_has_one_of_its_own() -> None:
    tests = Path(__file__).parent
    others = (path for path in tests.rglob("*.py") if path.name not in ("conftest.py", Path(__file__).name))
    assert [str(path.relative_to(tests)) for path in others if TIMED.search(path.read_text("utf-8"))] == []


def test_a_deadline_is_noticed() -> None:
    assert TIMED.search("@settings(max_examples=3, deadline=200)")
    assert not TIMED.search("@settings(max_examples=3, deadline=None)")
