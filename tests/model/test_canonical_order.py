"""Canonical order: it depends on the graph, and not on the order in the file."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.canonical_order import canonical_order
from litecheck.model.types import Subgraph


def diamond(order: str = "abc") -> Subgraph:
    """Return ADD(ABS(x), NEG(x)) with its operators in an order, and an operator without a reader."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, a, b, c, d = (main.tensor(name, (1, 4), "float32") for name in "xabcd")
    add = {
        "a": lambda: main.add("ABS", [x], [a]),
        "b": lambda: main.add("NEG", [x], [b]),
        "c": lambda: main.add("ADD", [a, b], [c]),
        "d": lambda: main.add("SQUARE", [x], [d]),
    }
    for name in order:
        add[name]()
    main.inputs(x)
    main.outputs(c)
    return builder.finish().subgraphs[0]


@pytest.mark.parametrize(
    ("order", "kinds"),
    [
        ("abc", ["ABS", "NEG", "ADD"]),
        ("bac", ["ABS", "NEG", "ADD"]),
        ("dbac", ["ABS", "NEG", "ADD", "SQUARE"]),
    ],
)
def test_inputs_come_in_turn(order: str, kinds: list[str]) -> None:
    subgraph = diamond(order)
    assert [subgraph.operators[n].kind for n in canonical_order(subgraph)] == kinds


def test_operands_decide() -> None:
    subgraph = diamond()
    add = subgraph.operators[2]
    swapped = replace(add, inputs=(add.inputs[1], add.inputs[0]))
    order = canonical_order(replace(subgraph, operators=(*subgraph.operators[:2], swapped)))
    assert order == (1, 0, 2)


def test_a_circle_ends() -> None:
    subgraph = diamond()
    first = replace(subgraph.operators[0], inputs=subgraph.operators[2].outputs)
    assert sorted(canonical_order(replace(subgraph, operators=(first, *subgraph.operators[1:])))) == [0, 1, 2]
