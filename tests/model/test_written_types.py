"""Types of outputs that an option states and the kernel writes, whatever the file says."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.model.written_types import written_types
from litecheck.profile.load import law_of
from tests.profile.folded_models import sliced_shape


def largest(option: int, stated: str) -> Model:
    """ARG_MAX of a list with an output of the stated type."""
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
        found = written_types(model.subgraphs[0], law_of)
        assert list(found.values()) == ([] if written is None else [written])
