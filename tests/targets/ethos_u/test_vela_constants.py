from __future__ import annotations

from collections import Counter

import pytest

pytest.importorskip("ethosu.regor", reason="needs the extra 'vela'")

from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.differential.vela_constants import LAYERS, ODD, compared, kind_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("target", ["ethos-u55", "ethos-u65", "ethos-u85"])
def test_compiled_constants_are_litert_s(target: str) -> None:
    """Sums of products are all covered and equal; of tables, only those of odd operators may differ."""
    layers, tables = Counter[str](), Counter[str]()
    for model, outcome, words in compared(target, 120, seed=8):
        opcode = model.subgraphs[0].operators[0].opcode
        (layers if opcode in LAYERS else tables)[outcome] += 1
        assert outcome != "differs" or opcode in ODD, f"{kind_of(model)}: {words}"
    assert set(layers) == {"equal"}
    assert layers["equal"] >= 50
    assert tables["equal"] >= 30


def test_under_another_rounding_they_differ() -> None:
    found = Counter(
        outcome
        for model, outcome, _ in compared("ethos-u55", 60, 8, load_arithmetic("single-rounding"))
        if model.subgraphs[0].operators[0].opcode in LAYERS
    )
    assert found["differs"] >= 5
