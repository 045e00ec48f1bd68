"""Notes on accuracy: just outside their range, not just inside, not with violations, not for a
specification's rules."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.operator_notes import notes
from litecheck.checks.rule_findings import check_operator
from litecheck.checks.validate import DEFAULT_PROFILES, validate
from litecheck.finding import Finding
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.rendering.explain import named_rows

MODELS = os.environ.get("LITECHECK_MODELS")


def requantized(given: float, output: float, zero: int = 0) -> Model:
    ends = (
        run_time(name, (4,), "int8", qparams(scale, zero)) for name, scale in (("x", given), ("y", output))
    )
    x, y = ends
    return one_operator("QUANTIZE", [x], [y], version=2)


def layer(output: float, weight: int = 127) -> Model:
    w = constant("w", np.full((1, 2), weight, np.int8), qparams([0.25]))
    b = constant("b", np.zeros(1, np.int32), qparams([0.125]))
    x, y = run_time("x", (1, 2), "int8", qparams(0.5)), run_time("y", (1, 1), "int8", qparams(output))
    return one_operator("FULLY_CONNECTED", [x, w, b], [y], version=4)


def int4_rows(columns: int) -> Model:
    w = constant("w", np.full((4, columns), 3, np.int8), qparams([0.25] * 4), "int4")
    x, y = run_time("x", (1, columns), "float32"), run_time("y", (1, 4), "float32")
    return one_operator("FULLY_CONNECTED", [x, w, None], [y], version=10)


def noted(model: Model, *profiles: str) -> list[Finding]:
    found = validate(model, [load_profile(name) for name in profiles] or None).findings
    return [finding for finding in found if finding.demanded_by.file == "rules/notes.yaml"]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (requantized(0.5, 0.075), [("QUANTIZE/kept_range", "output range covers 15% of the input range")]),
        (requantized(0.5, 0.25), []),
        (requantized(0.5, 100), [("QUANTIZE/output_levels", "its values span 1.3 output levels")]),
        (requantized(0.5, 7.9), []),
        (layer(2000), [("FULLY_CONNECTED/output_levels", "its values span 4.1 output levels")]),
        (layer(500), []),
        (
            layer(0.1, 1),
            [
                (
                    "FULLY_CONNECTED/sum_step",
                    "the smallest change of a sum is 1.25 output levels in half of the channels",
                )
            ],
        ),
        (layer(0.125, 1), []),
        (int4_rows(1024), [("FULLY_CONNECTED/weights_per_scale", "one scale covers 1,024 int4 weights")]),
        (int4_rows(1022), []),
    ],
)
def test_notes(model: Model, words: list[tuple[str, str]]) -> None:
    found = noted(model)
    assert [(f.path, f.found) for f in found] == words
    assert {(f.level, f.effect) for f in found} <= {("note", "information loss")}


@pytest.mark.parametrize(
    ("model", "path", "profiles"),
    [
        (requantized(0.5, 0.075), "QUANTIZE/kept_range", ()),
        (requantized(0.5, 0.075), "QUANTIZE/kept_range", ("tflm",)),
        (int4_rows(1024), "FULLY_CONNECTED/weights_per_scale", ()),
        (load_model("fixtures/custom_op.tflite"), "CUSTOM/kernel", ()),
        (load_model("fixtures/custom_op.tflite"), "CUSTOM/kernel", ("tflm",)),
    ],
)
def test_validate_and_explain_name_the_same_profile(
    model: Model, path: str, profiles: tuple[str, ...]
) -> None:
    found = validate(model, [load_profile(name) for name in profiles] or None).findings
    (demand,) = {finding.demanded_by for finding in found if finding.path == path}
    (row, *_) = named_rows(load_profile((*profiles, DEFAULT_PROFILES[0])[0]), path)
    assert demand == row.requirement.demand


def test_an_operator_with_a_violation_has_no_note() -> None:
    assert noted(requantized(0.5, 0.075, zero=-200)) == []


def test_a_profile_that_is_no_runtime_has_no_notes() -> None:
    assert noted(requantized(0.5, 0.075), "litert-int8") == []
    assert len(noted(requantized(0.5, 0.075), "tflm")) == 1


@pytest.mark.parametrize("outputs", [(0.1, 1e-8), (1e-8, 0.1), (1e-8, 1e-8), (0.1, 0.1), (0.1, 3e-7)])
def test_operators_of_the_same_form_meet_known_faults_by_their_own_scales(
    outputs: tuple[float, ...],
) -> None:
    """ADD crashes if an input scale is 2^19 times its output scale or more: 0.1 / 1e-8 is, and 0.1 / 3e-7 is not."""
    builder = ModelBuilder("sums")
    main = builder.subgraph()
    x = main.tensor("x", (4,), "int8", qparams(0.1))
    sums = [main.tensor(f"y{n}", (4,), "int8", qparams(scale)) for n, scale in enumerate(outputs)]
    for y in sums:
        main.add("ADD", [x, x], [y], version=2)
    main.inputs(x)
    main.outputs(*sums)
    content = model_bytes(builder.finish())
    model, runtime = load_model(content), load_profile("litert-runtime")
    context, found = Context(model, model.subgraphs[0]), []
    for operator in model.subgraphs[0].operators:
        bound = BoundOperator(context, operator, runtime.operators["ADD"])
        check_operator(bound)
        told = notes(context, operator, runtime, bound)
        found += [operator.index for finding in told if finding.path == "ADD/known_fault"]
    assert len(context.forms) == 1
    assert found == [n for n, scale in enumerate(outputs) if scale == 1e-8]


@pytest.mark.skipif(not MODELS, reason="needs LITECHECK_MODELS")
def test_public_models_have_no_notes() -> None:
    for file in sorted(Path(MODELS or "").glob("*.tflite")):
        assert noted(load_model(file)) == [], file


def test_a_custom_operator_without_a_name_is_a_violation() -> None:
    """LiteRT and TFLM: ``Operator with CUSTOM builtin_code has no custom_code``."""
    model = load_model("fixtures/custom_op.tflite")
    (main,) = model.subgraphs
    operators = tuple(replace(op, custom_code="") if op.opcode == "CUSTOM" else op for op in main.operators)
    nameless = replace(model, subgraphs=(replace(main, operators=operators),))
    for profiles in (None, [load_profile("tflm")]):
        (found,) = (f for f in validate(nameless, profiles).findings if f.path == "CUSTOM/kernel")
        assert (found.level, found.effect) == ("violation", "fails to load")
