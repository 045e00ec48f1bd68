"""Suggestions for misspelt words."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.spelling import (
    closest,
    did_you_mean,
    similar_file,
    suggestion,
    unknown_format,
    unknown_tensor,
)

KNOWN = ("CONV_2D", "conv_2d", "SOFTMAX", "tflm")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("CONV_2", "CONV_2D"),
        ("softmax", "SOFTMAX"),
        ("Conv_2d", "CONV_2D"),
        ("Conv2D", "CONV_2D"),
        ("tfml", "tflm"),
        ("xyz", ""),
    ],
)
def test_the_closest_word(word: str, expected: str) -> None:
    assert closest(word, iter(KNOWN)) == expected
    assert did_you_mean(word, KNOWN) == (f"; did you mean '{expected}'?" if expected else "")


def test_words_of_equal_similarity_are_all_named() -> None:
    names = ("ethos-u55", "ethos-u65", "ethos-u85", "tflm")
    three = "; did you mean 'ethos-u55', 'ethos-u65' or 'ethos-u85'?"
    assert did_you_mean("ethos-u56", names) == did_you_mean("ethos-u", names) == three
    assert did_you_mean("abc1", [f"abc{n}" for n in range(2, 9)]) == "; did you mean 'abc8'?"


@pytest.mark.parametrize(
    ("name", "file", "hint"),
    [
        ("imag", "", "did you mean 'image'?"),
        ("x", "m.tflite", "'litecheck inspect m.tflite --tensors' lists all"),
        ("x", "", "'litecheck inspect MODEL --tensors' lists all"),
    ],
)
def test_a_tensor_that_no_model_has(name: str, file: str, hint: str) -> None:
    assert unknown_tensor(name, ["image", "scores"], file) == f"there is no tensor {name!r}; {hint}"


@pytest.mark.parametrize(
    ("name", "hint"), [("jsn", "did you mean json?"), ("xyz", "the formats are text, json")]
)
def test_a_format_that_no_command_has(name: str, hint: str) -> None:
    assert unknown_format(name, ["text", "json"]) == f"unknown format {name!r}: {hint}"


@pytest.mark.parametrize(
    ("word", "known", "lead", "expected"),
    [
        ("tfml", KNOWN, "there are", "; did you mean 'tflm'?"),
        ("xyz", ("a", "b"), "available:", "; available: a, b"),
        ("xyz", (), "there are", "; there are none"),
    ],
)
def test_all_words_are_named_without_a_similar_word(
    word: str, known: tuple[str, ...], lead: str, expected: str
) -> None:
    assert suggestion(word, iter(known), lead) == expected


@pytest.mark.parametrize(
    ("missing", "close"),
    [
        ("modle.tflite", "model.tflite"),
        ("sub/modl.tflite", "sub/model.npy"),
        ("other.tflite", ""),
        ("none/model.tflite", ""),
    ],
)
def test_a_similar_file_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, close: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    for file in ("model.tflite", "sub/model.npy", "x.npy"):
        Path(file).touch()
    assert similar_file(missing) == (f"; did you mean '{close}'?" if close else "")


def test_all_words_with_this_beginning_are_suggested() -> None:
    known = ("ethos-u55", "ethos-u65", "artpec-9")
    assert did_you_mean("ethos-u", known) == "; did you mean 'ethos-u55' or 'ethos-u65'?"
    assert did_you_mean("artpec", known) == "; did you mean 'artpec-9'?"
    assert " or " not in did_you_mean("abc", [f"abc{n}" for n in range(6)])
