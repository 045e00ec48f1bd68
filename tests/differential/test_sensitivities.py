"""A small fixed slice of ``python -m tests.differential.sensitivities``."""

from __future__ import annotations

import pytest

from tests.differential.faults import pairs
from tests.differential.sensitivities import RankedNet, campaign

pytestmark = pytest.mark.slow


def test_an_operator_made_worse_is_first() -> None:
    nets = [RankedNet(pair) for pair in pairs() if "MLPerf" not in pair.name]
    lines: list[str] = []
    table = campaign(nets, 10, 1, lines.append)
    assert sum(counts["trials"] for counts in table.values()) == 10
    assert sum(counts["first"] for counts in table.values()) >= 9, lines


def test_a_sound_operator_is_not_first_by_itself() -> None:
    (net,) = (RankedNet(pair) for pair in pairs() if pair.name == "attention")
    firsts = {net.first((0, n), net.alone((0, n))) for n in (0, 1, 2)}
    assert len(firsts) == 1, "the most sensitive operator, independent of the chosen operator"
