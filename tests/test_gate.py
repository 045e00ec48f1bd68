"""Gates in words."""

from __future__ import annotations

from litecheck.gate import Gate


def test_words() -> None:
    gate = Gate("partitions", False, "5 NPU partitions", "allows 4")
    assert str(gate) == "5 NPU partitions, this run allows 4"
