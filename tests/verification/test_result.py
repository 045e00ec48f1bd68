"""Titles of verdicts, and the verdict and exit code of a report."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.verification.result import Verdict, Verification

EXACT = Verdict("0000-ADD", 0, (0,), ("ADD",), "sum", Outcome.EXACT)


def report(*outcomes: Outcome, device: str = "a board", fault: str = "", **fields: Any) -> Verification:
    verdicts = tuple(replace(EXACT, outcome=outcome, fault=fault) for outcome in outcomes)
    return Verification(
        "1", "m", "", device, device, ("litert-reference",), "operators", "", verdicts, **fields
    )


@pytest.mark.parametrize(
    ("operators", "opcodes", "title"),
    [
        ((3,), ("ADD",), "ADD #3 'sum'"),
        ((3, 4), ("ADD", "MUL"), "ADD + MUL #3 to #4 'sum'"),
        ((0, 1, 2, 3), tuple("ABCD"), "A + B + C + D #0 to #3 'sum'"),
        ((0, 1, 2, 3, 4), tuple("ABCDE"), "A + B + C + 2 more #0 to #4 'sum'"),
    ],
)
def test_titles(operators: tuple[int, ...], opcodes: tuple[str, ...], title: str) -> None:
    assert replace(EXACT, operators=operators, opcodes=opcodes).title == title


def test_the_worst_output_has_the_largest_difference_of_either_sign() -> None:
    differences: Any = tuple(SimpleNamespace(largest=n, mismatches=m) for n, m in ((1, 7), (-3, 5), (2, 1)))
    found = replace(EXACT, differences=differences)
    assert (found.worst, found.mismatches) == (differences[1], 13)
    assert (EXACT.worst, EXACT.mismatches) == (None, 0)


@pytest.mark.parametrize(
    ("outcomes", "fields", "verdict"),
    [
        ((), {}, "not checked"),
        ((Outcome.EXACT, Outcome.WITHIN), {}, "conforms"),
        ((Outcome.EXACT, Outcome.MISMATCH), {}, "fails"),
        ((Outcome.EXACT, Outcome.MISMATCH), {"fault": "known"}, "fails"),
        ((Outcome.EXACT, Outcome.MISMATCH), {"fault": "known", "device": "litert:xnnpack"}, "conforms"),
        ((Outcome.EXACT, Outcome.MISMATCH), {"device": "litert:xnnpack"}, "fails"),
        ((Outcome.NOT_DELEGATED,), {}, "not checked"),
        ((Outcome.NOT_DELEGATED,), {"require_coverage": True}, "not checked"),
        ((Outcome.NOT_DELEGATED,), {"fail_on_fallback": True}, "fails"),
        ((Outcome.EXACT, Outcome.NOT_SUPPORTED), {}, "conforms"),
        ((Outcome.EXACT, Outcome.NOT_SUPPORTED), {"claims": ("MUL",)}, "conforms"),
        ((Outcome.EXACT, Outcome.NOT_SUPPORTED), {"claims": ("MUL", "ADD")}, "fails"),
        ((Outcome.EXACT, Outcome.NOT_SUPPORTED), {"claims": ("all",)}, "fails"),
        *(
            ((Outcome.EXACT, left), {"require_coverage": wanted}, "fails" if wanted else "conforms")
            for left in (Outcome.NO_REFERENCE, Outcome.INITIAL_ONLY, Outcome.NOT_TRIED, Outcome.SATURATED)
            for wanted in (False, True)
        ),
    ],
)
def test_verdicts(outcomes: tuple[Outcome, ...], fields: dict[str, Any], verdict: str) -> None:
    found = report(*outcomes, **fields)
    codes = {"conforms": 0, "fails": 1, "not checked": 2}
    assert (found.verdict, found.exit_code) == (verdict, codes[verdict])


def test_outcomes_are_counted_in_their_order() -> None:
    found = report(Outcome.MISMATCH, Outcome.EXACT, Outcome.MISMATCH)
    assert list(found.counts().items()) == [(Outcome.EXACT, 1), (Outcome.MISMATCH, 2)]
