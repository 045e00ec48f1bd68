"""A verification's cases by operator, type and granularity of weights."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

from litecheck.comparison.types import Cause
from litecheck.devices.outcome import Outcome
from litecheck.rendering.formats import render
from litecheck.rendering.verification.operator_table import operators
from litecheck.verification.result import Verification


def test_every_case_is_in_one_line(sample: Verification) -> None:
    lines = operators(sample)
    assert sorted(n for line in lines for n in line.positions) == list(range(len(sample.verdicts)))
    for line in lines:
        assert {sample.verdicts[n].opcode for n in line.positions} == {line.opcode}
        assert sum(line.ends.values()) == line.cases == len(line.positions)
        assert list(line.ends) == [outcome.value for outcome in Outcome]
    assert len({(line.opcode, line.kind, line.granularity) for line in lines}) == len(lines)


def test_a_line_has_the_outcomes_of_its_cases(sample: Verification) -> None:
    line = next(line for line in operators(sample) if line.opcode == "CONV_2D")
    assert (line.kind, line.granularity, line.verdict) == ("int8", "per-axis", "fails")
    assert (line.worst, line.unit, line.occurring) == (2.0, "LSB", {"mismatch": 1})
    assert line.arithmetic == "fits litert-xnnpack, tflm"


def test_the_verdicts_are_those_of_the_verification(
    sample: Verification, good: Verification, unjudged: Verification
) -> None:
    for verification in (sample, good, unjudged):
        verdicts = {line.verdict for line in operators(verification)}
        assert ("fails" in verdicts) == (verification.verdict == "fails")
        assert ("conforms" in verdicts) >= (verification.verdict == "conforms")
    strict = replace(sample, fail_on_fallback=True)
    changed = [
        (a.verdict, b.verdict)
        for a, b in zip(operators(sample), operators(strict), strict=True)
        if a.verdict != b.verdict
    ]
    assert changed == [("not checked", "fails")]


def test_the_cause_of_all_differences_is_named(sample: Verification) -> None:
    conv = replace(sample.verdicts[1], also=(), causes=(Cause(("defect: no-bias",), "", 12, 0),))
    several = (conv, replace(conv, causes=(*conv.causes, Cause(("requantize: single",), "", 12, 0))))
    (line,) = operators(replace(sample, verdicts=several))
    assert line.arithmetic == "explained by defect: no-bias"
    (line,) = operators(replace(sample, verdicts=(conv, replace(conv, causes=()))))
    assert line.arithmetic == "none known"


def test_placement_is_stated_if_an_operator_was_not_delegated(sample: Verification) -> None:
    lines = {line.opcode: line for line in operators(sample)}
    left = [line for line in lines.values() if line.placement]
    assert [line.placement for line in left] == ["not delegated"]
    assert left[0].occurring == {"not delegated": 1}


def test_csv_is_read_back(sample: Verification) -> None:
    rows = list(csv.DictReader(io.StringIO(render(sample, "csv"))))
    assert sum(int(row["cases"]) for row in rows) == len(sample.verdicts)
    assert sum(int(row["mismatch"]) for row in rows) == sample.counts()[Outcome.MISMATCH]
