"""Verdict on the answers to a stream; its vectors are made again from the header, so nothing has to be stored."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from litecheck.suite.stream.answer_reader import AnswerReader
from litecheck.suite.stream.batch import Ints
from litecheck.suite.stream.computations import VectorMutant
from litecheck.suite.stream.stream_header import Header, StreamError
from litecheck.suite.stream.stream_report import FailedVector, MutantFit, StreamReport
from litecheck.suite.stream.vectors import VectorBlock, Vectors


def judge_stream(lines: Iterable[bytes], source: str = "stdin", header: Header | None = None) -> StreamReport:
    """Return the report on a device's answers.

    ``header`` is the stream's header if the device does not copy it; then the last line can be missing, too. Raise
    StreamError for answers that do not belong to the stream, ConfigError for a stream that cannot be made.
    """
    reader = AnswerReader(lines, source)
    asked = reader.header(header)
    vectors = Vectors.again(asked)
    made = vectors.header
    if (made.kind, made.operator, made.variants) != (asked.kind, asked.operator, asked.variants):
        raise StreamError(
            source, 1, f"the stream was made as {asked.kind} of {asked.operator} with {asked.variants}, here it is "
            f"{made.kind} of {made.operator} with {made.variants}; it is of litecheck {asked.litecheck}",
        )  # fmt: skip
    tally = StreamTally(vectors.mutants)
    for block, _ in vectors.blocks():
        tally.add(block, reader.answers(block.first, len(block), block.expected.shape[1]))
    reader.end(asked, vectors.sha256(), needed=header is None)
    return tally.report(asked)


class StreamTally:
    """Counts of failing vectors, and of answers that agree with each mutant."""

    def __init__(self, mutants: tuple[VectorMutant, ...]) -> None:
        self.mutants = mutants
        self.failed = self.unexplained = 0
        self.first: FailedVector | None = None
        self.worst: FailedVector | None = None
        self.fits = [True] * len(mutants)
        self.explained = [0] * len(mutants)

    def add(self, block: VectorBlock, answers: Ints) -> None:
        """Count the answers of a block."""
        failing = (answers != block.expected).any(axis=1)
        alone = failing.copy()
        for n, other in enumerate(block.mistaken):
            if other is None:
                self.fits[n] = False
                continue
            same = (answers == other).all(axis=1)
            self.fits[n] &= bool(same.all())
            self.explained[n] += int((same & failing).sum())
            alone &= ~same
        if not failing.any():
            return
        self.failed += int(failing.sum())
        self.unexplained += int(alone.sum())
        # float64 holds the distance of answers beyond every type.
        distance = np.abs(answers.astype(np.float64) - block.expected).max(axis=1)
        self.first = self.first or self._failed_vector(block, answers, int(failing.argmax()))
        worst = self._failed_vector(block, answers, int(distance.argmax()))
        if self.worst is None or worst.difference > self.worst.difference:
            self.worst = worst

    def _failed_vector(self, block: VectorBlock, answers: Ints, at: int) -> FailedVector:
        one = block.first_lines(at + 1)
        bits = int(one.mutants()[at])
        found, right = (tuple(int(v) for v in rows[at]) for rows in (answers, block.expected))
        fields = tuple((c.name, _values_text(c.values[at], c.bits)) for c in block.columns)
        difference = max((a - b for a, b in zip(found, right, strict=True)), key=abs)
        catches = tuple(mutant.name for n, mutant in enumerate(self.mutants) if bits >> n & 1)
        return FailedVector(block.first + at, fields, right, found, difference, catches)

    def report(self, header: Header) -> StreamReport:
        """Return the report of all blocks."""
        found = [
            MutantFit(mutant, explained, fits)
            for mutant, explained, fits in zip(self.mutants, self.explained, self.fits, strict=True)
            if explained
        ]
        order = sorted(found, key=lambda e: (not e.all_, -e.explained))
        return StreamReport(
            header, self.mutants, self.failed, self.first, self.worst, tuple(order), self.unexplained
        )


def _values_text(values: np.ndarray[tuple[int, ...], np.dtype[np.int64]], bits: bool) -> str:
    numbers = np.atleast_1d(values)
    if bits:
        return " ".join(f"{float(v):.9g}" for v in numbers.astype(np.uint32).view(np.float32))
    return " ".join(str(int(v)) for v in numbers)
