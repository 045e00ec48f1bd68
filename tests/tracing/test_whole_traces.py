"""Whole traces of models with a planted fault, and of ranges alone: every row, culprit and distribution."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

import litecheck
from litecheck.tracing.trace_result import Trace
from tests.differential.faults import by_tensorflow, traced
from tests.differential.planted_faults import plant
from tests.whole import digits


def lines(trace: Trace) -> str:
    """Return the entries of a trace, a line for each."""
    facts = digits(asdict(trace), 3, places=3)
    for name in ("version", "reference", "file"):
        facts.pop(name)
    entries = (
        (key, each)
        for key, value in facts.items()
        for each in (value if isinstance(value, list) else [value])
    )
    return "".join(f"{key}: {json.dumps(entry)}\n" for key, entry in entries)


@pytest.mark.parametrize("kind", ["axes", "biases", "too_narrow", "weights", "wrong_activation"])
def test_whole_traces(kind: str, golden: Callable[[str, str], None]) -> None:
    pair = by_tensorflow("residual")
    planted = plant(kind, pair.quantized, np.random.default_rng(1))
    assert planted is not None
    golden(f"trace.{kind}.txt", lines(traced(pair, planted.model)))


def test_a_whole_trace_of_ranges(golden: Callable[[str, str], None]) -> None:
    pair = by_tensorflow("separable")
    golden("trace.ranges.txt", lines(litecheck.trace(None, pair.quantized, random=3)))
