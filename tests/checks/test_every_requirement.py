"""Every requirement of every profile: a plan that violates it has exactly this finding."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.known_faults import FILE as FAULTS
from litecheck.profile.load import STRUCTURE, STRUCTURES, load_profile, profile_names
from litecheck.profile.measurements.registry import setter_of
from litecheck.profile.operator_plan import Plan
from litecheck.profile.paths import FAULT_KINDS
from litecheck.profile.types import OperatorRule, Profile, Requirement

#: Requirements of structure are tested in tests/differential, on models with structure.


def without_structure(profile: Profile) -> Profile:
    """Return the profile without included requirements of structure: the models here consist of tensors only."""

    def own(rule: OperatorRule) -> OperatorRule:
        kept = tuple(r for r in rule.requirements if r.demand.profile not in STRUCTURES)
        ways = [
            (a, tuple(r for r in a.requirements if r.demand.profile not in STRUCTURES)) for a in rule.any_of
        ]
        any_of = tuple(replace(a, requirements=own) for a, own in ways if own)
        return replace(rule, requirements=kept, any_of=any_of)

    own_types = None if profile.types is load_profile(STRUCTURE).types else profile.types
    operators = {op: own(rule) for op, rule in profile.operators.items()}
    return replace(profile, operators=operators, types=own_types, includes=())


#: Targets state placements; tests/differential/vela.py checks these requirements with the compilers.
PROFILES = {
    name: without_structure(profile)
    for name in profile_names()
    if name not in STRUCTURES and (profile := load_profile(name)).judges != "placement"
}
RULES = [
    (p, op) for p, profile in PROFILES.items() for op in profile.operators if op not in ("TENSOR", "SUBGRAPH")
]


@cache
def solved(profile: str, opcode: str, alternative: int = 0) -> Plan:
    return conforming_plan(PROFILES[profile], PROFILES[profile].operators[opcode], alternative)


def alternatives(rule: OperatorRule) -> range:
    return range(max(1, len(rule.any_of)))


def paths(profile: str, opcode: str) -> Iterator[tuple[Requirement, int]]:
    """Yield (requirement, alternative) with the first alternative in which the requirement's operand is
    present."""
    rule = PROFILES[profile].operators[opcode]
    if rule.unsupported:
        yield rule.unsupported, 0
        return
    plans = [solved(profile, opcode, number) for number in alternatives(rule)]
    for r in rule.requirements:
        yield r, next(n for n, plan in enumerate(plans) if r.role is None or plan.one(r.role))
    for number, alternative in enumerate(rule.any_of):
        for r in alternative.requirements:
            yield r, number


CASES = [(p, op, r, n) for p, op in RULES for r, n in paths(p, op)]
STATED = {(p, r.path) for p, _, r, _ in CASES if r.demand.profile == p}


def findings(plan: Plan, profile: str) -> tuple[Finding, ...]:
    return validate(assemble(plan), [PROFILES[profile]]).findings


@pytest.mark.parametrize(("profile", "opcode"), RULES, ids=str)
def test_an_unbroken_model_conforms(profile: str, opcode: str) -> None:
    rule = PROFILES[profile].operators[opcode]
    for number in alternatives(rule):
        report = validate(assemble(solved(profile, opcode, number)), [PROFILES[profile]])
        found = [f.path for f in report.findings if f.demanded_by.file != FAULTS]
        assert found == ([f"{opcode}/unsupported"] if rule.unsupported else [])
        assert report.coverage["not covered"] == 0


# A single parameter, because pytest's overhead per parameter is noticeable with thousands of tests.
@pytest.mark.parametrize("case", CASES, ids=[f"{p}-{op}-{r.path}-{n}" for p, op, r, n in CASES])
def test_breaking_one_requirement_gives_that_finding(case: tuple[str, str, Requirement, int]) -> None:
    profile, opcode, requirement, alternative = case
    rule = PROFILES[profile].operators[opcode]
    ways = list(
        violating_plans(
            PROFILES[profile], rule, requirement, solved(profile, opcode, alternative), alternative
        )
    )
    assert ways, "no violating plan is known"
    if requirement.demand.profile != profile and (requirement.demand.profile, requirement.path) in STATED:
        # A requirement is violated in all ways by the profile that states it, and in one way by profiles that
        # inherit it.
        del ways[1:]
    for way in ways:
        found = findings(way.plan, profile)
        also = COMPANIONS.get(requirement.path, ())
        if requirement.path.endswith("/range"):  # an unsigned weight among signed weights has a wrong type
            also = (*also, f"{opcode}/limits/weight_types")
        found = tuple(f for f in found if f.path == requirement.path or f.path not in also)
        assert [f.path for f in found] == [requirement.path], [f"{f.path}: {f.found}" for f in found]
        kind = kind_of(found[0], way.plan)
        conditional = f"{kind}/bias_scale_valid"
        if conditional in dict(requirement.faults) and has_valid_bias_scales(way.plan):
            kind = conditional
        stated = requirement.of(kind).level
        if way.kind == "malformed":
            stated = "violation"
        elif stated == "violation" and way.kind == "near":
            stated = "warning"
        assert found[0].level == stated
        assert found[0].demanded_by == requirement.demand
        assert found[0].required
        assert found[0].found


def has_valid_bias_scales(plan: Plan) -> bool:
    """Return True if all scales of the bias are positive normal numbers."""
    bias = plan.one("bias")
    scales = () if bias is None else bias.scale
    return len(scales) > 0 and all(np.finfo(np.float32).tiny <= scale < np.inf for scale in scales)


def kind_of(finding: Finding, plan: Plan) -> str:
    """Return the fault kind of a finding about a scale or stored values."""
    tensor = plan.one(finding.where.role or "")
    if finding.path.endswith("/range") and tensor and tensor.dtype == "uint8":
        return "unsigned"
    *_, name = finding.found.split(" of ")[0].split(" at channel")[0].rpartition(", ")
    kinds = {"not a number": "not_a_number", "scale is 0": "zero"}
    kind = kinds.get(name, name)
    return kind if finding.path.endswith("/scale") and kind in FAULT_KINDS["scale"] else ""


def test_no_requirement_is_left_out() -> None:
    tested = {(p, r.path) for p, _, r, _ in CASES}
    stated = {
        (p, r.path)
        for p, profile in PROFILES.items()
        for op, rule in profile.operators.items()
        if op not in ("TENSOR", "SUBGRAPH")
        for r in rule.all_requirements()
    }
    assert tested == stated
    assert len(stated) > 2000


@pytest.mark.parametrize("opcode", ["IF", "WHILE", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE"])
def test_equal_parameters_across_a_boundary_conform(opcode: str) -> None:
    plan = setter_of("boundary_mismatches").apply(solved("litert-runtime", opcode), 0)
    assert plan is not None
    assert plan.calls
    assert findings(plan, "litert-runtime") == ()


def test_a_variable_read_as_it_was_assigned_conforms() -> None:
    plan = setter_of("variable_mismatches").apply(solved("litert-runtime", "READ_VARIABLE"), 0)
    assert plan is not None
    assert findings(plan, "litert-runtime") == ()


def test_one_ulp_of_bias_scale_conforms() -> None:
    for toward in (0, np.inf):
        plan = solved("litert-int8", "CONV_2D")
        bias = plan.operands["bias"][0]
        plan = plan.with_scale("bias", np.nextafter(bias.scale, np.float32(toward)))
        assert findings(plan, "litert-int8") == ()


#: Requirements that a violation of the key necessarily violates too.
COMPANIONS = {
    "STABLEHLO_CASE/limits/branch_types": ("STABLEHLO_CASE/limits/boundary_types",),
    "WHILE/limits/condition_is_body": (
        "WHILE/limits/arity_mismatches",
        "WHILE/limits/condition_type",
        "WHILE/limits/condition_rank",
        "WHILE/limits/condition_elements",
    ),
    "ADD/limits/scale_ratio": ("ADD/limits/reach",),
    # Matrices without a depth have no elements.
    "BATCH_MATMUL/limits/symmetric_rows_without_depth": ("BATCH_MATMUL/limits/delegated_empty_dimensions",),
    # Without the condition or index, the operator has an operand more than the called subgraph has inputs.
    "IF/condition/operands": ("IF/limits/arity_mismatches",),
    "STABLEHLO_CASE/index/operands": ("STABLEHLO_CASE/limits/arity_mismatches",),
    "FULLY_CONNECTED/limits/largest_int4_accumulator": ("FULLY_CONNECTED/weight/dtype",),
    "CONV_2D/weight/range": ("CONV_2D/limits/unsigned_weight_scales",),
    "FULLY_CONNECTED/weight/axis": ("FULLY_CONNECTED/bias/granularity",),
    **{
        path: both
        for opcode in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")
        for both in [(f"{opcode}/limits/bias_scale_drift", f"{opcode}/bias/scale")]
        for path in both
    },
    **{
        f"{opcode}/operands": (f"{opcode}/limits/listed_inputs",)
        for opcode in (
            "LSTM",
            "UNIDIRECTIONAL_SEQUENCE_LSTM",
            "BIDIRECTIONAL_SEQUENCE_LSTM",
            "BIDIRECTIONAL_SEQUENCE_RNN",
        )
    },
    # With some coefficients, the form with and the form without normalization are both violated.
    **{
        path: both
        for opcode in ("LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM")
        for both in [(f"{opcode}/limits/absent_layer_norm_operands", f"{opcode}/limits/layer_norm_operands")]
        for path in both
    },
    "SCATTER_ND/output/zero_point": ("SCATTER_ND/same_quantization",),
    "MATRIX_DIAG/output/zero_point": ("MATRIX_DIAG/same_quantization",),
    **{
        f"{op}/{role}/zero_point": (f"{op}/same_quantization",)
        for op in ("RELU6", "PAD", "CONCATENATION")
        for role in ("input", "values", "output")
    },
}
