"""JSON of a model: complete, a single operator, and names of files."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from litecheck.rendering.inspect_json import json_text, model_name, model_values
from tests.rendering.inspected import model


def test_a_whole_model(golden: Callable[[str, str], None]) -> None:
    golden("inspect.json", json_text([model()]))


def test_one_operator_has_the_tensors_that_it_touches() -> None:
    (subgraph,) = model_values(model(), op=1)["subgraphs"]
    assert [o["opcode"] for o in subgraph["operators"]] == ["CUSTOM"]
    assert [t["name"] for t in subgraph["tensors"]] == ["y", "state", "z", "u"]


def test_one_subgraph_of_several_models() -> None:
    found = json.loads(json_text([model(), model()], subgraph=1))
    assert [[s["index"] for s in m["subgraphs"]] for m in found["models"]] == [[1], [1]]
    assert found["litecheck_inspect"] == 1


def test_quantization_with_details() -> None:
    tensors = model_values(model())["subgraphs"][1]["tensors"]
    details = [t["quantization"].get("details") for t in tensors]
    assert details == [
        {"kind": "blockwise", "scales": 7, "zero_points": -1, "block_size": 32, "block_shape": []},
        {"kind": "multiaxis", "scales": 8, "zero_points": -1, "block_size": 0, "axes": [0, 1]},
        {"kind": "custom"},
        None,
    ]


def test_names_of_files() -> None:
    assert model_name(model()) == "a.tflite!b.tflite"
    assert model_name(replace(model(), member="")) == "a.tflite"
    assert model_name(replace(model(), file="a\x1b", member="")) == "a\\x1b"


def test_other_values_are_rejected() -> None:
    with pytest.raises(TypeError, match="Model"):
        model_values("a.tflite")  # type: ignore[arg-type]
