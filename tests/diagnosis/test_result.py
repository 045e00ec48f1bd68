"""Conclusions of a diagnosis and its exit code."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.diagnosis.result import Diagnosis, Hypothesis, NonDeterministic, OperatorDiagnosis

ONE, OTHER = Hypothesis((("round", "floor"),)), Hypothesis((("round", "half-up"),), "wraps")
FLICKER = NonDeterministic("p", 8, 1, 1, 5)


def diagnosed(**found: Any) -> OperatorDiagnosis:
    return OperatorDiagnosis("ADD", "int8", ("round",), **{"probes": 3, "elements": 12, **found})


CONCLUSIONS = {
    "not answered": diagnosed(probes=0),
    "not repeatable": diagnosed(fits=(ONE,), unsteady=(FLICKER,)),
    "unknown": diagnosed(),
    "identified": diagnosed(fits=(ONE,)),
    "ambiguous": diagnosed(fits=(ONE, OTHER)),
}


@pytest.mark.parametrize("conclusion", CONCLUSIONS)
def test_conclusions(conclusion: str) -> None:
    assert CONCLUSIONS[conclusion].conclusion == conclusion


@pytest.mark.parametrize(
    ("conclusions", "code"),
    [
        ((), 2),
        (("not answered",), 2),
        (("not answered", "identified"), 0),
        (("identified", "ambiguous"), 0),
        (("identified", "unknown"), 1),
        (("not answered", "not repeatable"), 1),
    ],
)
def test_exit_codes(conclusions: tuple[str, ...], code: int) -> None:
    found = tuple(CONCLUSIONS[name] for name in conclusions)
    assert Diagnosis("1", "d", "d", (), 0, found).exit_code == code


def test_hypotheses_as_text() -> None:
    assert str(ONE) == "round: floor"
    assert str(OTHER) == "round: half-up, defect: wraps"
    assert str(Hypothesis((), "wraps")) == "defect: wraps"
