"""A small fixed slice of ``python -m tests.differential chains``, and squares, whose rounding depends on their neighbors."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.differential.chains import FAMILY
from tests.differential.one_operator import Trial, changed, outputs, score
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.sweep import sweep

pytestmark = pytest.mark.runtime
BYTES = np.arange(-128, 128).astype(np.int8)
READ, SQUARED = qparams(2**-8, -128), qparams(2**-7, 5)
#: Operators before a square, and True if XNNPACK still computes the square as a separate table.
ROWS = {
    "": True, "wide": True, "ADD": False, "ADD read twice": True, "wide RELU": False, "ADD RELU": False,
    " ".join(["ADD"] * 9): False, " ".join(["ADD"] * 10): True, " ".join(["ADD", "RELU"] * 5): True,
    " ".join(["ADD"] * 11): False,
}  # fmt: skip


def square(row: str) -> Trial:
    """Return a square of all int8 values, after operators that change none, with a tie at every 32nd value."""
    builder = ModelBuilder(row)
    graph = builder.subgraph("main")
    read = first = graph.tensor("x", (256,), "int8", READ)
    for word in row.replace("read twice", "").replace(" RELU", "+RELU").split():
        nothing = np.full(256 if word.startswith("wide") else 1, -128, np.int8)
        behind = graph.tensor("t", (256,), "int8", READ)
        activation = "RELU" if word.endswith("RELU") else "NONE"
        constant = graph.constant("c", nothing, READ)
        graph.add("ADD", [read, constant], [behind], fused_activation_function=activation)
        read = behind
    squared = graph.tensor("y", (256,), "int8", SQUARED)
    graph.add("MUL", [read, read], [squared])
    graph.inputs(first)
    graph.outputs(*([squared, read] if "read twice" in row else [squared]))
    return Trial(f"square behind {row}", builder.finish(), ((BYTES,),))


@pytest.mark.parametrize("row", ROWS)
def test_squares_are_tables_if_xnnpack_builds_a_table(oracle: Oracle, row: str) -> None:
    trial = square(row)
    assert score(trial, oracle, "xnnpack").different == 0
    products = changed(load_arithmetic("litert-xnnpack"), {"MUL": {"square": "product"}})
    alike = np.array_equal(outputs(trial, products)[0][0], outputs(trial, "litert-xnnpack")[0][0])
    assert alike is not ROWS[row]


@pytest.mark.slow
@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_outputs_equal_litert_and_differ_for_a_changed_input(
    oracle: Oracle, kind: str, resolver: str
) -> None:
    found = sweep(FAMILY, kind, resolver, oracle, 15, 1000)
    assert found.score.trials >= 12, found.score.refused
    assert found.score.different == 0, found.score.examples
    assert found.noticed["other input"] > 8
