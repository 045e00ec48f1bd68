"""The end of loops that count, compared with the same loops computed step by step."""

from __future__ import annotations

from itertools import product
from operator import ge, gt, le, lt

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.measurements.loops import loop_end
from litecheck.profile.measurements.measured_operator import Measured, Operands

COMPARISONS = {"LESS": lt, "LESS_EQUAL": le, "GREATER": gt, "GREATER_EQUAL": ge}
ACTIVATIONS = {"NONE": (None, None), "RELU": (0, None), "RELU_N1_TO_1": (-1, 1), "RELU6": (0, 6)}
STARTS = range(-30, 31)


def loop(
    comparison: str, bound: int, opcode: str, step: int | None, activation: str = "NONE", turned: bool = False,
    counter_first: bool = True, dtype: str = "int32", q: float | None = None,
) -> Model:  # fmt: skip
    """Return a loop: ``comparison(n, bound)`` or, turned, ``comparison(bound, n)``; without a step, n is added to itself."""
    builder = ModelBuilder("loop")
    fields = (dtype, qparams(q)) if q else (dtype,)
    graphs = [builder.subgraph(name) for name in ("main", "condition", "body")]
    n = [graph.tensor("n", (1,), *fields) for graph in graphs]
    outputs = [graphs[0].tensor("m", (1,), *fields), graphs[1].tensor("more", (1,), "bool")]
    graphs[0].add("WHILE", n[:1], outputs[:1], cond_subgraph_index=1, body_subgraph_index=2)
    sides = [n[1], graphs[1].constant("bound", np.array([bound], dtype), *fields[1:])]
    graphs[1].add(comparison, sides[::-1] if turned else sides, outputs[1:])
    outputs.append(graphs[2].tensor("next", (1,), *fields))
    given = [
        n[2],
        n[2] if step is None else graphs[2].constant("step", np.array([step], dtype), *fields[1:]),
    ]
    graphs[2].add(
        opcode, given if counter_first else given[::-1], outputs[2:], fused_activation_function=activation
    )
    for graph, start, end in zip(graphs, n, outputs, strict=True):
        graph.inputs(start)
        graph.outputs(end)
    return builder.finish()


def end_of(model: Model) -> Measured:
    main = model.subgraphs[0]
    return loop_end(Operands(main.operators[0], {"operands": (main.tensors[0],)}, main, model))


def ends_for(
    comparison: str, bound: int, opcode: str, step: int, activation: str, turned: bool, counter_first: bool
) -> bool:
    """Return True if the loop ends within 100 iterations for a start that the condition accepts."""
    low, high = ACTIVATIONS[activation]

    def accepted(n: int) -> bool:
        return bool(COMPARISONS[comparison](*((bound, n) if turned else (n, bound))))

    def after(n: int) -> int:
        n = n + step if opcode == "ADD" else n - step if counter_first else step - n
        n = n if low is None else max(n, low)
        return n if high is None else min(n, high)

    for n in filter(accepted, STARTS):
        for _ in range(100):
            n = after(n)
            if not accepted(n):
                return True
    return False


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_the_end_of_a_counter_is_that_of_its_steps(comparison: str) -> None:
    """A loop is ``never`` if no accepted start ends it; a counter that is subtracted from a constant is not followed."""
    counts = {"never": 0, "possible": 0}
    for drawn in product((0, 3, -2), ("ADD", "SUB"), range(-2, 3), ACTIVATIONS, (False, True), (True, False)):
        found = end_of(loop(comparison, *drawn))
        known = drawn[1] == "ADD" or drawn[5]
        assert found == ("possible" if ends_for(comparison, *drawn) or not known else "never"), drawn
        counts[str(found)] += 1
    assert min(counts.values()) > 100


def test_counters_that_are_not_followed_can_end() -> None:
    assert end_of(loop("LESS", 3, "ADD", 0)) == "never"
    assert end_of(loop("LESS", 3, "ADD", None)) == "possible"  # 1, 2, 4
    assert end_of(loop("LESS", 3, "ADD", 0, dtype="int8", q=0.5)) == "possible"
    assert end_of(loop("LESS", 3, "MUL", 1)) == "possible"


@pytest.mark.parametrize(
    ("opcode", "ends"), [("EQUAL", "never"), ("LESS_EQUAL", "never"), ("LESS", "possible"), ("NOT_EQUAL", "possible")]
)  # fmt: skip
def test_a_tensor_that_is_compared_with_itself(opcode: str, ends: str) -> None:
    builder = ModelBuilder("loop")
    graphs = [builder.subgraph(name) for name in ("main", "condition", "body")]
    n = [graph.tensor("n", (1,), "int32") for graph in graphs]
    y, more, after = graphs[0].tensor("y", (1,), "int32"), graphs[1].tensor("more", (1,), "bool"), n[2]
    graphs[0].add("WHILE", n[:1], [y], cond_subgraph_index=1, body_subgraph_index=2)
    graphs[1].add(opcode, [n[1], n[1]], [more])
    for graph, start, end in zip(graphs, n, (y, more, after), strict=True):
        graph.inputs(start)
        graph.outputs(end)
    assert end_of(builder.finish()) == ends


@pytest.mark.parametrize(("value", "ends"), [(True, "never"), (False, "possible")])
def test_a_constant_condition(value: bool, ends: str) -> None:
    builder = ModelBuilder("loop")
    graphs = [builder.subgraph(name) for name in ("main", "condition", "body")]
    n = [graph.tensor("n", (1,), "int32") for graph in graphs]
    y, more = graphs[0].tensor("y", (1,), "int32"), graphs[1].constant("more", np.array([value]))
    graphs[0].add("WHILE", n[:1], [y], cond_subgraph_index=1, body_subgraph_index=2)
    for graph, start, end in zip(graphs, n, (y, more, n[2]), strict=True):
        graph.inputs(start)
        graph.outputs(end)
    assert end_of(builder.finish()) == ends


def test_a_loop_without_its_subgraphs_has_no_end() -> None:
    builder = ModelBuilder("loop")
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1,), "int32"), main.tensor("y", (1,), "int32")
    main.add("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
    assert end_of(builder.finish()) is None
