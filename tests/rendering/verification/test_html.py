"""The page as text: its content, no executable content from data, and no requests."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.rendering.escape import visible
from litecheck.rendering.formats import render
from litecheck.rendering.html import page as base
from litecheck.rendering.html.page import embed_json
from litecheck.rendering.verification import html
from litecheck.rendering.verification.values import LOOKS
from litecheck.rendering.wording import headlines
from litecheck.rendering.wording import outcomes as wording
from litecheck.verification.result import Verification
from litecheck.verification.serialize import from_json
from tests.rendering.page_reader import Read, content, program

FOLDER = Path(html.__file__).parent / "page"
BASE = Path(base.__file__).parent


@pytest.fixture
def page(sample: Verification) -> Read:
    return Read(render(sample, "html"))


def test_the_page_ends_with_one_newline_and_is_deterministic(
    sample: Verification, good: Verification, unjudged: Verification
) -> None:
    for verification in (sample, good, unjudged, replace(good, verdicts=())):
        text = render(verification, "html")
        assert text.endswith("</html>\n")
        assert text == render(verification, "html")
        assert render(from_json(json.loads(render(verification, "json"))), "html") == text


def test_the_page_has_the_content_of_the_json_format(sample: Verification, page: Read) -> None:
    held = json.loads(page.text("script", id="verification"))
    assert json.dumps(held) == json.dumps(json.loads(render(sample, "json")))
    assert repr(from_json(held)) == repr(sample)


def test_the_page_has_the_words_of_the_text_formats(sample: Verification, page: Read) -> None:
    words = json.loads(page.text("script", id="words"))
    assert words["fits"] == wording.fits(sample)
    assert words["tally"] == headlines.tally(sample)
    assert ["device", sample.described] in words["facts"]
    conv = words["cases"][1]
    assert (conv["number"], conv["differ"], conv["largest"]) == ("1", "12/4,096", "-2 LSB")
    labels = [label for label, _ in conv["details"]]
    assert set(labels) > {"output", "differ", "worst", "because", "pattern", "matches", "fault", "reproduce"}
    assert not {"histogram", "candidates"} & set(labels)


def test_the_strip_holds_every_operator_in_order(sample: Verification, page: Read) -> None:
    strip = json.loads(page.text("script", id="words"))["strip"]
    assert [(o["subgraph"], o["index"]) for o in strip] == [(o.subgraph, o.index) for o in sample.operations]
    inside = {sample.verdicts[o["case"]].case for o in strip if o["index"] in (6, 7, 8)}
    assert inside == {"0006-0008"}
    assert strip[7]["operator"] == "ADD"


def test_the_strip_includes_operators_without_a_case(sample: Verification) -> None:
    fewer = replace(sample, verdicts=sample.verdicts[:1])
    strip = json.loads(Read(render(fewer, "html")).text("script", id="words"))["strip"]
    assert len(strip) == len(sample.operations)
    assert [o["case"] for o in strip[:3]] == [0, None, None]


@pytest.mark.parametrize(
    "text",
    ["</script><script>alert(1)</script>", "<!--<script>", "]]>", "&lt;", "\u2028\u2029", "\udc80", "$title"],
)
def test_embedded_text_is_escaped_and_decoded_unchanged(text: str) -> None:
    made = embed_json({"name": text})
    assert made.isascii()
    assert not set("<>&") & set(made)
    assert json.loads(made) == {"name": text}


def test_hostile_names_make_no_element(sample: Verification, good: Verification) -> None:
    text = render(sample, "html")
    assert all(c == "\n" or c.isprintable() for c in text)
    hostile = replace(good, model="</title><script>x</script>$verdict\u202e\udc80.tflite")
    tags = [tag for tag, _ in Read(render(good, "html")).elements]
    for verification in (sample, hostile):
        assert [tag for tag, _ in Read(render(verification, "html")).elements] == tags
    assert Read(render(hostile, "html")).text("title") == visible(f"{hostile.model}: conforms")


def test_the_page_loads_no_file(page: Read) -> None:
    addresses = ("src", "href", "srcset", "action", "formaction", "data", "poster", "background", "ping")
    found = [
        value for _, attributes in page.elements for name, value in attributes.items() if name in addresses
    ]
    assert found == ["data:,"]
    style, script = page.text("style"), program(page)
    assert not re.search(r"url\(|@import|https?:", style)
    assert re.findall(r"https?:[^\"]*", script) == ["http://www.w3.org/2000/svg"]
    forbidden = r"fetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon|\bimport\b|\bnew Worker|\bnew Image"
    assert not re.search(forbidden, script)


def test_data_never_becomes_markup_or_program(page: Read) -> None:
    forbidden = (
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|DOMParser|srcdoc"
    )
    assert not re.search(forbidden, program(page))
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]


def test_the_policy_allows_the_page_its_own_parts_only(page: Read) -> None:
    (policy,) = (a["content"] for tag, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    parts = {"style-src": page.text("style"), "script-src": program(page)}
    for kind, text in parts.items():
        assert rules.pop(kind) == f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"
    assert rules == {
        "default-src": "'none'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_every_outcome_has_a_sign_and_a_colour(page: Read) -> None:
    assert set(LOOKS) == set(Outcome)
    assert len({sign for sign, *_ in LOOKS.values()}) == len(Outcome)
    rules = re.findall(r"([^{}]+)\{[^{}]*--fill: ", page.text("style"))
    coloured = re.findall(r'\[data-outcome="([^"]+)"\]', "".join(rules))
    assert set(coloured) == {*(outcome.value for outcome in Outcome), "not tried"}


def test_every_file_of_the_folder_is_in_the_page(page: Read) -> None:
    files = {file.name: file.read_text() for file in FOLDER.iterdir()}
    assert page.text("style") == (BASE / "base.css").read_text() + (BASE / "operators.css").read_text()
    assert all(file.read_text() in program(page) for file in BASE.glob("*.js"))
    scripts = {name for name, text in files.items() if text in program(page)}
    assert scripts == set(files) - {"body.html"}


def test_the_page_has_properties_not_exercised(sample: Verification, page: Read) -> None:
    words = json.loads(page.text("script", id="words"))["untried"]
    assert words[0] == [
        "CONV_2D (12)",
        ["a batch beyond 1", "unequal strides", "outputs of more than 65,536 elements"],
    ]
    assert len(words) == 2, "RESHAPE exercises all properties"


def test_the_whole_content(sample: Verification, golden: Callable[[str, str], None]) -> None:
    golden("verification.page.txt", content(render(sample, "html")))
