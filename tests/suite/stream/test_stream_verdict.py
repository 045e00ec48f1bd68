"""Verdicts on answers: correct, of every known mutant, and of no known mutant."""

from __future__ import annotations

import pytest

from litecheck.suite.stream.stream_header import parse_header
from litecheck.suite.stream.stream_kinds import kind_of, stream_names
from litecheck.suite.stream.stream_verdict import StreamTally, judge_stream
from litecheck.suite.stream.vectors import Vectors
from tests.suite.stream.conftest import answered, made

pytestmark = pytest.mark.slow

#: A stream of each kind; the remaining streams differ only in the operator's computation.
NAMES = ("requantize", "DEPTHWISE_CONV_2D", "MUL", "LEAKY_RELU", "SOFTMAX")


@pytest.mark.parametrize("name", ["requantize", "SOFTMAX"])
def test_right_answers_are_exact(name: str) -> None:
    report = judge_stream(answered(made(name)))
    assert (report.verdict, report.exit_code, report.failed, report.explanations) == ("exact", 0, 0, ())


@pytest.mark.parametrize("name", NAMES)
def test_every_flag_of_a_stream_is_identified(name: str) -> None:
    """Level smoke contains every property once: the answers of each flag fail there, and match only this flag."""
    vectors = Vectors(name, "litert-reference", "smoke", 0, None)
    tallies = [StreamTally(vectors.mutants) for _ in vectors.mutants]
    for block, _ in vectors.blocks():
        for tally, given in zip(tallies, block.mistaken, strict=True):
            if given is not None:
                tally.add(block, given)
    for mutant, tally in zip(vectors.mutants, tallies, strict=True):
        report = tally.report(vectors.header)
        assert (report.exit_code, report.unexplained) == (1, 0)
        assert [e.mutant.name for e in report.explanations if e.all_] == [mutant.name]
        assert report.first is not None
        assert mutant.name in report.first.catches


#: Typical mistakes of hardware, and the streams that must detect them.
TOLD = {
    "wrong tie rule": ("requantize=double-half-up", {"requantize", "dot", "elementwise"}),
    "single rounding": ("requantize=single", {"requantize", "dot", "elementwise"}),
    "truncation": ("requantize=truncate", {"requantize", "dot", "elementwise"}),
    "no clamp": ("no-activation", {"requantize", "elementwise"}),
    "wraps": ("wraps", {"requantize", "dot", "elementwise"}),
    "zero point forgotten": ("no-output-zero-point", {"requantize", "dot", "elementwise"}),
    "another one": ("no-input-zero-point", {"dot", "elementwise"}),
    "saturates too early": ("saturates-first", {"requantize", "dot", "elementwise"}),
}


@pytest.mark.parametrize(
    "name", [n for n in stream_names() if kind_of(n)[0].name in ("requantize", "dot", "elementwise")]
)
def test_streams_have_flags_of_their_typical_mistakes(name: str) -> None:
    mutants = {mutant.name for mutant in Vectors(name, "litert-reference", "smoke", 0, None).mutants}
    kind = kind_of(name)[0].name
    assert {mutant for mutant, kinds in TOLD.values() if kind in kinds} <= mutants


@pytest.mark.parametrize("name", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"])
def test_streams_of_sums_have_flags_of_narrow_accumulators_and_biases(name: str) -> None:
    mutants = {mutant.name for mutant in Vectors(name, "litert-reference", "smoke", 0, None).mutants}
    wanted = {
        "accumulator-16",
        "accumulator-20",
        "accumulator-24",
        "accumulator-16-wraps",
        "accumulator-16-deep",
    }
    assert wanted | {"bias-apart", "no-bias", "bias-16", "u8s8", "no-activation"} <= mutants


def test_unexplained_answers_are_counted() -> None:
    right = answered(made("requantize", count=300))
    number, value = right[40].split()
    wrong = [*right[:40], b"%s %d\n" % (number, int(value) + 700), *right[41:]]
    report = judge_stream(wrong)
    assert (report.failed, report.unexplained, report.exit_code) == (1, 1, 1)
    assert report.first == report.worst
    assert report.first is not None
    assert (report.first.number, report.first.difference) == (39, 700)
    assert (report.first.expected, report.first.answer) == ((int(value),), (int(value) + 700,))
    assert not any(e.all_ for e in report.explanations)


def test_the_worst_answer_has_the_largest_difference_and_all_numbers() -> None:
    right = answered(made("requantize", count=300))
    off = {50: 3, 60: -90, 70: 5}
    wrong = [b"%d %d\n" % (n - 1, int(a.split()[1]) + off[n]) if n in off else a for n, a in enumerate(right)]
    report = judge_stream(wrong)
    assert report.first is not None
    assert report.worst is not None
    assert (report.first.number, report.worst.number, report.worst.difference) == (49, 59, -90)
    assert [name for name, _ in report.worst.fields] == [
        "acc",
        "m",
        "shift",
        "si",
        "sw",
        "so",
        "zo",
        "low",
        "high",
    ]


def test_an_arithmetic_has_no_flag_of_its_own_variants() -> None:
    mutants = Vectors("requantize", "single-rounding", "smoke", 0, None).mutants
    published = {mutant.name: mutant.published for mutant in mutants}
    assert "requantize=single" not in published
    assert "litert-reference" in published["requantize=double"]


def test_the_first_failing_line_has_its_flags() -> None:
    """The flag of the mutant that answers is among them, and all of them differ from the expected answer in that line."""
    stream = made("LOGISTIC", 300)
    vectors = Vectors.again(parse_header(stream.splitlines()[0].decode(), "stream", 1))
    for mutant in vectors.mutants[:3]:
        first = judge_stream(answered(stream, mutant.name)).first
        assert first is not None
        line = next(x for x in stream.decode().splitlines() if x.startswith(f"{first.number} "))
        bits = int(line.split()[-1], 16)
        expected = {f.name for n, f in enumerate(vectors.mutants) if bits & (1 << n)}
        assert mutant.name in expected
        assert {*first.catches} == expected
