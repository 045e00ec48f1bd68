"""A short hash of the lines of a stream, because the same options must give the same bytes.

The answers of a device are compared with the stream in their header. A recorded hash changes only together with the
drawn lines; the change then belongs in CHANGELOG.md.
"""

from __future__ import annotations

import hashlib
from itertools import islice

import numpy as np

from litecheck.suite.stream.batch import VectorBatch, lines_of
from litecheck.suite.stream.stream_kinds import kind_of

Fields = dict[str, np.ndarray]


def batches(name: str, count: int, exhaustive: bool = False) -> list[VectorBatch]:
    """Return the first batches of a stream, drawn from seed 1."""
    kind, opcode = kind_of(name)
    return list(islice(kind.batches(opcode, np.random.default_rng(1), exhaustive), count))


def digest(some: list[VectorBatch]) -> str:
    """Return a hash of the lines without their flags."""
    found = hashlib.sha256()
    for batch in some:
        found.update(" ".join(c.title for c in batch.columns).encode())
        found.update(lines_of(0, batch.columns, np.zeros(len(batch), np.int64)))
    return found.hexdigest()[:12]


def fields(batch: VectorBatch) -> Fields:
    """Return each field by name: integers, or the numbers of float32 bits."""
    return {
        c.name: c.values.astype(np.uint32).view(np.float32).astype(np.float64) if c.bits else c.values
        for c in batch.columns
    }
