"""Counts, verdicts, gates and sentences of a validation report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from litecheck.errors import Problem
from litecheck.finding import CPU, Demand, Effect, Finding, Level, StaleEntry, Waiver, Where
from litecheck.float_parts import FloatParts
from litecheck.placement import Placement, TargetReport
from litecheck.report import ModelReport, OperatorReport, Report
from litecheck.summary_text import Status

CRASHES: Effect = "crashes"


def operator(
    index: int,
    status: Status = "conforms",
    opcode: str = "ADD",
    reason: str = "",
    quantized: bool = True,
    subgraph: int = 0,
) -> OperatorReport:
    return OperatorReport(subgraph, index, opcode, "name", status, ("p",), reason, quantized, status)


def finding(
    operator: int = 0, level: Level = "violation", effect: Effect = CRASHES, waived: bool = False
) -> Finding:
    waiver = Waiver("somebody", "a reason") if waived else None
    place = Where(0, "main", operator, "ADD", "name")
    return Finding(
        "ADD/input/scale", level, place, "f", "r", "b", "s", Demand("p", "f", 1), effect, waiver=waiver
    )


def model(*operators: OperatorReport, **fields: Any) -> ModelReport:
    return ModelReport("file", "", 2048, operators=operators, **fields)


def target(*places: str, partitions: int = 1, unverified: int = 0) -> TargetReport:
    made = tuple(
        Placement(0, at, "ADD", place, unverified="rank 7" if at < unverified else "")  # type: ignore[arg-type]
        for at, place in enumerate(places)
    )
    return TargetReport("npu", made, partitions, 0)


SOUND, BROKEN = model(operator(0)), model(operator(0, "violates"), findings=(finding(),))
FLOAT = model(operator(0, "structure checked only", quantized=False))
UNREADABLE = ModelReport("file", "", 1, problems=(Problem("c", "", 0, "m"), Problem("d", "", 0, "n")))


def report(*models: ModelReport, **policy: Any) -> Report:
    return Report("1.0", models, **policy)


def test_names() -> None:
    assert SOUND.name == "file"
    assert ModelReport("file", "member", 0).name == "file!member"
    assert SOUND.size_text == "2.0 kB"


@pytest.mark.parametrize(
    ("runtimes", "judges"),
    [
        ({}, "a, b"),
        ({"a": "litert 2"}, "a, b (litert 2)"),
        ({"a": "litert 2", "b": "litert 2"}, "a, b (litert 2)"),
        ({"a": "litert 2", "b": "tflm 1"}, "a, b (litert 2, tflm 1)"),
    ],
)
def test_profiles_with_their_programs(runtimes: dict[str, str], judges: str) -> None:
    assert model(profiles=("a", "b"), runtimes=runtimes).judges == judges


MIXED = model(
    operator(0), operator(1, "violates"), operator(2, "not covered"), operator(3, "structure checked only", quantized=False),
    operator(4, "waived"), operator(5, "not covered"), findings=(finding(1), finding(1, "note"), finding(4, waived=True)),
)  # fmt: skip


def test_coverage() -> None:
    assert MIXED.coverage == {
        "conforms": 1, "violates": 1, "waived": 1, "structure checked only": 1, "not covered": 2, "not applicable": 0,
    }  # fmt: skip
    assert (MIXED.covered, MIXED.lacking) == (3, 3)
    assert (FLOAT.covered, FLOAT.lacking) == (0, 1)


def test_counts_and_effects() -> None:
    assert MIXED.counts == {"violation": 1, "warning": 0, "note": 1, "waived": 1}
    assert MIXED.active == MIXED.findings[:2]
    assert MIXED.effects == {CRASHES: 1}
    several = report(MIXED, BROKEN, SOUND)
    assert several.counts == {"violation": 2, "warning": 0, "note": 1, "waived": 1}
    assert several.effects == {CRASHES: 2}
    assert several.coverage["conforms"] == 2
    assert several.coverage["not covered"] == 2


def test_kinds_of_operators() -> None:
    """The most frequent kind comes first; all custom operators form one kind."""
    made = model(
        operator(0, "not covered", "NEG", "r"),
        operator(1, "not covered", "CUSTOM", "custom operator 'NMS'"),
        operator(2, "not covered", "CUSTOM", "custom operator 'Crop'"),
        operator(3, "not covered", "CUSTOM", "custom operator 'NMS'"),
        operator(4, "not covered", "NEG", "r", subgraph=2),
        operator(5, "not covered", "NEG", "another"),
        operator(6, "conforms", "NEG", "r"),
    )
    kinds = made.kinds("not covered")
    assert [(kind.opcode, kind.reason, kind.count, kind.places) for kind in kinds] == [
        ("CUSTOM", "custom operators 'NMS' (2), 'Crop' (1)", 3, ("#1", "#2", "#3")),
        ("NEG", "r", 2, ("#0", "2/#4")),
        ("NEG", "another", 1, ("#5",)),
    ]
    (alone,) = model(operator(1, "not covered", "CUSTOM", "custom operator 'NMS'")).kinds("not covered")
    assert alone.reason == "custom operator 'NMS'"


@pytest.mark.parametrize(
    ("made", "policy", "verdict"),
    [
        (SOUND, {}, "conforms"),
        (BROKEN, {}, "violates"),
        (FLOAT, {}, "not checked"),
        (UNREADABLE, {}, "not checked"),
        (model(), {}, "not checked"),
        (model(operator(0, "not covered")), {}, "not checked"),
        (model(operator(0), findings=(finding(waived=True),)), {}, "conforms"),
        (model(operator(0), findings=(finding(level="warning"),)), {}, "conforms"),
        (model(operator(0), findings=(finding(level="warning"),)), {"fail_on": "warning"}, "violates"),
        (model(operator(0), findings=(finding(level="note"),)), {"fail_on": "warning"}, "conforms"),
        (MIXED, {"require_coverage": True}, "violates"),
        (model(operator(0), operator(1, "not covered")), {}, "conforms"),
        (model(operator(0), operator(1, "not covered")), {"require_coverage": True}, "violates"),
        (SOUND, {"require_coverage": True}, "conforms"),
        (model(operator(0, "not covered"), targets=(target("npu"),)), {}, "conforms"),
        (model(operator(0, "not covered"), targets=(target("cpu"),)), {}, "not checked"),
        (model(operator(0), findings=(finding(level="note", effect=CPU),)), {}, "conforms"),
        (model(operator(0), findings=(finding(level="note", effect=CPU),)), {"fail_on_fallback": True}, "violates"),
        (model(operator(0), targets=(target("npu", unverified=1),)), {"fail_on_fallback": True}, "violates"),
        (model(operator(0), targets=(target("npu"),)), {"fail_on_fallback": True}, "conforms"),
        (model(operator(0), targets=(target("npu", partitions=3),)), {"max_partitions": 2}, "violates"),
        (model(operator(0), targets=(target("npu", partitions=2),)), {"max_partitions": 2}, "conforms"),
        (SOUND, {"max_partitions": 0}, "conforms"),
        # A waiver of a failing finding gives "conforms", also with uncovered operators. A waiver below the failing
        # level keeps "not checked".
        (model(operator(0, "not covered"), findings=(finding(),)), {}, "violates"),
        (model(operator(0, "not covered"), findings=(finding(waived=True),)), {}, "conforms"),
        (model(operator(0, "not covered"), findings=(finding(waived=True), finding())), {}, "violates"),
        (model(operator(0, "not covered"), findings=(finding(level="warning", waived=True),)), {}, "not checked"),
        (
            model(operator(0, "not covered"), findings=(finding(level="warning", waived=True),)),
            {"fail_on": "warning"},
            "conforms",
        ),
        (model(operator(0, "not covered"), findings=(finding(waived=True),)), {"require_coverage": True}, "violates"),
    ],
)  # fmt: skip
def test_verdict(made: ModelReport, policy: dict[str, Any], verdict: str) -> None:
    judged = report(made, **policy)
    assert judged.verdict(made) == verdict
    assert judged.exit_code == {"conforms": 0, "violates": 1, "not checked": 2}[verdict]
    assert judged.verdicts == {name: int(name == verdict) for name in ("conforms", "violates", "not checked")}


def test_a_violation_outranks_an_unreadable_model() -> None:
    assert report(SOUND, BROKEN, SOUND).exit_code == 1
    assert report(UNREADABLE, BROKEN, SOUND).exit_code == 1
    assert report().exit_code == 2


@pytest.mark.parametrize(
    ("found", "policy", "fails"),
    [
        (finding(), {}, True),
        (finding(waived=True), {"fail_on_fallback": True}, False),
        (finding(level="note"), {}, False),
        (finding(level="note"), {"fail_on_fallback": True}, False),
        (finding(level="note", effect=CPU), {"fail_on_fallback": True}, True),
        (finding(level="note", effect=CPU), {}, False),
    ],
)
def test_findings_that_fail(found: Finding, policy: dict[str, Any], fails: bool) -> None:
    assert report(**policy).fails(found) is fails


def test_gates() -> None:
    policy = {"require_coverage": True, "fail_on_fallback": True, "max_partitions": 1}
    cpu = [finding(at, "note", CPU) for at in (3, 3, 5)]
    made = model(operator(0), operator(1, "not covered"), findings=tuple(cpu),
                 targets=(target("npu", "npu", partitions=2, unverified=2), target("npu")))  # fmt: skip
    assert [(gate.name, gate.kept, str(gate)) for gate in report(**policy).gates(made)] == [
        ("coverage", False, "1/2 operators checked, 1 not covered, this run requires that all are covered"),
        (
            "fallback",
            False,
            "2 operators stay on the CPU, 2 operators on the NPU unverified, this run allows none",
        ),
        ("partitions", False, "2 NPU partitions, this run allows 1"),
    ]
    alone = model(operator(0), findings=(cpu[0],))
    assert [str(gate) for gate in report(fail_on_fallback=True).gates(alone)] == [
        "1 operator stays on the CPU, this run allows none"
    ]
    assert [(gate.kept, gate.found) for gate in report(**policy).gates(SOUND)] == [
        (True, "1/1 operator checked"),
        (True, "0 operators stay on the CPU"),
        (True, "0 NPU partitions"),
    ]
    assert report().gates(SOUND) == ()
    assert report(**policy).gates(UNREADABLE) == ()


@pytest.mark.parametrize(
    ("made", "policy", "sentence"),
    [
        (UNREADABLE, {}, "unreadable, 2 problems"),
        (model(), {}, "it has no operators"),
        (FLOAT, {}, "nothing quantized in it is covered; 0/1 operator checked, 1 structure checked only"),
        (SOUND, {}, "no findings; 1/1 operator checked"),
        (SOUND, {"require_coverage": True}, "no findings; 1/1 operator checked"),
        (BROKEN, {}, "1 violation (1 crashes); 1/1 operator checked"),
        (model(operator(0), operator(1, "not covered")), {"require_coverage": True},
         "no findings; 1/2 operators checked, 1 not covered, which this run requires"),
        (model(operator(0), targets=(target("npu", partitions=3),)), {"max_partitions": 2},
         "3 NPU partitions, this run allows 2; no findings; 1/1 operator checked"),
        (model(operator(0), targets=(target("npu", partitions=1),)), {"max_partitions": 2},
         "no findings; 1/1 operator checked"),
    ],
)  # fmt: skip
def test_explanation(made: ModelReport, policy: dict[str, Any], sentence: str) -> None:
    assert report(made, **policy).explain(made) == sentence


def test_headline_names_the_selection() -> None:
    selected = model(operator(0), selection=("SOFTMAX",))
    assert report(selected).headline(selected) == "conforms for SOFTMAX"
    assert report(SOUND).headline(SOUND) == "conforms"
    unjudged = model(selection=("SOFTMAX",))
    assert report(unjudged).headline(unjudged) == "not checked"
    assert report(selected, selected, model(selection=("A", "SOFTMAX"))).selection == ("SOFTMAX", "A")


def test_summary() -> None:
    assert report().summary == "0 models: none checked; no findings; 0/0 operators checked"
    assert report(SOUND, BROKEN, SOUND).summary == (
        "3 models: 2 conform, 1 violates; 1 violation (1 crashes); 3/3 operators checked"
    )


def test_stale_entry() -> None:
    entry = StaleEntry("f", "ADD/input/scale", "ADD #0", "x")
    assert str(entry) == "ADD/input/scale at ADD #0: no finding matches this baseline entry any more"


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        (FloatParts(islands=(((0, 0),),)), "float model: nothing is quantized; 0/1 operator checked, 1"),
        (FloatParts(islands=(((0, 0),),), mixed=True), "nothing quantized in it is covered; 0/1"),
        (FloatParts(), "nothing quantized in it is covered; 0/1"),
    ],
)
def test_a_float_model_is_named(parts: FloatParts, reason: str) -> None:
    made = replace(FLOAT, float_parts=parts)
    assert report(made).explain(made).startswith(reason)


@pytest.mark.parametrize(
    ("parts", "code"),
    [
        (FloatParts(islands=(((0, 0),),)), 0),
        (FloatParts(islands=(((0, 0),),), mixed=True), 2),
        (FloatParts(), 2),
    ],
)
def test_float_models_pass_with_allow_float(parts: FloatParts, code: int) -> None:
    made = replace(FLOAT, float_parts=parts)
    assert report(made).exit_code == 2
    assert report(made, allow_float=True).exit_code == code
    assert report(replace(UNREADABLE, float_parts=parts), allow_float=True).exit_code == 2
    wrong = replace(made, findings=(finding(),))
    assert report(wrong, allow_float=True).exit_code == 1
