"""Levels, ignoring, selecting, and the statuses that follow."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.checks.policy import (
    Policy,
    apply,
    apply_selection,
    check_patterns,
    hint_of,
    ignore,
    override_levels,
    parse_level,
    select,
    with_statuses,
)
from litecheck.errors import ConfigError
from litecheck.finding import Demand, Finding, Level, Waiver, Where
from litecheck.profile.types import Exactly, OperatorRule, Profile, Requirement
from litecheck.report import ModelReport, OperatorReport, Report

DEMAND = Demand("tiny", "tiny.yaml", 7)
RELAXED = Waiver("tiny", "it is exact")


def finding(
    path: str, level: Level = "violation", operator: int = 0, waiver: Waiver | None = None
) -> Finding:
    where = Where(0, "main", operator, path.split("/")[0], f"op{operator}")
    return Finding(path, level, where, "found", "required", "", "", DEMAND, waiver=waiver)


def model(*findings: Finding, operators: int = 2) -> ModelReport:
    ops = tuple(OperatorReport(0, n, "CONV_2D", f"op{n}", "conforms", ("tiny",)) for n in range(operators))
    return with_statuses(ModelReport("m.tflite", "", 1, ("tiny",), ops, findings))


def statuses(report: ModelReport) -> list[str]:
    return [op.status for op in report.operators]


@pytest.mark.parametrize(
    ("findings", "status", "reason"),
    [
        ([], "conforms", ""),
        ([finding("A/b", "warning")], "conforms", ""),
        ([finding("A/b", "warning", waiver=RELAXED)], "conforms", ""),
        ([finding("A/b", waiver=RELAXED)], "waived", "by tiny: it is exact"),
        ([finding("A/b", waiver=RELAXED), finding("A/c", "note")], "waived", "by tiny: it is exact"),
        (
            [finding("A/b", waiver=RELAXED), finding("A/c", waiver=Waiver("me", "so"))],
            "waived",
            "by tiny: it is exact; by me: so",
        ),
        ([finding("A/b", waiver=RELAXED), finding("A/c")], "violates", ""),
        ([finding("A/b")], "violates", ""),
    ],
)
def test_status(findings: list[Finding], status: str, reason: str) -> None:
    first, second = model(*findings).operators
    assert (first.status, first.reason) == (status, reason)
    assert second.status == "conforms"


def test_findings_of_another_subgraph_do_not_change_a_status() -> None:
    elsewhere = replace(finding("A/b"), where=replace(finding("A/b").where, subgraph=1))
    assert statuses(model(elsewhere)) == ["conforms", "conforms"]


def test_not_covered_stays_with_its_reason() -> None:
    report = model(finding("A/b"))
    apart = replace(report.operators[1], status="not covered", at_best="not covered", reason="it is float")
    report = replace(report, operators=(report.operators[0], apart))
    assert ignore(report, ["*"]).operators[1] == apart


def test_ignored_findings_stay_and_are_waived() -> None:
    report = ignore(model(finding("A/b/c"), finding("A/d", operator=1)), ["*/b"])
    assert [f.waiver for f in report.findings] == [Waiver("--ignore", "*/b"), None]
    assert statuses(report) == ["waived", "violates"]


def test_an_earlier_waiver_is_kept() -> None:
    assert ignore(model(finding("A/b", waiver=RELAXED)), ["A"]).findings[0].waiver == RELAXED


def test_selection_drops_the_rest() -> None:
    report = select(model(finding("A/b"), finding("A/c", operator=1)), ["A/c"])
    assert [f.path for f in report.findings] == ["A/c"]
    assert statuses(report) == ["conforms", "violates"]


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("CONV_2D", ["CONV_2D/weight/scale", "CONV_2D/operands"]),
        ("CONV_2D/weight", ["CONV_2D/weight/scale"]),
        ("*/weight/scale", ["CONV_2D/weight/scale", "SVDF/weight/scale"]),
        ("*/*/scale", ["CONV_2D/weight/scale", "SVDF/weight/scale"]),
        ("*_2D/[ow]*", ["CONV_2D/weight/scale", "CONV_2D/operands"]),
        ("*", ["CONV_2D/weight/scale", "CONV_2D/operands", "SVDF/weight/scale"]),
        ("weight", []),
        ("conv_2d", []),
        ("CONV_2D/weight/scale/more", []),
        ("CONV_2D/*scale", []),
    ],
)
def test_patterns(pattern: str, paths: list[str]) -> None:
    every = (finding("CONV_2D/weight/scale"), finding("CONV_2D/operands"), finding("SVDF/weight/scale"))
    assert [f.path for f in select(model(*every), [pattern]).findings] == paths


def test_the_last_level_that_matches_holds() -> None:
    report = override_levels(model(finding("A/b")), [("A", "note"), ("A/b", "violation"), ("A/*", "warning")])
    assert report.findings[0].level == "warning"
    assert statuses(report)[0] == "conforms"


def test_levels_come_before_waivers_and_selection_last() -> None:
    policy = Policy(select=("A",), ignore=("A/b",), levels=(("A/b", "violation"),))
    report = Report("1", (model(finding("A/b", "note"), finding("C/d", operator=1)),))
    judged = apply(report, policy)
    assert statuses(judged.models[0]) == ["waived", "violates"]
    assert statuses(apply_selection(judged, policy).models[0]) == ["waived", "conforms"]


def test_an_empty_policy_changes_no_report() -> None:
    report = Report("1", (model(finding("A/b"), finding("A/c", "note", waiver=RELAXED)),))
    assert apply_selection(apply(report, Policy()), Policy()) == report


def test_an_operator_without_its_waived_finding_has_no_reason() -> None:
    waived = model(finding("A/b", waiver=RELAXED))
    assert waived.operators[0].reason
    assert [(op.status, op.reason) for op in select(waived, ["B"]).operators] == [("conforms", "")] * 2


PAIR = "a level is set as PATH=LEVEL, for example CONV_2D/weight/granularity=note"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("CONV_2D", f"CONV_2D: {PAIR}"),
        ("=note", f"=note: {PAIR}"),
        ("CONV_2D=", "level of CONV_2D: got '', expected violation, warning or note"),
        ("CONV_2D=fatal", "level of CONV_2D: got 'fatal', expected violation, warning or note"),
    ],
)
def test_an_invalid_level_is_an_error(wrong: str, message: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse_level(wrong)
    assert str(refused.value) == message


def test_levels_are_parsed() -> None:
    assert parse_level("CONV_2D/limits/a=note") == ("CONV_2D/limits/a", "note")


def profile(unlisted: str = "not covered") -> Profile:
    requirement = Requirement("CONV_2D/weight/scale", "scale", "weight", Exactly("normal"), "", "", DEMAND)
    rule = OperatorRule("CONV_2D", ("weight",), (), frozenset(), frozenset(), (), (requirement,))
    return Profile("tiny", "", "", "tiny.yaml", ("int8",), unlisted, {"CONV_2D": rule})


@pytest.mark.parametrize("pattern", ["CONV_2D", "CONV_2D/weight", "*/*/scale", "CONV_2D/weight/scale"])
def test_patterns_that_can_match_are_accepted(pattern: str) -> None:
    check_patterns(Policy(select=(pattern,), levels=((pattern, "note"),)), [profile()])


@pytest.mark.parametrize(
    "policy",
    [Policy(select=("CONV2D",)), Policy(ignore=("CONV_2D/wait",)), Policy(levels=(("CONV_2D/a/b", "note"),))],
)
def test_patterns_that_cannot_match_are_errors(policy: Policy) -> None:
    with pytest.raises(ConfigError, match="no requirement has this path"):
        check_patterns(policy, [profile()])


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("WEIGHT_zero", "; paths with these words: 'A/weight/zero_point'"),
        ("scale bias", "; paths with these words: 'A/bias/scale', 'B/bias/scale', 'C/bias/scale' and 2 more"),
        ("bias epoch", ""),
        ("/", ""),
    ],
)
def test_the_hint_has_paths_with_the_words_of_a_pattern(pattern: str, hint: str) -> None:
    known = ["A/weight/zero_point", *(f"{operator}/bias/scale" for operator in "ABCDE")]
    assert hint_of(pattern, [*known, *known]) == hint


def test_the_hint_is_as_deep_as_the_pattern() -> None:
    with pytest.raises(ConfigError) as refused:
        check_patterns(Policy(select=("CONV_2D/wait",)), [profile()])
    assert str(refused.value) == "CONV_2D/wait: no requirement has this path; did you mean 'CONV_2D/weight'?"


def test_patterns_may_name_unlisted_operators_that_violate() -> None:
    check_patterns(Policy(ignore=("EXP", "EXP/unsupported")), [profile("violation")])
    with pytest.raises(ConfigError):
        check_patterns(Policy(ignore=("EXP/weight",)), [profile("violation")])


@pytest.mark.parametrize("unlisted", ["violation", "stays on the CPU", "the compiler rejects the model"])
def test_patterns_may_not_name_unknown_operators(unlisted: str) -> None:
    check_patterns(Policy(ignore=("CUSTOM", "EXP|SIN/unsupported", "*/unsupported")), [profile(unlisted)])
    for pattern in ("EXPP", "EXPP/unsupported", "X*/unsupported"):
        with pytest.raises(ConfigError, match="no requirement has this path"):
            check_patterns(Policy(ignore=(pattern,)), [profile(unlisted)])


def test_a_selection_is_known_to_the_model_and_narrows_an_earlier_one() -> None:
    once = select(model(finding("A/b"), finding("A/c")), ["A/b", "C", "C"])
    assert once.selection == ("A/b", "C")
    assert select(once, ["A/c"]).selection == ("A/c within A/b, C",)
    assert select(once, []).selection == ("A/b", "C")


def test_waivers_name_the_source_of_a_policy() -> None:
    policy = Policy(
        ignore=("A/b",),
        per_file=(("m*", ("C",)),),
        ignored_by="ignore from x.toml",
        per_file_from=" from x.toml",
    )
    judged = apply(Report("1", (model(finding("A/b"), finding("C/d", operator=1)),)), policy).models[0]
    assert [f.waiver.by for f in judged.findings if f.waiver] == [
        "ignore from x.toml",
        "per-file-ignores m* from x.toml",
    ]
