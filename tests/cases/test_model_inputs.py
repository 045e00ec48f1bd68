"""Inputs of a whole model: given samples, drawn inputs, and series for a model with state."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.model_inputs import CHAIN, Drawing, in_a_row, sample_inputs
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model


def model() -> Model:
    """Return a model with two subgraphs of a RELU each; the second subgraph has a signature."""
    builder = ModelBuilder()
    for name in ("main", "other"):
        graph = builder.subgraph(name)
        x, y = (graph.tensor(f"{name}_{n}", (1, 3), "int8", qparams(0.5)) for n in "xy")
        graph.add("RELU", [x], [y])
        graph.inputs(x)
        graph.outputs(y)
        if name == "other":
            builder.signature("serve", graph, {"image": x}, {"scores": y})
    return builder.finish()


def array(*values: int) -> np.ndarray:
    return np.array([values], np.int8)


def shown(samples: list[dict[int, np.ndarray]]) -> list[dict[int, list[list[int]]]]:
    return [{index: values.tolist() for index, values in one.items()} for one in samples]


def test_given_samples_go_to_their_entry_point() -> None:
    whole = model()
    main, other = whole.subgraphs
    given = Drawing(samples=({"main_x": array(1, 2, 3)}, {"main_x": array(4, 5, 6)}))
    assert shown(sample_inputs(whole, main, given)) == [{0: [[1, 2, 3]]}, {0: [[4, 5, 6]]}]
    # The samples belong to the first subgraph, so the inputs of the second are drawn.
    drawn = sample_inputs(whole, other, given)
    assert len(drawn) == 1
    named = Drawing("serve", ({"image": array(7, 8, 9)},))
    assert shown(sample_inputs(whole, other, named)) == [{0: [[7, 8, 9]]}]


def test_drawn_samples_depend_on_the_seed() -> None:
    whole = model()
    main = whole.subgraphs[0]
    (first,), (again,), (other,) = (sample_inputs(whole, main, Drawing(seed=seed)) for seed in (0, 0, 1))
    assert (first[0] == again[0]).all()
    assert (first[0] != other[0]).any()


def test_inputs_that_cannot_be_drawn_are_missing() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, s, y = (
        graph.tensor("x", (1, 3), "int8"),
        graph.tensor("s", (1,), "string"),
        graph.tensor("y", (1, 3), "int8"),
    )
    graph.add("RELU", [x], [y])
    graph.inputs(x, s)
    graph.outputs(y)
    whole = builder.finish()
    assert [*sample_inputs(whole, whole.subgraphs[0], Drawing())[0]] == [x]


@pytest.mark.parametrize("count", [1, 2, 9])
def test_given_samples_are_repeated_in_a_row(count: int) -> None:
    """At least 6 inferences, all samples once at least."""
    whole = model()
    samples = [{0: array(n, n, n)} for n in range(count)]
    row = in_a_row(whole, whole.subgraphs[0], Drawing(samples=({"x": array(1)},)), samples)
    assert [int(one[0][0, 0]) for one in row] == [n % count for n in range(max(6, count))]
    assert CHAIN == 6


def test_samples_of_several_shapes_make_no_row() -> None:
    whole = model()
    samples = [{0: array(1)}, {0: array(1, 2)}]
    assert in_a_row(whole, whole.subgraphs[0], Drawing(samples=({},)), samples) == []


def test_drawn_samples_in_a_row_differ() -> None:
    whole = model()
    main = whole.subgraphs[0]
    row = in_a_row(whole, main, Drawing(seed=3), [])
    assert len(row) == CHAIN
    expected = [sample_inputs(whole, main, Drawing(seed=seed))[0] for seed in range(3, 9)]
    assert shown(row) == shown(expected)
