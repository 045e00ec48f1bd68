"""Complete differences of models with a planted change: causes and consequences."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from litecheck.differences.change import Change
from litecheck.differences.model_difference import diff
from litecheck.model.load import load_model
from tests.differential.planted_changes import PLANTERS

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def line(change: Change) -> str:
    """Return a change with four digits."""
    return (
        f"  {change.kind} {change.subgraph}:{change.operator}/{change.other} {change.opcode} {change.name} {change.role}: "
        f"{change.before} -> {change.after} {change.text} {change.changed}/{change.elements} {change.relative:.4g} "
        f"{change.cause}"
    ).rstrip()


def lines(name: str) -> Iterator[str]:
    """Yield the changes of each planted change of a fixture."""
    model = load_model(FIXTURES / f"{name}.tflite")
    for kind, plant in PLANTERS.items():
        planted = plant(model, np.random.default_rng(3))
        if planted is not None:
            found = diff(model, planted.model)
            yield f"{kind}: {found.matched} of {found.operators}"
            yield from map(line, found.changes)


@pytest.mark.parametrize("name", ["conv_int8", "float_detector", "two_signatures"])
def test_whole_differences(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"differences.{name}.txt", "".join(f"{each}\n" for each in lines(name)))
