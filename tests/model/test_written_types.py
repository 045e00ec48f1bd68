"""Output types that an option states and the kernel writes, independent of the tensor's stated type."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.model.written_types import written_types
from litecheck.profile.load import law_of
from litecheck.profile.operators import traits_of
from tests.profile.folded_models import sliced_shape


def largest(option: int, stated: str) -> Model:
    """Return an ARG_MAX of a list with an output of the stated type."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y = graph.tensor("x", (1, 4), "float32"), graph.tensor("y", (1,), stated)
    graph.add("ARG_MAX", [x, graph.constant("axis", np.array(1, np.int32))], [y], output_type=option)
    return builder.finish()


@pytest.mark.parametrize(
    ("option", "stated", "written"),
    [
        (2, "int32", None),
        (4, "int64", None),
        (4, "int32", "int64"),
        (2, "int64", "int32"),
        (2, "int8", "int32"),
        (0, "int32", None),
    ],
)
def test_the_option_decides(option: int, stated: str, written: str | None) -> None:
    for model in (largest(option, stated), sliced_shape(option, stated)):
        found = written_types(
            model.subgraphs[0], law_of, lambda operator: traits_of(operator.kind).written_type(operator)
        )
        assert list(found.values()) == ([] if written is None else [written])


def summed(stated: str) -> Model:
    """Return an ADD and an EQUAL of the sum, both with outputs of the stated type."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y, z = (
        graph.tensor(name, (1, 4), dtype) for name, dtype in (("x", "int8"), ("y", stated), ("z", stated))
    )
    graph.add("ADD", [x, x], [y])
    graph.add("EQUAL", [y, x], [z])
    return builder.finish()


@pytest.mark.parametrize(("stated", "written"), [("int32", {1: "int8", 2: "bool"}), ("int8", {2: "bool"})])
def test_the_first_input_or_the_operator_decides(stated: str, written: dict[int, str]) -> None:
    graph = summed(stated).subgraphs[0]
    assert (
        written_types(graph, law_of, lambda operator: traits_of(operator.kind).written_type(operator))
        == written
    )
