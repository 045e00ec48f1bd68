"""A small fixed slice of ``python -m tests.differential.backends``: declined operators differ from the control."""

from __future__ import annotations

import pytest

from litecheck.reference.backends import load_dispatch
from tests.differential.backends import FAMILY, KINDS, compared
from tests.differential.operands import taking_backends
from tests.differential.oracle import Oracle
from tests.differential.sweep import trials

pytestmark = pytest.mark.runtime
#: A kind for each condition that XNNPACK declines; these few trials show that the control differs.
DECLINED = (
    "CONV_2D int8 computed weights", "CONV_2D int8 computed bias", "CONV_2D uint8 computed bias",
    "CONV_2D int8 unscaled bias", "CONV_2D int8 axis of input", "DEPTHWISE_CONV_2D int8 computed bias",
    "FULLY_CONNECTED int8 computed bias", "TRANSPOSE_CONV int8 computed bias", "TRANSPOSE_CONV int8 computed shape",
    "MEAN int8 computed axis", "SUM int8 computed axis", "LEAKY_RELU int8 axis of input",
    "QUANTIZE int8 seven dimensions", "ELU int8 axis of input", "MAX_POOL_2D int8 axis of output",
    "FULLY_CONNECTED x int8 computed bias", "CONV_2D int8 fused TANH", "CONV_2D uint8 fused SIGN_BIT",
    "DEPTHWISE_CONV_2D int8 fused TANH", "TRANSPOSE_CONV int8 fused SIGN_BIT", "CONV_2D x int8 fused TANH",
    "ADD int8 fused TANH", "SUB int8 fused SIGN_BIT", "MUL int8 fused TANH",
)  # fmt: skip
#: Kinds without an effect on the backend, and ratios on both sides of XNNPACK's range.
TAKEN = (
    "CONV_2D int8 axis of weight",
    "FULLY_CONNECTED int8 no bias",
    "LEAKY_RELU int8 ratio",
    "QUANTIZE int8 ratio",
)
CASES = 12


@pytest.mark.parametrize("kind", DECLINED)
def test_operators_that_xnnpack_declines_differ_from_the_control(oracle: Oracle, kind: str) -> None:
    assert all("xnnpack" not in taking_backends(trial) for trial in trials(FAMILY, kind, CASES, 7))
    for resolver in ("optimized", "xnnpack"):
        score, otherwise = compared(kind, resolver, oracle, CASES, 7)
        assert score.trials == CASES, score.refused
        assert score.different == 0, score.examples
    assert otherwise > 0


@pytest.mark.parametrize("kind", TAKEN)
def test_changes_outside_the_conditions_keep_xnnpack(oracle: Oracle, kind: str) -> None:
    assert any("xnnpack" in taking_backends(trial) for trial in trials(FAMILY, kind, CASES, 7))
    score, _ = compared(kind, "xnnpack", oracle, CASES, 7)
    assert (score.trials, score.different) == (CASES, 0), (score.refused, score.examples)


def test_every_listed_operator_is_swept() -> None:
    listed = {opcode for taker in load_dispatch().backends.values() for opcode in taker.operators}
    elsewhere = {"RESIZE_BILINEAR"}  # the movers draw computed sizes
    assert listed - elsewhere <= {kind.split()[0] for kind in KINDS}
