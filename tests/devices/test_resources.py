"""Names of operators on resources."""

from __future__ import annotations

import pytest

from litecheck.devices.resources import RESOURCES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("VAR_HANDLE", True),
        ("READ_VARIABLE", True),
        ("ASSIGN_VARIABLE", True),
        ("ADD", False),
        ("SVDF", False),
    ],
)
def test_operators_on_resources(name: str, expected: bool) -> None:
    assert (name in RESOURCES) is expected
