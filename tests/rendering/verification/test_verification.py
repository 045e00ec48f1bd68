"""Every format of a verification: complete golden files, and properties of all formats."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.errors import ConfigError
from litecheck.rendering.formats import formats, render
from litecheck.verification.result import Verification
from litecheck.verification.serialize import from_json, to_json

GOLDEN = {
    "text": "verification.txt",
    "json": "verification.json",
    "sarif": "verification.sarif",
    "junit": "verification.junit.xml",
    "gitlab": "verification.gitlab.json",
    "github": "verification.github.txt",
    "csv": "verification.csv",
    "markdown": "verification.md",
    "model-explorer": "verification.model-explorer.json",
}


def test_every_format_but_the_page_has_a_golden_file() -> None:
    assert set(GOLDEN) == set(formats("verify")) - {"html"}


def test_the_sample_holds_every_outcome(sample: Verification) -> None:
    assert set(sample.counts()) == set(Outcome)


@pytest.mark.parametrize("name", GOLDEN)
def test_whole_verification(name: str, sample: Verification, golden: Callable[[str, str], None]) -> None:
    golden(GOLDEN[name], render(sample, name))


@pytest.mark.parametrize("name", GOLDEN)
def test_ends_with_exactly_one_newline(
    name: str, sample: Verification, good: Verification, unjudged: Verification
) -> None:
    for verification in (sample, good, unjudged, replace(good, verdicts=())):
        text = render(verification, name)
        assert text.endswith("\n")
        assert not text.endswith("\n\n")


@pytest.mark.parametrize("name", GOLDEN)
def test_hostile_names_leave_no_character_that_acts(name: str, sample: Verification) -> None:
    text = render(sample, name)
    assert all(c == "\n" or c.isprintable() for c in text)
    text.encode("utf-8")


@pytest.mark.parametrize("name", GOLDEN)
def test_a_verification_read_back_looks_the_same(name: str, sample: Verification) -> None:
    assert render(from_json(to_json(sample)), name) == render(sample, name)


def test_unknown_format_suggests_the_nearest(good: Verification) -> None:
    with pytest.raises(ConfigError, match="did you mean model-explorer"):
        render(good, "model_explorer")
    with pytest.raises(ConfigError, match="the formats are text, csv, github, gitlab"):
        render(good, "zzz")


def test_a_format_is_imported_only_if_used() -> None:
    code = (
        "import sys\n"
        "from litecheck.rendering.formats import render\n"
        "from litecheck.verification.result import Verification\n"
        "render(Verification('1', 'm', '0', 'd', 'd', (), 'whole', '', ()), 'json')\n"
        "print([m for m in sys.modules if m.startswith('litecheck.rendering.') or m in ('rich', 'xml.etree')])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert "litecheck.rendering.verification.values" in done.stdout
    for name in ("verification.text", "verification.rows", "verification.html", "'rich'", "xml.etree"):
        assert name not in done.stdout
