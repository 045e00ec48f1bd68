"""A slice of ``python -m tests.differential stablehlo``, and negative controls with a changed body or branch."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.reference.kernels import stablehlo_regions
from tests.differential.one_operator import answers
from tests.differential.oracle import RESOLVERS, Refused
from tests.differential.stablehlo import FAMILY
from tests.differential.sweep import sweep, trials


@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_equal_to_litert(oracle, kind):
    for resolver in RESOLVERS:
        if (kind, resolver) not in FAMILY.faulty:
            found = sweep(FAMILY, kind, resolver, oracle, 6)
            assert found.score.compared, found.score.refused
            assert found.small == []


@pytest.mark.parametrize(("kind", "resolver"), sorted(FAMILY.faulty))
def test_operators_that_the_reference_resolver_does_not_list_are_refused(oracle, kind, resolver):
    (case,) = trials(FAMILY, kind, 1)
    assert isinstance(answers(case, oracle, resolver), Refused)


@pytest.mark.parametrize("name", ["SCATTER", "REDUCE_WINDOW"])
def test_a_wrong_body_is_noticed(oracle, monkeypatch, name):
    """REDUCE_WINDOW or SCATTER with the body MAXIMUM instead of ADD differs from LiteRT (negative control)."""
    monkeypatch.setitem(stablehlo_regions._BODIES, "ADD", np.maximum)
    assert sweep(FAMILY, f"STABLEHLO_{name} STABLEHLO_ADD", "reference", oracle, 10, shown=0).score.different
