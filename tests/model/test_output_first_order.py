"""Visits computed by hand: the last output and the last input first."""

from __future__ import annotations

from litecheck.model.output_first_order import visit_order_of
from litecheck.model.types import Model, Operator, Subgraph, Tensor

X, A, B, C = range(4)
BRANCHES = (
    Operator(0, "RELU", (X,), (A,)),
    Operator(1, "RELU", (X,), (B,)),
    Operator(2, "ADD", (A, B), (C,)),
)


def model(*operators: Operator) -> Model:
    tensors = tuple(Tensor(index, name, "int8", (1,)) for index, name in enumerate("xabc"))
    return Model((Subgraph(0, "main", tensors, operators, (X,), (C, A, -1)),))


def test_the_last_output_and_the_last_input_come_first() -> None:
    """Steps: output a 0, its writer 1; output c 2, its writer 3; b, the last input of the ADD, has its writer in 5."""
    made = model(*BRANCHES)
    order = visit_order_of(made, made.subgraphs[0])
    assert order.outputs == {A: 0, C: 2}
    assert order.operators == {0: 1, 2: 3, 1: 5}
    assert order.readers == {A: -1, X: 0, C: -1, B: 2}
    assert visit_order_of(made, made.subgraphs[0]) is order


def test_an_operator_without_output_comes_before_the_outputs() -> None:
    made = model(*BRANCHES, Operator(3, "ASSIGN_VARIABLE", (-1, B), ()))
    order = visit_order_of(made, made.subgraphs[0])
    assert order.operators == {3: 0, 1: 2, 0: 3, 2: 5}
    assert order.outputs == {A: 2, C: 4}
    assert order.readers == {B: 3, X: 1, A: -1, C: -1}


def test_operators_that_no_output_needs_are_not_visited() -> None:
    made = model(*BRANCHES[:2])
    order = visit_order_of(made, made.subgraphs[0])
    assert (order.operators, order.outputs) == ({0: 1}, {A: 0, C: 2})
