"""Small models, a small profile, and the program run in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from litecheck.cli.app import app
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.quantization import Quantization

PROFILE = """\
profile: tiny
title: A profile for tests
source: https://example.org/tiny
activations: int8
kinds:
  activation: {dtype: int8, granularity: per-tensor}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight]
    outputs: [output]
    tensors:
      input: activation
      weight:
        granularity: per-axis
        zero_point: 0
        because: a zero point costs a sum
        see: page 7
      output: activation
levels:
  FULLY_CONNECTED/weight/granularity: note
"""

ZERO_POINT = "FULLY_CONNECTED/weight/zero_point"
GRANULARITY = "FULLY_CONNECTED/weight/granularity"


def write_model(path: Path, zero_point: int = 0, dtype: str = "int8", softmax: bool = False) -> None:
    """Write a FULLY_CONNECTED with per-tensor weights, which gives a note. A weight zero point other than 0
    violates."""

    def q(scale: float, zero_point: int) -> Quantization:
        return qparams(scale, zero_point) if dtype == "int8" else Quantization()

    builder = ModelBuilder("a model for tests")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4), dtype, q(0.5, -1))
    w = main.constant("kernel", np.ones((2, 4), dtype), q(0.25, zero_point))
    y = main.tensor("y", (1, 2), dtype, q(0.25, 3))
    main.add("FULLY_CONNECTED", [x, w], [y])
    if softmax:
        z = main.tensor("z", (1, 2), dtype, q(1 / 256, -128))
        main.add("SOFTMAX", [y], [z])
        y = z
    main.inputs(x)
    main.outputs(y)
    save_model(builder.finish(), path)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fill and enter a folder: good, bad, partial, float and broken models, and the profile tiny.yaml."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    write_model(tmp_path / "good.tflite")
    write_model(tmp_path / "bad.tflite", zero_point=3)
    write_model(tmp_path / "partial.tflite", softmax=True)
    write_model(tmp_path / "float.tflite", dtype="float32")
    (tmp_path / "broken.tflite").write_bytes(b"\x1c\0\0\0TFL3" + b"\xff" * 40)
    (tmp_path / "tiny.yaml").write_text(PROFILE)
    return tmp_path


@pytest.fixture
def run(folder: Path) -> Callable[..., Result]:
    """Return a function that runs the program in the folder, with separate stdout and stderr."""
    runner = CliRunner()

    def invoke(*arguments: str) -> Result:
        result = runner.invoke(app, list(arguments), prog_name="litecheck")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return result

    return invoke
