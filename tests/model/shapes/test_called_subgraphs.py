"""Shapes inside called subgraphs, and shapes of their outputs: those of the calls, within stated limits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.shapes.call import Shape
from litecheck.model.shapes.infer import infer
from litecheck.model.types import Model
from litecheck.profile.load import law_of

#: Shape of every tensor in the files: LiteRT replaces it by the shape of the call.
STATED = (9, 9)


def shapes(model: Model, subgraph: int) -> list[Shape | None]:
    return infer(model, model.subgraphs[subgraph], law_of).shapes


def tensors(graph: SubgraphBuilder, count: int, dtype: str = "float32") -> list[int]:
    return [graph.tensor(f"t{n}", STATED, dtype) for n in range(count)]


def branches(
    *given: tuple[int, ...], opcodes: Sequence[str] = ("ADD", "SUB"), held: Sequence[int] = (2, 3)
) -> Model:
    """Return an IF for every given shape, of two subgraphs that add or subtract a constant of shape ``held``."""
    builder = ModelBuilder("branches")
    main = builder.subgraph("main")
    condition = main.tensor("c", (), "bool")
    inputs = [main.tensor(f"x{n}", shape, "float32") for n, shape in enumerate(given)]
    outputs = tensors(main, len(given))
    for x, y in zip(inputs, outputs, strict=True):
        main.add("IF", [condition, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(condition, *inputs)
    main.outputs(*outputs)
    for opcode in opcodes:
        graph = builder.subgraph(opcode)
        x, y = tensors(graph, 2)
        held_tensor = graph.constant("held", np.zeros(held, np.float32))
        graph.add(opcode, [x, held_tensor], [y])
        graph.inputs(x)
        graph.outputs(y)
    return builder.finish()


def test_a_called_subgraph_has_the_shapes_of_the_call() -> None:
    model = branches((2, 3))
    assert shapes(model, 1) == shapes(model, 2) == [(2, 3), (2, 3), (2, 3)]
    assert shapes(model, 0) == [(), (2, 3), (2, 3)]


def test_an_impossible_shape_is_a_misfit_inside_the_subgraph() -> None:
    model = branches((3, 3))
    assert list(infer(model, model.subgraphs[1], law_of).misfits) == [0]
    assert shapes(model, 0)[2] is None
    assert not infer(model, model.subgraphs[0], law_of).misfits


def test_shapes_of_several_calls_are_known_where_they_agree() -> None:
    model = branches((1, 3), (2, 3))
    assert shapes(model, 1)[:2] == [(None, 3), (2, 3)]
    assert shapes(model, 0)[3:] == [(2, 3), (2, 3)]
    assert shapes(branches((1, 3), (3,)), 1)[0] is None


def test_branches_of_two_shapes_have_no_known_output() -> None:
    model = branches((1, 3), opcodes=("ADD", "ABS"))
    assert shapes(model, 1)[1] != (1, 3)
    assert shapes(model, 0)[2] is None


def test_more_than_four_shapes_are_not_followed() -> None:
    four = branches(*((1,) * n for n in range(1, 5)), held=())
    five = branches(*((1,) * n for n in range(1, 6)), held=())
    assert shapes(four, 0)[5:] == [(1,) * n for n in range(1, 5)]
    assert shapes(five, 0)[6:] == [*((1,) * n for n in range(1, 5)), None]
    assert shapes(five, 1)[0] is None


@pytest.mark.parametrize("depth", [8, 9])
def test_calls_within_calls(depth: int) -> None:
    """Eight calls within each other are followed."""
    builder = ModelBuilder("chain")
    for at in range(depth + 1):
        graph = builder.subgraph(f"at {at}")
        condition, x = graph.tensor("c", (), "bool"), graph.tensor("x", STATED if at else (2, 3), "float32")
        (y,) = tensors(graph, 1)
        if at < depth:
            inner = {"then_subgraph_index": at + 1, "else_subgraph_index": at + 1}
            graph.add("IF", [condition, condition, x], [y], **inner)
        else:
            graph.add("ABS", [x], [y])
        graph.inputs(condition, x)
        graph.outputs(y)
    known = depth == 8
    model = builder.finish()
    assert shapes(model, 0)[2] == ((2, 3) if known else None)
    assert shapes(model, depth)[1] == ((2, 3) if known else None)


@pytest.mark.parametrize("called", [0, 1])
def test_recursive_calls_have_unknown_shapes(called: int) -> None:
    builder = ModelBuilder("circle")
    for _ in range(2):
        graph = builder.subgraph()
        condition, x = graph.tensor("c", (), "bool"), graph.tensor("x", (2, 3), "float32")
        (y,) = tensors(graph, 1)
        graph.add(
            "IF", [condition, condition, x], [y], then_subgraph_index=called, else_subgraph_index=called
        )
        graph.inputs(condition, x)
        graph.outputs(y)
    assert shapes(builder.finish(), 0)[2] is None


def loop(width: int, opcode: str, held: Sequence[int], condition: Sequence[int] = (1,)) -> Model:
    """Return a loop over (2, width) whose body adds or joins a constant of shape ``held``."""
    builder = ModelBuilder("loop")
    main, steers, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    x, y = main.tensor("x", (2, width), "float32"), main.tensor("y", STATED, "float32")
    main.add("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
    (given,) = tensors(steers, 1)
    more = steers.constant("more", np.zeros(condition, bool))
    start, end = tensors(body, 2)
    fields = {"axis": 1} if opcode == "CONCATENATION" else {}
    body.add(opcode, [start, body.constant("held", np.zeros(held, np.float32))], [end], **fields)
    for graph, source, made in ((main, x, y), (steers, given, more), (body, start, end)):
        graph.inputs(source)
        graph.outputs(made)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "output", "start"),
    [
        (loop(3, "ADD", (2, 3)), (2, 3), (2, 3)),
        (loop(3, "ADD", (1, 2, 3)), (1, 2, 3), None),  # from the second iteration on
        (loop(3, "CONCATENATION", (2, 1)), None, (2, None)),  # a column more with every iteration
        (loop(3, "ADD", (5, 5)), None, (2, 3)),  # a misfit
    ],
    ids=["same", "once", "growing", "misfit"],
)
def test_loops(model: Model, output: Shape | None, start: Shape | None) -> None:
    assert shapes(model, 0)[1] == output
    assert shapes(model, 2)[0] == start


@pytest.mark.parametrize(
    ("condition", "fits"), [((), True), ((1,), True), ((2,), False), ((1, 1), False)], ids=str
)
def test_a_condition_is_one_value(condition: tuple[int, ...], fits: bool) -> None:
    misfits = infer(m := loop(3, "ADD", (2, 3), condition), m.subgraphs[0], law_of).misfits
    assert [misfit.kind for misfit in misfits.values()] == ([] if fits else ["condition"])


@pytest.mark.parametrize(
    ("shape", "signature", "known"),
    [((2, 3), None, (2, 3)), ((1, 3), (-1, 3), (None, 3)), ((), None, None)],
    ids=str,
)
def test_a_variable_has_the_shape_in_the_file(
    shape: tuple[int, ...], signature: tuple[int, ...] | None, known: Shape | None
) -> None:
    builder = ModelBuilder("variable")
    graph = builder.subgraph("main")
    handle = graph.tensor("handle", (), "resource")
    read, y = (
        graph.tensor("read", shape, "float32", shape_signature=signature),
        graph.tensor("y", STATED, "float32"),
    )
    graph.add("VAR_HANDLE", [], [handle], shared_name="v")
    graph.add("READ_VARIABLE", [handle], [read])
    graph.add("ABS", [read], [y])
    graph.outputs(y)
    assert shapes(builder.finish(), 0)[1:] == [known, known]
