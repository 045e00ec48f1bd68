"""Text of a model: complete, each operator, and a single subgraph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from litecheck.errors import ConfigError
from litecheck.rendering.inspect import model_text
from tests.rendering.inspected import model

Golden = Callable[[str, str], None]


def test_a_whole_model(golden: Golden) -> None:
    golden("inspect.txt", model_text(model(), tensors=True))
    assert model_text(model(), tensors=True).startswith(model_text(model()).partition("\n\n")[0])


def test_tensors_are_listed_only_on_request() -> None:
    assert "30 bytes  weight" not in model_text(model())


@pytest.mark.parametrize("number", [0, 1])
def test_one_operator(number: int, golden: Golden) -> None:
    golden(f"inspect.{number}.txt", model_text(model(), op=number))


def test_one_subgraph() -> None:
    told = model_text(model(), subgraph=1)
    assert "\nsubgraph 1\n" in told
    assert "subgraph 0 'main'" not in told
    assert model_text(model(), subgraph=0, op=1) == model_text(model(), op=1)


@pytest.mark.parametrize(
    ("subgraph", "op", "message"),
    [
        (2, None, "a.tflite!b.tflite: there is no subgraph 2; it has 2"),
        (-1, None, "a.tflite!b.tflite: there is no subgraph -1; it has 2"),
        (None, 2, "there is no operator 2 in subgraph 0; it has 2"),
        (None, -1, "there is no operator -1 in subgraph 0; it has 2"),
        (1, 0, "there is no operator 0 in subgraph 1; it has 0"),
    ],
)
def test_numbers_that_do_not_exist(subgraph: int | None, op: int | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        model_text(model(), subgraph=subgraph, op=op)


def test_long_names_are_cut_to_the_terminal() -> None:
    graph = model().subgraphs[1]
    long = replace(graph.tensors[0], name="block/" * 30)
    named = replace(model(), subgraphs=(replace(graph, index=0, tensors=(long,)),))
    rows = [model_text(named, tensors=True, width=width).splitlines()[-1] for width in (80, 100)]
    assert [len(row) for row in rows] == [80, 100]
