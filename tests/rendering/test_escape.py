from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from litecheck.finding import Where
from litecheck.rendering import escape


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("conv/kernel", "conv/kernel"),
        ("größe 大きさ", "größe 大きさ"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"),
        ("\u202egnp", "\\u202egnp"),
        ("\ufffe\udc80", "\\ufffe\\udc80"),
        ("\u2028", "\\u2028"),
    ],
)
def test_visible(text, shown):
    assert escape.visible(text) == shown


def test_shorten_keeps_both_ends_and_the_limit():
    text = "begin" + "x" * 200 + "end"
    short = escape.shorten(text, 20)
    assert len(short) == 20
    assert short.startswith("begin")
    assert short.endswith("end")
    assert escape.shorten("x" * 20, 20) == "x" * 20


def test_shorten_counts_the_escapes():
    assert len(escape.shorten("\x1b" * 50, 40)) == 40


def test_place_names_operator_and_operand():
    where = Where(1, "body", 4, "CONCATENATION", "a\nb", "values", 2, 9, "x\x00")
    assert escape.place(where) == "subgraph 1, CONCATENATION #4 'a\\nb', values[2] 'x\\x00'"


@pytest.mark.parametrize(
    ("file", "uri"),
    [
        ("models/kws.tflite", "models/kws.tflite"),
        ("./a b#c%.tflite", "a%20b%23c%25.tflite"),
        ("c:d.tflite", "c%3Ad.tflite"),
        ("../größe.tflite", "../gr%C3%B6%C3%9Fe.tflite"),
        ("\udcff.tflite", "%FF.tflite"),
        ("/data/a b.tflite", "file:///data/a%20b.tflite"),
    ],
)
def test_uri(file, uri, monkeypatch):
    monkeypatch.setattr(escape, "PurePath", PurePosixPath)
    assert escape.uri(file) == uri


def test_backslashes_of_windows_become_slashes(monkeypatch):
    from pathlib import PureWindowsPath

    monkeypatch.setattr(escape, "PurePath", PureWindowsPath)
    assert escape.slashed("models\\kws.tflite") == "models/kws.tflite"
    assert escape.uri("C:\\models\\kws.tflite") == "file:///C:/models/kws.tflite"
