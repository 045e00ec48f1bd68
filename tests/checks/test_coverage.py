"""Operators that a profile covers, and the reasons for those that it does not cover."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from fixtures.broken import changed
from fixtures.models import (
    concat,
    conv,
    custom_op,
    fc_int8,
    float_model,
    hybrid,
    int16x8,
    softmax,
    uint8_model,
)
from litecheck.checks.coverage import opaque_reason
from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model, Operator
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import conforming_plan
from litecheck.profile.load import load_profile
from litecheck.profile.types import OperatorRule, Profile, Roles
from litecheck.quantization import Custom, Quantization
from litecheck.report import ModelReport, Report
from litecheck.summary_text import Status
from tests.checks.table import STEP, finished_with, profile

RULES = """\
activations: int8
kinds: {activation: {dtype: int8, granularity: per-tensor}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors: {input: activation, weight: {dtype: int8}, output: activation}
    except:
      - {output: [int32, float32], because: "the raw accumulator, or reals"}
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors: {input: activation, weight: {dtype: int8}, output: activation}
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors: {lhs: activation, rhs: activation, output: activation}
  ARG_MAX:
    inputs: [input, axis]
    outputs: [output]
    tensors: {input: activation}
  RESHAPE:
    inputs: [input, shape]
    optional: [shape]
    outputs: [output]
    tensors: {input: activation, output: activation}
    same_quantization: [input, output]
"""
NO_QUANTIZATION = Quantization()


def plain(
    opcode: str, dtype: str, inputs: int = 2, q: Quantization | None = None, **options: object
) -> Model:
    """Return a model of an operator over tensors of a single type."""
    builder = ModelBuilder(f"one {opcode}")
    main = builder.subgraph()
    operands = [main.tensor(f"x{n}", (1, 4), dtype, q) for n in range(inputs)]
    return finished_with(builder, main, opcode, operands, main.tensor("y", (1, 4), dtype, q), **options)


def of_constants() -> Model:
    builder = ModelBuilder("one ARG_MAX of a constant")
    main = builder.subgraph()
    operands = [
        main.constant("x", np.ones((1, 4), np.int8), STEP),
        main.constant("axis", np.array(1, np.int32)),
    ]
    return finished_with(builder, main, "ARG_MAX", operands, main.tensor("y", (1,), "int32"))


def compared(dtype: str) -> Model:
    builder = ModelBuilder("one comparison")
    main = builder.subgraph()
    operands = [main.tensor(f"x{n}", (1, 4), dtype) for n in range(2)]
    return finished_with(builder, main, "GREATER", operands, main.tensor("y", (1, 4), "bool"))


def with_custom_quantization() -> Model:
    return changed(conv(), "weight", details=Custom(b"acme"))


REASONS: dict[str, tuple[Model, str]] = {
    "custom": (custom_op(), "custom operator 'AcmeSort'"),
    "delegate": (
        plain("DELEGATE", "int8", q=STEP),
        "an opaque delegate: its computation is not in the file",
    ),
    "float": (float_model(), "float32 activations"),
    "bfloat16": (plain("ADD", "bfloat16"), "bfloat16 activations"),
    "hybrid": (hybrid(), "hybrid: float32 activations with int8 weights"),
    "uint8": (uint8_model(), "uint8 activations: the legacy scheme, outside the int8 specification"),
    "int16": (int16x8(), "int16 arithmetic"),
    "int32": (plain("ADD", "int32"), "int32 arithmetic"),
    "several types": (compared("int64"), "bool, int64 arithmetic"),
    "constants": (of_constants(), "only constants go in"),
    "no rule": (concat(), "table has no rule for it"),
    "exempted": (
        changed(
            conv(),
            "conv_2d_0",
            dtype="float32",
            scale=np.empty(0, np.float32),
            zero_point=np.empty(0, np.int64),
        ),
        "the raw accumulator, or reals",
    ),
    "exempted, the other type": (
        changed(conv(), "conv_2d_0", dtype="int32"),
        "the raw accumulator, or reals",
    ),
    "custom quantization": (
        with_custom_quantization(),
        "custom quantization of weight, which only its maker can read",
    ),
    "raw data": (plain("RESHAPE", "int8", 1), "int8 data without quantization"),
}


def multiplied(dtype: str, weights: str) -> Model:
    """Return a FULLY_CONNECTED with different types of activations and weights."""
    builder = ModelBuilder("one fully connected layer")
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), dtype)
    w = main.constant("w", np.ones((4, 4), np.int8), qparams(0.5), weights)
    return finished_with(builder, main, "FULLY_CONNECTED", [x, w], main.tensor("y", (1, 4), dtype))


def judged(model: Model, *profiles: Profile) -> tuple[Status, str]:
    """Return status and reason of the model's last operator."""
    report = validate(model, profiles or None)
    return report.operators[-1].status, report.operators[-1].reason


@pytest.mark.parametrize("case", REASONS)
def test_reasons_of_operators_that_are_not_covered(case: str) -> None:
    model, reason = REASONS[case]
    assert judged(model, profile(RULES)) == ("not covered", reason)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2"])
def test_real_numbers_of_every_width_are_activations(dtype: str) -> None:
    assert judged(plain("ADD", dtype), profile(RULES)) == ("not covered", f"{dtype} activations")


@pytest.mark.parametrize("weights", ["int8", "int4", "uint4", "int2"])
def test_small_weights_under_real_numbers_are_hybrid(weights: str) -> None:
    told = f"hybrid: float32 activations with {weights} weights"
    assert judged(multiplied("float32", weights), profile(RULES)) == ("not covered", told)


def test_a_profile_of_any_type_covers_every_type() -> None:
    rules = "activations: any\nunlisted: violation\nops:\n  ADD: {inputs: [lhs, rhs], outputs: [output]}\n"
    assert [judged(plain("ADD", dtype), profile(rules))[0] for dtype in ("bool", "float64")] == [
        "conforms"
    ] * 2
    assert [f.path for f in validate(plain("SUB", "float64"), [profile(rules)]).findings] == [
        "SUB/unsupported"
    ]


def test_an_operator_newer_than_the_schema() -> None:
    model = plain("ADD", "int8", q=STEP)
    (main,) = model.subgraphs
    from dataclasses import replace

    newer = replace(main, operators=(replace(main.operators[0], opcode="BUILTIN 999", options=None),))
    reason = "builtin 999 is newer than litecheck's schema"
    assert judged(replace(model, subgraphs=(newer,)), profile(RULES)) == ("not covered", reason)


def test_the_reason_is_that_of_the_profile_that_came_nearest() -> None:
    int8, int16 = profile(RULES), profile(RULES.replace("int8", "int16"))
    assert judged(plain("ADD", "int32"), int8, int16) == ("not covered", "int32 arithmetic")
    assert judged(plain("RESHAPE", "int16", 1), int8, int16) == (
        "not covered",
        "int16 data without quantization",
    )
    assert judged(concat(), int16, int8) == ("not covered", "table has no rule for it")


@pytest.mark.parametrize("model", [conv(), fc_int8(), plain("ADD", "int8", q=STEP)])
def test_operators_of_the_profiles_type_are_checked(model: Model) -> None:
    """Control of the reasons above: operators of the covered type are checked."""
    assert judged(model, profile(RULES)) == ("conforms", "")


def moves(rule: OperatorRule) -> bool:
    """Return True if all activation operands of the rule must have the same quantization."""
    shared = [r.value.roles for r in rule.requirements if isinstance(r.value, Roles)]
    return bool(rule.activations) and any(set(rule.activations) <= set(roles) for roles in shared)


def movers() -> Iterator[tuple[str, str]]:
    for name in ("litert-runtime", "litert-int16x8"):
        yield from ((name, op) for op, rule in load_profile(name).operators.items() if moves(rule))


MOVERS = list(movers())
NAMED = (
    "RESHAPE SLICE TRANSPOSE GATHER STRIDED_SLICE TILE REVERSE_V2 EXPAND_DIMS PACK UNPACK SPLIT PAD".split()
)


def test_the_tested_operators_include_those_that_move_data() -> None:
    assert {(p, op) for p in ("litert-runtime", "litert-int16x8") for op in NAMED} <= set(MOVERS)
    assert {"ADD", "CONV_2D", "SOFTMAX"}.isdisjoint(op for _, op in MOVERS)


@pytest.mark.parametrize(("name", "opcode"), MOVERS)
def test_raw_data_that_is_moved_is_not_covered_and_no_violation(name: str, opcode: str) -> None:
    judge = load_profile(name)
    plan = conforming_plan(judge, judge.operators[opcode]).edit_all(
        lambda t: t.but(quantization=Quantization())
    )
    dtype = judge.activations[0]
    report = validate(assemble(plan), [judge])
    assert report.findings == ()
    assert [(op.status, op.reason) for op in report.operators] == [
        ("not covered", f"{dtype} data without quantization")
    ]


@pytest.mark.parametrize(("name", "opcode"), MOVERS)
def test_data_quantized_on_one_side_alone_is_found(name: str, opcode: str) -> None:
    """Control: if an operand is quantized, the further operands must be quantized too."""
    judge = load_profile(name)
    rule = judge.operators[opcode]
    plan = conforming_plan(judge, rule).edit(
        rule.activations[0], lambda t: t.but(quantization=Quantization())
    )
    report = validate(assemble(plan), [judge])
    assert report.operators[0].status in ("violates", "conforms")
    assert {finding.path.rpartition("/")[2] for finding in report.findings} & {
        "granularity",
        "same_quantization",
    }


@pytest.mark.parametrize(("name", "dtype"), [("litert-runtime", "int8"), ("litert-int16x8", "int16")])
def test_raw_data_that_is_computed_with_is_a_violation(name: str, dtype: str) -> None:
    assert judged(plain("ADD", dtype), load_profile(name))[0] == "violates"


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_the_squares_of_other_types_are_no_violation(dtype: str) -> None:
    report = validate(plain("SQUARED_DIFFERENCE", dtype), [load_profile("litert-int16x8")])
    assert (report.findings, report.operators[0].status) == ((), "not covered")
    assert [f for f in validate(plain("SQUARED_DIFFERENCE", dtype)).findings if f.level == "violation"] == []


def test_the_squares_of_int16_are_a_violation() -> None:
    (finding,) = validate(
        plain("SQUARED_DIFFERENCE", "int16", q=qparams(0.5)), [load_profile("litert-int16x8")]
    ).findings
    assert (finding.path, finding.level) == ("SQUARED_DIFFERENCE/unsupported", "violation")


def verdict(report: ModelReport) -> str:
    return Report("0", (report,)).verdict(report)


@pytest.mark.parametrize(
    ("model", "profiles", "status", "then"),
    [
        (softmax(), ("litert-runtime",), "conforms", "conforms"),
        (int16x8(), ("litert-int16x8",), "conforms", "conforms"),
        (plain("ADD", "float32"), ("litert-structure",), "structure checked only", "not checked"),
        (plain("ADD", "int32"), ("litert-structure",), "conforms", "not checked"),
        (plain("DELEGATE", "int8", q=STEP), (), "not covered", "not checked"),
    ],
    ids=["int8", "int16", "float32", "int32", "delegate"],
)
def test_each_operator_is_judged_by_the_profile_of_its_type(
    model: Model, profiles: tuple[str, ...], status: str, then: str
) -> None:
    report = validate(model)
    assert [(op.profiles, op.status) for op in report.operators] == [(profiles, status)]
    assert report.profiles == profiles
    assert verdict(report) == then


STRUCTURE = """\
activations: any
judges: structure
ops:
  ADD: {inputs: [lhs, rhs], outputs: [output]}
  VAR_HANDLE: {inputs: [], outputs: [handle], nothing_to_judge: a handle holds no data}
"""


@pytest.mark.parametrize(
    ("dtype", "status", "reason"),
    [
        ("int32", "conforms", ""),
        ("uint32", "conforms", ""),
        ("int64", "conforms", ""),
        ("uint64", "conforms", ""),
        ("bool", "conforms", ""),
        ("float32", "structure checked only", "float32 activations"),
        ("int8", "not covered", "int8 arithmetic"),
        ("uint8", "not covered", "uint8 activations: the legacy scheme, outside the int8 specification"),
        ("uint16", "not covered", "uint16 arithmetic"),
    ],
)
def test_statuses_by_type_under_a_structure_profile(dtype: str, status: str, reason: str) -> None:
    """After an int16 profile, a structure profile covers wide integers and bool; float32 has its structure checked only."""
    int16 = profile("activations: int16\nkinds: {activation: {dtype: int16}}\nops:\n  ADD: {inputs: [lhs, rhs], "
                    "outputs: [output], tensors: {lhs: activation, rhs: activation}}\n")  # fmt: skip
    report = validate(plain("ADD", dtype), [int16, profile(STRUCTURE)])
    (operator,) = report.operators
    assert (operator.status, operator.reason, operator.quantized) == (status, reason, False)
    assert verdict(report) == "not checked"


def test_a_handle_is_not_applicable() -> None:
    builder = ModelBuilder("one variable")
    main = builder.subgraph()
    model = finished_with(builder, main, "VAR_HANDLE", [], main.tensor("handle", (), "resource"))
    assert judged(model, profile(STRUCTURE)) == ("not applicable", "a handle holds no data")


def test_only_profiles_that_cover_an_operator_are_named_with_their_runtime() -> None:
    report = validate(softmax())
    assert dict(report.runtimes) == {"litert-runtime": load_profile("litert-runtime").runtime}
    assert report.judges == f"litert-runtime ({load_profile('litert-runtime').runtime})"
    named = [load_profile("litert-int8"), load_profile("litert-int16x8")]
    assert validate(softmax(), named).profiles == ("litert-int8", "litert-int16x8"), (
        "given profiles are named"
    )


@pytest.mark.parametrize(("dtype", "status"), [("float32", "structure checked only"), ("int32", "conforms")])
def test_no_int16_rule_covers_squared_differences_of_further_types(dtype: str, status: str) -> None:
    """Every layer norm has a SQUARED_DIFFERENCE of reals."""
    builder = ModelBuilder("a layer norm's")
    main = builder.subgraph("main")
    lhs, rhs, y = (main.tensor(name, (1, 4), dtype) for name in ("lhs", "rhs", "y"))
    main.add("SQUARED_DIFFERENCE", [lhs, rhs], [y])
    main.inputs(lhs, rhs)
    main.outputs(y)
    report = validate(builder.finish())
    assert report.findings == ()
    assert [op.status for op in report.operators] == [status]


@pytest.mark.parametrize(
    ("opcode", "custom_code", "reason"),
    [
        ("CUSTOM", "AcmeSort", "custom operator 'AcmeSort'"),
        ("CUSTOM", "ethos-u", "'ethos-u', compiled for Arm Ethos-U by Vela"),
        ("DELEGATE", "", "an opaque delegate: its computation is not in the file"),
        ("BUILTIN 999", "", "builtin 999 is newer than litecheck's schema"),
        ("ADD", "", None),
    ],
)
def test_operators_that_no_profile_covers(opcode: str, custom_code: str, reason: str | None) -> None:
    found = opaque_reason(Operator(0, opcode, (), (), custom_code=custom_code))
    assert (found and found.reason) == reason
