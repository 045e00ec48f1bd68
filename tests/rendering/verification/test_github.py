"""A verification as GitHub annotations."""

from __future__ import annotations

import re
from dataclasses import replace

from litecheck.rendering.formats import render
from litecheck.verification.result import Verification


def test_every_line_but_the_last_is_one_annotation(sample: Verification) -> None:
    *lines, last = render(sample, "github").splitlines()
    for line in lines:
        assert re.fullmatch(r"::(error|notice) file=[^:,]+,title=[^:,]+::[^:].*", line)
    assert last.startswith(
        "litecheck: fails on delegate:/opt/acme/libacme.so,threads=2: 23 operators: 3 exact"
    )


def test_a_single_case_has_all_details(sample: Verification) -> None:
    first = render(sample, "github").splitlines()[0]
    assert ",title=mismatch on delegate%3A/opt/acme/libacme.so%2Cthreads=2%3A CONV_2D::CONV_2D #1 " in first
    assert "%0Aworst: [0, 3, 4, 62] in run 1 (random): expected 7, the device gives 6%0A" in first
    assert "(0.293 %25)" in first


def test_cases_of_a_kind_share_an_annotation(sample: Verification) -> None:
    conv = sample.verdicts[1]
    many = replace(sample, verdicts=tuple(replace(conv, operators=(n,)) for n in range(7)))
    (error,) = (line for line in render(many, "github").splitlines() if line.startswith("::error"))
    assert "CONV_2D (7 cases)::" in error
    assert error.endswith("%0Aand 2 other cases")


def test_a_report_without_findings_is_a_single_line(good: Verification) -> None:
    assert (
        render(good, "github")
        == "litecheck: conforms: exact under litert-reference on litert:reference: 1 operator: 1 exact\n"
    )


def test_not_judged_is_an_error(unjudged: Verification) -> None:
    first, second, _ = render(unjudged, "github").splitlines()
    assert first == "::error file=m.tflite,title=not checked on tflm::1 case: 1 not delegated"
    assert second.startswith("::notice file=m.tflite,title=not delegated%3A CUSTOM (1 case)::the plan")
