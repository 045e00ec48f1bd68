"""MODEL:TENSOR: by name, by index, by subgraph."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.quantizer.model_tensor import find_tensor


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    builder = ModelBuilder()
    for name in ("main", "a/b"):
        sub = builder.subgraph(name)
        x = sub.tensor("serving_x:0", (1,), "int8", qparams(0.5))
        y = sub.tensor(f"{name}/y", (1,), "int8", qparams(0.5))
        sub.add("RELU", [x], [y])
        sub.inputs(x)
        sub.outputs(y)
    save_model(builder.finish(), "m.tflite")
    save_model(builder.finish(), "m:2.tflite")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("m.tflite:main/y", (0, 1)),
        ("m.tflite:a/b/y", (1, 1)),
        ("m.tflite:0/1", (0, 1)),
        ("m.tflite:1/serving_x:0", (1, 0)),
        ("m.tflite:main/serving_x:0", (0, 0)),
        ("m.tflite:a/b/0", (1, 0)),
        ("m:2.tflite:main/y", (0, 1)),
    ],
)
def test_names_numbers_and_subgraphs(text, found):
    subgraph, tensor = find_tensor(text)
    assert (subgraph.index, tensor.index) == found


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("m.tflite:serving_x:0", "several tensors are called 'serving_x:0': 0/0, 1/0; give one of these"),
        ("m.tflite:1", "several tensors are called '1': 0/1, 1/1"),
        ("m.tflite:main/z", "there is no tensor 'main/z'; did you mean 'main/y'?"),
        ("m.tflite:9", "there is no tensor '9'"),
        ("m.tflite:3/0", "there is no tensor '3/0'"),
        ("no.tflite:x", "no.tflite:x: no such file"),
        ("m.tflite", "give a file and a tensor, FILE:TENSOR"),
    ],
)
def test_missing_and_ambiguous_tensors(text, message):
    with pytest.raises(ConfigError) as error:
        find_tensor(text)
    assert message in str(error.value)
