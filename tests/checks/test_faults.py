"""Table of the kinds of faults that one requirement tells apart: each with its own level, effect and reason."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, one, zeros
from fixtures.models import softmax
from litecheck.finding import Effect, Level
from litecheck.model.types import Model
from tests.checks.table import Told, told

RULES = """\
kinds: {activation: {dtype: int8}}
ops:
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors:
      input: {kind: activation, granularity: per-tensor, scale: normal, because: the kernel needs a scale, see: page 1}
      output: activation
effects:
  "*/*/*": fails to load
  "*/*/scale/zero": wrong results
  "*/*/scale/infinite": crashes
  "*/*/granularity/absent": fails at run time
reasons:
  "*/*/scale/subnormal": the delegate takes it for 0
  "*/*/granularity/absent": nothing says what the integers mean
levels:
  "*/*/scale/negative": warning
"""
USUAL = "the kernel needs a scale"
SCALE, GRANULARITY = "a finite, normal scale above 0 of input", "per-tensor quantization of input"


def scaled(scale: float) -> Model:
    return changed(softmax(), "input", scale=one(scale))


def row(
    verb: str,
    found: str,
    because: str = USUAL,
    effect: Effect = "fails to load",
    level: Level = "violation",
) -> tuple[Told, ...]:
    required = SCALE if verb == "scale" else GRANULARITY
    return (
        Told(f"SOFTMAX/input/{verb}", "input 'input'", found, required, because, effect, level, see="page 1"),
    )


ROWS: dict[str, tuple[Model, tuple[Told, ...]]] = {
    "no number": (scaled(np.nan), row("scale", "scale is nan, not a number")),
    "infinite": (scaled(np.inf), row("scale", "scale is inf, infinite", effect="crashes")),
    "infinite and negative": (scaled(-np.inf), row("scale", "scale is -inf, infinite", effect="crashes")),
    "negative": (scaled(-0.05), row("scale", "scale is -0.05, negative", level="warning")),
    "zero": (scaled(0.0), row("scale", "scale is 0", effect="wrong results")),
    "subnormal": (scaled(1e-40), row("scale", "scale is 1e-40, subnormal", "the delegate takes it for 0")),
    "absent": (
        changed(softmax(), "input", scale=np.empty(0, np.float32), zero_point=zeros()),
        row(
            "granularity",
            "it has no quantization",
            "nothing says what the integers mean",
            "fails at run time",
        ),
    ),
    "another fault of the same requirement": (
        changed(softmax(), "input", scale=np.full(4, 0.05, np.float32), zero_point=zeros(0, 0, 0, 0), axis=1),
        row("granularity", "it has 4 scales"),
    ),
    "none": (scaled(0.05), ()),
}


@pytest.mark.parametrize("what", ROWS)
def test_what_is_told(what: str) -> None:
    model, expected = ROWS[what]
    assert told(RULES, model) == expected
