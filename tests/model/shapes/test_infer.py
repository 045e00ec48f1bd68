"""Shapes of a whole subgraph: outputs of a law are inputs of the next, and stated output shapes are ignored."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.shapes import LAWS, Call, Shapes
from litecheck.model.shapes.call import Entry
from litecheck.model.shapes.infer import InferredShapes, infer
from litecheck.model.types import Model, Operator
from litecheck.profile.load import law_of
from tests.profile.impact_models import flattened

ENTRIES: dict[str, Entry] = {
    "ADD": (LAWS["broadcast"], ("lhs", "rhs"), ("output",), frozenset()),
    "CONCATENATION": (LAWS["concatenation"], ("values",), ("output",), frozenset({"values"})),
    "RESHAPE": (LAWS["reshape"], ("input", "shape"), ("output",), frozenset()),
    "SPLIT": (LAWS["split"], ("axis", "input"), ("outputs",), frozenset({"outputs"})),
}


def entry_of(operator: Operator) -> Entry | None:
    return ENTRIES.get(operator.opcode)


def inferred(model: Model) -> InferredShapes:
    return infer(model, model.subgraphs[0], entry_of)


def test_computed_shapes_replace_stated_shapes() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 4), "float32", shape_signature=(-1, 4))
    c = graph.constant("c", np.zeros((2, 4), np.float32))
    y, z = graph.tensor("y", (9, 9), "float32"), graph.tensor("z", (7,), "float32")
    graph.add("CONCATENATION", [x, c], [y], axis=0)
    d = graph.constant("d", np.zeros((1, 4), np.float32))
    graph.add("ADD", [y, d], [z])
    graph.inputs(x)
    graph.outputs(z)
    found = inferred(builder.finish())
    assert found.shapes == [(None, 4), (2, 4), (None, 4), (None, 4), (1, 4)]
    assert found.results == {0: ((None, 4),), 1: ((None, 4),)}
    assert not found.misfits


def test_a_misfit_or_an_unknown_operator_leaves_its_results_open() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, w = graph.tensor("x", (2, 4), "float32"), graph.tensor("w", (3,), "float32")
    a, b, c = (graph.tensor(name, (2, 4), "float32") for name in "abc")
    graph.add("ADD", [x, w], [a])
    graph.add("FLOOR", [x], [b])
    graph.add("ADD", [a, b], [c])
    graph.inputs(x, w)
    graph.outputs(c)
    found = inferred(builder.finish())
    assert found.shapes[2:] == [None, None, None]
    assert list(found.misfits) == [0]
    assert found.misfits[0].found == "[2, 4] and [3] do not broadcast"


def test_shapes_are_not_shared_between_different_constants() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (6,), "float32")
    outputs = []
    for wanted in ([2, 3], [3, 2]):
        shape = graph.constant("s", np.array(wanted, np.int32))
        outputs.append(graph.tensor("y", (6,), "float32"))
        graph.add("RESHAPE", [x, shape], outputs[-1:])
    for wanted in ([6, 1], [1, 6]):
        outputs.append(graph.tensor("y", (6,), "float32"))
        graph.add("RESHAPE", [x], outputs[-1:], new_shape=wanted)
    graph.inputs(x)
    graph.outputs(*outputs)
    found = inferred(builder.finish())
    assert [found.shapes[index] for index in outputs] == [(2, 3), (3, 2), (6, 1), (1, 6)]


def test_a_law_is_computed_once_for_equal_shapes_and_options() -> None:
    asked: list[Call] = []

    def law(call: Call) -> Shapes:
        asked.append(call)
        return LAWS["broadcast"](call)

    builder = ModelBuilder()
    graph = builder.subgraph()
    t = x = graph.tensor("x", (2, 4), "float32")
    for activation in ("NONE", "NONE", "RELU"):
        y = graph.tensor("y", (2, 4), "float32")
        graph.add("ADD", [t, x], [y], fused_activation_function=activation)
        t = y
    graph.inputs(x)
    graph.outputs(t)
    model = builder.finish()
    found = infer(model, model.subgraphs[0], lambda _: (law, ("lhs", "rhs"), ("output",), frozenset()))
    assert found.shapes == [(2, 4)] * 4
    assert len(asked) == 2


def test_repeated_results_and_absent_operands() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, axis = graph.tensor("x", (4, 3), "float32"), graph.constant("axis", np.array(0, np.int32))
    a, b = graph.tensor("a", (), "float32"), graph.tensor("b", (), "float32")
    graph.add("SPLIT", [axis, x], [a, b], num_splits=2)
    graph.add("RESHAPE", [a, -1], [graph.tensor("c", (), "float32")], new_shape=[6])
    graph.inputs(x)
    graph.outputs(b)
    assert inferred(builder.finish()).shapes[2:] == [(2, 3), (2, 3), (6,)]


@pytest.mark.parametrize(
    ("batch", "width", "kinds"),
    [(1, 128, []), (1, 512, ["computed"]), (-1, 128, []), (-1, 512, ["computed"])],
)
def test_a_computed_shape_fits_the_batch_in_the_file(batch: int, width: int, kinds: list[str]) -> None:
    """(batch, 8, 8, 2) has 128 values for each image: rows of 512 values do not fit."""
    model = flattened(batch, width)
    found = infer(model, model.subgraphs[0], law_of)
    assert [misfit.kind for misfit in found.misfits.values()] == kinds
