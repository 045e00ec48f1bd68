"""Causes computed by hand: y = FULLY_CONNECTED(x, w, b) and z = RELU(y), with new scales of w, b, y and z in the
second file."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.differences.change import Change, ChangeKind
from litecheck.differences.consequences import with_causes
from litecheck.differences.operator_changes import PlacedChange
from litecheck.model.build import qparams
from litecheck.model.matching import SubgraphMatch
from litecheck.model.types import Operator, Subgraph, Tensor

X, W, B, Y, Z = range(5)
ROLES = {X: "input", W: "weight", B: "bias", Y: "output", Z: "output"}
FIRST, SECOND = (0.5, 0.25, 0.125, 1.0, 1.0), (0.5, 0.5, 0.25, 2.0, 2.0)


def subgraph(scales: tuple[float, ...], opcode: str = "RELU") -> Subgraph:
    tensors = tuple(
        Tensor(n, "xwbyz"[n], "int8", (1,), quantization=qparams(scale)) for n, scale in enumerate(scales)
    )
    operators = Operator(0, "FULLY_CONNECTED", (X, W, B), (Y,)), Operator(1, opcode, (-1, Y), (Z,))
    return Subgraph(0, "main", tensors, operators, (X,), (Z,))


def placed(kind: ChangeKind, tensor: int, operator: int | None = None) -> PlacedChange:
    """Return a change of a tensor; of an operator if ``tensor`` is -1."""
    number = int(tensor == Z) if operator is None else operator
    return PlacedChange(Change(kind, 0, number, number, role=ROLES.get(tensor, "")), (tensor, tensor))


def causes(found: list[PlacedChange], scales: tuple[float, ...] = SECOND) -> list[int]:
    match = SubgraphMatch(subgraph(FIRST), subgraph(scales), ((0, 0), (1, 1)), {}, {}, ())
    return [change.cause for change in with_causes(match, found)]


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([("scale", W), ("scale", B)], [-1, 0]),
        ([("scale", B), ("scale", X)], [1, -1]),
        ([("scale", B)], [-1]),
        ([("zero-point", W), ("zero-point", B)], [-1, -1]),
        ([("granularity", B), ("granularity", W)], [1, -1]),
        ([("dtype", X), ("dtype", B)], [-1, 0]),
        ([("scale", Y), ("scale", Z)], [-1, 0]),
        ([("zero-point", Z), ("zero-point", Y)], [1, -1]),
        ([("shape", Y), ("shape", Z)], [-1, 0]),
        ([("option", Y), ("option", Z)], [-1, -1]),
        ([("scale", X), ("scale", Y)], [-1, -1]),  # parameters different from those of x
        ([("dtype", X), ("dtype", Y)], [-1, 0]),
        ([("dtype", W), ("granularity", W)], [-1, 0]),
        ([("scale", W), ("axis", W)], [-1, -1]),
        ([("constant", W)], [-1]),
    ],
)
def test_changes_of_tensors(found: list[tuple[ChangeKind, int]], expected: list[int]) -> None:
    assert causes([placed(kind, tensor) for kind, tensor in found]) == expected


def test_scales_that_are_no_product_are_a_cause_of_their_own() -> None:
    found = [placed("scale", W), placed("scale", B)]
    assert causes(found, (0.5, 0.5, 0.25 * 1.0009, 2.0, 2.0)) == [-1, 0]
    assert causes(found, (0.5, 0.5, 0.25 * 1.0011, 2.0, 2.0)) == [-1, -1]


def test_other_parameters_behind_the_operator_are_a_cause_of_their_own() -> None:
    found = [placed("scale", Y), placed("scale", Z)]
    assert causes(found, (0.5, 0.5, 0.25, 2.0, 3.0)) == [-1, -1]


@pytest.mark.parametrize(("operator", "expected"), [(0, [-1, 0]), (1, [-1, -1])])
def test_a_version_follows_from_a_type(operator: int, expected: list[int]) -> None:
    assert causes([placed("dtype", X), placed("operator-version", -1, operator)]) == expected


def test_options_follow_from_another_operator() -> None:
    kinds: tuple[ChangeKind, ...] = ("operator-replaced", "option", "operator-version")
    found = [placed(kind, -1, 1) for kind in kinds]
    assert causes(found) == [-1, 0, 0]
    other = replace(found[0], change=replace(found[0].change, operator=-1, other=-1))
    assert causes([other, placed("option", -1, 0)]) == [-1, -1]


def test_a_constant_follows_from_its_scale_if_its_real_values_stay() -> None:
    first, second = subgraph(FIRST), subgraph(SECOND)
    for value, expected in ((2, 0), (3, 0), (4, -1)):  # the integer 1 represents 1, 1.5 and 2, with step 0.5
        stored = (np.array([4], np.int8), np.array([value], np.int8))
        made = [
            replace(part, tensors=tuple(
                replace(t, data=data.view(np.uint8)) if t.index == W else t for t in part.tensors
            ))
            for part, data in zip((first, second), stored, strict=True)
        ]  # fmt: skip
        match = SubgraphMatch(made[0], made[1], ((0, 0), (1, 1)), {}, {}, ())
        found = with_causes(match, [placed("scale", W), placed("constant", W)])
        assert [change.cause for change in found] == [-1, expected]
