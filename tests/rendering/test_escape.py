from __future__ import annotations

import json
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
        ("\x85\x9b\x7f\xa0\u3000", "\\x85\\x9b\\x7f\\xa0\\u3000"),
        ("\u200b\u2066\ufeff\U000e0041", "\\u200b\\u2066\\ufeff\\U000e0041"),
        ("\ue000\U000f0000", "\\ue000\\U000f0000"),
        ("\u3164\u115f\u034f", "\\u3164\\u115f\\u034f"),
        ("⚠\ufe0f", "⚠\ufe0f"),
        ("x##vso[task]##[error]##teamcity[y]", "x##vso\\x5btask]##\\x5berror]##teamcity\\x5by]"),
        ("a # b ## c [d] #[e]", "a # b ## c [d] #[e]"),
        ("::stop", "::stop"),
    ],
)
def test_visible(text, shown):
    assert escape.visible(text) == shown


@pytest.mark.parametrize(
    ("text", "before", "shown"),
    [
        ("a\nb\x0b\n", None, "a\nb\\x0b\n"),
        ("::a\n  ::b\nc ::d", None, "::a\n  ::b\nc ::d"),
        ("::a\n  ::b\nc ::d", "", ":\\x3aa\n  :\\x3ab\nc ::d"),
        ("::a\n::b", "x", "::a\n:\\x3ab"),
        (":a\n:b", " :", "\\x3aa\n:b"),
        ("o[b]", "##vs", "o\\x5bb]"),
    ],
)
def test_lines_of_a_text_stay_and_begin_no_command(text, before, shown):
    assert escape.escape_text(text, lines=True, before=before) == shown


@pytest.mark.parametrize("text", ["##vso[x]", "###[x]", "a##b[", "\\\\##x[", "##", "#\u2028"])
def test_json_keeps_its_values_and_has_no_command_of_a_build_log(text):
    written = escape.safe_json(json.dumps({text: [text]}))
    assert json.loads(written) == {text: [text]}
    assert escape.visible(written) == written


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
    assert escape.use_forward_slashes("models\\kws.tflite") == "models/kws.tflite"
    assert escape.uri("C:\\models\\kws.tflite") == "file:///C:/models/kws.tflite"
