"""The sentences on a comparison, from data alone."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.comparison import wording
from litecheck.comparison.types import (
    AccumulatorBounds,
    Candidate,
    ExplainedElement,
    MismatchCluster,
    Variant,
)
from litecheck.comparison.whole_outputs import NonRepeating, Similarity, StaleOutput


@pytest.mark.parametrize(
    ("elements", "sentence"),
    [
        (64, "the same random inputs gave different outputs in 3 of 64 elements when repeated"),
        (1, "the same random inputs gave different outputs in 3 of 1 element when repeated"),
    ],
)
def test_unrepeated(elements: int, sentence: str) -> None:
    assert wording.unrepeated_sentence(NonRepeating("random", 3, elements)) == sentence


@pytest.mark.parametrize(
    ("expected", "sentence"),
    [
        (
            True,
            "all 1,200 wrong elements of 2 inferences equal the expected outputs of the previous inference",
        ),
        (
            False,
            "all 1,200 wrong elements of 2 inferences equal the device's outputs of the previous inference",
        ),
    ],
)
def test_left_over(expected: bool, sentence: str) -> None:
    found = StaleOutput(elements=1200, inferences=2, expected=expected)
    assert wording.left_over_sentence(found) == sentence


def test_likeness() -> None:
    assert wording.likeness_sentence(Similarity.SAME_BYTES, "int8") == "the bytes have the size of type int8"
    assert (
        wording.likeness_sentence(Similarity.RESHAPED, "int8")
        == "the same number of elements in a different shape"
    )


def of(*candidates: Candidate, device: int = 7, **fields: Any) -> ExplainedElement:
    """Return an element that the arithmetic ``tflm`` computes as 6."""
    return ExplainedElement((0, 3), "2", "tflm", (), 6, device, candidates=candidates, **fields)


def rounding(name: str, value: int) -> Candidate:
    return Candidate(name, value, kind="rounding")


START = "element (0, 3) of run 2: "
END = "tflm gives 6; the device gives 7, a value of no known variant or defect"
STEPS = [Candidate(f"step: {n}", 7, kind="step") for n in range(6)]


@pytest.mark.parametrize(
    ("element", "sentence"),
    [
        (of(), f"{START}{END}"),
        (of(quotient="6.5", real=True), f"{START}the real value is 6.5 steps of the output; {END}"),
        (of(quotient="6.5"), f"{START}the exact quotient is 6.5; {END}"),
        (of(quotient="6.5", accumulator=13), f"{START}the exact quotient is 6.5; {END}"),
        (of(quotient="6.5", multiplier=0.5), f"{START}the exact quotient is 6.5; {END}"),
        (of(quotient="6.5", accumulator=13, multiplier=0.5),
         f"{START}accumulator 13 x multiplier 0.5 = 6.5; {END}"),
        (of(quotient="6.5", precise=True, zero_point=-3, shifted="3.5"),
         f"{START}the exact quotient is 6.5 exactly, plus the zero point -3 = 3.5; {END}"),
        (of(rounding("half away", 7), rounding("half even", 6), rounding("half up", 7)),
         f"{START}half away gives 7, half even 6, half up 7; {END}"),
        (of(rounding("half away", 7), rounding("half even", 7), rounding("truncation", 6)),
         f"{START}rounded to nearest it is 7; {END}"),
        (of(rounding("half away", 6), quotient="255.4", limit=6),
         f"{START}the exact quotient is 255.4, limited to 6; {END}"),
        (of(quotient="255.4", zero_point=-3, shifted="252.4", limit=6),
         f"{START}the exact quotient is 255.4, plus the zero point -3 = 252.4, limited to 6; {END}"),
        (of(rounding("truncation", 6)), f"{START}{END}"),
        (of(Candidate("litert-xnnpack", 7, kind="arithmetic")),
         f"{START}tflm gives 6; the device gives 7, as does litert-xnnpack"),
        (of(Candidate("litert-xnnpack", 6, kind="arithmetic"), Candidate("tflm", 7, kind="arithmetic")),
         f"{START}{END}"),
        (of(*STEPS[:2]), f"{START}tflm gives 6; the device gives 7, as do step: 0 and step: 1"),
        (of(*STEPS[:4]),
         f"{START}tflm gives 6; the device gives 7, as do step: 0, step: 1, step: 2 and step: 3"),
        (of(*STEPS[:5]),
         f"{START}tflm gives 6; the device gives 7, as do step: 0, step: 1, step: 2 and 2 others"),
    ],
)  # fmt: skip
def test_element(element: ExplainedElement, sentence: str) -> None:
    assert wording.element_sentence(element) == sentence


def test_variants_of_the_arithmetic() -> None:
    element = ExplainedElement((1,), "a", "tflm", (Variant("round", "even"), Variant("sum", "int32")), 6, 7)
    assert wording.element_sentence(element) == (
        "element (1) of run a: tflm (round: even, sum: int32) gives 6; "
        "the device gives 7, a value of no known variant or defect"
    )


@pytest.mark.parametrize(
    ("needed", "accumulator", "words"),
    [
        (AccumulatorBounds(110, 120), 100, "7 needs an accumulator of 110 to 120, 10 to 20 more; "),
        (AccumulatorBounds(70, 80), 100, "7 needs an accumulator of 70 to 80, 20 to 30 less; "),
        (AccumulatorBounds(110, 110), 100, "7 needs an accumulator of 110, 10 more; "),
        (AccumulatorBounds(100, 120), 100, ""),
        (AccumulatorBounds(80, 100), 100, ""),
        (AccumulatorBounds(130, None), 100, "7 needs an accumulator of at least 130, at least 30 more; "),
        (AccumulatorBounds(None, 60), 100, "7 needs an accumulator of at most 60, at least 40 less; "),
        (AccumulatorBounds(100, None), 100, ""),
        (AccumulatorBounds(None, None), 100, ""),
        (AccumulatorBounds(130, None), None, ""),
        (None, 100, ""),
    ],
)
def test_accumulator_that_is_needed(
    needed: AccumulatorBounds | None, accumulator: int | None, words: str
) -> None:
    element = of(accumulator=accumulator, needs=needed)
    assert wording.element_sentence(element) == f"{START}tflm gives 6; {words}{END.partition('; ')[2]}"


def pattern(name: str, **fields: Any) -> MismatchCluster:
    return MismatchCluster(name, **{"held": 8, "count": 8, "there": 1000, "size": 2000, **fields})


AMONG = ", among 1,000 of the 2,000 elements"


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (pattern("offset", count=1200, offset=-1), "all 1,200 differ by exactly -1"),
        (pattern("offset", offset=2), "all 8 differ by exactly +2"),
        (pattern("direction", side="larger"), "in all 8 the device's value is larger"),
        (pattern("direction", count=1200, side="nearer", zero_point=3),
         "in all 1,200 the device's value is nearer to the zero point 3"),
        (pattern("direction", side="farther", zero_point=0),
         "in all 8 the device's value is farther from the zero point 0"),
        (pattern("run", run="2", length=5), f"all 8 differences lie in run 2 of 5{AMONG}"),
        (pattern("run", run="2", length=5, rest=True), f"all 8 others lie in run 2 of 5{AMONG}"),
        (pattern("run", run="2", length=5, held=6), f"6 of the 8 differences (75 %) lie in run 2 of 5{AMONG}"),
        (pattern("run", run="2", length=5, held=9999, count=10000),
         f"9,999 of the 10,000 differences (99.9 %) lie in run 2 of 5{AMONG}"),
        (pattern("run", run="2", length=5, apart=("pattern", "rails")),
         f"all 8 differences lie in run 2 of 5{AMONG} that lie elsewhere and are not saturated"),
        (pattern("given", values=(127,)), f"all 8 differences have the device's value 127{AMONG}"),
        (pattern("side", side="below", zero_point=-5), f"all 8 differences lie below the zero point -5{AMONG}"),
        (pattern("range", axis="channel", first=3, last=3, length=8),
         f"all 8 differences lie in channel 3 of 8{AMONG}"),
        (pattern("range", axis="channel", first=7, last=7, length=8),
         f"all 8 differences lie in channel 7, the last of 8{AMONG}"),
        (pattern("range", axis="row", first=0, last=0, length=8),
         f"all 8 differences lie in row 0, the first of 8{AMONG}"),
        (pattern("range", axis="row", first=0, last=1, length=8),
         f"all 8 differences lie in rows 0 to 1, the first 2 of 8{AMONG}"),
        (pattern("range", axis="row", first=2, last=4, length=8), f"all 8 differences lie in rows 2 to 4 of 8{AMONG}"),
        (pattern("range", axis="batch", first=5, last=7, length=8),
         f"all 8 differences lie in batches 5 to 7, the last 3 of 8{AMONG}"),
        (pattern("range", axis="index 0", first=1, last=2, length=8),
         f"all 8 differences lie in indexes 0 1 to 2 of 8{AMONG}"),
        (pattern("range", axis="channel", first=16, last=18, length=19, vector=16),
         "all 8 differences lie in channels 16 to 18, the last 3 of 19 (the tail behind whole vectors of 16)"
         f"{AMONG}"),
        (pattern("range", axis="row", length=3), f"all 8 differences lie in row 0, the first of 3{AMONG}"),
        (pattern("tail", axis="channel", first=16, length=19, vector=16),
         f"all 8 differences lie in the last 3 of 19 channels, the tail behind whole vectors of 16{AMONG}"),
        (pattern("tail", axis="channel", length=3, vector=4, outside=True),
         f"all 8 differences lie outside the last 3 of 3 channels, the tail behind whole vectors of 4{AMONG}"),
        (pattern("flat tail", length=3, vector=16),
         f"all 8 differences lie in the last 3 elements of the flat tensor, the tail behind whole vectors of 16{AMONG}"),
        (pattern("step", axis="column", step=2, first=1), f"all 8 differences lie in every 2nd column, from 1 on{AMONG}"),
        (pattern("step", axis="column", step=3, first=0), f"all 8 differences lie in every 3rd column, from 0 on{AMONG}"),
        (pattern("step", axis="column", step=4, first=0), f"all 8 differences lie in every 4th column, from 0 on{AMONG}"),
        (pattern("indexes", axis="channel", indexes=(1, 5, 6), length=9),
         f"all 8 differences lie in 3 of 9 channels: 1, 5, 6{AMONG}"),
        (pattern("border", width=1, side="all"),
         f"all 8 differences lie in the outermost row and column on all sides (the border that padding touches){AMONG}"),
        (pattern("border", width=2, side="top-left"),
         "all 8 differences lie in the outer 2 rows and columns at the top and on the left "
         f"(the border that padding touches){AMONG}"),
        (pattern("expected", values=(-128, 90), ends=("smallest of the type", "largest here")),
         "all 8 differences lie where the reference gives -128, the smallest value of the type or 90, "
         f"its largest value here{AMONG}"),
    ],
)  # fmt: skip
def test_pattern(found: MismatchCluster, sentence: str) -> None:
    assert wording.gathering_sentence(found) == sentence
