"""Measurements of tensors without operators: sizes that overflow."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import litecheck
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.model.types import Model

PATH = "SUBGRAPH/limits/largest_tensor_bytes"
M = 2**31 - 1
LOAD = "import sys; from ai_edge_litert.interpreter import Interpreter; Interpreter(sys.argv[1])"
#: Shape, type, and the message of LiteRT 2.3.0 when the model is loaded; none where only the allocation fails.
SHAPES = [
    ((M, M, 2), "int8", ""),
    ((M, M, 5), "int8", "number of elements overflowed"),
    ((M, M, M), "int8", "number of elements overflowed"),
    ((M, M, 2), "float32", "number of bytes overflowed"),
    ((M, M, M, 0), "int8", "number of elements overflowed"),
    ((0, M, M, M), "int8", ""),
    ((M, M, 2), "int4", ""),
]


def beside(shape: tuple[int, ...], dtype: str) -> Model:
    """Return a RELU on four elements, and a further tensor that no operator uses."""
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.5, 0)
    x, y = main.tensor("x", (1, 4), "int8", q), main.tensor("y", (1, 4), "int8", q)
    main.tensor("idle", shape, dtype, q)
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("shape", "dtype", "violates"),
    [
        *((shape, dtype, bool(message)) for shape, dtype, message in SHAPES),
        ((1 << 21, 1 << 21, 1 << 21), "int8", True),
        ((1 << 21, 1 << 21, (1 << 21) - 1), "int8", False),
        ((1 << 20, 1 << 21, 1 << 21), "int16", True),
        ((1 << 20, 1 << 21, 1 << 21), "int4", False),
        ((M, M, M), "string", False),
    ],
)
def test_sizes_that_overflow_violate(shape: tuple[int, ...], dtype: str, violates: bool) -> None:
    found = [finding for finding in litecheck.validate(beside(shape, dtype)).active if finding.path == PATH]
    assert bool(found) == violates
    assert all(finding.level == "violation" and finding.effect == "fails to load" for finding in found)


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ai_edge_litert") is None, reason="needs ai-edge-litert")
@pytest.mark.parametrize(("shape", "dtype", "message"), SHAPES)
def test_litert_fails_to_load_sizes_that_overflow(
    tmp_path: Path, shape: tuple[int, ...], dtype: str, message: str
) -> None:
    save_model(beside(shape, dtype), tmp_path / "m.tflite")
    done = subprocess.run([sys.executable, "-c", LOAD, tmp_path / "m.tflite"], capture_output=True, text=True)
    assert message in done.stderr
    assert bool(done.returncode) == bool(message)
