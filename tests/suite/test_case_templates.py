"""rules/case_templates.yaml: read strictly, in the operators' own words, described by its schema."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from litecheck.cases.geometry.design import STRENGTHS, design_of, rows_of
from litecheck.data import rules_dir, schemas_dir
from litecheck.errors import ProfileError
from litecheck.profile.load import load_profile, profile_names
from litecheck.suite import case_templates
from litecheck.suite.case_templates import read_templates, templates_of
from litecheck.suite.drafts import Choice, draft_form
from litecheck.suite.suite_cases import operators


def test_the_schema_describes_operators_yaml() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")
    schema = json.loads((schemas_dir() / "case_templates.schema.json").read_text("utf-8"))
    document = yaml.safe_load((rules_dir() / "case_templates.yaml").read_text("utf-8"))
    judge = jsonschema.Draft202012Validator(schema)
    judge.validate(document)
    assert set(schema["$defs"]["operator"]["properties"]) == set(case_templates._KEYS)
    assert set(schema["$defs"]["form"]["properties"]) == set(case_templates._FORM_KEYS)
    assert set(schema["$defs"]["one"]["anyOf"][1]["properties"]) == set(case_templates._OPERAND_KEYS)
    document["ops"]["ADD"]["forms"]["same"]["level"] = "smokey"
    assert not judge.is_valid(document)


def test_lists_are_shapes_or_constants() -> None:
    form = templates_of("PAD").forms[0]
    assert form.operands["input"][0].shape == (2, 4, 5, 3)
    assert form.operands["input"][0].values is None
    paddings = form.operands["paddings"][0]
    assert paddings.constant
    assert paddings.values is not None
    assert paddings.values.tolist() == [[0, 0], [1, 2], [2, 0], [0, 1]]
    assert [part.shape for part in templates_of("CONCATENATION").forms[0].operands["values"]] == [
        (2, 3, 4, 3),
        (2, 3, 4, 5),
    ]


def test_values_by_inference_are_values_at_run_time() -> None:
    (condition,) = next(f for f in templates_of("IF").forms if f.name == "false").operands["condition"]
    assert [values.tolist() for values in condition.by_inference] == [False, True, True]
    assert condition.values is condition.by_inference[0]
    assert condition.is_runtime_input


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("ADDD: {like: ADD}", "templates.yaml:2: no operator 'ADDD'; did you mean 'ADD'?"),
        ("ADD: {form: {}}", "templates.yaml:2: unknown key 'form'; did you mean 'forms'?"),
        ("ADD: {version: 2}", "templates.yaml:2: ADD takes forms, like, or none with the reason"),
        ("ADD: {like: SUB}", "templates.yaml:2: 'SUB' has no entry"),
        ("ADD: {forms: {a: {operands: {lsh: [1]}}}}", "templates.yaml:2: 'lsh' is not an operand here; did you mean 'lhs'?"),
        ("ADD: {forms: {a: {level: often}}}", "templates.yaml:2: no level 'often'; there are smoke, standard, exhaustive"),
        ("ADD: {forms: {a: {operands: {lhs: [x]}}}}", "templates.yaml:2: expected a whole number here"),
        ("ADD: {forms: {a: {operands: {lhs: {given: [[1], [1, 2]]}}}}}", "templates.yaml:2: rows of different lengths"),
        ("ADD: {forms: {a: {operands: {lhs: {given: [x]}}}}}", "templates.yaml:2: expected numbers, or true and false"),
        ("ADD: {forms: {a: {operands: {lhs: {by_inference: [[1], [1, 2]]}}}}}", "expected values of one shape"),
        ("ADD: {forms: {a: {operands: {lhs: {by_inference: []}}}}}", "expected values of one shape"),
        ("ADD: {forms: {a: {options: {strides: 1}}}}", "ADD, form a: AddOptions has no option 'strides'"),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_line(entry: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "templates.yaml"
    file.write_text(f"ops:\n  {entry}\n")
    with pytest.raises(ProfileError) as error:
        read_templates(file, "templates.yaml")
    assert message in str(error.value)


def test_operands_that_do_not_go_together_are_noticed(tmp_path: Path) -> None:
    file = tmp_path / "templates.yaml"
    file.write_text("ops:\n  ADD:\n    forms:\n      bad: {operands: {lhs: [2, 3], rhs: [2, 4]}}\n")
    profile = load_profile("litert-int8")
    form = read_templates(file, "templates.yaml")["ADD"].forms[0]
    with pytest.raises(ProfileError, match="ADD, form bad"):
        draft_form(profile, profile.operators["ADD"], form, Choice("int8"))


#: Profiles of computations; suites are made from these only.
COMPUTING = [
    n
    for n in profile_names()
    if n not in ("litert-structure", "tflm-structure") and load_profile(n).judges != "placement"
]


@pytest.mark.parametrize("name", COMPUTING)
def test_every_operator_of_a_profile_has_forms_or_a_reason_for_none(name: str) -> None:
    for opcode in operators(load_profile(name)):
        found = templates_of(opcode)
        assert bool(found.forms) != bool(found.none), opcode
        assert "no form of it" not in found.none or load_profile(name).operators[opcode].unsupported, opcode
        assert not found.forms or found.forms[0].level == "smoke", opcode


def shapes_of(opcode: str) -> list[dict[str, list[tuple[int, ...]]]]:
    """Return the shapes of every form and of every geometric case, by role."""
    design = design_of(opcode)
    rows = rows_of(opcode, STRENGTHS["standard"])
    laid = [design.layout_of(row) for row in rows] if design else []
    operands = [form.operands for form in templates_of(opcode).forms] + [one.operands for one in laid if one]
    return [{role: [part.shape for part in parts] for role, parts in one.items()} for one in operands]


def values_of(opcode: str, role: str) -> list[list[int]]:
    """Return the values of an index tensor in every form."""
    parts = (part for form in templates_of(opcode).forms for part in form.operands.get(role, ()))
    return [np.atleast_1d(part.values).tolist() for part in parts if part.values is not None]


@pytest.mark.parametrize(
    "opcode",
    ["CONCATENATION", "GATHER", "GATHER_ND", "MEAN", "MIRROR_PAD", "MUL", "PAD", "PADV2", "REVERSE_V2", "SLICE", "SPLIT",
     "SPLIT_V", "STRIDED_SLICE", "TILE", "TRANSPOSE", "UNPACK", "SELECT_V2", "BROADCAST_TO", "ARG_MAX", "SOFTMAX", "LESS",
     "BATCH_MATMUL"],
)  # fmt: skip
def test_rank_5_has_several_elements_in_its_first_dimension(opcode: str) -> None:
    shapes = [shape for one in shapes_of(opcode) for several in one.values() for shape in several]
    assert any(len(shape) == 5 and shape[0] > 1 for shape in shapes)


@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"])
def test_broadcast_sides_of_four_dimensions(opcode: str) -> None:
    pairs = [(one["lhs"][0], one["rhs"][0]) for one in shapes_of(opcode)]
    whole = [(lhs, rhs) for lhs, rhs in pairs if len(lhs) == len(rhs) == 4]
    found = {("rhs", tuple(n > 1 for n in rhs)) for lhs, rhs in whole if min(lhs) > 1}
    found |= {("lhs", tuple(n > 1 for n in lhs)) for lhs, rhs in whole if min(rhs) > 1}
    both_sides = {(True, False, False, True), (False, True, True, False)}
    rhs_only = {(True, True, True, False), (False, True, True, True), (True, False, True, True)}
    assert ((2, 4, 6), (2, 1, 6)) in pairs
    assert found >= {("rhs", p) for p in both_sides | rhs_only} | {("lhs", p) for p in both_sides}


def test_batches_of_matrix_products_broadcast_in_both_directions() -> None:
    pairs = [(one["lhs"][0], one["rhs"][0]) for one in shapes_of("BATCH_MATMUL")]
    several = [(lhs[:-2], rhs[:-2]) for lhs, rhs in pairs if len(lhs) == len(rhs) and len(lhs) > 3]
    assert any(lhs[-1] == 1 < rhs[-1] and lhs[0] > 1 for lhs, rhs in several)
    assert any(rhs[-1] == 1 < lhs[-1] and rhs[0] > 1 for lhs, rhs in several)
    turned = [form for form in templates_of("BATCH_MATMUL").forms if form.options.get("adj_y")]
    assert any(form.operands["rhs"][0].shape[-2:] == (4, 4) for form in turned)
    assert {(len(lhs), len(rhs)) for lhs, rhs in pairs} >= {(2, 3), (4, 2)}


def test_axes_in_any_order_and_from_the_end() -> None:
    axes = values_of("MEAN", "axis")
    assert any(a > b >= 0 for a, b in (one for one in axes if len(one) == 2))
    assert any(len(one) > 1 for one in values_of("REVERSE_V2", "axis"))
    assert any(min(one) < 0 for one in values_of("TRANSPOSE", "perm"))


def test_many_inputs_and_outputs() -> None:
    forms = {opcode: templates_of(opcode).forms for opcode in ("CONCATENATION", "UNPACK", "SPLIT", "SPLIT_V")}
    values = [form.operands["values"] for form in forms["CONCATENATION"]]
    assert any(len(one) > 9 and any(part.constant for part in one[1:]) for one in values)
    assert max(form.results for form in forms["UNPACK"]) > 9
    assert min(max(form.results for form in forms[opcode]) for opcode in ("SPLIT", "SPLIT_V")) > 5
