from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.errors import ConfigError
from litecheck.rendering.formats import formats, render
from litecheck.report import Report

GOLDEN = {
    "text": "report.txt",
    "json": "report.json",
    "sarif": "report.sarif",
    "junit": "report.junit.xml",
    "gitlab": "report.gitlab.json",
    "github": "report.github.txt",
    "markdown": "report.md",
}


def test_every_format_has_a_golden_report():
    assert set(GOLDEN) == set(formats("validate")) - {"html", "model-explorer"}


@pytest.mark.parametrize("name", GOLDEN)
def test_whole_report(name, sample, golden):
    golden(GOLDEN[name], render(sample, name))


@pytest.mark.parametrize("name", GOLDEN)
def test_ends_with_exactly_one_newline(name, sample, good):
    for report in (sample, good, Report("0.1.0", ())):
        text = render(report, name)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", GOLDEN)
def test_hostile_names_leave_no_character_that_acts(name, sample):
    text = render(sample, name)
    assert all(c == "\n" or c.isprintable() for c in text)
    text.encode("utf-8")


@pytest.mark.parametrize("name", GOLDEN)
def test_the_order_of_findings_in_the_report_does_not_matter(name, sample):
    turned = tuple(replace(m, findings=m.findings[::-1]) for m in sample.models)
    assert render(replace(sample, models=turned), name) == render(sample, name)


def test_unknown_format_suggests_the_nearest():
    with pytest.raises(ConfigError, match="did you mean sarif"):
        render(Report("0.1.0", ()), "sarfi")
    with pytest.raises(ConfigError, match="the formats are text, github"):
        render(Report("0.1.0", ()), "zzz")


def test_a_format_is_imported_only_if_used():
    code = (
        "import sys, litecheck.rendering.formats as r, litecheck.report as p;"
        "r.render(p.Report('1', ()), 'json');"
        "print([m for m in sys.modules if m.startswith('litecheck.rendering.') or m in ('rich', 'xml.etree')])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    out = done.stdout
    assert "litecheck.rendering.validation.values" in out
    for name in ("validation.text", "validation.rows", "html.page", "'rich'", "xml.etree"):
        assert name not in out
