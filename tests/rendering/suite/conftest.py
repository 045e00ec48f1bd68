"""A device on a suite, with all content that a renderer must support."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from litecheck.comparison.types import MismatchCluster, MismatchExample
from litecheck.comparison.vector_tails import SharedTail
from litecheck.diagnosis.result import PropertyBound, SharedTraits
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import Shortfall
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.verdict import CLAIMED, NOT_CLAIMED, CaseVerdict, OperatorRow, SuiteReport
from litecheck.suite.waivers import CaseWaiver, WaiverRecord

#: Escape sequences, markup of every format we write, invalid XML, a reversed line, a lone surrogate, a formula.
HOSTILE = "=\x1b[31mred\x1b[0m [bold]x[/bold] a|b `c` <script>&amp;]]> \x00\ufffe\u202egnp\udc80\r\n::error file=x::boo%0A"

#: Traits of the failing convolutions.
APART = (SharedTraits((PropertyBound("batch", "at least", 2, 1), PropertyBound("padding", "is", "SAME")), 0),)
#: Pattern of a failing convolution.
LAST_CHANNELS = MismatchCluster(
    "tail", 12, 12, there=24, size=64, dimension=3, axis="channel", length=19, first=16, vector=16
)


def case(
    opcode: str, kind: str, granularity: str, title: str, ending: CaseOutcome, **more: object
) -> CaseVerdict:
    """Return a case; compared cases have 64 elements and are checked with the reference."""
    compared = ending in (CaseOutcome.PASSED, CaseOutcome.TOLERATED, CaseOutcome.FAILED, CaseOutcome.FLAKY)
    facts: dict[str, object] = {"elements": 64, "arithmetic": "litert-reference"} if compared else {}
    slug = title.replace(",", "").replace(" ", "-")
    name = f"{opcode}/{kind}/{slug}"
    return CaseVerdict(name, opcode, kind, granularity, title, ending, **{**facts, **more})  # type: ignore[arg-type]


def row(cases: tuple[CaseVerdict, ...], **more: object) -> OperatorRow:
    """Return the row of several cases."""
    first, worst = cases[0], max(cases, key=lambda one: abs(one.worst))
    counts = Counter(one.ending for one in cases)
    facts: dict[str, object] = {
        "counts": {ending.value: counts[ending] for ending in CaseOutcome if counts[ending]},
        "arithmetic": "litert-reference",
        "worst": abs(worst.worst),
        "unit": worst.unit,
        "case": worst.name if worst.worst else "",
        **more,
    }
    return OperatorRow(first.opcode, first.kind, first.granularity, **facts)  # type: ignore[arg-type]


def convolutions() -> tuple[CaseVerdict, ...]:
    """Return two wrong cases, a flaky, a tolerated and a passed case, and three invalid models with one rejection."""
    fault = "Issue 214: this kernel set rounds the bias twice."
    return (
        case("CONV_2D", "int8", "per-axis", "plain", CaseOutcome.PASSED,
             fits=("litert-reference", "tflm"), delegated="proved"),
        case("CONV_2D", "int8", "per-axis", "one LSB allowed", CaseOutcome.TOLERATED, mismatches=2, worst=-1.0,
             tolerance=1.0, at=MismatchExample(0, (0, 1, 1, 3), 5.0, 4.0)),
        case("CONV_2D", "int8", "per-axis", "ties, multipliers powers of two", CaseOutcome.FAILED, mismatches=12,
             worst=-3.0, at=MismatchExample(1, (0, 3, 4, 2), 7.0, 4.0), patterns=(LAST_CHANNELS,), fault=fault,
             delegated="proved", seconds=0.25),
        case("CONV_2D", "int8", "per-axis", "outputs of another shape", CaseOutcome.FAILED, elements=0,
             message="output 0 is int8 of shape [8], it should be int8 of shape [4]"),
        case("CONV_2D", "int8", "per-axis", "zero points at 0", CaseOutcome.FLAKY, mismatches=3, worst=1.0,
             at=MismatchExample(2, (0, 1), 3.0, 4.0),
             message="the same inputs gave different outputs in 3 of 32 elements when repeated"),
        case("CONV_2D", "int8", "per-axis", "weights not symmetric", CaseOutcome.ACCEPTED,
             broken="CONV_2D/weight/zero_point", effect="wrong results"),
        case("CONV_2D", "int8", "per-axis", "a bias of another scale", CaseOutcome.REJECTED,
             broken="CONV_2D/bias/scale", effect="fails to load", message="bias scale"),
        case("CONV_2D", "int8", "per-axis", "a bias of another type", CaseOutcome.BROKE_DOWN,
             broken="CONV_2D/bias/dtype", effect="crashes", message="signal 11"),
        case("CONV_2D", "int8", "per-axis", "an input of another type", CaseOutcome.NOT_TESTED,
             broken="CONV_2D/input/dtype", effect="fails to load"),
    )  # fmt: skip


def sums() -> tuple[CaseVerdict, ...]:
    """Return cases of an elementwise operator with known operands."""
    return (
        case("ADD", "int8", "", "all 65,536 pairs", CaseOutcome.FAILED, elements=65_536, mismatches=20, worst=1.0,
             at=MismatchExample(0, (7, 9), 3.0, 4.0), operands=(-128.0, 127.0)),
        case("ADD", "int8", "", "scales decades apart", CaseOutcome.PASSED, fits=("tflm",)),
    )  # fmt: skip


def silent() -> tuple[CaseVerdict, ...]:
    """Return cases with every outcome without outputs."""
    endings = (CaseOutcome.REFUSED, CaseOutcome.CRASHED, CaseOutcome.HUNG, CaseOutcome.OUT_OF_MEMORY)
    return tuple(case("SOFTMAX", "int8", "", f"number {n}", ending, message=HOSTILE if n == 1 else "")
                 for n, ending in enumerate(endings))  # fmt: skip


def open_ones() -> tuple[CaseVerdict, ...]:
    """Return cases with every outcome that is not checked."""
    return tuple(
        case("PAD", "int16", "", ending.value, ending, message="nobody took it")
        for ending in (CaseOutcome.NOT_DELEGATED, CaseOutcome.NOT_SUPPORTED, CaseOutcome.MISSING)
    )


def good_ones() -> tuple[CaseVerdict, ...]:
    """Return float cases, one of them within its tolerance."""
    return (
        case("FULLY_CONNECTED", "float32", "per-axis", "plain", CaseOutcome.PASSED, unit="relative"),
        case("FULLY_CONNECTED", "float32", "per-axis", "long sums", CaseOutcome.TOLERATED, unit="relative",
             mismatches=3, worst=3.5e-7, tolerance=1e-6, at=MismatchExample(0, (1,), 0.123456789, 0.12345683)),
    )  # fmt: skip


@pytest.fixture
def sample() -> SuiteReport:
    groups = (convolutions(), sums(), silent(), open_ones(), good_ones())
    rows = (
        row(groups[0], tolerance=1.0, placement="partly", apart=APART, tail=SharedTail(1, 16, 2)),
        row(groups[1], mistakes=("requantize: single", "requantize: half-even")),
        row(groups[2]),
        row(groups[3], placement="left to others"),
        row(groups[4], fits=("litert-reference", "tflm"), tolerance=1e-6),
    )
    return SuiteReport(
        version="1.0",
        profile="litert-runtime",
        level="standard",
        seed=7,
        suite="5" * 64,
        rules="a" * 64,
        results="b" * 64,
        device="delegate:./libacme.so",
        described="delegate ./libacme.so on ai-edge-litert 2.3.0",
        program="c" * 64,
        arithmetics=("litert-reference", "tflm"),
        rows=rows,
        cases=tuple(one for group in groups for one in group),
        uncovered=(
            MissingCase("WHILE", "", "", "control flow has no numbers of its own"),
            MissingCase("IF", "", "", "control flow has no numbers of its own"),
            MissingCase("PAD", "int16", "seven dimensions", "no form satisfies the profile"),
            MissingCase(
                "CONV_2D", "", "CONV_2D/output/dtype", "no model of a known form breaks this and nothing else"
            ),
        ),
        notes=("the board was reset twice", HOSTILE),
    )


@pytest.fixture
def good(sample: SuiteReport) -> SuiteReport:
    """Return a report without failures."""
    kept = tuple(one for one in sample.cases if one.opcode == "FULLY_CONNECTED")
    return replace(sample, rows=sample.rows[-1:], cases=kept, uncovered=(), notes=())


@pytest.fixture
def unjudged(sample: SuiteReport) -> SuiteReport:
    """Return a report without computed outputs."""
    kept = tuple(one for one in sample.cases if one.opcode == "PAD")
    return replace(sample, rows=sample.rows[3:4], cases=kept, uncovered=(), notes=())


@pytest.fixture
def claimed(sample: SuiteReport) -> SuiteReport:
    """Return the report with claims: a waiver excuses ADD, another has expired, SOFTMAX is not claimed, PAD fails its
    claim."""
    waiver = CaseWaiver(("ADD/int8",), "known since 4.1, fixed in 4.3", "2027-01-31", "claims.yaml", 30)
    expired = CaseWaiver(("CONV_2D/int8/ties*",), "the rounding unit", "2026-01-31", "claims.yaml", 34)
    standing = {"SOFTMAX": NOT_CLAIMED}
    cases = tuple(
        replace(
            one,
            standing=standing.get(one.opcode, CLAIMED),
            waiver=waiver if one.opcode == "ADD" and one.ending.fails else None,
        )
        for one in sample.cases
    )
    rows = tuple(replace(one, standing=standing.get(one.opcode, CLAIMED)) for one in sample.rows)
    waived = replace(rows[1], excused={"failed": 1}, waived=1, because="the vendor's reason")
    return replace(
        sample,
        rows=(rows[0], waived, *rows[2:]),
        cases=cases,
        date="2026-11-22",
        waivers=(WaiverRecord(waiver, "used", 1), WaiverRecord(expired, "expired", 1)),
        shortfalls=(Shortfall("operator", "LOGISTIC"),),
    )
