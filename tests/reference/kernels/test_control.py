"""IF, WHILE, CALL_ONCE and resource variables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.types import Model
from litecheck.reference.compute_limits import ComputeLimits, LimitError
from litecheck.reference.engine.interpreter import ReferenceInterpreter, run
from litecheck.reference.runtime_tensors import RunError


def subgraph(
    builder: ModelBuilder, name: str, inputs: int = 1, dtype: str = "int32"
) -> tuple[SubgraphBuilder, list[int]]:
    graph = builder.subgraph(name)
    given = [graph.tensor(f"{name}_x{n}", (1,), "int32") for n in range(inputs)]
    graph.inputs(*given)
    return graph, given


def step(graph: SubgraphBuilder, opcode: str, x: int, constant: int, dtype: str = "int32") -> int:
    """Add ``x opcode constant`` and return its tensor."""
    y = graph.tensor(f"{opcode}_{x}", (1,), dtype)
    graph.add(opcode, [x, graph.constant(f"c{y}", np.array([constant], np.int32))], [y])
    return y


def branching() -> Model:
    """Return a model of x + 10 if the condition is true, else x * 3."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    c, x, y = main.tensor("c", (1,), "bool"), main.tensor("x", (1,), "int32"), main.tensor("y", (1,), "int32")
    main.add("IF", [c, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(c, x)
    main.outputs(y)
    for name, opcode, value in (("then", "ADD", 10), ("else", "MUL", 3)):
        graph, (inner,) = subgraph(builder, name)
        graph.outputs(step(graph, opcode, inner, value))
    return builder.finish()


def looping(condition: str = "LESS", limit: int = 100) -> Model:
    """Return a model that doubles x and counts y up while x < limit."""
    builder = ModelBuilder()
    main, given = subgraph(builder, "main", 2)
    made = [main.tensor(f"y{n}", (1,), "int32") for n in range(2)]
    main.add("WHILE", given, made, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs(*made)
    graph, (x, _) = subgraph(builder, "cond", 2)
    graph.outputs(step(graph, condition, x, limit, "bool"))
    graph, (x, y) = subgraph(builder, "body", 2)
    graph.outputs(step(graph, "MUL", x, 2), step(graph, "ADD", y, 1))
    return builder.finish()


def remembering(assigned: bool = True) -> Model:
    """Return a model with a variable that CALL_ONCE sets to 5; each inference adds x to it."""
    builder = ModelBuilder()
    main, (x,) = subgraph(builder, "main")
    if assigned:
        main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    handle, old, new = (
        main.tensor("h", (), "resource"),
        main.tensor("old", (1,), "int32"),
        main.tensor("new", (1,), "int32"),
    )
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("READ_VARIABLE", [handle], [old])
    main.add("ADD", [old, x], [new])
    main.add("ASSIGN_VARIABLE", [handle, new], [])
    main.outputs(new)
    graph, _ = subgraph(builder, "init", 0)
    handle = graph.tensor("h", (), "resource")
    graph.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    graph.add("ASSIGN_VARIABLE", [handle, graph.constant("five", np.array([5], np.int32))], [])
    return builder.finish()


def value(model: Model | ReferenceInterpreter, **inputs: Any) -> list[int]:
    arrays = {
        name: np.array([v], np.bool_ if isinstance(v, bool) else np.int32) for name, v in inputs.items()
    }
    done = model.invoke(arrays) if isinstance(model, ReferenceInterpreter) else run(model, arrays)
    return [int(array[0]) for array in done.outputs.values()]


def test_if_takes_one_branch() -> None:
    assert value(branching(), c=True, x=4) == [14]
    assert value(branching(), c=False, x=4) == [12]


@pytest.mark.parametrize(("start", "end"), [(3, [192, 6]), (100, [100, 0]), (-1, None)])
def test_while_runs_until_the_condition_fails(start: int, end: list[int] | None) -> None:
    interpreter = ReferenceInterpreter(looping(), limits=ComputeLimits(calls=100))
    if end is None:
        with pytest.raises(LimitError, match="subgraph calls: got 101, expected at most 100"):
            value(interpreter, main_x0=start, main_x1=0)
    else:
        assert value(interpreter, main_x0=start, main_x1=0) == end


def test_variables_live_as_long_as_the_interpreter() -> None:
    interpreter = ReferenceInterpreter(remembering())
    assert [value(interpreter, main_x0=1) for _ in range(3)] == [[6], [7], [8]]
    interpreter.reset()
    assert value(interpreter, main_x0=1) == [9]
    assert value(remembering(), main_x0=1) == [6]


def test_reading_an_unassigned_variable() -> None:
    with pytest.raises(RunError, match="READ_VARIABLE #1 'old': variable 'v' is read before"):
        value(remembering(assigned=False), main_x0=1)


def test_a_subgraph_that_calls_itself() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    c, x, y = main.tensor("c", (1,), "bool"), main.tensor("x", (1,), "int32"), main.tensor("y", (1,), "int32")
    main.add("IF", [c, c, x], [y], then_subgraph_index=0, else_subgraph_index=0)
    main.inputs(c, x)
    main.outputs(y)
    with pytest.raises(RunError, match="subgraph 0 calls itself"):
        value(builder.finish(), c=True, x=1)


def test_a_missing_subgraph() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    c, y = main.tensor("c", (1,), "bool"), main.tensor("y", (1,), "int32")
    main.add("IF", [c], [y], then_subgraph_index=7, else_subgraph_index=0)
    main.inputs(c)
    main.outputs(y)
    with pytest.raises(RunError, match="IF #0 'y': there is no subgraph 7"):
        value(builder.finish(), c=True)


@pytest.mark.runtime
@pytest.mark.parametrize("resolver", ["reference", "optimized", "xnnpack"])
def test_equal_to_litert(resolver: str) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    from litecheck.model.save import model_bytes
    from tests.differential.oracle import Oracle, Refused

    def ints(*values: int) -> list[np.ndarray[Any, Any]]:
        return [np.array([v], np.int32) for v in values]

    cases = [
        (branching(), [np.array([True]), *ints(4)]),
        (branching(), [np.array([False]), *ints(4)]),
        (looping(), ints(3, 0)),
        (remembering(), ints(1)),
    ]
    with Oracle() as oracle:
        for model, inputs in cases:
            theirs = oracle.run(model_bytes(model), inputs, resolver)
            assert not isinstance(theirs, Refused), theirs.message
            ours = list(run(model, tuple(inputs)).outputs.values())
            assert [a.tolist() for a in ours] == [b.tolist() for b in theirs]
