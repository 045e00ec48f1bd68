"""litecheck suite make --stream, litecheck suite judge --stream-results."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.suite.stream.conftest import answered, made

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def answers(folder: Path) -> None:
    Path("stream.txt").write_bytes(made("ADD", count=600))
    Path("right.txt").write_bytes(b"".join(answered(made("ADD", count=600))))
    Path("wrong.txt").write_bytes(b"".join(answered(made("ADD", count=600), by="wraps")))


def test_a_stream_goes_to_stdout(run: Run) -> None:
    result = run("suite", "make", "--stream", "ADD", "--count", "600", "--level", "smoke")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout_bytes == made("ADD", count=600)


def test_right_answers_end_well(run: Run) -> None:
    result = run("suite", "judge", "--stream-results", "right.txt")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "exact" in result.stdout


def test_wrong_answers_fail_and_are_explained(run: Run) -> None:
    result = run("suite", "judge", "--stream-results", "wrong.txt", "-f", "json")
    document = json.loads(result.stdout)
    assert (result.exit_code, document["verdict"]) == (1, "differs")
    assert [e["name"] for e in document["explanations"] if e["fits_all"]] == ["wraps"]


def test_answers_without_a_header_need_the_stream_file(run: Run) -> None:
    lines = Path("right.txt").read_bytes().splitlines(keepends=True)
    Path("bare.txt").write_bytes(b"".join(lines[1:-1]))
    bare = run("suite", "judge", "--stream-results", "bare.txt")
    assert bare.exit_code == 2
    assert "bare.txt, line 1: a stream's answers begin with" in bare.stderr
    assert (
        run("suite", "judge", "--stream-results", "bare.txt", "--stream-header", "stream.txt").exit_code == 0
    )


def test_answers_that_cannot_be_compared_are_an_error(run: Run) -> None:
    short = Path("right.txt").read_bytes().splitlines(keepends=True)[:100]
    Path("short.txt").write_bytes(b"".join(short))
    result = run("suite", "judge", "--stream-results", "short.txt")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "short.txt, line 101: the answers end before that to vector 99" in result.stderr
    missing = run("suite", "judge", "--stream-results", "none.txt")
    assert (missing.exit_code, "none.txt" in missing.stderr) == (64, True)


def test_an_unknown_stream_is_an_error(run: Run) -> None:
    result = run("suite", "make", "--stream", "CONV")
    assert (result.exit_code, result.stdout) == (64, "")
    assert "there is no stream 'CONV'" in result.stderr
