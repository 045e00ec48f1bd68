"""The reader of waivers, the cases that a waiver covers, and its last day."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.suite.waivers import CaseWaiver, load_waivers

FILE = """\
waivers:
  - cases: [CONV_2D/int8, "*/int8/ties-*"]
    reason: erratum 17
    expires: 2027-03-31
"""


def read(folder: Path, text: str) -> tuple[CaseWaiver, ...]:
    path = folder / "waivers.yaml"
    path.write_text(text)
    return load_waivers(path)


def test_a_waiver_covers_matching_cases_until_its_last_day(tmp_path: Path) -> None:
    (waiver,) = read(tmp_path, FILE)
    assert waiver == CaseWaiver(
        ("CONV_2D/int8", "*/int8/ties-*"), "erratum 17", "2027-03-31", "waivers.yaml", 2
    )
    names = ("CONV_2D/int8/a", "ADD/int8/ties-up", "CONV_2D/int16/a", "ADD/int8/rails", "CONV_2D_X/int8/a")
    assert [waiver.covers(name) for name in names] == [True, True, False, False, False]
    days = ("2026-12-31", "2027-03-31", "2027-04-01")
    assert [waiver.is_expired(day) for day in days] == [False, False, True]


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("    reason: erratum 17\n", "", 2, "a waiver needs a reason"),
        ("reason: erratum 17", "reason: ''", 2, "a waiver needs a reason"),
        ("    expires: 2027-03-31\n", "", 2, "needs the last day it holds"),
        ("2027-03-31", "2027-02-30", 4, "'2027-02-30' is not a date such as 2027-03-31"),
        ("2027-03-31", "20270331", 4, "is not a date such as"),
        ("expires", "expire", 4, "unknown key 'expire'; did you mean 'expires'?"),
        ('[CONV_2D/int8, "*/int8/ties-*"]', "''", 2, "names the cases it is about"),
        ("waivers:\n  - cases", "waivers:\n    cases", 2, "waivers are a list"),
        ("waivers:\n", "waiver:\n", 1, "unknown key 'waiver'; did you mean 'waivers'?"),
    ],
)
def test_an_invalid_waiver_is_an_error_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, message: str
) -> None:
    assert old in FILE
    with pytest.raises(ProfileError) as caught:
        read(tmp_path, FILE.replace(old, new, 1))
    assert caught.value.line == line
    assert message in str(caught.value)
