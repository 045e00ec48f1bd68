"""Reasons in rule files: the part of their form that a machine can check.

A reason completes "required X, because ...": lower case, no full stop, at most 100 characters, in the field's terms.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from litecheck.data import rules_dir

LONGEST = 100
#: Keys of reasons; the values of a mapping under such a key are reasons too.
_KEYS = frozenset({"because", "unsupported", "nothing_to_judge", "reason", "reasons", "none"})
#: Words of a reason's first letter: acronyms, operators, and names of software and functions.
_NAMES = re.compile(r"[A-Z][A-Z0-9_]+\b|LiteRT\b|MultiplyByQuantizedMultiplier\b")
#: Banned expressions, each with the expression to use.
BANNED = {
    r"what|whose|whether|whoever|nobody|somebody": "a noun as the subject",
    r"truth values?": "bool",
    r"dies?|died|ends? the process|ends? the run|aborts?": "crash, or fail at run time",
    r"refuse[sd]?": "reject, or fail to load",
    r"tells?|told|says?|believes?|knows?|wants?|takes?|minds?": "require, support, read",
    r"words?|wide|longs?|shorts?": "int16, int32, int64",
    r"images?|places?": "batch, dimension, index",
    r"spreads?|stands? still|stretched": "broadcast",
    r"operands?|results?|takers?|accelerators?": "tensor, input, output, backend, NPU",
    r"demands?|faults?|mistakes?|departures?|ways?": "requirement, defect, variant",
    r"others?|another|ones|any number": "the noun",
    r"as it is|as they are|by itself|of its own accord|all the same": "stored, alone, anyway",
    r"turns? into|moves?|moved|hands?|handed|gives?|joins?|counts? (?:up|down)wards": "convert, copy, pass, output, add",
    r"here|this": "the noun: a reason is about every model",
    r"neighbour\w*|colour\w*|behaviour": "American spelling",
}
#: Texts that may contain a banned expression, with the reason.
EXCEPTIONS = {
    "a negative size except -1 gives an output that is too large for memory": "'gives' has a size as subject",
    "a negative dimension gives an output that is too large for memory": "'gives' has a dimension as subject",
    "a negative size gives an output that is too large for memory": "'gives' has a size as subject",
    "beta 0 gives all classes the same probability, and crashes the reference int8 kernel": "'gives' has beta as subject",
    "the kernel reads as many tensors as its options give": "'give' has options as subject",
    "LiteRT quantizes float32 to uint8, and requantizes int8 and uint8 to each other": "'each other' has its nouns",
}


def _reasons(node: Any, inside: bool = False) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _reasons(value, inside or key in _KEYS)
    elif isinstance(node, list):
        for value in node:
            yield from _reasons(value, inside)
    elif inside and isinstance(node, str) and " " in node:
        yield node


def _all() -> dict[str, str]:
    """Return every reason with the first file that contains it."""
    found: dict[str, str] = {}
    for path in sorted(rules_dir().glob("**/*.yaml")):
        name = path.relative_to(rules_dir())
        for text in _reasons(yaml.load(path.read_text("utf-8"), yaml.BaseLoader)):
            found.setdefault(text, str(name))
    return found


REASONS = _all()


def problems(text: str) -> list[str]:
    """Return the violations of the form in a text."""
    found = [f"{len(text)} characters"] if len(text) > LONGEST else []
    if text[0].isupper() and not _NAMES.match(text):
        found.append("starts with a capital letter")
    if text.endswith(".") or text.lower().startswith("because"):
        found.append("reads as a sentence")
    if text not in EXCEPTIONS:
        for words, instead in BANNED.items():
            if match := re.search(rf"\b(?:{words})\b", text):
                found.append(f"{match[0]!r}: use {instead}")
    return found


def test_every_reason_has_the_form() -> None:
    wrong = {text: (file, problems(text)) for text, file in REASONS.items() if problems(text)}
    assert wrong == {}


def test_reasons_of_every_kind_are_checked() -> None:
    assert len(REASONS) > 400
    assert {file.split("/")[0] for file in REASONS.values()} > {
        "arithmetic",
        "suite",
        "targets",
        "litert-int8.yaml",
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a" * 101, "101 characters"),
        ("The kernel reads int32", "starts with a capital letter"),
        ("the kernel reads int32.", "reads as a sentence"),
        ("the kernel dies of truth values", "'truth values': use bool"),
        ("operands are spread", "'spread': use broadcast"),
        ("the kernel does what it is told", "'what': use a noun as the subject"),
    ],
)
def test_a_text_that_breaks_the_form_is_found(text: str, problem: str) -> None:
    assert problem in problems(text)


@pytest.mark.parametrize("text", ["LiteRT rejects the model", "SOFTMAX outputs int16", "8-bit weights only"])
def test_names_and_numbers_may_come_first(text: str) -> None:
    assert problems(text) == []


def test_every_exception_is_needed() -> None:
    banned = "|".join(BANNED)
    assert [t for t in EXCEPTIONS if t not in REASONS or not re.search(rf"\b(?:{banned})\b", t)] == []
