"""The page in a browser: driven as a reader would, from a file and without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from litecheck.rendering.suite import totals
from litecheck.rendering.suite.headline import headline
from litecheck.suite.verdict import SuiteReport
from tests.rendering.browser import BEYOND, Keys, Page, axe, violations

pytestmark = pytest.mark.slow
Show = Callable[[SuiteReport], Page]


@pytest.fixture
def opened(show: Callable[[Any], Page]) -> Show:
    """Return a function that opens a report's page with the table of operators."""

    def page(report: SuiteReport) -> Page:
        return Page(show(report).browser, "#operators")

    return page


@pytest.fixture
def many(sample: SuiteReport) -> SuiteReport:
    """Return 110 operators on four types, with more than 5,000 cases."""
    rows, cases = [], []
    several = sample.cases[:4] * 3
    for opcode in range(110):
        for kind in ("int8", "int16", "uint8", "float32"):
            rows.append(replace(sample.rows[0], opcode=f"OPERATOR_{opcode}", kind=kind, granularity=""))
            cases += [replace(one, opcode=f"OPERATOR_{opcode}", kind=kind, granularity="") for one in several]
    return replace(sample, rows=tuple(rows), cases=tuple(cases))


def test_every_report_opens(
    opened: Show, sample: SuiteReport, good: SuiteReport, unjudged: SuiteReport
) -> None:
    for report in (sample, good, unjudged, replace(good, rows=(), cases=())):
        page = opened(report)
        assert page.one("#verdict").text == headline(report)
        assert page.one("#sentence").text.lower() == f"{totals.sentence(report)}.".lower()
        assert len(page.all("#operators tr.case")) == len(report.rows)
        assert bool(page.all("#refusals-section")) == any(case.broken for case in report.cases)
        assert bool(page.all("#uncovered-section dt")) == bool(report.uncovered)


def test_failures_come_first_and_columns_sort_both_ways(opened: Show, sample: SuiteReport) -> None:
    page = opened(sample)
    assert page.column(1) == ["CONV_2Dint8, per-axis", "ADDint8", "SOFTMAXint8", "PADint16",
                              "FULLY_CONNECTEDfloat32, per-axis"]  # fmt: skip
    heads = {head.text.split()[0]: head for head in page.all("#operators th")}
    heads["Operator"].find_element("tag name", "button").click()
    assert page.column(1) == sorted(page.column(1))
    assert heads["Operator"].get_attribute("aria-sort") == "ascending"
    page.press(Keys.ENTER)
    assert page.column(1) == sorted(page.column(1), reverse=True)
    heads["Worst"].find_element("tag name", "button").click()
    assert page.texts("#operators td.number:nth-child(8)")[:2] == ["3 LSB", "1 LSB"]


def test_empty_columns_are_omitted(opened: Show, unjudged: SuiteReport) -> None:
    heads = opened(unjudged).texts("#operators th")
    assert heads == ["Operator", "Type", "Verdict", "Cases", "Ended", "Placement"]


def test_filters_by_the_beginnings_of_words(opened: Show, sample: SuiteReport) -> None:
    page = opened(replace(sample, rows=(*sample.rows, replace(sample.rows[3], kind="uint8"))))
    page.one("#filter").send_keys("int8 fails")
    assert len(page.column(1)) == 3
    assert page.one("#shown").text == "3 of 6 shown"
    page.one("#filter").clear()
    page.one("#filter").send_keys("multipliers")
    assert page.column(1) == ["CONV_2Dint8, per-axis"]
    page.press(Keys.ESCAPE)
    page.one(".chip[data-outcome='hung']").click()
    assert page.column(1) == ["SOFTMAXint8"]


def test_keys_are_enough(opened: Show, sample: SuiteReport) -> None:
    page = opened(sample)
    page.one("body").send_keys("/")
    assert page.run("return document.activeElement.id") == "filter"
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert page.one("#operators .below h3").text == "CONV_2D int8, per-axis"
    assert page.texts("#operators .below h4")[:2] == [
        "Fflaky: zero points at 0",
        "≠failed: ties, multipliers powers of two",
    ]
    page.press(Keys.ESCAPE)
    assert page.all("#operators .below") == []
    page.press(Keys.END, Keys.ARROW_RIGHT)
    assert page.one("#operators .below h3").text == "FULLY_CONNECTED float32, per-axis"


def test_an_operator_unfolds_to_all_that_is_known(opened: Show, sample: SuiteReport) -> None:
    page = opened(sample)
    page.one("#operators tr.case").click()
    for case in sample.cases[:4]:
        assert any(case.title in text for text in page.texts("#operators .below :is(h4, li)"))
    text = page.one("#operators .below").text
    assert "[0, 3, 4, 2] in run 1: expected 7, the device gives 4" in text
    assert "Issue 214" in text


def test_invalid_models_tell_path_and_effect(opened: Show, sample: SuiteReport) -> None:
    page = opened(sample)
    page.one("#refusals tr.case").click()
    assert page.texts("#refusals .below li") == [
        "!wrongly accepted CONV_2D/weight/zero_point wrong results, int8 per-axis",
        "Xcrashed on an invalid model CONV_2D/bias/dtype crashes, int8 per-axis",
        "✓rejected CONV_2D/bias/scale fails to load, int8 per-axis",
        "·not tested CONV_2D/input/dtype fails to load, int8 per-axis",
    ]


def test_failures_are_unfolded_for_printing(opened: Show, sample: SuiteReport) -> None:
    page = opened(sample)
    page.run("dispatchEvent(new Event('beforeprint'))")
    assert page.texts("#operators .below h3") == ["CONV_2D int8, per-axis", "ADD int8", "SOFTMAX int8"]
    page.run("dispatchEvent(new Event('afterprint'))")
    assert page.all("#operators .below") == []


def test_many_operators_and_cases_stay_readable(opened: Show, many: SuiteReport) -> None:
    page = opened(many)
    assert len(many.cases) > 5_000
    assert len(page.all("#operators tr.case")) == 440
    page.one("#filter").send_keys("operator 17 int8")
    assert page.column(1) == ["OPERATOR_17int8"]
    assert page.run("return performance.getEntriesByType('navigation')[0].domComplete") < 5_000


def test_the_page_fits_a_telephone(
    telephone: None, opened: Show, sample: SuiteReport, many: SuiteReport
) -> None:
    long = replace(sample.cases[2], title="a_title/of_many/parts;" * 8)
    for report in (sample, replace(sample, cases=(long, *sample.cases)), replace(many, rows=many.rows[:40])):
        page = opened(report)
        page.one("#open-all").click()
        page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert page.run("return document.documentElement.scrollWidth") == 390
        assert page.run(BEYOND) == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_axe_finds_no_serious_problem(
    request: pytest.FixtureRequest, opened: Show, sample: SuiteReport, dark: bool, narrow: bool
) -> None:
    program = axe()
    for fixture in ["evening"] * dark + ["telephone"] * narrow:
        request.getfixturevalue(fixture)
    page = opened(sample)
    assert violations(page, program) == []
    page.one("#open-all").click()
    page.one("#refusals tr.case").click()
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert violations(page, program) == []


def test_axe_finds_planted_problems(opened: Show, sample: SuiteReport) -> None:
    program, page = axe(), opened(sample)
    page.run("document.querySelector('#filter').removeAttribute('aria-label')")
    page.run("document.querySelector('#filter').removeAttribute('placeholder')")
    page.run("document.querySelector('#sentence').style.color = 'rgb(230, 230, 230)'")
    assert [line.split(":")[0] for line in violations(page, program)] == ["color-contrast", "label"]
