"""Table of fault kinds of a single requirement: each has its own level, impact and reason."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, single_scale, zeros
from fixtures.models import softmax
from litecheck.finding import Effect, Level
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

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
    return changed(softmax(), "input", scale=single_scale(scale))


def row(
    verb: str,
    found: str,
    because: str = USUAL,
    effect: Effect = "fails to load",
    level: Level = "violation",
) -> tuple[FindingRow, ...]:
    required = SCALE if verb == "scale" else GRANULARITY
    return (
        FindingRow(
            f"SOFTMAX/input/{verb}", "input 'input'", found, required, because, effect, level, see="page 1"
        ),
    )


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
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


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
