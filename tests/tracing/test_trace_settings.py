"""Words of a trace's settings: options of a command that reads the same data."""

from __future__ import annotations

import pytest

from litecheck.tracing.trace_settings import TraceSettings


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (TraceSettings(data=("a b.npz", "c.npz"), samples=4), "--data 'a b.npz' --data c.npz --samples 4"),
        (TraceSettings(data="x", preprocessing="1/127.5:-1"), "--data x --preprocessing 1/127.5:-1"),
        (TraceSettings(random=8, seed=3), "--data random:8 --seed 3"),
        (TraceSettings(), "--data D"),
    ],
)
def test_words(settings: TraceSettings, words: str) -> None:
    assert settings.words == words
