"""LiteRT in a child process, one for each module of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.differential.oracle import Oracle


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Oracle() as started:
        yield started
