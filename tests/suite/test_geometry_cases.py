"""Geometric cases: valid models of the shapes in their factors, at the level of their strength."""

from __future__ import annotations

from itertools import product

import pytest

from litecheck.cases.geometry.design import rows_of
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.profile.load import load_profile
from litecheck.suite.geometry_cases import geometric


@pytest.mark.parametrize("opcode", ["MAX_POOL_2D", "CONCATENATION"])
def test_each_row_of_the_design_is_a_case_with_its_shapes(opcode: str) -> None:
    made = list(geometric(load_profile("litert-int8"), opcode, "standard", 0))
    assert [dict(case.factors) for case in made] == list(map(dict, rows_of(opcode, 2)))
    for case in made:
        main = model_from(model_bytes(case.model), case.name).subgraphs[0]
        shape = main.tensors[main.inputs[0]].shape
        names = ("batch", "height", "width", "channels")
        assert shape == tuple(int(case.factors[name]) for name in names)
        assert len(case.runs) == len(case.expected) > 0
        assert case.expected[0][0].shape == main.tensors[main.outputs[0]].shape


def test_a_suite_of_level_smoke_has_none() -> None:
    assert list(geometric(load_profile("litert-int8"), "ADD", "smoke", 0)) == []


def test_names_state_the_type_of_weights_beside_float_activations() -> None:
    made = [case.name for case in geometric(load_profile("litert-hybrid"), "FULLY_CONNECTED", "standard", 0)]
    assert len(set(made)) == len(made)
    assert {
        "FULLY_CONNECTED/float32/geometry-2-0-int8-weights",
        "FULLY_CONNECTED/float32/geometry-2-0-int4-weights",
    } <= {*made}


def test_shapes_stay_where_a_rule_forbids_other_values_of_their_rows() -> None:
    """TFLM's SPACE_TO_BATCH_ND does not write padding; most rows of the design have padding."""
    cases = list(geometric(load_profile("tflm"), "SPACE_TO_BATCH_ND", "standard", 0))
    assert {case.factors["before"] for case in cases} == {"0 0"}
    assert len({tuple(case.factors.items()) for case in cases}) == len(cases)
    sizes = ("batch", {"1", "2", "5", "260"}), ("channels", {"1", "3", "4", "17", "33", "62", "64", "260"})
    for name, values in sizes:
        assert {case.factors[name] for case in cases} == values
    pairs = {(case.factors["batch"], case.factors["channels"]) for case in cases}
    assert pairs >= set(product(("1", "2", "5"), ("1", "3", "4", "17", "33")))
    everywhere = list(geometric(load_profile("litert-int8"), "SPACE_TO_BATCH_ND", "standard", 0))
    assert {case.factors["before"] for case in everywhere} == {"0 0", "1 0", "0 2", "1 1", "9 11"}


def test_rows_that_a_rule_allows_are_the_same_cases_under_every_profile() -> None:
    """TFLM forbids the rows of STRIDED_SLICE without a number for each dimension."""
    everywhere, some = (
        {case.name: case for case in geometric(load_profile(profile), "STRIDED_SLICE", "standard", 0)}
        for profile in ("litert-runtime", "tflm")
    )
    forbidden = {name for name, case in everywhere.items() if case.factors["stated"] != "all"}
    kept = everywhere.keys() - forbidden
    assert 0 < len(forbidden) < len(kept)
    assert all(some[name].factors == everywhere[name].factors for name in kept)
    assert not forbidden & some.keys()


@pytest.mark.parametrize("opcode", ["GREATER_EQUAL", "LESS", "EQUAL"])
def test_comparisons_with_one_element_have_equal_values(opcode: str) -> None:
    """EQUAL is true and LESS false for equal values: an output has both values only if some are equal."""
    for case in geometric(load_profile("litert-int8"), opcode, "standard", 0):
        if case.factors["broadcast"] in ("lhs element", "rhs element"):
            tensors = case.model.subgraphs[0].tensors
            zeros = [int(tensors[i].quantization.zero_point[0]) for i in case.model.subgraphs[0].inputs]
            lhs, rhs = case.runs[1]
            single, other = (lhs, rhs) if case.factors["broadcast"] == "lhs element" else (rhs, lhs)
            assert single.reshape(-1)[0] == zeros[0 if single is lhs else 1]
            assert (other == zeros[1 if single is lhs else 0]).any() or other.size < 20


@pytest.mark.parametrize(("opcode", "factors", "runs"), [
    ("MUL", {"height": "65", "width": "260"}, 1),
    ("MUL", {"height": "4", "width": "8", "channels": "64"}, 2),
    ("LESS", {"height": "261", "width": "260", "channels": "1"}, 2),
])  # fmt: skip
def test_large_cases_have_one_inference_except_comparisons(
    opcode: str, factors: dict[str, str], runs: int
) -> None:
    made = geometric(load_profile("litert-int8"), opcode, "standard", 0)
    found = [c for c in made if factors.items() <= c.factors.items() and c.factors["broadcast"] == "none"]
    assert {len(case.runs) for case in found} == {runs}
