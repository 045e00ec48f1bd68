"""A verification with all content that a renderer must support."""

from __future__ import annotations

import math

import pytest

from litecheck.cases.variable_state import TriedSeries
from litecheck.comparison.types import (
    AccumulatorBounds,
    Candidate,
    Cause,
    Difference,
    ExplainedElement,
    MismatchCluster,
    MismatchExample,
    PerAxisCounts,
    Variant,
)
from litecheck.devices.outcome import Outcome
from litecheck.quantizer.comparison_result import Bucket
from litecheck.verification.result import (
    CoverageGap,
    FailureCorrelation,
    Operation,
    Step,
    Verdict,
    Verification,
)

#: Escape sequences, markup of every format we write, invalid XML, a reversed line, a lone surrogate.
HOSTILE = (
    "\x1b[31mred\x1b[0m [bold]x[/bold] a|b `c` ``d`` <script>&amp;]]> \x00\x07\ufffe\u202egnp\udc80"
    "\r\n::error file=x,title=y::boo%0A *_~# $z$ @all \"quoted\" 'so'"
)
LONG = "model/" + "block/" * 60 + "conv2d/BiasAdd"
CONV = ExplainedElement(
    index=(0, 3, 4, 62),
    run="'random'",
    arithmetic="litert-reference",
    variants=(Variant("requantize", "double"),),
    expected=7,
    device=6,
    accumulator=53_248,
    multiplier=0.0001220703125,
    fixed=(1_073_741_824, -12),
    quotient="6.5000",
    candidates=(
        Candidate("litert-reference", 7, kind="arithmetic"),
        Candidate("tflm", 7, kind="arithmetic"),
        Candidate("requantize: floor", 8, kind="step"),
        Candidate("requantize: half-even", 6, "ties go to the even neighbour", "step"),
        Candidate("defect: no-bias", 6, kind="defect"),
        Candidate("defect: wraps", -120, kind="defect"),
    ),
    precise=True,
    needs=AccumulatorBounds(45_057, 53_247),
)

LEFT = MismatchCluster("range", 3, 3, 64, 4096, dimension=3, axis="channel", length=64, first=63, last=63)


def difference(tensor: int, name: str, mismatches: int, **more: object) -> Difference:
    """Return a difference of 4,096 int8 elements by at most 1."""
    facts: dict[str, object] = {
        "dtype": "int8",
        "shape": (1, 8, 8, 64),
        "unit": "LSB",
        "size": 4096,
        "beyond": mismatches,
        "tolerance": 0.0,
        "largest": -1.0 if mismatches else 0.0,
        "histogram": (Bucket(-1, -1, mismatches),) if mismatches else (),
        **more,
    }
    return Difference(tensor=tensor, name=name, mismatches=mismatches, **facts)  # type: ignore[arg-type]


OWN = "litert-reference"


def verdict(index: int, opcode: str, name: str, outcome: Outcome, **more: object) -> Verdict:
    """Return the verdict of an operator of the first subgraph, under the reference if it is exact."""
    own = more.get("arithmetic", OWN)
    good = {"arithmetic": own, "fits": (own,)} if outcome.good else {}
    compared = {"elements": 4096, "runs": ("propagated", "random")} if "differences" in more else {}
    return Verdict(
        f"{index:04d}-{opcode}",
        0,
        (index,),
        (opcode,),
        name,
        outcome,
        **{**compared, **good, **more},  # type: ignore[arg-type]
    )


def judged() -> tuple[Verdict, ...]:
    """Return cases with compared values."""
    conv = difference(
        20,
        "block1/conv",
        12,
        histogram=(Bucket(-2, -2, 1), Bucket(-1, -1, 8), Bucket(1, 1, 3)),
        largest=-2.0,
        channels=(0,) * 62 + (9, 3),
        along=PerAxisCounts(3, "channel", (0,) * 62 + (9, 3)),
        free=MismatchExample(2, (0, 3, 4, 63), 5.0, 4.0),
        worst=MismatchExample(1, (0, 3, 4, 62), 7.0, 6.0),
        patterns=(
            MismatchCluster(
                "range", 12, 12, 128, 4096, dimension=3, axis="channel", length=64, first=62, last=63
            ),
            MismatchCluster("direction", 12, 12, side="nearer", zero_point=-5),
        ),
        explained=CONV,
    )
    within = difference(21, "pool", 3, beyond=0, tolerance=1.0)
    soft = difference(
        22,
        "probabilities",
        2,
        dtype="float32",
        shape=(),
        unit="relative",
        size=1001,
        tolerance=1e-6,
        beyond=1,
        largest=3.5e-6,
        histogram=(),
        worst=MismatchExample(0, (), 0.123456789, 0.12345722),
    )
    lost = difference(
        23,
        "mean",
        4096,
        dtype="float16",
        unit="relative",
        largest=math.nan,
        histogram=(),
        worst=MismatchExample(0, (0, 0, 0, 0), 1.5, -math.inf),
    )
    big = difference(
        25, "add", 2000, largest=40_000.0, histogram=(Bucket(9, 16, 1999), Bucket(32_768, 65_535, 1))
    )
    return (
        verdict(
            0,
            "QUANTIZE",
            "input_int8",
            Outcome.EXACT,
            fits=("litert-reference",),
            differences=(difference(19, "input_int8", 0),),
        ),
        verdict(
            1,
            "CONV_2D",
            "block1/conv",
            Outcome.MISMATCH,
            differences=(conv,),
            runs=("propagated", "random", "directed", "directed", "directed"),
            also=("tflm", "litert-xnnpack"),
            fault="Issue 214: this kernel set rounds the bias twice.",
            reproducer="reproducers/0001-CONV_2D",
            nearest="litert-xnnpack",
            causes=(
                Cause(("requantize: single",), "", 9, 3, (LEFT,)),
                Cause(("requantize: single", "defect: bias-16"), "saturates the bias to 16 bits", 12, 0),
            ),
        ),
        verdict(2, "AVERAGE_POOL_2D", "pool", Outcome.WITHIN, differences=(within,)),
        verdict(3, "SOFTMAX", "probabilities", Outcome.MISMATCH, differences=(soft,)),
        verdict(4, "MEAN", "mean", Outcome.MISMATCH, differences=(lost,)),
        verdict(
            5,
            "LOGISTIC",
            "gate",
            Outcome.EXACT,
            differences=(difference(24, "gate", 0),),
            arithmetic="litert-xnnpack",
            exhaustive="all 256 values",
        ),
        Verdict(
            "0006-0008",
            0,
            (6, 7, 8),
            ("CONV_2D", "ADD", "RELU"),
            "add",
            Outcome.MISMATCH,
            elements=8192,
            runs=("propagated",),
            differences=(difference(26, "skip", 0), big),
        ),
    )


def further_cases() -> tuple[Verdict, ...]:
    """Return cases of every further outcome, and names that attack each format."""
    hostile = difference(
        40,
        HOSTILE,
        1,
        worst=MismatchExample(0, (0,), -128.0, 127.0),
        patterns=(MismatchCluster("run", 1, 1, 1, 4096, run=HOSTILE, length=3),),
    )
    return (
        verdict(9, "SPLIT", "halves", Outcome.WRONG_SHAPE, message="output 1 is int8 1x4, not int8 1x8"),
        verdict(
            10,
            "ADD",
            "sum",
            Outcome.FLAKY,
            differences=(difference(27, "sum", 5),),
            message="run 2 gave other values",
        ),
        verdict(11, "CUSTOM", "detect", Outcome.NOT_DELEGATED, message="the plan leaves it to the CPU"),
        verdict(12, "PAD", "padded", Outcome.REFUSED, message=f"Failed to apply delegate: {HOSTILE}"),
        verdict(13, "TRANSPOSE", LONG, Outcome.CRASHED, message="SIGSEGV"),
        verdict(14, "MUL", "scaled", Outcome.TIMED_OUT, message="60 s"),
        verdict(15, "FULLY_CONNECTED", "dense", Outcome.OUT_OF_MEMORY),
        verdict(16, "CALL_ONCE", "init", Outcome.NO_REFERENCE, message="makes nothing to compare"),
        verdict(17, "CALL_ONCE", "init2", Outcome.NO_REFERENCE, message="makes nothing to compare"),
        verdict(18, HOSTILE, HOSTILE, Outcome.MISMATCH, differences=(hostile,), reproducer=HOSTILE),
        verdict(19, "GELU", "gelu", Outcome.NOT_SUPPORTED, message="exit status 77; there is no GELU"),
        verdict(20, "ABS", "abs", Outcome.NOT_TRIED, message="the budget went to other cases"),
        verdict(
            21,
            "SVDF",
            "filters",
            Outcome.INITIAL_ONLY,
            differences=(difference(41, "filters", 0),),
            memory=TriedSeries(because="device"),
        ),
        verdict(22, "SVDF", "keyword", Outcome.SATURATED, differences=(difference(42, "keyword", 0),)),
        verdict(23, "NEG", "neg", Outcome.NOT_RECORDED, message="nothing recorded for 0023-NEG, run 0"),
        Verdict(
            "s1-0000-ADD",
            1,
            (0,),
            ("ADD",),
            "body/add",
            Outcome.EXACT,
            arithmetic="litert-reference",
            fits=("litert-reference",),
        ),
    )


def operations(verdicts: tuple[Verdict, ...]) -> tuple[Operation, ...]:
    """Return the graph as a chain of operators. Two share an output's name, and one has a number as its name."""
    names = {8: ("twin",), 9: ("halves", "halves:1"), 10: ("10",), 14: ("twin",)}
    found = []
    for v in verdicts:
        for index, opcode in zip(v.operators, v.opcodes, strict=True):
            own = names.get(index, (v.name,)) if v.subgraph == 0 else (v.name,)
            weights = "per-axis" if opcode == "CONV_2D" else ""
            place = (v.subgraph, index, opcode, own[0], (index,), (index + 1,), own)
            found.append(Operation(*place, kind="int8", granularity=weights))
    return tuple(found)


UNTRIED = (
    CoverageGap(
        "CONV_2D", 12, ("a batch beyond 1", "unequal strides", "outputs of more than 65,536 elements")
    ),
    CoverageGap("RESHAPE", 1, ()),
    CoverageGap(HOSTILE, 1, (HOSTILE, "no bias")),
)
DRIFT = (
    Step(0, "QUANTIZE", 19, "input_int8", "LSB", 4096, 0.0, 0.0, 0.0, False),
    Step(1, "CONV_2D", 20, "block1/conv", "LSB", 4096, -2.0, 12 / 4096, 0.061, True),
    Step(2, "AVERAGE_POOL_2D", 21, "pool", "LSB", 4096, 1.0, 0.25, 0.5, False),
    Step(3, "SOFTMAX", 22, HOSTILE, "relative", 1001, 3.5e-6, 1.0, 1.25e-6, True),
    Step(4, "RESHAPE", 23, "flat", "LSB", 4096, 0.0, 0.0, 0.0, False),
)


@pytest.fixture
def sample() -> Verification:
    """Return every outcome, a segment, two subgraphs, drift, and a published arithmetic that matches."""
    verdicts = (*judged(), *further_cases())
    return Verification(
        "0.1.0",
        "models/keyword spotting.tflite",
        "0123456789abcdef" * 4,
        "delegate:/opt/acme/libacme.so,threads=2",
        "delegate:/opt/acme/libacme.so,threads=2 (acme 4.2, ai-edge-litert 2.3.0)",
        ("litert-reference", "litert-xnnpack"),
        "operators",
        "3 runs of each operator: propagated from random inputs (seed 7), random, directed",
        verdicts,
        operations(verdicts),
        DRIFT,
        fits=("tflm",),
        started="2026-11-21T03:19:08Z",
        across=(
            FailureCorrelation(
                "accumulation depth", "above", 256.0, (288.0,), (9.0, 64.0, 250.0), 5, 9, chance=True
            ),
        ),
        notes=("2 runs were resumed from the journal", f"the device said {HOSTILE}"),
        untried=UNTRIED,
    )


@pytest.fixture
def good() -> Verification:
    """Return a run without failures."""
    first, *_ = judged()
    return Verification(
        "0.1.0",
        "models/good.tflite",
        "f" * 64,
        "litert:reference",
        "litert:reference (ai-edge-litert 2.3.0)",
        ("litert-reference",),
        "operators",
        "random (seed 0)",
        (first,),
    )


@pytest.fixture
def unjudged() -> Verification:
    """Return a run without compared outputs, in which a fallback to the CPU is no failure."""
    verdicts = (
        verdict(0, "CUSTOM", "detect", Outcome.NOT_DELEGATED, message="the plan leaves it to the CPU"),
    )
    return Verification(
        "0.1.0",
        "m.tflite",
        "0" * 64,
        "tflm",
        "tflm",
        ("tflm", "litert-reference"),
        "segments of 2",
        "",
        verdicts,
    )
