"""Sentences about claims that a run does not show, and about waivers."""

from __future__ import annotations

import pytest

from litecheck.rendering.wording.claims import shortfall_sentence, shortfalls_sentence
from litecheck.suite.claims import Shortfall


@pytest.mark.parametrize(
    ("short", "sentence"),
    [
        (Shortfall("level", "full", "smoke"), "the claim is of level full, the suite of level smoke"),
        (Shortfall("program", "ab12"), "the claim is about a program with the SHA-256 ab12, none ran"),
        (Shortfall("operator", "ADD"), "ADD is claimed, and the suite has no case of it"),
    ],
)
def test_sentence_of_a_shortfall(short: Shortfall, sentence: str) -> None:
    assert shortfall_sentence(short) == sentence


def test_the_first_of_several_shortfalls_is_shown() -> None:
    one, other = Shortfall("operator", "ADD"), Shortfall("operator", "MUL")
    assert shortfalls_sentence((one,)) == "ADD is claimed, and the suite has no case of it"
    assert shortfalls_sentence((one, other, other)) == (
        "ADD is claimed, and the suite has no case of it (2 further claims not shown)"
    )
    assert shortfalls_sentence(()) == ""
