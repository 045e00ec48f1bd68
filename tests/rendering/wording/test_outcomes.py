"""The words that all formats share."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.rendering.verification.rows import verdict_identities
from litecheck.rendering.wording import outcomes as wording
from litecheck.verification.result import Verification


def case(verification: Verification, name: str):
    return next(v for v in verification.verdicts if v.name == name)


def test_every_outcome_has_a_meaning_and_a_rule_of_its_own() -> None:
    assert set(wording.MEANING) == set(Outcome)
    assert len({wording.rule(o) for o in Outcome}) == len(Outcome)
    assert wording.rule(Outcome.WRONG_SHAPE) == "verify/wrong-shape-or-type"


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (3.0, "LSB", "+3 LSB"),
        (-40_000.0, "LSB", "-40,000 LSB"),
        (-1.25e-6, "relative", "-1.25e-06 rel."),
        (math.nan, "relative", "not finite"),
        (-math.inf, "relative", "not finite"),
    ],
)
def test_amounts(value: float, unit: str, words: str) -> None:
    assert wording.amount(value, unit) == words


def test_values_are_integers_or_distinguish_float32() -> None:
    assert wording.value_words(-128.0, "LSB") == "-128"
    assert wording.value_words(0.1, "relative") == "0.1"
    assert wording.value_words(math.nan, "relative") == "nan"


def test_numbers_of_segments_and_subgraphs(sample: Verification) -> None:
    told = [wording.numbers(case(sample, name)) for name in ("block1/conv", "add", "body/add")]
    assert told == ["1", "6-8", "1:0"]
    assert wording.title(case(sample, "body/add")) == "subgraph 1, ADD #0 'body/add'"


def test_the_summary_is_the_difference_or_the_devices_message(sample: Verification) -> None:
    summary = {v.name: wording.summary(v) for v in sample.verdicts}
    assert summary["block1/conv"] == "12 of 4,096 elements (0.293 %), by at most 2 LSB"
    assert summary["pool"].endswith("by at most 1 LSB; 0 by more than the tolerance of 1 LSB")
    assert summary["sum"] == "5 of 4,096 elements (0.1221 %), by at most 1 LSB; run 2 gave other values"
    assert summary["mean"] == "4,096 of 4,096 elements (100 %), not all by a finite amount"
    assert summary["scaled"] == "60 s"
    assert summary["dense"] == "The device needs more memory than it was allowed"


def test_details_leave_out_outputs_that_are_exact(sample: Verification) -> None:
    labels = [label for label, _ in wording.details(case(sample, "add"))]
    assert labels == ["output", "differ", "histogram", "inputs"]
    assert not [label for label, _ in wording.details(case(sample, "gate")) if label == "output"]


def test_causes_have_explained_and_remaining_differences(sample: Verification) -> None:
    told = dict(wording.details(case(sample, "block1/conv")))
    assert told["explains"] == (
        "requantize: single explains 9 of the 12 differences; 3 are left: "
        "all 3 differences lie in channel 63, the last of 64, among 64 of the 4,096 elements",
        "requantize: single and defect: bias-16 explain all 12 differences (saturates the bias to 16 bits)",
    )
    assert told["against"] == ("litert-xnnpack, the nearest of those admitted",)


def test_the_candidate_with_the_devices_value_is_marked(sample: Verification) -> None:
    (gives,) = (
        lines for label, lines in wording.details(case(sample, "block1/conv")) if label == "candidates"
    )
    assert gives == (
        "6, as the device: requantize: half-even (ties go to the even neighbour); defect: no-bias",
        "7, as expected: litert-reference, tflm",
        "8: requantize: floor",
        "other values: 1 defect",
    )


def test_the_worst_element_has_its_inputs(sample: Verification) -> None:
    details = dict(wording.details(case(sample, "block1/conv")))
    assert details["worst"] == ("[0, 3, 4, 62] in run 1 (random): expected 7, the device gives 6",)
    assert details["inputs"] == ("propagated, random, directed x 3",)
    assert details["output"] == ("int8 1x8x8x64",)


def test_a_failure_without_a_message_has_the_meaning_of_its_outcome(sample: Verification) -> None:
    assert dict(wording.details(case(sample, "dense"))) == {
        "message": ("The device needs more memory than it was allowed.",)
    }


def test_sentence_of_matching_arithmetics(sample: Verification) -> None:
    assert (
        wording.fits(sample) == "the published arithmetic tflm fits every operator that was compared exactly"
    )
    two = replace(sample, fits=("tflm", "a|b"), mode="segments of 2")
    assert wording.fits(two, lambda name: f"<{name}>") == (
        "the published arithmetics <tflm> and <a|b> each fit every case that was compared exactly"
    )
    assert wording.fits(replace(sample, fits=())) == ""


def test_unchecked_cases_are_grouped_unless_they_fail(sample: Verification) -> None:
    groups = wording.unjudged_groups(sample)
    assert [(outcome, opcode, len(found)) for outcome, opcode, _, found in groups] == [
        (Outcome.NOT_DELEGATED, "CUSTOM", 1),
        (Outcome.NO_REFERENCE, "CALL_ONCE", 2),
        (Outcome.NOT_SUPPORTED, "GELU", 1),
        (Outcome.NOT_TRIED, "ABS", 1),
        (Outcome.INITIAL_ONLY, "SVDF", 1),
        (Outcome.SATURATED, "SVDF", 1),
        (Outcome.NOT_RECORDED, "NEG", 1),
    ]
    strict = replace(sample, fail_on_fallback=True)
    assert [outcome for outcome, *_ in wording.unjudged_groups(strict)] == [g[0] for g in groups[1:]]
    assert len(wording.failing(strict)) == len(wording.failing(sample)) + 1
    claimed = replace(sample, claims=("GELU", "ABS"))
    assert [v.opcode for v in wording.failing(claimed) if not v.outcome.judged] == ["GELU"]
    covered = replace(sample, require_coverage=True)
    assert [v.opcode for v in wording.failing(covered) if not v.outcome.judged] == [
        *["CALL_ONCE"] * 2,
        "ABS",
        "SVDF",
        "SVDF",
        "NEG",
    ]


def test_fingerprints_are_stable_and_identities_are_unique(sample: Verification) -> None:
    before = {v.case: (fingerprint, identity) for v, fingerprint, identity in verdict_identities(sample)}
    moved = tuple(
        replace(v, operators=tuple(n + 1 for n in v.operators), case=f"later-{v.case}")
        for v in sample.verdicts
    )
    after = {v.case: (f, i) for v, f, i in verdict_identities(replace(sample, verdicts=moved))}
    assert after == {f"later-{name}": found for name, found in before.items()}
    doubled = replace(sample, verdicts=sample.verdicts * 2)
    identities = [identity for *_, identity in verdict_identities(doubled)]
    assert len(set(identities)) == len(identities) == 2 * len(before)


def test_a_different_device_has_different_identities(sample: Verification) -> None:
    there = {identity for *_, identity in verdict_identities(replace(sample, device="tflm"))}
    assert there.isdisjoint(identity for *_, identity in verdict_identities(sample))


def test_a_devices_message_of_several_lines_becomes_one_line(sample: Verification) -> None:
    message = replace(case(sample, "padded"), message="exit status 3\n::error::no board\r\n\nbye")
    assert wording.summary(message) == "exit status 3; ::error::no board; bye"
    assert dict(wording.details(message))["message"] == ("exit status 3; ::error::no board; bye",)
