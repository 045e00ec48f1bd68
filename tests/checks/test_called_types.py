"""Impacts of types inside called subgraphs: the runtime writes the types of the call over those in the file.

The impacts are those of ai-edge-litert 2.3.0 with each of the three resolvers.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck import load_profile, validate
from litecheck.checks.called_types import types_of_callers
from litecheck.finding import IGNORED
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.differential.structure.edit import with_tensor
from tests.differential.structure.specimens_stateful import stateful

LATER = "rejected without the default delegate"


def specimen(name: str) -> Model:
    return next(s.model for s in stateful() if s.name == name)


def retyped(model: Model, subgraph: int, operator: int, side: str, at: int, dtype: str) -> Model:
    """Return the model with the type of a tensor of an operator changed."""
    graph = model.subgraphs[subgraph]
    tensor = graph.tensors[getattr(graph.operators[operator], side)[at]]
    return with_tensor(model, graph, replace(tensor, dtype=dtype))


def impacts(model: Model) -> dict[str, str]:
    """Return the impact of each violation."""
    return {f.path: f.effect for f in validate(model).findings if f.level == "violation"}


@pytest.mark.parametrize(
    ("name", "place", "dtype", "wanted"),
    [
        ("IF", (1, 0, "inputs", 0), "int16", IGNORED),
        ("IF", (1, 0, "outputs", 0), "float32", IGNORED),
        ("IF", (0, 0, "inputs", 1), "int16", LATER),
        ("IF", (0, 0, "outputs", 0), "int16", IGNORED),
        ("IF", (0, 0, "outputs", 0), "uint8", IGNORED),
        ("IF", (0, 0, "outputs", 0), "int64", IGNORED),
        ("WHILE", (2, 1, "inputs", 0), "int16", IGNORED),
        ("WHILE", (2, 0, "inputs", 0), "int8", IGNORED),
        ("WHILE", (1, 0, "inputs", 0), "int64", "fails at run time"),
        ("WHILE", (1, 0, "inputs", 0), "float32", IGNORED),
        ("WHILE", (0, 0, "inputs", 1), "int16", "fails to load"),
        ("WHILE", (0, 0, "outputs", 0), "int64", "fails at run time"),
    ],
)
def test_types(name: str, place: tuple[int, int, str, int], dtype: str, wanted: str) -> None:
    assert impacts(retyped(specimen(name), *place, dtype)) == {f"{name}/limits/boundary_types": wanted}


@pytest.mark.parametrize(
    ("inner", "outer", "impact"),
    [("float32", "int16", "crashes"), ("int64", "int32", "crashes"), ("int32", "float32", IGNORED),
     ("int32", "int64", IGNORED)],
)  # fmt: skip
def test_results_of_a_branch(inner: str, outer: str, impact: str) -> None:
    """A branch with larger elements than the output of its call writes beyond the output's memory."""
    builder = ModelBuilder("IF")
    main, body = builder.subgraph("main"), builder.subgraph("body")
    c, x = main.tensor("c", (), "bool"), main.tensor("x", (5000,), inner)
    y = main.tensor("y", (5000,), outer)
    main.add("IF", [c, x], [y], then_subgraph_index=1, else_subgraph_index=1)
    main.inputs(c, x)
    main.outputs(y)
    a, b = (body.tensor(name, (5000,), inner) for name in "ab")
    body.add("ADD", [a, a], [b])
    body.inputs(a)
    body.outputs(b)
    assert impacts(builder.finish()) == {"IF/limits/boundary_types": impact}


@pytest.mark.parametrize("name", ["IF", "WHILE"])
def test_equal_types(name: str) -> None:
    """Control: nothing is replaced, and there is no finding."""
    assert types_of_callers(specimen(name)) == {}
    assert impacts(specimen(name)) == {}


def test_swapped_results() -> None:
    """The body of a loop must return the types that it receives."""
    model = specimen("WHILE")
    body = model.subgraphs[2]
    swapped = replace(body, outputs=body.outputs[::-1])
    model = replace(model, subgraphs=(*model.subgraphs[:2], swapped))
    assert impacts(model)["WHILE/limits/boundary_types"] == "fails to load"


def test_absent_input() -> None:
    model = specimen("WHILE")
    main = model.subgraphs[0]
    loop = replace(main.operators[0], inputs=(-1, *main.operators[0].inputs[1:]))
    model = replace(model, subgraphs=(replace(main, operators=(loop,)), *model.subgraphs[1:]))
    assert impacts(model)["WHILE/limits/boundary_types"] == "crashes"


def test_operators_of_the_called_subgraph() -> None:
    """A constant of another type stays a finding of the operator: no call writes its type."""
    assert impacts(retyped(specimen("IF"), 1, 0, "inputs", 1, "int16")) == {"ADD/rhs/dtype": "fails to load"}


def test_types_as_stored() -> None:
    """A runtime that computes with the tensors in the file reads the stated types."""
    model = retyped(specimen("IF"), 1, 0, "inputs", 0, "int16")
    found = {f.path for f in validate(model, [load_profile("tflm")]).findings}
    assert any(path.startswith("ADD/") for path in found)
