"""Producers, consumers and wiring of small subgraphs."""

from __future__ import annotations

import pytest

from litecheck.model.graph import graph_of, has_ends, name_of, wiring_of
from litecheck.model.types import Operator, Subgraph, Tensor


def subgraph(*operators: tuple[tuple[int, ...], tuple[int, ...]], names: str = "abcd") -> Subgraph:
    """Return a subgraph of operators with these inputs and outputs; input 0, output 3."""
    tensors = tuple(Tensor(index, name.strip(), "int8", (1,)) for index, name in enumerate(names))
    made = tuple(Operator(index, "ADD", *ends) for index, ends in enumerate(operators))
    return Subgraph(0, "main", tensors, made, (0,), (3,))


CHAIN = subgraph(((1, 1), (2,)), ((2, -1), (0, -1)), ((0, 2), (3, 0)))


def test_producers_and_consumers() -> None:
    graph = graph_of(CHAIN)
    assert graph.producer == (2, -1, 0, 2)
    assert graph.consumers == ((2,), (0, 0), (1, 2), ())


def test_wiring() -> None:
    wiring = wiring_of(CHAIN)
    assert wiring is wiring_of(CHAIN)
    assert wiring.first_writer == {2: 0, 0: 1, -1: 1, 3: 2}
    assert wiring.last_writer == {2: 0, 0: 2, -1: 1, 3: 2}
    assert wiring.readers == {1: [0], 2: [1, 2], -1: [1], 0: [2]}
    assert (wiring.inputs, wiring.outputs) == ({0}, {3})


@pytest.mark.parametrize(
    ("inputs", "outputs", "operand", "expected"),
    [
        ((0, 1), (2,), 0, True),
        ((0, 1), (2,), 1, True),
        ((0, 1), (2,), 2, False),
        ((0, -1), (2,), 1, False),
        ((-1, 1), (2,), 1, False),
        ((0,), (-1,), 0, False),
        ((0,), (), 0, False),
        ((), (2,), 0, False),
    ],
)
def test_ends(inputs: tuple[int, ...], outputs: tuple[int, ...], operand: int, expected: bool) -> None:
    assert has_ends(Operator(0, "ADD", inputs, outputs), operand) is expected


def test_name_of_an_operator() -> None:
    main = subgraph(((1,), (-1, 0)), ((1,), (2,)), ((1,), (2, 3)), names="ab d")
    assert [name_of(main, operator) for operator in main.operators] == ["a", "ADD 1", "d"]
