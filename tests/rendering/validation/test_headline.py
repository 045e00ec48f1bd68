"""First line of the report of a model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from litecheck.finding import CPU, Demand, Finding, Where
from litecheck.placement import Placement, TargetReport
from litecheck.rendering.validation.headline import headline
from litecheck.report import ModelReport, OperatorReport, Report


def target(*places: str) -> TargetReport:
    made = tuple(Placement(0, n, "ADD", place) for n, place in enumerate(places))  # type: ignore[arg-type]
    return TargetReport("npu", made, 1, 0)


def finding(path: str, level: str = "warning") -> Finding:
    where = Where(0, "main", 0, "ADD", "name")
    return Finding(path, level, where, "f", "r", "b", "s", Demand("p", "f", 1), "fails to load")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"profiles": ("a",)}, "conforms to a"),
        ({"profiles": ("a", "b", "c")}, "conforms to a, b and 1 more"),
        ({"profiles": ("a",), "selection": ("ADD",)}, "conforms to a for ADD"),
        ({"profiles": ("a",), "findings": (finding("ADD/x", "violation"),)}, "violates a"),  # of a profile below a
        ({"profiles": ("a",), "findings": (finding("CUSTOM/kernel"),)}, "conforms to a: needs a custom kernel"),
        ({"profiles": ("a",), "findings": (finding("CUSTOM/kernel", "violation"),)}, "violates a"),
        ({"profiles": ("a",), "findings": (finding("ADD/kernel"),)}, "conforms to a"),
        ({"profiles": ("npu",), "targets": (target("npu", "cpu", "cpu"),)}, "conforms to npu: 2 of 3 operators on the CPU"),
        ({"profiles": ("npu",), "targets": (target("npu", "npu"),)}, "conforms to npu: 0 of 2 operators on the CPU"),
        ({"profiles": ("npu",), "targets": (target("npu", "refused"),)}, "conforms to npu: the compiler rejects the model"),
        ({"profiles": ("a", "p", "b"), "findings": (finding("ADD/x", "violation"),)}, "violates p"),
        ({"operators": (), "profiles": ("a",)}, "not checked"),
    ],
)  # fmt: skip
def test_headline(fields: dict[str, Any], text: str) -> None:
    operators = (OperatorReport(0, 0, "ADD", "name", "conforms"),)
    model = ModelReport("file", "", 1, **{"operators": operators, **fields})
    assert headline(Report("1.0", (model,)), model) == text


def test_operators_on_the_cpu_violate_the_target_alone() -> None:
    operators = (OperatorReport(0, 0, "ADD", "name", "conforms"),)
    fallback = finding("ADD/unsupported")
    left = replace(fallback, effect=CPU, demanded_by=Demand("npu", "f", 1))
    model = ModelReport("file", "", 1, ("npu", "litert"), operators, (left,), targets=(target("npu", "cpu"),))
    report = Report("1.0", (model,), fail_on_fallback=True)
    assert headline(report, model) == "violates npu: 1 of 2 operators on the CPU"
