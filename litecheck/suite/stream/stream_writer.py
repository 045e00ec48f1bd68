"""Writer of streams: a header, vectors, and a last line with their hash."""

from __future__ import annotations

from typing import BinaryIO

from litecheck.suite.stream.stream_header import END
from litecheck.suite.stream.vectors import Vectors


def write_stream(
    name: str,
    out: BinaryIO,
    *,
    arithmetic: str = "litert-reference",
    seed: int = 0,
    count: int | None = None,
    level: str = "standard",
) -> None:
    """Write the stream of an operator, or ``requantize``, block by block; equal arguments give equal bytes.

    ``count`` is the number of vectors (default: that of the level). Raise ConfigError for unknown names and for
    arithmetics that depend on positions in a tensor, ProfileError for an unreadable arithmetic.
    """
    vectors = Vectors(name, arithmetic, level, seed, count)
    out.write("".join(f"{line}\n" for line in vectors.preamble()).encode("ascii"))
    for _, text in vectors.blocks():
        out.write(text)
    out.write(f"{END} {vectors.header.count} {vectors.sha256()}\n".encode("ascii"))
    out.flush()
