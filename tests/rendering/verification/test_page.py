"""The page in a browser: Chromium without a window, driven as a reader would, from a file and without a network."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from litecheck.comparison.types import PerAxisCounts
from litecheck.comparison.wording import element_sentence, gathering_sentence
from litecheck.devices.outcome import Outcome
from litecheck.rendering.escape import visible
from litecheck.rendering.wording.headlines import headline
from litecheck.verification.result import Step, Verification
from tests.rendering.browser import BEYOND, BROKEN, OVERLAPPING, Keys, Page, axe, violations, waiting

pytestmark = pytest.mark.slow
OPERATORS = 500


@pytest.fixture
def many(sample: Verification) -> Verification:
    """Return as many operators as a large model has, of every outcome, with drift."""
    kinds = [v for v in sample.verdicts if len(v.operators) == 1 and v.subgraph == 0]
    verdicts = tuple(
        replace(kinds[n % len(kinds)], operators=(n,), case=f"{n:04d}", name=f"block{n}/out")
        for n in range(OPERATORS)
    )
    drift = tuple(
        Step(n, v.opcode, n, v.name, "LSB", 4096, n / 10, n / OPERATORS, n / 100, n % 10 == 1)
        for n, v in enumerate(verdicts)
    )
    return replace(sample, verdicts=verdicts, operations=(), drift=drift)


def test_every_verification_opens(
    show: Callable[[Verification], Page], sample: Verification, good: Verification, unjudged: Verification
) -> None:
    for verification in (sample, good, unjudged, replace(good, verdicts=())):
        page = show(verification)
        assert page.one("#verdict").text == headline(verification)
        assert len(page.all("#cases tr.case")) == len(verification.verdicts)
        assert page.one("#fits").is_displayed() == bool(verification.fits)
        assert page.one("#drift").is_displayed() == bool(verification.drift)
        assert page.one("#graph").is_displayed() == bool(verification.verdicts)


def test_the_page_fits_a_telephone(
    telephone: None, show: Callable[[Verification], Page], sample: Verification, many: Verification
) -> None:
    long = "a_name/of_many/parts;" * 8
    verdicts = tuple(replace(v, name=f"{long}{n}") for n, v in enumerate(many.verdicts[:60]))
    for verification in (sample, replace(many, verdicts=verdicts)):
        page = show(verification)
        for row in page.all("#cases tr.case")[:12]:
            page.run("arguments[0].click()", row)
        assert page.run("return document.documentElement.scrollWidth") == 390
        assert page.run(BEYOND) == []
        assert page.run(OVERLAPPING) == []
        assert page.run(BROKEN) == []
        smallest = """return Math.min(...[...document.querySelectorAll("svg[role=img]")]
            .map((svg) => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width))"""
        assert page.run(smallest) > 0.85


def test_a_wider_screen_has_the_plot_drawn_anew(
    browser: Any, show: Callable[[Verification], Page], many: Verification
) -> None:
    page = show(many)
    wide = page.run("return document.querySelector('.plots svg').viewBox.baseVal.width")
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        changed = "return document.querySelector('.plots svg').viewBox.baseVal.width < arguments[0]"
        assert waiting.WebDriverWait(browser, 20).until(lambda _: page.run(changed, wide))
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_page_states_model_and_device(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    assert page.one("h1").text == "keyword spotting.tflite fails: 11 of 23 operators"
    assert (
        page.one("#fits").text
        == "The published arithmetic tflm fits every operator that was compared exactly."
    )
    facts = dict(zip(page.texts("#facts dt"), page.texts("#facts dd"), strict=True))
    assert facts["sha256"] == f"{sample.sha256[:16]}…"
    assert facts["device"] == sample.described
    assert facts["note"] == visible(sample.notes[-1])
    chips = [f"{outcome.text} {n}" for outcome, n in sample.counts().items()]
    assert [text[1:] for text in page.texts(".chip")] == chips


def test_many_operators_are_all_there_and_their_details_are_not(
    show: Callable[[Verification], Page], many: Verification
) -> None:
    page = show(many)
    assert len(page.all("#cases tr.case")) == len(page.all(".cell")) == OPERATORS
    assert page.all(".below") == []
    page.one("#open-all").click()
    assert len(page.all(".below .details")) == OPERATORS
    page.one("#close-all").click()
    assert page.all(".below") == []


def test_columns_sort_both_ways(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    heads = page.all("#columns th")
    numbers = page.column(1)
    assert heads[0].get_attribute("aria-sort") == "ascending"

    differ = [v.mismatches for v in sample.verdicts]
    order = sorted(range(len(differ)), key=lambda n: (-differ[n], n))
    heads[3].find_element("tag name", "button").click()
    assert heads[3].get_attribute("aria-sort") == "descending"
    assert heads[0].get_attribute("aria-sort") == "none"
    assert page.column(1) == [numbers[n] for n in order]
    page.press(Keys.ENTER)
    assert heads[3].get_attribute("aria-sort") == "ascending"
    assert page.column(1) == [numbers[n] for n in sorted(order, key=lambda n: (differ[n], n))]

    heads[5].find_element("tag name", "button").click()
    assert page.column(6)[:4] == ["not finite", "+40,000 LSB", "-2 LSB", "-1 LSB"]
    heads[1].find_element("tag name", "button").click()
    assert page.column(2) == sorted(page.column(2))


def test_filters_by_words(show: Callable[[Verification], Page], many: Verification) -> None:
    page = show(many)
    page.one("#filter").send_keys("block12 EXACT")
    exact = [n for n, v in enumerate(many.verdicts) if v.outcome is Outcome.EXACT]
    shown = [str(n) for n in exact if "block12" in many.verdicts[n].name]
    assert page.column(1) == shown
    assert page.one("#shown").text == f"{len(shown)} of {OPERATORS} shown"
    assert len(page.all(".cell.dim")) == OPERATORS - len(shown)
    page.press(Keys.ESCAPE)
    assert page.one("#shown").text == f"{OPERATORS} shown"
    assert page.all(".cell.dim") == []


def test_filters_by_outcome(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    for outcome in ("mismatch", "refused"):
        page.one(f".chip[data-outcome='{outcome}']").click()
    assert {text[1:] for text in page.column(3)} == {"mismatch", "rejected"}
    assert page.one(".chip[data-outcome='refused']").get_attribute("aria-pressed") == "true"
    page.one(".chip[data-outcome='mismatch']").click()
    assert page.column(2) == ["PAD"]
    page.one(".chip[data-outcome='refused']").click()
    assert len(page.column(1)) == len(sample.verdicts)


def test_keys_are_enough(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    assert len(page.all("#cases tr.case[tabindex='0']")) == 1
    page.one("body").send_keys("/")
    assert page.run("return document.activeElement.id") == "filter"
    page.press(Keys.ARROW_DOWN)
    assert page.focused == "0"
    page.press(Keys.ARROW_DOWN, Keys.ENTER)
    assert page.focused == "1"
    assert page.one("#cases tr.case[aria-expanded='true'] + .below h3").text == "CONV_2D #1 block1/conv"
    page.press(Keys.ESCAPE)
    assert page.all(".below") == []
    assert page.focused == "1"
    page.press(Keys.ARROW_RIGHT)
    assert len(page.all(".below")) == 1
    page.press(Keys.ARROW_LEFT)
    assert page.all(".below") == []
    page.press(Keys.END)
    assert page.focused == page.column(1)[-1] == "1:0"
    page.press(Keys.HOME, Keys.ARROW_UP)
    assert page.focused == "0"
    assert len(page.all("#cases tr.case[tabindex='0']")) == 1


def test_escape_inside_details_closes_them(
    show: Callable[[Verification], Page], sample: Verification
) -> None:
    page = show(sample)
    page.all("#cases tr.case")[6].click()
    page.one(".below summary").click()
    assert page.texts(".below li") == ["CONV_2D", "ADD", "RELU"]
    page.press(Keys.ESCAPE)
    assert page.all(".below") == []
    assert page.focused == "6-8"


def test_details_tell_and_draw_all_that_is_known(
    show: Callable[[Verification], Page], sample: Verification
) -> None:
    page = show(sample)
    page.all("#cases tr.case")[1].click()
    difference = sample.verdicts[1].differences[0]
    assert difference.explained is not None
    text = page.one(".below").text
    for told in (
        "The device gives other values than the reference.",
        "12 of 4,096 elements (0.293 %), by at most 2 LSB",
        element_sentence(difference.explained),
        *map(gathering_sentence, difference.patterns),
        sample.verdicts[1].fault,
        "exact under tflm, litert-xnnpack",
        sample.verdicts[1].reproducer,
    ):
        assert told in text
    pictures = page.all(".below figure")
    assert [p.find_element("tag name", "figcaption").text for p in pictures] == [
        "Difference in LSB",
        "Mismatches by channel",
    ]
    titles = page.texts(".below figure:first-child title")
    assert titles == ["-2 LSB: 1", "-1 LSB: 8", "+1 LSB: 3"]
    assert page.texts(".below figure:last-child title")[-2:] == ["channel 62: 9", "channel 63: 3"]
    assert page.texts(".below .part b") == ["53,248", "0.000122070313", "6.5000"]
    values = dict(zip(page.texts(".candidates th"), page.texts(".candidates td:nth-child(2)"), strict=True))
    assert list(values.items())[:2] == [("6", "the device"), ("7", "expected")]
    rows = page.all(".candidates tr")
    expected = [c.name for c in difference.explained.candidates if c.value == 7]
    assert [li.text for li in rows[1].find_elements("tag name", "li")] == expected


def test_many_channels_share_bars(show: Callable[[Verification], Page], sample: Verification) -> None:
    conv = sample.verdicts[1]
    channels = tuple(n if n == 999 else 0 for n in range(1000))
    along = PerAxisCounts(3, "channel", channels)
    wide = replace(conv, differences=(replace(conv.differences[0], along=along),))
    page = show(replace(sample, verdicts=(wide,), operations=(), drift=()))
    page.one("#cases tr.case").click()
    assert page.texts(".below figcaption")[1] == "Mismatches by channel, 8 to a bar"
    titles = page.texts(".below figure:last-child title")
    assert len(titles) == 125
    assert titles[-1] == "channel 999: 999"


@pytest.mark.parametrize("along", [None, PerAxisCounts(2, "column", (0, 5, 0))])
def test_only_a_pattern_is_drawn(
    show: Callable[[Verification], Page], sample: Verification, along: PerAxisCounts | None
) -> None:
    """Mismatches are always counted by channel. They are drawn only if they form a pattern."""
    conv = sample.verdicts[1]
    alone = replace(conv, differences=(replace(conv.differences[0], along=along),))
    page = show(replace(sample, verdicts=(alone,), operations=(), drift=()))
    page.one("#cases tr.case").click()
    captions = page.texts(".below figcaption")
    assert captions == ["Difference in LSB", *(["Mismatches by column"] if along else [])]


def test_the_strip_leads_to_the_case(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    cells = page.all(".cell")
    assert cells[7].get_attribute("aria-label") == "#7 ADD: mismatch"
    page.run("arguments[0].focus()", cells[0])
    page.press(Keys.ARROW_RIGHT)
    assert page.one("#told").text == "#1 CONV_2D: mismatch (block1/conv)"
    page.one(".chip[data-outcome='exact']").click()
    cells[1].click()
    assert page.focused == "1"
    assert len(page.all(".below")) == 1
    assert len(page.column(1)) == len(sample.verdicts)


def test_drift_is_drawn_for_each_unit_and_leads_to_cases(
    show: Callable[[Verification], Page], sample: Verification
) -> None:
    page = show(sample)
    plots = page.all(".plots svg")
    assert [len(p.find_elements("css selector", ".largest")) for p in plots] == [4, 1]
    assert [len(p.find_elements("css selector", ".entered")) for p in plots] == [1, 1]
    page.run("arguments[0].dispatchEvent(new Event('pointerenter'))", page.all(".plots .hit")[1])
    told = "1 CONV_2D: largest 2 LSB, rms 0.061, 0.293 % of 4,096 differ; error enters here (block1/conv)"
    assert page.one("#drift .told").text == told
    page.one("#drift summary").click()
    assert page.texts("#drift li")[1] == told
    page.all(".plots .hit")[1].click()
    assert page.focused == "1"


@pytest.mark.usefixtures("evening")
def test_light_and_dark(show: Callable[[Verification], Page], good: Verification) -> None:
    page = show(good)
    dark = page.ground
    assert page.one("#theme").text == "Light"
    page.one("#theme").click()
    light = page.ground
    assert light != dark
    # Chromium stores values with a delay, so a page that opens immediately may read old values.
    assert any(page.reloaded().ground == light for _ in range(20))
    page.one("#theme").click()
    assert page.ground == dark


def test_the_toggle_works_where_storage_is_forbidden(
    show: Callable[[Verification], Page], browser: Any, good: Verification
) -> None:
    source = "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('', 'SecurityError'); } })"
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})
    try:
        page = show(good)
        before = page.ground
        page.one("#theme").click()
        assert page.ground != before
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def test_hostile_names_are_shown_as_they_are(
    show: Callable[[Verification], Page], sample: Verification
) -> None:
    page = show(sample)
    scripts = len(page.all("script"))
    position = next(n for n, v in enumerate(sample.verdicts) if v.operators == (18,))
    page.one("#open-all").click()
    name = visible(sample.verdicts[position].name)
    assert page.all(".below h3 span")[position].get_attribute("textContent") == name
    assert (
        page.all("#cases tr.case")[position].find_element("css selector", ".name").get_attribute("title")
        == name
    )
    assert len(page.all("script")) == scripts
    acting = "return /[\\p{C}\\p{Zl}\\p{Zp}]/u.test(document.body.innerText.replaceAll('\\n', '').replaceAll('\\t', ''))"
    assert page.run(acting) is False


def test_characters_are_escaped_as_in_every_other_format(
    show: Callable[[Verification], Page], good: Verification
) -> None:
    text = "a b\t\r\n\x00\x1f\x7f\x85\xa0\xad\u061c\u200b\u2028\u202e\u3000\ufeff\uffff\U000e0001\U0010ffff é 你 😀"
    assert show(good).run("return visible(arguments[0])", text) == visible(text)


def test_operators_lead_to_their_cases(show: Callable[[Verification], Page], sample: Verification) -> None:
    page = show(sample)
    lines = page.all("#operators tr.case")
    assert lines[0].find_element("css selector", "td.verdict").text.endswith("fails")
    page.one("#filter").send_keys("block1/conv")
    shown = page.texts("#operators tr.case:not([hidden]) > :first-child")
    assert shown == ["CONV_2Dint8, per-axis"]
    page.one("#operators tr.case:not([hidden])").click()
    page.one("#operators .below button").click()
    assert page.focused == "1"
    assert page.one("#cases .below h3").text == "CONV_2D #1 block1/conv"


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("narrow", [False, True])
def test_axe_finds_no_serious_problem(
    request: pytest.FixtureRequest,
    show: Callable[[Verification], Page],
    sample: Verification,
    dark: bool,
    narrow: bool,
) -> None:
    program = axe()
    for fixture in ["evening"] * dark + ["telephone"] * narrow:
        request.getfixturevalue(fixture)
    page = show(sample)
    page.run("document.querySelectorAll('#operators tr.case').forEach((row) => row.click())")
    page.one("#open-all").click()
    assert violations(page, program) == []
