"""The rule that applies to an operator: the last that its kernel allows, with a note for each that it does not."""

from __future__ import annotations

import pytest

from litecheck import convert_model
from litecheck.conversion.recipe import OperatorScheme
from litecheck.errors import InputError
from tests.conversion.mobile_nets import images, mobile_net
from tests.conversion.scheme_models import matrix, recipe, table

BLOCKS = OperatorScheme("dynamic", "int4", "blockwise", 32)
INT8, REAL = OperatorScheme("dynamic", "int8"), OperatorScheme("float32")


@pytest.mark.parametrize(
    ("model", "note"),
    [
        (matrix(depth=48), "its weight has rows of 48 values, no multiple of 32"),
        (matrix(activation=1), "no scales keep FULLY_CONNECTED/limits/block_activation (rules/litert-hybrid.yaml:81)"),
        (table(), ""),
    ],
)  # fmt: skip
def test_an_earlier_rule_applies(model, note: str) -> None:
    conversion = convert_model(model, recipe=recipe(INT8, BLOCKS)).conversion
    opcode = model.subgraphs[0].operators[0].opcode
    assert conversion.plan.notes == ((f"{opcode} #0: r.yaml:2 does not apply: {note}",) if note else ())
    stored = next(t for t in conversion.model.subgraphs[0].tensors if t.name == "w")
    assert stored.dtype == ("int8" if note else "int4")


def test_float32_ends_the_search_and_the_first_reason_is_reported() -> None:
    with pytest.raises(InputError, match="rows of 48 values"):
        convert_model(matrix(depth=48), recipe=recipe(INT8, REAL, BLOCKS))
    with pytest.raises(InputError, match=r"kept by r\.yaml:2"):
        convert_model(matrix(), recipe=recipe(INT8, REAL))


def test_mixed_types_in_one_model() -> None:
    """Each operator has the type of its rule, and operators of no rule stay float32 with the name of the file."""
    rules = recipe(
        (OperatorScheme("int8"), "CONV_2D"),
        (OperatorScheme("int16x8"), "ADD"),
        (OperatorScheme("dynamic", "int4"), "FULLY_CONNECTED"),
        (OperatorScheme("weight-only", "int4"), "block0/depthwise"),
    )
    record = convert_model(mobile_net(1, blocks=1), recipe=rules, data=(images(1, 4),), device="litecheck")
    assert record.verdict == "conforms"
    assert record.becomes == {"int8": 3, "weight-only": 1, "int16": 1, "float32": 1, "hybrid": 1}
    assert record.stays[0].reason == "r.yaml has no rule for it"
    assert record.agreement is not None
    assert record.agreement.outputs[0].snr > 10


def test_a_wide_operator_without_a_rule_becomes_int8() -> None:
    """--int16x8 is a rule behind --to int8."""
    record = convert_model(table(), int16x8=("#0",), random=2, device="litecheck", agreement=False)
    assert record.becomes == {"int8": 1}
    assert record.conversion.plan.notes == (
        "EMBEDDING_LOOKUP #0: --int16x8 #0 does not apply: litert-int16x8 has no rule for it",
    )
