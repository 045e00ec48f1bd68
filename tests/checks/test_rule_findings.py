"""Findings above single requirements: alternatives, relaxed requirements, and requirements of a subgraph."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.broken import changed, single_scale, zeros
from fixtures.models import softmax
from litecheck.checks.validate import validate
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.checks.table import FindingRow, findings_of

ALTERNATIVES = """\
kinds: {activation: {dtype: int8}}
ops:
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors: {input: activation, output: activation}
    any_of:
      unsigned:
        tensors: {output: {scale: 1/256, zero_point: -128, because: the result lies in 0..1}}
      signed:
        tensors: {output: {scale: 1/128, zero_point: 0, because: the result lies in -1..1}}
effects:
  SOFTMAX/output/zero_point: wrong results
"""
BASE = """\
profile: base
kinds: {activation: {dtype: int8, zero_point: 0, because: symmetric alone is known}}
ops:
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors: {input: activation, output: activation}
"""
CHILD = """\
profile: child
extends: base.yaml
relaxes:
  SOFTMAX/output/zero_point: {value: -128..0, because: the output stage subtracts, shows: SHOWS}
"""


def resulting(scale: float, point: int) -> Model:
    return changed(softmax(), "softmax_0", scale=single_scale(scale), zero_point=zeros(point))


def point(found: int, required: str, because: str) -> FindingRow:
    return FindingRow(
        "SOFTMAX/output/zero_point", "output 'softmax_0'", f"zero point is {found}", required, because,
        "wrong results",
    )  # fmt: skip


BOTH = "the alternatives are unsigned or signed"
ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "the first is nearer": (
        resulting(1 / 256, 3),
        (point(3, f"zero point -128 of output (as unsigned; {BOTH})", "the result lies in 0..1"),),
    ),
    "the second is nearer": (
        resulting(1 / 128, 3),
        (point(3, f"zero point 0 of output (as signed; {BOTH})", "the result lies in -1..1"),),
    ),
    "both are as far": (
        resulting(1 / 256, 0),
        (point(0, f"zero point -128 of output (as unsigned; {BOTH})", "the result lies in 0..1"),),
    ),
    "the first": (resulting(1 / 256, -128), ()),
    "the second": (resulting(1 / 128, 0), ()),
}  # fmt: skip


@pytest.mark.parametrize("case", ROWS)
def test_alternatives(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(ALTERNATIVES, model) == expected


def test_the_nearest_alternative_is_the_one_with_the_fewest_violations() -> None:
    """An alternative with two notes is nearer than an alternative with a violation."""
    rules = ALTERNATIVES.replace(
        "      signed:\n        tensors: {", "      signed:\n        tensors: {input: {zero_point: 5}, "
    )
    rules += "levels:\n  SOFTMAX/output/scale: note\n  SOFTMAX/input/zero_point: note\n"
    found = findings_of(rules, resulting(1 / 256, 0))
    assert [(row.path, row.level) for row in found] == [
        ("SOFTMAX/input/zero_point", "note"),
        ("SOFTMAX/output/scale", "note"),
    ]
    assert {row.required for row in found} == {
        f"zero point 5 of input (as signed; {BOTH})",
        f"scale 1/128 of output (as signed; {BOTH})",
    }


@pytest.mark.parametrize(
    ("output", "shows", "status", "waiver"),
    [
        (-128, "waived", "waived", "the output stage subtracts"),
        (-128, "conforms", "conforms", None),
        (1, "waived", "violates", None),
        (0, "waived", "conforms", None),
    ],
)
def test_findings_of_relaxed_requirements(
    tmp_path: Path, output: int, shows: str, status: str, waiver: str | None
) -> None:
    (tmp_path / "base.yaml").write_text(BASE)
    child = tmp_path / "child.yaml"
    child.write_text(CHILD.replace("SHOWS", shows))
    model = changed(resulting(1 / 256, output), "input", zero_point=zeros(0))
    report = validate(model, [load_profile(child)])
    assert report.operators[0].status == status
    assert [f.waiver and f.waiver.reason for f in report.findings] == (
        [waiver] if status in ("waived", "violates") else []
    )
    if status == "waived":
        (finding,) = report.findings
        assert finding.waiver is not None
        assert finding.waiver.by == f"child ({child}:4)"
        assert report.operators[0].reason == f"by child ({child}:4): the output stage subtracts"


def test_a_subgraph_as_a_whole() -> None:
    rules = """\
ops:
  SUBGRAPH:
    inputs: [inputs]
    repeated: [inputs, outputs]
    outputs: [outputs]
    tensors: {inputs: {dtype: uint8, because: the camera gives uint8}}
"""
    assert findings_of(rules, softmax()) == (
        FindingRow(
            "SUBGRAPH/inputs/dtype", "inputs[0] 'input'", "it is int8", "type uint8 of inputs",
            "the camera gives uint8",
        ),
    )  # fmt: skip
