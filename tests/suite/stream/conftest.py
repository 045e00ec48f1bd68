"""Streams made once per session, and a simulator that computes them."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache

from litecheck.suite.stream.stream_header import parse_header
from litecheck.suite.stream.stream_writer import write_stream
from litecheck.suite.stream.vectors import Vectors


@cache
def made(name: str, count: int | None = None, level: str = "smoke", seed: int = 0) -> bytes:
    """Return a stream."""
    out = io.BytesIO()
    write_stream(name, out, count=count, level=level, seed=seed)
    return out.getvalue()


def answered(stream: bytes, by: str = "") -> list[bytes]:
    """Return the lines of a correct simulator, or of a simulator with the mistake of a flag."""
    lines = stream.splitlines(keepends=True)
    vectors = Vectors.again(parse_header(lines[0].decode(), "stream", 1))
    at = next((n for n, mutant in enumerate(vectors.mutants) if mutant.name == by), -1)
    answers = [lines[0]]
    for block, _ in vectors.blocks():
        given = block.mistaken[at] if by else block.expected
        assert given is not None
        answers += [
            b"%d %s\n" % (n, " ".join(map(str, row)).encode())
            for n, row in enumerate(given.tolist(), block.first)
        ]
    return [*answers, lines[-1]]


Stream = Callable[..., bytes]
