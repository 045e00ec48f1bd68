"""No property test has a deadline: the duration of an example depends on the machine's load."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

#: Settings that restore a limit: a deadline, or a list of health checks that replaces the profile's list.
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
