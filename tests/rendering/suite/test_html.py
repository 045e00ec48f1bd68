"""The page as text: its content, no executable content from data, and no requests."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from litecheck.rendering.escape import visible
from litecheck.rendering.formats import render
from litecheck.rendering.html import page as base
from litecheck.rendering.suite import html, totals, wording
from litecheck.rendering.suite.headline import headline
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.claims import ClaimsRecord, DeviceClaim
from litecheck.suite.verdict import SuiteReport
from tests.rendering.page_reader import Read, content, program

FOLDER = Path(html.__file__).parent / "page"
BASE = Path(base.__file__).parent


@pytest.fixture
def page(sample: SuiteReport) -> Read:
    return Read(render(sample, "html"))


def words(page: Read) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(page.text("script", id="words"))
    return held


def test_the_page_has_the_words_of_the_text_formats(sample: SuiteReport, page: Read) -> None:
    held = words(page)
    assert (held["sentence"], held["tally"]) == (totals.sentence(sample), totals.tally(sample))
    assert held["counts"] == dict(sample.counts())
    assert ["suite", sample.suite] in held["hashes"]
    lines = wording.operators(sample)
    assert [(o["opcode"], o["arithmetic"], o["ends"]) for o in held["operators"]] == [
        (line.opcode, line.arithmetic, line.occurring) for line in lines
    ]


def test_every_case_is_listed_in_its_operator(sample: SuiteReport, page: Read) -> None:
    held = words(page)
    told = [
        title
        for operator in held["operators"]
        for title in (*(one["title"] for one in operator["failing"]), *(one[1] for one in operator["others"]))
    ]
    assert sorted(told) == sorted(visible(case.title) for case in sample.cases if not case.broken)
    paths = [path for operator in held["refusals"] for _, path, _, _ in operator["cases"]]
    assert sorted(paths) == sorted(case.broken for case in sample.cases if case.broken)


def test_cases_without_outputs_come_first_then_the_largest_differences(sample: SuiteReport) -> None:
    conv = next(case for case in sample.cases if case.ending is CaseOutcome.FAILED)
    several = tuple(replace(conv, title=f"off by {n}", worst=float(n)) for n in (1, 3, 2))
    crashed = replace(conv, title="crashed", ending=CaseOutcome.CRASHED, worst=0.0)
    report = replace(sample, rows=sample.rows[:1], cases=(*several, crashed))
    (operator,) = words(Read(render(report, "html")))["operators"]
    assert [one["title"] for one in operator["failing"]] == ["crashed", "off by 3", "off by 2", "off by 1"]


def test_the_worst_element_of_a_row_has_its_inputs(page: Read) -> None:
    facts = dict(words(page)["operators"][1]["facts"])
    assert facts["worst"] == "[7, 9] in run 0: expected 3, the device gives 4; computed from -128, 127"
    assert facts["worst case"] == "ADD/int8/all-65536-pairs"
    assert facts["arithmetic"] == "explained by requantize: single or requantize: half-even"
    assert facts["nearest"] == "litert-reference"
    assert "nearest" not in dict(words(page)["operators"][4]["facts"])
    assert dict(words(page)["operators"][0]["facts"])["in common"].startswith(
        "all differences of 2 failing cases lie in the last n % 16 of n channels"
    )


def test_hostile_names_make_no_element(sample: SuiteReport, good: SuiteReport) -> None:
    hostile = replace(good, device="</title><script>x</script>$verdict\u202e\udc80.so")
    harmless = replace(sample, notes=(), cases=tuple(replace(case, message="") for case in sample.cases))
    for report, plain in ((sample, harmless), (hostile, good)):
        text = render(report, "html")
        assert all(c == "\n" or c.isprintable() for c in text)
        tags = [tag for tag, _ in Read(render(plain, "html")).elements]
        assert [tag for tag, _ in Read(text).elements] == tags
    assert Read(render(hostile, "html")).text("title") == visible(f"{hostile.device}: conforms")


def test_the_page_has_the_claimed_device_the_verdict_and_a_legend_without_a_script(
    sample: SuiteReport, claimed: SuiteReport
) -> None:
    record = ClaimsRecord("npu", "c.yaml", "ab", DeviceClaim("MY NPU", "1.0"), "litert-int8", "1", "standard")
    page = Read(render(replace(claimed, claims=record), "html"))
    assert page.text("title") == "MY NPU 1.0 (delegate:./libacme.so): fails"
    body = render(sample, "html").partition('<script type="application/json"')[0]
    assert f">{headline(sample)}</strong>" in body
    assert all(f"</span> {CaseOutcome(ending).text}</dt>" in body for ending in sample.counts())


def test_sections_without_content_are_absent(sample: SuiteReport, good: SuiteReport) -> None:
    sections = {f"{name}-section" for name in html._SECTIONS}
    present = {name for name in sections if f'id="{name}"' in render(sample, "html")}
    assert present == sections - {"claims-section", "excused-section", "untried-section"}
    assert not any(f'id="{name}"' in render(good, "html") for name in sections)


def test_the_page_loads_no_file_and_data_is_escaped(page: Read) -> None:
    addresses = ("src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping")
    found = [v for _, attributes in page.elements for name, v in attributes.items() if name in addresses]
    assert found == ["data:,"]
    style, script = page.text("style"), program(page)
    assert not re.search(r"url\(|@import|https?:", style)
    forbidden = (
        r"fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\b|\bnew Worker|\bnew Image",
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc",
    )
    assert not [pattern for pattern in forbidden if re.search(pattern, script)]
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_the_policy_allows_the_page_its_own_parts_only(page: Read) -> None:
    (policy,) = (a["content"] for _, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    for kind, text in (("style-src", page.text("style")), ("script-src", program(page))):
        assert f"{kind} 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy


def test_every_ending_has_a_colour(page: Read) -> None:
    rules = re.findall(r"([^{}]+)\{[^{}]*--fill: ", page.text("style"))
    coloured = re.findall(r'\[data-outcome="([^"]+)"\]', "".join(rules))
    assert set(coloured) >= {ending.value for ending in CaseOutcome}


def test_every_file_of_the_folder_is_in_the_page(page: Read) -> None:
    assert (FOLDER / "page.js").read_text() in program(page)
    styles = (BASE / "base.css", BASE / "operators.css", FOLDER / "page.css")
    assert page.text("style") == "".join(file.read_text() for file in styles)
    assert {file.name for file in FOLDER.iterdir()} == {"body.html", "page.js", "page.css"}


def test_a_page_of_many_cases_stays_small(sample: SuiteReport) -> None:
    """110 operators on four types have 12 cases each, and every fifth fails. A further operator has many cases."""
    conv = sample.cases[:4]
    rows, cases = [], []
    for opcode in range(110):
        for kind in ("int8", "int16", "uint8", "float32"):
            rows.append(replace(sample.rows[0], opcode=f"OPERATOR_{opcode}", kind=kind))
            for n in range(12):
                one = conv[2] if n % 5 == 0 else conv[0]
                name = f"OPERATOR_{opcode}/{kind}/{one.title}-{n}"
                cases.append(replace(one, name=name, opcode=f"OPERATOR_{opcode}", kind=kind))
    cases += [replace(conv[2], name=f"{n}", opcode="OPERATOR_0", kind="int8") for n in range(2_000)]
    text = render(replace(sample, rows=tuple(rows), cases=tuple(cases)), "html")
    assert len(text) < 3_000_000
    first = words(Read(text))["operators"][0]
    assert (len(first["failing"]), first["more"]) == (200, 2_003 - 200)


def test_the_whole_content(sample: SuiteReport, golden: Callable[[str, str], None]) -> None:
    golden("suite.page.txt", content(render(sample, "html")))
