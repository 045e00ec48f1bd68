"""Documents decoded: every failure of a decoder is an error with file and line."""

from __future__ import annotations

import json
import sys

import pytest
import yaml

from litecheck.documents import DocumentError, compose_yaml, decode_json, decode_toml, encode_json
from litecheck.errors import ConfigError, InputError


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[" * 100_000, "f: not JSON: nested too deeply"),
        (b'{"a":' * 100_000, "f: not JSON: nested too deeply"),
        (b"[\n1,\n]", "f:3: not JSON: Expecting value, column 1"),
        (b"", "f:1: not JSON: Expecting value, column 1"),
        (b'{"a": \xff}', "f: not JSON: got a byte at 6 that is not utf-8, expected text"),
        (b"9" * 5000, "f: not JSON: an integer has too many digits"),
        (rb'["\uDBFF"]', "f: not JSON: got half of a surrogate pair, expected text"),
        (b"[NaN]", "f: not JSON: got NaN, expected a finite number"),
        (b"-Infinity", "f: not JSON: got -Infinity, expected a finite number"),
        (b'{"a": 1, "b": {"c": 1, "c": 2}}', "f: not JSON: an object has the key 'c' twice"),
        (b'{"a": 1, "b": 2, "c": 3, "b": 4}', "f: not JSON: an object has the key 'b' twice"),
    ],
)
def test_invalid_json_is_an_error_with_its_location(content: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decode_json(content, "f", InputError)
    assert str(caught.value) == message


def test_json_is_read_in_the_encodings_that_programs_redirect() -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert decode_json('{"ä": [1, 2.5, null]}'.encode(encoding), "f") == {"ä": [1, 2.5, None]}
    assert decode_json(rb'"\uD83D\ude00 \\ud800"', "f") == "\U0001f600 \\ud800"
    assert decode_json("9" * 400, "f") == int("9" * 400)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x = " + b"[" * 100_000, "nested too deeply"),
        (b"x = " + b"9" * 5000, "an integer has too many digits"),
        (b"a." * 20_000 + b"b = 1", "a dotted key has too many parts"),
        (b"x = 1\nx = 2", "Cannot overwrite a value"),
        (b"x = \xff", "got a byte at 4 that is not utf-8"),
        (b"#" * (1 << 21), "expected at most 1,048,576"),
    ],
)
def test_invalid_toml_is_an_error(content: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        decode_toml(content, "f.toml")
    assert str(caught.value).startswith("f.toml: not TOML: ")
    assert message in str(caught.value)
    assert decode_toml(b"[a]\nb = 1.5", "f.toml") == {"a": {"b": 1.5}}


@pytest.mark.parametrize("loader", [yaml.BaseLoader, getattr(yaml, "CBaseLoader", yaml.BaseLoader)])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[" * 100_000, None),
        ("a: 1\nb: *c", 2),
        ("a: 1\n\x00", None),
        ("a: 1\nb: [", None),
        ("%YAML 9.9\n---\n", 1),
        ("\ud800: [", None),
    ],
)
def test_invalid_yaml_is_an_error(text: str, line: int | None, loader: type) -> None:
    with pytest.raises(DocumentError) as caught:
        compose_yaml(text, loader)
    assert line is None or caught.value.line == line
    assert "\n" not in caught.value.message


def test_an_exception_that_is_no_failure_of_a_decoder_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(sys.modules["json"], "loads", broken)
    with pytest.raises(ZeroDivisionError):
        decode_json("1", "f")


def test_characters_that_are_not_printed_are_escaped_in_json() -> None:
    values = {"name": "\ufeff\u202eabc\x85\n\U000e0001", "é": ["日本", 1]}
    text = encode_json(values)
    assert json.loads(text) == values
    assert all(line.isprintable() for line in text.split("\n"))
    assert "é" in text
