"""A small suite, and results of a device with one of its arithmetics, with planted changes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.devices.outcome import Outcome
from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.results import (
    ANSWERED,
    RESULTS,
    CaseResult,
    OutputEntry,
    RunFacts,
    SuiteResults,
    read_results,
)
from litecheck.suite.suite_writer import Scope, make
from litecheck.typed_json import encode

#: Small operators for which the arithmetics of LiteRT's kernels differ in one operator.
OPERATORS = ("LOGISTIC", "QUANTIZE")
ARITHMETICS = ("litert-reference", "litert-xnnpack")
CLAIMS = """\
claims: test
device: {name: Board, version: r1}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
operators: [LOGISTIC, QUANTIZE]
"""
Change = Callable[[np.ndarray], np.ndarray]


def small_suite(folder: Path, select: tuple[str, ...] = OPERATORS) -> Suite:
    """Return a suite of a few operators with outputs of two arithmetics."""
    make(Scope("litert-int8", "smoke", select, arithmetics=ARITHMETICS, flags=False), folder)
    return read_suite(folder)


def one_off(values: np.ndarray) -> np.ndarray:
    """Add 1 LSB to every value; subtract 1 from the largest value of the type."""
    return np.where(values < np.iinfo(values.dtype).max, values + 1, values - 1).astype(values.dtype)


def recorded(
    suite: Suite,
    folder: Path,
    arithmetic: str = "litert-reference",
    *,
    changed: Mapping[str, Change] | None = None,
    outcomes: Mapping[str, str] | None = None,
    missing: tuple[str, ...] = (),
    program: str = "",
) -> SuiteResults:
    """Write results: the suite's own outputs, with planted changes by a case's operator or name."""
    folder.mkdir()
    facts = RunFacts("litecheck 0.1.0", suite.sha256, "board", "a board (driver 3)", program, 60.0, 0)
    lines = [encode(facts, RunFacts)]
    for case in suite.manifest.cases:
        keys = (case.name, case.opcode)
        if any(key in missing for key in keys):
            continue
        usual = Outcome.REFUSED.value if case.broken else ANSWERED
        outcome = next(((outcomes or {})[key] for key in keys if key in (outcomes or {})), usual)
        if outcome != ANSWERED:
            lines.append(encode(CaseResult(case.name, outcome, "so it ended"), CaseResult))
            continue
        answer = next(a for a in case.answers if arithmetic in a.arithmetics)
        change = next(((changed or {})[key] for key in keys if key in (changed or {})), np.asarray)
        entries = [
            _written(folder, case.name, n, change(v)) for n, v in enumerate(suite.expected_outputs(answer))
        ]
        lines.append(encode(CaseResult(case.name, ANSWERED, "", 0.25, None, tuple(entries)), CaseResult))
    (folder / RESULTS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return read_results(folder, suite)


def _written(folder: Path, name: str, number: int, values: Any) -> OutputEntry:
    file = f"outputs/{name}/output-{number}.npy"
    (folder / file).parent.mkdir(parents=True, exist_ok=True)
    np.save(folder / file, values)
    return OutputEntry(file, values.dtype.name, values.shape, hashlib.sha256(values.tobytes()).hexdigest())
