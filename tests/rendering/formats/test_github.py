from __future__ import annotations

import re

from litecheck.rendering.formats import render


def test_every_line_but_the_last_is_one_annotation(sample):
    *lines, last = render(sample, "github").splitlines()
    for line in lines:
        assert re.fullmatch(r"::(error|warning|notice) file=[^:,]+,title=[^:,]+::[^:].*", line)
    assert last == f"litecheck: {sample.summary}"


def test_annotations_are_escaped(report_of, make_finding):
    text = render(report_of(make_finding(name="50%,a:b\n::error::x", found="100%")), "github")
    assert "50%25,a:b\\n::error::x" in text
    assert "found 100%25; required 0" in text
    assert ",title=CONV_2D weight%3A zero point::" in text


def test_the_gravest_come_first_and_findings_of_a_kind_share_one(sample):
    commands = re.findall(r"^::(\w+) ", render(sample, "github"), re.MULTILINE)
    assert commands == ["error"] * 7 + ["warning", "notice", "notice"]


def test_waived_findings_are_not_annotated(sample):
    assert "MAX_POOL_2D" not in render(sample, "github")


def test_a_report_without_findings_is_a_single_line(good):
    assert render(good, "github") == "litecheck: 1 model: 1 conforms; no findings; 2/2 operators checked\n"


def test_whole_reports(same_as_golden):
    same_as_golden("github", "github.txt")
