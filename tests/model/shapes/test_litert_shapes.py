"""A slice of the comparison of the laws of shapes with LiteRT, and proof that a wrong law does not pass it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.shapes import LAWS, Call, Shapes
from tests.differential import shapes
from tests.differential.oracle import RESOLVERS, Refused
from tests.differential.shapes import ShapeOracle, sweep
from tests.differential.shapes_cases import CASES
from tests.differential.shapes_table import LAW_NAMES, TABLE

pytestmark = pytest.mark.runtime

#: An operator of each kind of law.
SLICE = (
    "CONV_2D", "MAX_POOL_2D", "FULLY_CONNECTED", "ADD", "MEAN", "RESHAPE", "TRANSPOSE", "STRIDED_SLICE", "SPLIT_V",
    "CONCATENATION", "PAD", "GATHER", "SPACE_TO_BATCH_ND", "TRANSPOSE_CONV", "SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM",
)  # fmt: skip


@pytest.fixture(scope="module")
def litert():
    with ShapeOracle(timeout=20) as started:
        yield started


@pytest.mark.parametrize("operator", SLICE)
def test_laws_and_litert_agree(operator: str, litert: ShapeOracle) -> None:
    counts, found = sweep(litert, operator, 24, 1)
    assert [str(finding) for finding in found if not finding.reason] == []
    assert counts["fits"] >= 5
    assert counts["misfits"] >= 2


@pytest.mark.parametrize(
    ("operator", "options"),
    [("CONV_2D", {"padding": 0}), ("RESHAPE", None), ("TRANSPOSE", None), ("CONCATENATION", {"axis": 0})],
)
def test_a_wrong_law_is_found(
    operator: str, options: dict | None, litert: ShapeOracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law reads wrong options (always SAME, always axis 0), or returns the input's shape."""
    law, *rest = TABLE[operator]

    def wrong(call: Call) -> Shapes:
        if options is None:
            return (call.shape("input"),)
        assert call.options
        told = type(call.options)(call.options.type, {**call.options.fields, **options})
        return law(Call(call.opcode, call.roles, told, call.results))

    monkeypatch.setitem(shapes.TABLE, operator, (wrong, *rest))
    _, found = sweep(litert, operator, 24, 1)
    assert len([finding for finding in found if not finding.reason]) >= 6


def test_every_law_is_put_to_the_test_or_named_here() -> None:
    """Laws are not tested if their operators need further subgraphs, resources, strings or sparse data."""
    tested = {LAW_NAMES.get(operator.removesuffix(" BASIC"), "") for operator in CASES}
    assert set(LAWS) - tested == {
        "as_stated", "branch", "keys_found", "loop", "nothing_known", "one_number", "random_bits", "scatter",
        "stablehlo_reduce_window", "variable",
    }  # fmt: skip


def test_every_operator_litert_knows_has_a_law(litert: ShapeOracle) -> None:
    """LiteRT has no kernel for an operator without a law, except for operators that the runtime inserts."""
    missing = set(load_schema().enums["BuiltinOperator"]) - set(TABLE)
    missing -= {"CUSTOM", "DELEGATE", "PLACEHOLDER_FOR_GREATER_OP_CODES"}
    for opcode in sorted(missing):
        make = CASES["RELU"][0]
        draw = make(np.random.default_rng(0), "float32")
        data = shapes.unknown_operator(opcode, draw.parts[0].values.shape)
        answers = [litert.run(data, [draw.parts[0].values], resolver) for resolver in RESOLVERS]
        assert all(isinstance(a, Refused) and "find op" in a.message for a in answers), (opcode, answers)
