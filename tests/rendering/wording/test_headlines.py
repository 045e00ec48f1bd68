"""First lines of a verification: matching arithmetics, ties, mixed numerics and known faults."""

from __future__ import annotations

from dataclasses import replace

from litecheck.comparison.types import Difference
from litecheck.devices.outcome import Outcome
from litecheck.rendering.wording import headlines
from litecheck.verification.result import Verification


def test_the_arithmetics_that_fit_exact_cases(sample: Verification, good: Verification) -> None:
    assert headlines.fitting_arithmetics(sample) == (
        "warning: mixed numerics among operators: litert-reference: LiteRT's reference kernels for QUANTIZE, ADD; "
        "litert-xnnpack: LiteRT with XNNPACK (default) for LOGISTIC"
    )
    assert (
        headlines.fitting_arithmetics(replace(sample, verdicts=()))
        == "none of litert-reference, litert-xnnpack"
    )
    assert headlines.fitting_arithmetics(good) == "litert-reference: LiteRT's reference kernels"


def test_the_arithmetic_of_a_device_that_fails_names_its_share(good: Verification) -> None:
    (exact,) = good.verdicts
    differing = Difference(0, "y", "int8", (9,), "LSB", 9, 3, 3, 0.0, 1)
    wrong = replace(exact, outcome=Outcome.MISMATCH, fits=(), differences=(differing,))
    crashed = replace(exact, outcome=Outcome.CRASHED, fits=(), differences=())
    told = "litert-reference: LiteRT's reference kernels"
    for verdicts, sentence in (
        ((exact, wrong), f"of the only exact operator: {told}"),
        ((exact, exact, wrong), f"of the 2 exact operators: {told}"),
        ((exact, crashed), told),
        ((crashed,), "unknown: no output"),
        ((wrong, crashed), "litert-reference"),
    ):
        assert headlines.fitting_arithmetics(replace(good, verdicts=verdicts)) == sentence


def test_the_headline_names_the_arithmetic_or_states_several_matches(good: Verification) -> None:
    assert headlines.headline(good) == "conforms: exact under litert-reference"
    (exact,) = good.verdicts
    tied = replace(good, verdicts=(replace(exact, fits=("litert-reference", "tflm")),))
    assert headlines.headline(tied) == "conforms: exact, arithmetic not distinguished"
    assert headlines.fitting_arithmetics(tied) == "not distinguished: litert-reference, tflm"


def test_the_headline_of_a_device_that_fails_has_the_share(good: Verification) -> None:
    (exact,) = good.verdicts
    wrong = replace(exact, outcome=Outcome.MISMATCH, fits=())
    known = replace(wrong, fault="2.3.0: reads int8 as uint8")
    for verdicts, told in (
        ((wrong,), "fails"),
        ((exact, wrong, wrong), "fails: 2 of 3 operators"),
        ((exact, wrong, known), "fails: 1 of 3 operators, 1 known fault"),
    ):
        assert headlines.headline(replace(good, verdicts=verdicts)) == told


def test_the_headline_of_an_unchecked_model_has_the_outcomes(good: Verification) -> None:
    (exact,) = good.verdicts
    lacking, unknown = (
        replace(exact, outcome=outcome, fits=(), arithmetic="", differences=())
        for outcome in (Outcome.NOT_SUPPORTED, Outcome.NO_REFERENCE)
    )
    for verdicts, told in (
        ((lacking, lacking), "not checked: 2 not supported"),
        ((unknown, lacking), "not checked: 1 no reference, 1 not supported"),
        ((), "not checked"),
    ):
        assert headlines.headline(replace(good, verdicts=verdicts)) == told


def test_a_known_fault_of_a_published_runtime_is_reported_and_no_failure(good: Verification) -> None:
    (exact,) = good.verdicts
    wrong = replace(
        exact, outcome=Outcome.MISMATCH, fits=(), arithmetic="", fault="2.3.0: reads int8 as uint8"
    )
    report = replace(good, verdicts=(exact, wrong))
    assert headlines.headline(report) == "conforms: 1 of 2 exact under litert-reference, 1 known fault"
    near = replace(exact, outcome=Outcome.WITHIN, fits=())
    told = "conforms: 2 of 4 exact under litert-reference, 1 within tolerance, 1 known fault"
    assert headlines.headline(replace(good, verdicts=(exact, exact, near, wrong))) == told
    (told,) = headlines.excused_cases(report)
    assert told.endswith("mismatch: 2.3.0: reads int8 as uint8")
    assert not list(headlines.excused_cases(replace(report, device="delegate:libacme.so")))


def test_the_tally_counts_operators_or_cases(sample: Verification, unjudged: Verification) -> None:
    assert headlines.tally(sample).startswith(
        "23 operators: 3 exact, 1 within tolerance, 1 all outputs saturate, 5 mismatch, "
    )
    assert headlines.tally(unjudged) == "1 case: 1 not delegated"
    assert headlines.tally(replace(unjudged, verdicts=())) == "0 cases"
