"""The progress bar that counts steps."""

from __future__ import annotations

import io
import sys
import time

import pytest

from litecheck.cli import progress as module
from litecheck.cli.console import OutputOptions


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stderr: io.StringIO, delay: float) -> str:
    monkeypatch.setattr(module, "DELAY", delay)
    monkeypatch.setattr(sys, "stderr", stderr)
    monkeypatch.setenv("TERM", "xterm")
    with module.steps(2) as advance:
        advance("CONV_2D #0")
        time.sleep(max(0.0, min(delay + 0.2, 0.3)))
        advance("ADD #1")
    return stderr.getvalue()


def test_a_terminal_shows_the_bar_after_a_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "2/2" in shown(monkeypatch, Terminal(), 0.0)
    assert shown(monkeypatch, Terminal(), 60.0).strip() == ""


def test_a_stream_that_is_no_terminal_shows_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(monkeypatch, io.StringIO(), 0.0) == ""


@pytest.mark.parametrize("total", [2, None])
def test_samples_are_counted_with_and_without_a_known_total(
    total: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    with module.samples_done(total, OutputOptions()) as tell:
        tell(1, "calibrating")
        time.sleep(0.2)
        tell(2, "comparing")
    assert f"2/{total or '?'}" in stderr.getvalue()
    assert "comparing" in stderr.getvalue()


def test_names_at_work_are_escaped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DELAY", 0.0)
    monkeypatch.setattr(sys, "stderr", stderr := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "300")
    with module.samples_done(2, OutputOptions()) as tell:
        time.sleep(0.2)
        tell(1, "a\nb\x1b[8m\u202e")
        time.sleep(0.2)
    assert "a\\nb\\x1b[8m\\u202e" in stderr.getvalue()
    assert "\x1b[8m" not in stderr.getvalue()
