"""Drafts: types and shapes of a form, values at run time, and forms that a rule rejects."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.template_operand import TemplateOperand
from litecheck.errors import ProfileError
from litecheck.profile.generate.plan_solver import UnsolvableError
from litecheck.profile.load import load_profile
from litecheck.profile.operator_plan import Plan
from litecheck.suite.case_templates import CaseTemplate, templates_of
from litecheck.suite.drafts import draft_form, tensor_name
from litecheck.suite.option_combinations import Choice, choices
from tests.suite.drafted import SMALL, draft_of, fingerprint


@pytest.fixture
def small(tmp_path: Path):  # type: ignore[no-untyped-def]
    file = tmp_path / "small.yaml"
    file.write_text(SMALL, "utf-8")
    return load_profile(str(file))


def shapes(plan: Plan) -> dict[str, list[tuple[str, tuple[int, ...], int]]]:
    return {r: [(t.dtype, t.shape, t.scale.size) for t in ts] for r, ts in plan.operands.items()}


def test_shapes_and_types_of_a_draft() -> None:
    """CONV_2D, SAME padding over (2, 5, 7, 3) with 5 filters: output (2, 5, 7, 5)."""
    draft = draft_of("CONV_2D")
    assert shapes(draft.plan) == {
        "input": [("int8", (2, 5, 7, 3), 1)],
        "weight": [("int8", (5, 3, 3, 3), 5)],
        "bias": [("int32", (5,), 5)],
        "output": [("int8", (2, 5, 7, 5), 1)],
    }
    assert draft.blank == {"weight", "bias"}
    assert draft.inputs == {}
    assert draft.violated_limits(draft.plan) == ()


def test_data_that_the_rule_makes_constant_is_drawn() -> None:
    profile = load_profile("litert-hybrid")
    rule = profile.operators["BATCH_MATMUL"]
    (shared,) = (form for form in templates_of("BATCH_MATMUL").forms if form.name == "shared")
    assert draft_form(profile, rule, shared, next(choices(profile, rule, "int8"))).blank == {"rhs"}


def test_several_outputs() -> None:
    draft = draft_of("SPLIT")
    assert shapes(draft.plan)["outputs"] == [("int8", (2, 3, 4, 3), 1)] * 2
    assert [t.name for t in draft.plan.operands["outputs"]] == ["outputs", "outputs 1"]
    assert (tensor_name("outputs", 0), tensor_name("outputs", 2)) == ("outputs", "outputs 2")


def test_one_scale_and_several() -> None:
    one = draft_of("FULLY_CONNECTED", profile="litert-int8", choice=1)
    assert one.choice.single == "weight"
    assert [one.plan.operands[role][0].scale.size for role in ("weight", "bias")] == [1, 1]
    usual = draft_of("FULLY_CONNECTED")
    assert [usual.plan.operands[role][0].scale.size for role in ("weight", "bias")] == [9, 9]


def test_several_scales_where_one_is_usual(tmp_path: Path) -> None:
    """The scales lie along the axis of the rule, with a scale for each of the 9 units."""
    file = tmp_path / "turned.yaml"
    file.write_text(SMALL.replace("[per-axis, per-tensor]", "[per-tensor, per-axis]"), "utf-8")
    profile = load_profile(str(file))
    rule, form = profile.operators["FULLY_CONNECTED"], templates_of("FULLY_CONNECTED").forms[0]
    usual, several = choices(profile, rule, "int8")
    assert several == Choice("int8", several="weight")
    found = [draft_form(profile, rule, form, c).plan.operands["weight"][0] for c in (usual, several)]
    assert [(t.scale.size, t.quantization.axis) for t in found] == [(1, 0), (9, 0)]
    assert {*found[1].zero_point.tolist()} == {0}


def test_a_chosen_type() -> None:
    draft = draft_of("GATHER", choice=1)
    ((role, dtype),) = draft.choice.types
    assert draft.plan.operands[role][0].dtype == dtype
    assert draft.plan.operands["input"][0].dtype == "int8"


def test_values_at_run_time() -> None:
    """Values of a form are used. A condition is False, False, True, True, ... in the order of its elements."""
    draft = draft_of("SELECT_V2")
    assert {name: values.tolist() for name, values in draft.inputs.items()} == {
        "condition": [[True, False, True], [False, False, True]]
    }
    assert draft.inputs["condition"].dtype == np.bool_
    gather = draft_of("GATHER", "given")
    assert {*gather.inputs} == {"indices"}
    turns = draft_of("WHERE").inputs["condition"]
    assert turns.ravel().tolist() == [0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1]


def test_called_subgraphs() -> None:
    """The branches of IF have both operands as inputs, and return them in different orders."""
    draft = draft_of("IF")
    assert {c.option for c in draft.plan.calls} == {"then_subgraph_index", "else_subgraph_index"}
    for callee in draft.plan.calls:
        assert [t.name for t in callee.inputs] == ["inner 0", "inner 1"]
        assert [t.name for t in callee.outputs] in (["inner 0", "inner 1"], ["inner 1", "inner 0"])


def form(**operands: tuple[int, ...]) -> CaseTemplate:
    made = {
        role: (TemplateOperand(shape, constant=role in ("weight", "bias")),)
        for role, shape in operands.items()
    }
    return CaseTemplate("FULLY_CONNECTED", "own", "smoke", 17, made, {}, 1)


def test_forms_that_do_not_fit_together(small) -> None:  # type: ignore[no-untyped-def]
    rule = small.operators["FULLY_CONNECTED"]
    with pytest.raises(ProfileError, match=r"FULLY_CONNECTED, form own") as raised:
        draft_form(small, rule, form(input=(3, 5), weight=(4, 6)), Choice("int8"))
    assert ":17" in str(raised.value)


def test_choices_of_absent_operands(small) -> None:  # type: ignore[no-untyped-def]
    rule = small.operators["FULLY_CONNECTED"]
    plain = form(input=(3, 6), weight=(4, 6))
    with pytest.raises(UnsolvableError, match="without bias"):
        draft_form(small, rule, plain, Choice("int8", types=(("bias", "int32"),)))
    draft = draft_form(small, rule, plain, Choice("int8"))
    assert shapes(draft.plan)["output"] == [("int8", (3, 4), 1)]
    assert shapes(draft.plan)["bias"] == []


def test_forms_that_a_rule_changes(tmp_path: Path) -> None:
    """A rule that wants rank 3 has no draft of a matrix: the solver would have to change the form."""
    file = tmp_path / "ranked.yaml"
    limited = SMALL.replace(
        "    outputs: [output]\n    tensors:\n      lhs",
        "    outputs: [output]\n    limits: {lhs.rank: 5}\n    tensors:\n      lhs",
    )
    file.write_text(limited, "utf-8")
    profile = load_profile(str(file))
    with pytest.raises(UnsolvableError, match=r"breaks ADD/limits/lhs\.rank"):
        draft_form(profile, profile.operators["ADD"], templates_of("ADD").forms[0], Choice("int8"))


DRAFTS = ("CONV_2D", "FULLY_CONNECTED", "ADD", "SPLIT", "GATHER", "IF", "SELECT_V2", "CAST", "SVDF")


def test_drafts_of_several_forms() -> None:
    """The same options give the same bytes (docs/suite.md)."""
    plans = [
        draft_of(opcode, form.name).plan for opcode in DRAFTS[:5] for form in templates_of(opcode).forms[:4]
    ]
    plans += [draft_of(opcode).plan for opcode in DRAFTS[5:]]
    assert fingerprint(*plans) == "c525e14f1d5f"
