"""Option ``--controls`` of ``python -m tests.differential``: controls of the first trials of a kind."""

from __future__ import annotations

import pytest

from tests.differential.movement import FAMILY
from tests.differential.oracle import Oracle
from tests.differential.sweep import sweep

pytestmark = pytest.mark.runtime


@pytest.mark.parametrize(("controlled", "noticed"), [(None, 6), (4, 4), (0, 0)])
def test_controls_of_the_first_trials_only(oracle: Oracle, controlled: int | None, noticed: int) -> None:
    found = sweep(FAMILY, "TRANSPOSE", "reference", oracle, 6, 3, controlled=controlled)
    assert (found.score.trials, found.score.different) == (6, 0)
    assert found.noticed["other input"] == noticed
