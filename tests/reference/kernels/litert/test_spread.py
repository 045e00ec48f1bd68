"""A small fixed slice of ``python -m tests.differential spread``."""

from __future__ import annotations

import pytest

from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.spread import FAMILY, MAKERS
from tests.differential.sweep import sweep

pytestmark = pytest.mark.runtime


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", MAKERS)
def test_outputs_equal_litert_and_differ_for_a_changed_input(
    oracle: Oracle, kind: str, resolver: str
) -> None:
    found = sweep(FAMILY, kind, resolver, oracle, 15, 1000)
    assert found.score.trials == 15, found.score.refused
    assert found.score.different == 0, found.score.examples
    assert found.noticed["other input"] > 8
