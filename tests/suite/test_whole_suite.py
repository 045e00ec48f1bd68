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
from litecheck.suite.manifest import MANIFEST
from litecheck.suite.suite_writer import Scope, make
from tests.whole import subgraph_lines

OPERATORS = ("ADD", "FULLY_CONNECTED", "LOGISTIC", "RESHAPE")
#: Facts of a case that are text, lists or maps.
FACTS = ("granularity", "title", "broken", "effect", "optional", "factors", "lengths", "flags")


def stored(folder: Path, array: dict[str, Any]) -> str:
    """Return type, shape and sum of a stored array."""
    values = np.fromfile(folder / array["file"], array["dtype"])
    return f"{array['dtype']} {array['shape']} sum {values.astype(np.int64).sum()}"


def lines(folder: Path) -> Iterator[str]:
    """Yield the lines of every case."""
    manifest = json.loads((folder / MANIFEST).read_text())
    yield from (f"uncovered: {json.dumps(each)}" for each in manifest["uncovered"])
    for case in manifest["cases"]:
        facts = (f"{name} {case[name]}" for name in FACTS if case[name])
        yield f"{case['name']}: {'; '.join(facts)}"
        yield from (f"  input {stored(folder, each)}" for each in case["inputs"])
        for answer in case["answers"]:
            yield from (f"  output {stored(folder, each)}" for each in answer["outputs"])
        yield from (f"  {line}" for line in subgraph_lines(load_model(folder / case["model"]).subgraphs[0]))


def test_a_whole_suite(tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    scope = Scope("litert-int8", "smoke", OPERATORS, arithmetics=("litert-reference",), flags=False)
    make(scope, tmp_path / "suite")
    golden("suite.cases.txt", "".join(f"{line}\n" for line in lines(tmp_path / "suite")))
