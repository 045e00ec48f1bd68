"""A whole suite of four operators: every case with its model, the sums of its inputs and of its answers.

A seed gives the same suite on every machine.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.suite.manifest import MANIFEST
from litecheck.suite.suite_writer import Scope, make

OPERATORS = ("ADD", "FULLY_CONNECTED", "LOGISTIC", "RESHAPE")
#: Facts of a case that are text, lists or maps.
FACTS = ("granularity", "title", "broken", "effect", "optional", "factors", "lengths", "flags")


def summed(folder: Path, array: dict[str, Any]) -> str:
    """Return type, shape and sum of a stored array."""
    values = np.fromfile(folder / array["file"], array["dtype"])
    return f"{array['dtype']} {array['shape']} sum {values.astype(np.int64).sum()}"


def described(model: Model) -> Iterator[str]:
    """Yield the operators of a model and its tensors: quantization with four digits."""
    (main, *_) = model.subgraphs
    for op in main.operators:
        fields = {} if op.options is None else op.options.fields
        stated = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in fields.items()}
        yield f"{op.opcode} {op.version} {op.inputs} -> {op.outputs} {stated}"
    for tensor in main.tensors:
        q = tensor.quantization
        scales = " ".join(f"{scale:.4g}" for scale in q.scale[:3])
        held = "" if tensor.data is None else f" constant {tensor.data.size}"
        yield f"{tensor.index} {tensor.dtype} {tensor.shape} ({scales}) {q.zero_point[:3].tolist()} {q.axis}{held}"


def lines(folder: Path) -> Iterator[str]:
    """Yield the lines of every case."""
    manifest = json.loads((folder / MANIFEST).read_text())
    yield from (f"uncovered: {json.dumps(each)}" for each in manifest["uncovered"])
    for case in manifest["cases"]:
        facts = (f"{name} {case[name]}" for name in FACTS if case[name])
        yield f"{case['name']}: {'; '.join(facts)}"
        yield from (f"  input {summed(folder, each)}" for each in case["inputs"])
        for answer in case["answers"]:
            yield from (f"  output {summed(folder, each)}" for each in answer["outputs"])
        yield from (f"  {line}" for line in described(load_model(folder / case["model"])))


def test_a_whole_suite(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    scope = Scope("litert-int8", "smoke", OPERATORS, arithmetics=("litert-reference",), flags=False)
    make(scope, tmp_path / "suite")
    golden("suite.cases.txt", "".join(f"{line}\n" for line in lines(tmp_path / "suite")))
