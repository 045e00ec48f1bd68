"""Reasons for operators without a partner."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.tensor_matching import operand_order, reason_for
from tests.model.test_canonical_order import diamond


@pytest.mark.parametrize(
    ("kind", "matched", "reason"),
    [
        ("QUANTIZE", [0, 2], "changes the scale or zero point"),
        ("MUL", [0, 2], "constant of NEG #0"),
        ("LOGISTIC", [2], "no operator of this kind at this place"),
    ],
)
def test_reasons(kind: str, matched: list[int], reason: str) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, a, b, c = (main.tensor(name, (1, 4), "float32") for name in "xabc")
    k = main.constant("k", np.ones((1, 4), np.float32))
    main.add("NEG", [x], [a])
    main.add(kind, [a, k], [b])
    main.add("ABS", [b], [c])
    main.inputs(x)
    main.outputs(c)
    subgraph = builder.finish().subgraphs[0]
    assert reason_for(subgraph, subgraph.operators[1], matched, False) == reason
    told = "NEG #0" if 0 in matched else "its neighbor"
    assert reason_for(subgraph, subgraph.operators[1], matched, True) == f"fused into {told}"


@pytest.mark.parametrize(
    ("dtype", "reason"), [("int8", "changes the scale or zero point"), ("int16", "converts between types")]
)
def test_a_conversion_has_a_reason_with_its_change(dtype: str, reason: str) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 4), "int8", 0.5), main.tensor("y", (1, 4), dtype, 0.25)
    main.add("QUANTIZE", [x], [y])
    subgraph = builder.finish().subgraphs[0]
    assert reason_for(subgraph, subgraph.operators[0], [], False) == reason


def test_an_unused_operator() -> None:
    subgraph = diamond("abcd")
    assert reason_for(subgraph, subgraph.operators[3], [0, 1, 2], False) == "its output is not used"


def test_an_input_without_a_home_has_no_place() -> None:
    add = diamond().operators[2]
    homes = {add.inputs[0]: add.inputs[1]}
    assert operand_order(homes, add, add) == (1, -1)
