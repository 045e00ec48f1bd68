"""A report with all content that a renderer must support."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from litecheck.errors import Problem
from litecheck.finding import Demand, Effect, Finding, Level, StaleEntry, Waiver, Where
from litecheck.report import ModelReport, OperatorReport, Report
from litecheck.summary_text import Status

PAGE = "https://example.org/quantization_spec#conv_2d"
RULES = "rules/litert-int8.yaml"
#: Escape sequences, markup of every format we write, invalid XML, a reversed line, a lone surrogate.
HOSTILE = (
    "\x1b[31mred\x1b[0m [bold]x[/bold] a|b `c` ``d`` <script>&amp;]]> \x00\x07\ufffe\u202egnp\udc80"
    "\r\n::error file=x,title=y::boo%0A *_~# $z$ @all"
)
LONG = "model/" + "block/" * 60 + "conv2d/BiasAdd"


def operator(
    index: int, opcode: str, name: str, status: Status = "conforms", reason: str = "", subgraph: int = 0
):
    profiles = () if status == "not covered" else ("litert-runtime",)
    best = status if status in ("not covered", "structure checked only", "not applicable") else "conforms"
    return OperatorReport(subgraph, index, opcode, name, status, profiles, reason, best == "conforms", best)


def where(
    op: OperatorReport, role: str | None = None, position: int | None = None, tensor: str | None = None
):
    subgraph_name = "main" if op.subgraph == 0 else ""
    index = None if tensor is None else 10 + op.index
    return Where(op.subgraph, subgraph_name, op.index, op.opcode, op.name, role, position, index, tensor)


def finding(
    path: str,
    level: Level,
    place: Where,
    found: str,
    required: str,
    because: str = "",
    see: str = "",
    line: int = 7,
    channels: int | None = None,
    waiver: Waiver | None = None,
    effect: Effect = "outside the specification",
) -> Finding:
    demand = Demand("litert-int8", RULES, line)
    return Finding(path, level, place, found, required, because, see, demand, effect, channels, waiver)


def violating() -> ModelReport:
    """Return a model with every status, level and waiver, a repeated role, a finding on twelve operators, and two
    subgraphs."""
    conv = operator(0, "CONV_2D", "block1/conv", "violates")
    conv2 = operator(1, "CONV_2D", "block2/conv", "violates")
    concat = operator(2, "CONCATENATION", "merge", "violates")
    softmax = operator(3, "SOFTMAX", "probabilities")
    pool = operator(4, "MAX_POOL_2D", "pool", "waived", "by acme-npu2: the pooling unit rescales")
    denses = [operator(5 + n, "FULLY_CONNECTED", f"head/dense_{n}/MatMul") for n in range(12)]
    floats = [
        operator(17 + n, "DEQUANTIZE", f"out_{n}", "not covered", "its output is float32") for n in range(2)
    ]
    custom = operator(19, "CUSTOM", "detect", "not covered", "custom operator 'TFLite_Detection_PostProcess'")
    head = operator(20, "LOGISTIC", "scores", "structure checked only", "float32 activations")
    handle = operator(21, "VAR_HANDLE", "state", "not applicable", "a handle holds no data")
    nested = operator(0, "ADD", "body/add", "violates", subgraph=1)
    zero = "a weight zero point would cost a sum over every activation"
    path, refused = "CONV_2D/weight/zero_point", "fails to load"
    kernel = where(conv, "weight", None, "block1/kernel")
    kernel2 = where(conv2, "weight", None, "block2/kernel")
    rescale = "concatenation copies bytes and has no multiplier with which to rescale"
    relax = Waiver("acme-npu2", "the pooling unit rescales")
    once = "one scale for all output channels is legal, and less precise"
    findings = (
        *(
            finding(
                "FULLY_CONNECTED/weight/granularity",
                "note",
                where(op, "weight", None, f"head/dense_{n}/kernel"),
                "per-tensor",
                "per-axis",
                once,
                line=40,
            )
            for n, op in enumerate(denses)
        ),
        finding(
            path,
            "violation",
            kernel2,
            "zero point 5 at channel 0",
            "0",
            zero,
            PAGE,
            12,
            channels=1,
            effect=refused,
        ),
        finding(
            path,
            "violation",
            kernel,
            "zero point 3 at channel 17",
            "0",
            zero,
            PAGE,
            12,
            channels=3,
            effect=refused,
        ),
        finding(
            "CONCATENATION/same_quantization",
            "violation",
            where(concat, "values", 1, "right"),
            "scale 0.023529412 and zero point -1",
            "scale 0.019607844 and zero point -1, those of output 'merge'",
            rescale,
            PAGE,
            60,
            effect="rejected by the default interpreter only",
        ),
        finding(
            "SOFTMAX/output/scale",
            "warning",
            where(softmax, "output", None, "probabilities"),
            "0.0039062504, 1 ulp off",
            "1/256",
            line=80,
            effect="ignored by LiteRT, may matter on hardware",
        ),
        finding(
            "MAX_POOL_2D/same_quantization",
            "violation",
            where(pool, "output", None, "pool"),
            "scale 0.02",
            "scale 0.01",
            line=70,
            waiver=relax,
        ),
        finding(
            "CONV_2D/weight/granularity",
            "note",
            kernel,
            "per-tensor",
            "per-axis",
            line=13,
            waiver=Waiver("baseline.json", "known since before the gate"),
        ),
        *(
            finding(
                "TENSOR/tensor/granularity",
                "violation",
                Where(0, "main", -1, "TENSOR", name, "tensor", None, 90 + n, name),
                "3 scales for 4 channels",
                "as many scales as channels, or one",
                line=90,
            )
            for n, name in enumerate(("unused/kernel", "unused/other"))
        ),
        finding("ADD/operands", "violation", where(nested), "3 operands", "2 operands", line=20),
    )
    operators = (nested, conv, conv2, concat, softmax, pool, *denses, *floats, custom, head, handle)
    return ModelReport(
        "models/keyword spotting.tflite", "", 54_321, ("litert-runtime",), operators, findings,
        runtimes={"litert-runtime": "ai-edge-litert 2.3.0"},
    )  # fmt: skip


def hostile() -> ModelReport:
    """Return a model with names that attack the terminal and every format."""
    op = operator(0, "CONV_2D", HOSTILE, "violates")
    long = operator(1, "CONV_2D", LONG, "violates")
    skipped = operator(2, "CUSTOM", HOSTILE, "not covered", f"custom operator '{HOSTILE}'")
    findings = (
        finding("CONV_2D/input/dtype", "violation", where(op, "input", None, HOSTILE), HOSTILE, "int8"),
        finding("CONV_2D/input/dtype", "violation", where(op, "input", None, HOSTILE), HOSTILE, "int8"),
        finding("CONV_2D/input/dtype", "violation", where(long, "input", None, LONG), "int4", "int8"),
        finding(
            "CONV_2D/limits/dilated_kernel_h",
            "note",
            where(op),
            "70",
            "1..64",
            waiver=Waiver(HOSTILE, f"because of {HOSTILE}"),
        ),
    )
    remarks = (f"signature '{HOSTILE}' names no subgraph",)
    return ModelReport(
        "bundle.task", HOSTILE, 2_400_000, ("litert-runtime",), (op, long, skipped), findings, (), remarks
    )


def unreadable() -> ModelReport:
    problems = (
        Problem(
            "offset-outside-file",
            "subgraphs[0].tensors[17].quantization.scale",
            48_120,
            "the vector starts at byte 1,073,741,824, the file has 51,200",
        ),
        Problem("no-identifier", "", 4, "bytes 4 to 7 are 'ZZZZ', not 'TFL3'"),
        Problem("empty", "operator_codes", None, f"names {HOSTILE}"),
    )
    return ModelReport("/data/damaged.tflite", "", 51_200, problems=problems)


def conforming() -> ModelReport:
    ops = (operator(0, "CONV_2D", "conv"), operator(1, "RESHAPE", "flat"))
    return ModelReport("models/good.tflite", "", 999, ("litert-runtime", "acme-npu2"), ops)


def uncovered() -> ModelReport:
    ops = tuple(operator(n, "CONV_2D", f"conv_{n}", "not covered", "its input is float32") for n in range(3))
    return ModelReport("models/float.tflite", "", 4_000_000_000, (), ops)


@pytest.fixture
def sample() -> Report:
    """Return a report of models of every verdict, a container's member and a stale baseline entry."""
    stale = StaleEntry("baseline.json", "CONV_2D/bias/scale", "CONV_2D #4 'gone'", "0123456789abcdef" * 2)
    models = (violating(), hostile(), unreadable(), conforming(), uncovered())
    return Report("0.1.0", models, stale=(stale,))


@pytest.fixture
def good() -> Report:
    """Return a report without findings."""
    return Report("0.1.0", (conforming(),))


@pytest.fixture
def report_of() -> Callable[..., Report]:
    """Return ``report_of(finding, ...)``, which makes a report of a model with a CONV_2D and these findings."""

    def build(*findings: Finding, **policy: object) -> Report:
        op = operator(0, "CONV_2D", "conv", "violates" if findings else "conforms")
        model = ModelReport("m.tflite", "", 1, ("litert-int8",), (op,), findings)
        return Report("0.1.0", (model,), **policy)  # type: ignore[arg-type]

    return build


@pytest.fixture
def make_finding() -> Callable[..., Finding]:
    """Return ``make_finding(path, level, name=...)``, which makes a finding on the model of ``report_of``."""

    def build(path: str = "CONV_2D/weight/zero_point", level: Level = "violation", **more: str) -> Finding:
        op = operator(0, "CONV_2D", more.pop("name", "conv"))
        role, tensor = more.pop("role", "weight"), more.pop("tensor", "kernel")
        return finding(path, level, where(op, role, None, tensor), more.pop("found", "3"), "0", **more)  # type: ignore[arg-type]

    return build
