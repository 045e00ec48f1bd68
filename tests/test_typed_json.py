"""Dataclasses from JSON: wrong types, words and numbers are errors with the path inside the document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import pytest

from litecheck.errors import ConfigError
from litecheck.typed_json import Length, Only, decode, encode, one_of, read_document


class Color(str, Enum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Part:
    sizes: tuple[Length, ...]
    word: Annotated[str, one_of(("a", "b"))] = "a"
    color: Color = Color.RED


@dataclass(frozen=True, slots=True)
class Document:
    number: float
    count: int
    parts: tuple[Part, ...] = ()
    even: Annotated[int, Only(lambda value: value % 2 == 0, "an even number")] = 0


WHOLE = Document(float("inf"), -(1 << 63), (Part((1, 2), "b"),), 4)


def test_metadata_does_not_change_a_correct_value() -> None:
    assert decode(encode(WHOLE, Document), Document, "document") == WHOLE


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"number": int("9" * 400)}, f"number is {'9' * 59}…, not a number that a float64 holds"),
        ({"number": 1e999}, "number is inf, not a number that a float64 holds"),
        ({"number": "NaN"}, "number is 'NaN', not a number"),
        ({"count": 1 << 65}, "count is 36893488147419103232, not a whole number of 64 bits"),
        ({"count": True}, "count is True, not a whole number"),
        ({"even": 3}, "even is 3, not an even number"),
        ({"parts": [{"sizes": [1, -1]}]}, "parts[0].sizes[1] is -1, not a whole number in 0..2147483647"),
        ({"parts": [{"sizes": [], "word": "c"}]}, "parts[0].word is 'c', not one of a, b"),
        ({"parts": [{"sizes": [], "color": []}]}, "parts[0].color is [], not one of red"),
        ({"parts": {}}, "parts is {}, not a list"),
    ],
)
def test_wrong_values_are_located(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        decode({"number": 1, "count": 1, **change}, Document, "document")
    assert str(caught.value) == f"no document: {message}"


def test_a_value_too_deep_to_be_shown_is_an_error() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ConfigError, match="number is nested too deeply, not a number"):
        decode({"number": deep, "count": 1}, Document, "document")


@pytest.mark.parametrize("content", [b"[" * 100_000, b'{"v": true}', b'{"v": 2}', b"[]", b'{"v": 1}', b""])
def test_a_file_that_holds_no_such_document_is_named(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "d.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_document(file, Document, "v", 1, "document")
    assert str(caught.value).startswith(str(file))


@dataclass(frozen=True, slots=True)
class Loose:
    """A number or a word; a number or None."""

    limit: float | str
    count: int | None = None


@pytest.mark.parametrize(
    "value",
    [Loose(1.5), Loose("all", 3), Loose(float("inf")), Loose("x", None)],
    ids=lambda value: str(value),
)
def test_text_is_allowed_if_a_type_allows_it(value: Loose) -> None:
    assert decode(encode(value, Loose), Loose, "document") == value


@pytest.mark.parametrize(
    "document", [{"limit": 1, "count": "all"}, {"limit": [1]}, {"limit": 1, "count": 1.5}]
)
def test_text_is_an_error_if_no_type_allows_it(document: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"no document: (count|limit) is"):
        decode(document, Loose, "document")
