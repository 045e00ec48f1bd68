"""A small fixed slice of ``python -m tests.differential affine``."""

from __future__ import annotations

import pytest

from tests.differential.affine import FAMILY
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.sweep import ROUNDINGS, sweep

pytestmark = pytest.mark.runtime


@pytest.mark.slow
@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_outputs_equal_litert_and_differ_for_wrong_arithmetics(
    oracle: Oracle, kind: str, resolver: str
) -> None:
    found = sweep(FAMILY, kind, resolver, oracle, 20, 1000)
    assert not found.score.refused
    assert found.score.trials == 20
    assert found.small == []
    assert found.noticed["other input"] > 10
    if "float32" not in kind:
        assert found.noticed["zero point + 1"] > 10
        assert found.noticed["scale * 1.01"] > 5


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_the_roundings_of_convolutions_are_distinguished(oracle: Oracle, resolver: str) -> None:
    found = sweep(FAMILY, "CONV_2D int8", resolver, oracle, 30, 1001)
    others = [name for name in ROUNDINGS if name != f"litert-{resolver}"]
    assert all(found.noticed[other] > 0 for other in others), found.noticed
