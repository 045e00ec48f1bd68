"""Operators bound to a rule: tensors by role, absent and surplus operands, faults, and words for channels."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from litecheck.checks.bound_operator import (
    BoundOperator,
    Fault,
    at,
    axis,
    channel,
    dimension,
    may_lack_quantization,
    requirement_of,
    types,
    words,
)
from litecheck.checks.context import Context
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.types import Exactly, OneOf, Range
from tests.checks.table import profile

RULES = """title: A table
source: a test
kinds: {activation: {dtype: int8, granularity: per-tensor}}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: [int8, int4], granularity: [per-axis, per-tensor], axis: 1}
      bias: {dtype: int32, granularity: [per-axis, none]}
      output: activation
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
"""


def bound(opcode: str, inputs: list[int], outputs: list[int]) -> BoundOperator:
    """Return an operator over tensors ``t0`` to ``t4``; ``t4`` has two scales."""
    builder = ModelBuilder()
    main = builder.subgraph()
    for n in range(4):
        main.tensor(f"t{n}", (2, 2), "int8", qparams(0.5))
    main.tensor("t4", (2, 2), "int8", qparams([0.5, 0.25]))
    main.add(opcode, inputs, outputs)
    model = builder.finish()
    return of(model)


def of(model: Model) -> BoundOperator:
    graph = model.subgraphs[0]
    rule = profile(RULES).operators[graph.operators[0].opcode]
    return BoundOperator(Context(model, graph), graph.operators[0], rule)


def roles(one: BoundOperator) -> dict[str, list[tuple[str, int | None]]]:
    return {role: [(o.tensor.name, o.position) for o in operands] for role, operands in one.roles.items()}


FULL = {"input": [("t0", None)], "weight": [("t1", None)], "bias": [("t2", None)], "output": [("t3", None)]}


@pytest.mark.parametrize(
    ("inputs", "outputs", "found", "surplus", "complete"),
    [
        ([0, 1, 2], [3], FULL, False, True),
        ([0, 1, -1], [3], {**FULL, "bias": []}, False, False),
        ([0, 1], [3], {**FULL, "bias": []}, False, False),
        ([0, 1, 2, 2], [3], FULL, True, False),
        ([0, 1, 2], [3, 3], FULL, True, False),
        ([0, 1, 2], [], {**FULL, "output": []}, False, False),
    ],
)
def test_operands_by_role(
    inputs: list[int],
    outputs: list[int],
    found: dict[str, list[tuple[str, int | None]]],
    surplus: bool,
    complete: bool,
) -> None:
    one = bound("FULLY_CONNECTED", inputs, outputs)
    assert roles(one) == found
    assert (one.surplus, one.complete, one.gaps) == (surplus, complete, set())


def test_repeated_operands_are_numbered() -> None:
    one = bound("CONCATENATION", [0, 1, 2], [3])
    assert roles(one)["values"] == [("t0", 0), ("t1", 1), ("t2", 2)]
    assert (one.gaps, one.complete) == (set(), True)
    gap = bound("CONCATENATION", [0, -1, 2], [3])
    assert roles(gap)["values"] == [("t0", 0), ("t2", 1)]
    assert (gap.gaps, gap.complete) == ({"values"}, False)
    assert not bound("CONCATENATION", [], [3]).complete


def test_the_first_tensor_of_a_role() -> None:
    one = bound("FULLY_CONNECTED", [0, 1, -1], [3])
    weight, facts = one.one("weight"), one.facts("weight")
    assert weight is not None
    assert facts is not None
    assert (weight.name, facts.tensor.name) == ("t1", "t1")
    for absent in ("bias", "none"):
        assert (one.one(absent), one.facts(absent)) == (None, None)


def test_faults_are_remembered_by_tensor_and_verb() -> None:
    one = bound("FULLY_CONNECTED", [0, 1, 2], [3])
    (given,), (weight,) = one.roles["input"], one.roles["weight"]
    assert one.is_valid(given.tensor)
    one.add_fault("shapes", [Fault("of the whole operator")])
    assert not one.any_fault
    one.add_fault("scale", [at(given, "wrong")])
    assert one.any_fault
    assert not one.is_valid(given.tensor)
    assert not one.is_valid(given.tensor, "dtype", "scale")
    assert one.is_valid(given.tensor, "dtype")
    assert one.is_valid(weight.tensor)


def test_channels_are_stated_of_tensors_with_several_scales() -> None:
    one = bound("FULLY_CONNECTED", [0, 4, 2], [3])
    (single,), (several,) = one.roles["input"], one.roles["weight"]
    assert at(single, "wrong", 1).channels is None
    fault = at(several, "wrong", 1, "warning", "r", "b", kind="k")
    assert (fault.found, fault.role, fault.operand, fault.channels) == ("wrong", "weight", several, 1)
    assert (fault.level, fault.required, fault.because, fault.kind) == ("warning", "r", "b", "k")


@pytest.mark.parametrize(
    ("bad", "place", "told"),
    [
        ([True], 0, ""),
        ([False, True], 1, " at channel 1 of 2"),
        ([True, True, False], 0, " at channel 0 (2 of 3 channels)"),
    ],
)
def test_words_for_channels(bad: list[bool], place: int, told: str) -> None:
    assert channel(place, np.array(bad)) == told


def test_words_of_constraints() -> None:
    assert words(Exactly("int8")) == {"int8"}
    assert words(OneOf((Exactly("int8"), Exactly(Fraction(3)), Range(Fraction(0), Fraction(1))))) == {"int8"}
    assert words(Exactly(Fraction(3))) == frozenset()
    assert dimension(Exactly(Fraction(3))) == 3
    assert dimension(Exactly("any")) is None


def test_statements_of_a_rule() -> None:
    rule = profile(RULES).operators["FULLY_CONNECTED"]
    assert types(rule, "weight") == {"int8", "int4"}
    assert types(profile(RULES).operators["CONCATENATION"], "none") is None
    assert (axis(rule, "weight"), axis(rule, "input")) == (1, None)
    assert [may_lack_quantization(rule, role) for role in ("input", "weight", "bias", "none")] == [
        False, False, True, True,
    ]  # fmt: skip
    found = requirement_of(rule, "weight", "dtype")
    assert found is not None
    assert found.path == "FULLY_CONNECTED/weight/dtype"
    assert requirement_of(rule, "weight", "scale") is None


def test_measurements_see_the_shape_at_run_time() -> None:
    """RESHAPE to (4,) states (2, 2): the next operator is measured with (4,)."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (
        main.tensor(name, shape, "int8", qparams(0.5))
        for name, shape in (("x", (2, 2)), ("y", (2, 2)), ("z", (2, 2)))
    )
    size = main.constant("size", np.array([4], np.int32))
    main.add("RESHAPE", [x, size], [y])
    main.add("CONCATENATION", [y, y], [z], axis=0)
    main.inputs(x)
    main.outputs(z)
    model = builder.finish()
    graph = model.subgraphs[0]
    one = BoundOperator(Context(model, graph), graph.operators[1], profile(RULES).operators["CONCATENATION"])
    assert [o.tensor.shape for o in one.roles["values"]] == [(2, 2), (2, 2)]
    assert not one.reads_neighbors
    seen = one.measurable()
    assert one.measurable() is seen
    assert [t.shape for t in seen.roles["values"]] == [(4,), (4,)]
