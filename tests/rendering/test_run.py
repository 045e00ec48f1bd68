"""Reports of a run: text, document and plain values of the same run."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.engine.run_statistics import Recorder
from litecheck.rendering.formats import render
from litecheck.rendering.run import RunRecord


def record(
    statistics: bool = True, target: str | None = "out.npz", signature: str | None = None
) -> RunRecord:
    """Return a run of DEQUANTIZE with a scalar output that is not finite, and of RELU with saturated values."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x = main.tensor("x", (5, 2000), "int8", qparams(0.5, -28))
    y = main.tensor("y", (5, 2000), "int8", qparams(0.5, -28))
    scalar = main.tensor("s\x1b", (), "float32")
    root = main.tensor("root", (), "float32")
    main.add("RELU", [x], [y])
    main.add("SQRT", [scalar], [root])
    main.inputs(x, scalar)
    main.outputs(y, root)
    model = builder.finish()
    values = np.full((5, 2000), 100, np.int8)
    values[0, 0] = values[1, 1] = -128
    values[2, :1000] = 127
    made = Recorder(entry(model, None), statistics)
    run = ReferenceInterpreter(model, "litert-reference").invoke(
        {"x": values, "s\x1b": np.float32(-1)}, keep="all" if target else "outputs", progress=made
    )
    sources = {"x": "x.npy", "s\x1b": "random, seed 0\n"}
    return RunRecord("a\x1b.tflite", "litert-reference", signature, sources, target, run, made)


def test_text(golden: Callable[[str, str], None]) -> None:
    golden("run.txt", render(record()))


def test_markdown_has_the_same_facts(golden: Callable[[str, str], None]) -> None:
    golden("run.md", render(record(signature="serving"), "markdown"))


def test_plain_values(golden: Callable[[str, str], None]) -> None:
    golden("run.json", render(record(), "json"))


def test_a_run_without_files_and_statistics() -> None:
    plain = record(statistics=False, target=None, signature="serve")
    *_, last = render(plain).splitlines()
    assert render(plain).startswith("a\\x1b.tflite: 2 operators by litert-reference, signature 'serve'\n")
    assert last == "  output  float32 scalar 'root'"
    values = json.loads(render(plain, "json"))
    assert (values["written"], values["signature"], "statistics" in values) == (None, "serve", False)


@pytest.mark.parametrize(
    ("count", "shown"),
    [(0, "0 %"), (1, "< 0.01 %"), (2, "0.01 %"), (15, "0.075 %"), (2500, "12.5 %"), (19980, "99.9 %"),
     (19981, "> 99.9 %"), (19999, "> 99.9 %"), (20000, "100 %")],
)  # fmt: skip
def test_shares_are_0_or_100_only_if_exact(count: int, shown: str) -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = (main.tensor(name, (20000,), "int8", qparams(0.5)) for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    recorder = Recorder(entry(model, None), True)
    values = np.where(np.arange(20000) < count, 127, 3).astype(np.int8)
    run = ReferenceInterpreter(model).invoke({"x": values}, progress=recorder)
    text = render(RunRecord("m", "a", None, {}, None, run, recorder))
    assert f"  0 %  {shown}  " in re.sub(" {2,}", "  ", text)
