"""The page of a validation in a browser: driven as a reader would, from a file and without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from litecheck.report import Report
from tests.rendering.browser import BEYOND, OVERLAPPING, Keys, Page, axe, violations
from tests.rendering.validation.test_html import large

pytestmark = pytest.mark.slow
Show = Callable[[Report], Page]


@pytest.fixture
def alone(sample: Report) -> Report:
    """Return a report of only the model with the most findings, with tensor statistics."""
    model = replace(sample.models[0], survey=large(40).survey)
    return replace(sample, models=(model,), stale=())


def test_every_report_opens(show: Show, sample: Report, good: Report, alone: Report) -> None:
    for report in (
        sample,
        good,
        alone,
        Report("0.1.0", ()),
        *(replace(good, models=(m,)) for m in sample.models),
    ):
        page = show(report)
        assert page.one("#verdict").text == ("conforms", "violates", "not checked")[report.exit_code]
        assert page.one("#several").is_displayed() == (len(report.models) != 1)
        assert len(page.all("#models > tbody > tr.case")) == (
            len(report.models) if len(report.models) != 1 else 0
        )
        assert page.one("#stale").is_displayed() == bool(report.stale)


def test_the_strip_leads_to_the_operator(show: Show, alone: Report) -> None:
    page = Page(show(alone).browser, ".model table[aria-label=Operators]")
    cells = page.all(".cell")
    assert len(cells) == len(alone.models[0].operators)
    assert cells[0].get_attribute("aria-label") == "#0 CONV_2D: violates"
    page.run("arguments[0].focus()", cells[0])
    page.press(Keys.ARROW_RIGHT)
    assert page.one(".told").text == "#1 CONV_2D: violates (block2/conv)"
    page.press(Keys.ENTER)
    assert page.focused == "1"
    assert "CONV_2D #1" in page.one(".below h4").text


def test_a_requirement_opens_to_its_places(show: Show, alone: Report) -> None:
    page = show(alone)
    row = page.one("table[aria-label='Findings by requirement'] tr.case")
    row.click()
    assert row.get_attribute("aria-expanded") == "true"
    assert page.one(".below .found b").text == "found"
    page.press(Keys.ESCAPE)
    assert page.all(".below") == []


def test_tables_in_opened_rows_are_their_own(show: Show, sample: Report) -> None:
    page = Page(show(sample).browser, "#models")
    page.all("#models > tbody > tr.case")[0].click()
    inner = page.one("#models .below tr.case")
    inner.click()
    assert inner.get_attribute("aria-expanded") == "true"
    assert len(page.all("#models > tbody > tr.below")) == 1
    page.press(Keys.ESCAPE)
    assert inner.get_attribute("aria-expanded") == "false"
    assert len(page.all("#models > tbody > tr.below")) == 1


def test_models_are_filtered_by_words_and_verdicts(show: Show, sample: Report) -> None:
    page = Page(show(sample).browser, "#models")
    page.one("#filter").send_keys("keyword")
    assert page.column(2) == ["models/keyword spotting.tflite"]
    page.one("#filter").send_keys(Keys.ESCAPE)
    page.one(".chip[data-outcome=conforms]").click()
    assert page.column(2) == ["models/good.tflite"]
    assert page.one("#shown").text == f"1 of {len(sample.models)} shown"


def test_plots_have_tooltips_and_keyboard_access(show: Show, alone: Report) -> None:
    page = show(alone)
    first, second = page.all(".plots")
    assert len(first.find_elements("css selector", ".made")) == 40
    assert len(second.find_elements("css selector", ".codes")) == 40
    assert len(second.find_elements("css selector", ".codes.striking")) == 28
    page.run("arguments[0].dispatchEvent(new Event('pointerenter'))", page.one(".plots .hit"))
    told = "#0 CONV_2D 't0': int8, scale 0.5, zero points from -3 to 4"
    assert told in page.texts(".told")
    assert first.get_attribute("tabindex") == "0"
    page.one("details summary").click()
    assert page.texts("details li")[0] == told


def test_a_large_model_opens(show: Show) -> None:
    page = show(Report("0.1.0", (large(20_000),)))
    assert len(page.all(".cell")) == 500
    assert page.run("return document.querySelectorAll('*').length") < 13_000
    page.all(".cell")[7].click()
    assert "CONV_2D #280" in page.one(".below h4").text


def test_the_page_fits_a_telephone(telephone: None, show: Show, sample: Report, alone: Report) -> None:
    for report in (alone, sample):
        page = show(report)
        for row in page.all("tr.case")[:6]:
            page.run("arguments[0].click()", row)
        assert page.run(BEYOND) == []
        assert page.run("return document.documentElement.scrollWidth") == 390
        assert page.run(OVERLAPPING) == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_axe_finds_no_serious_problem(
    request: pytest.FixtureRequest, show: Show, sample: Report, alone: Report, dark: bool, narrow: bool
) -> None:
    program = axe()
    for fixture in ["evening"] * dark + ["telephone"] * narrow:
        request.getfixturevalue(fixture)
    for report in (sample, alone):
        page = show(report)
        for row in page.all("tr.case")[:4]:
            page.run("arguments[0].click()", row)
        assert violations(page, program) == []


def test_sizes_sort_as_numbers(show: Show, sample: Report) -> None:
    page = Page(show(sample).browser, "#models")
    page.all("#models > thead th")[-1].find_element("tag name", "button").click()
    assert page.column(7) == ["4.0 GB", "2.4 MB", "54.3 kB", "51.2 kB", "999 bytes"]
