"""Vectors of a stream, block by block, each with the correct answers and those of mutants."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from litecheck.diagnosis.result import Hypothesis
from litecheck.errors import ConfigError
from litecheck.suite.stream.batch import Column, Ints, VectorBatch, lines_of
from litecheck.suite.stream.computations import Candidates, Computation, VectorMutant
from litecheck.suite.stream.stream_header import Header
from litecheck.suite.stream.stream_kinds import LEVELS, StreamKind, kind_of
from litecheck.version import __version__


@dataclass(frozen=True, slots=True, eq=False)
class VectorBlock:
    """Consecutive vectors: ``first`` is the number of the first, ``expected`` has the answers, (lines, values).

    ``mistaken`` has the answers of each flag's mutant, or None if the mutant cannot be computed.
    """

    first: int
    columns: tuple[Column, ...]
    expected: Ints
    mistaken: tuple[Ints | None, ...]

    def __len__(self) -> int:
        return len(self.expected)

    def mutants(self) -> Ints:
        """Return a number for each line, with bit n set if the answer of mutant n differs."""
        made = np.zeros(len(self), np.int64)
        for bit, other in enumerate(self.mistaken):
            if other is not None:
                made |= (other != self.expected).any(axis=1).astype(np.int64) << bit
        return made

    def text(self) -> bytes:
        """Return the lines."""
        return lines_of(self.first, self.columns, self.mutants())

    def first_lines(self, count: int) -> VectorBlock:
        """Return the first lines of the block."""
        columns = tuple(replace(one, values=one.values[:count]) for one in self.columns)
        mistaken = tuple(None if other is None else other[:count] for other in self.mistaken)
        return VectorBlock(self.first, columns, self.expected[:count], mistaken)


class Vectors:
    """A stream: its first batches, the mutants that it detects, and its blocks in order."""

    def __init__(self, name: str, arithmetic: str, level: str, seed: int, count: int | None) -> None:
        if level not in LEVELS:
            raise ConfigError(f"there is no level {level!r}; there are {', '.join(LEVELS)}")
        if not arithmetic.isascii() or len(arithmetic.split()) != 1:
            raise ConfigError(
                f"{arithmetic!r} has characters that a stream's header cannot hold; rename the file"
            )
        kind, opcode = kind_of(name)
        self._batches = kind.batches(
            opcode, np.random.default_rng([seed, *name.encode()]), level == LEVELS[-1]
        )
        begun = list(islice(self._batches, kind.designed))
        candidates = Candidates.of(begun[0].probe, arithmetic, kind.without)
        self._own = candidates.own
        self.mutants, self._begun = _detected_mutants(begun, candidates)
        variants = ",".join(f"{step}:{variant}" for step, variant in self._own.stages) or "-"
        wanted = _count(kind, level, count)
        self.header = Header(name, kind.name, opcode, arithmetic, variants, level, seed, wanted, __version__)
        self.titles = tuple(one.title for one in begun[0].columns)
        self.values = "y*k" if any(one.many for one in begun[0].columns) and kind.name == "softmax" else "y"
        self._digest = hashlib.sha256()

    @staticmethod
    def again(header: Header) -> Vectors:
        """Return the stream of a header. Raise ConfigError for unknown names."""
        return Vectors(header.name, header.arithmetic, header.level, header.seed, header.count)

    def preamble(self) -> Iterator[str]:
        """Yield the lines before the vectors."""
        yield self.header.text()
        yield f"#fields n {' '.join(self.titles)} flags:hex"
        yield f"#answer n {self.values}"
        for bit, mutant in enumerate(self.mutants):
            yield f"#flag {1 << bit:x} {mutant.name}"

    def blocks(self) -> Iterator[tuple[VectorBlock, bytes]]:
        """Yield every block with its text, once."""
        first = 0
        while first < self.header.count:
            block = self._begun.pop(0) if self._begun else self._compute_block(next(self._batches))
            block = replace(block, first=first)
            if first + len(block) > self.header.count:
                block = block.first_lines(self.header.count - first)
            text = block.text()
            self._digest.update(text)
            yield block, text
            first += len(block)

    def sha256(self) -> str:
        """Return the SHA-256 of the text of the blocks so far."""
        return self._digest.hexdigest()

    def _compute_block(self, batch: VectorBatch) -> VectorBlock:
        computation = Computation(batch.probe)
        mistaken = tuple(_rows(batch, computation, mutant.hypothesis) for mutant in self.mutants)
        return VectorBlock(0, batch.columns, _right(batch, computation, self._own), mistaken)


def _count(kind: StreamKind, level: str, count: int | None) -> int:
    if count is not None and count < 1:
        raise ConfigError(f"a stream of {count} vectors is none")
    return kind.count(level) if count is None else count


def _rows(batch: VectorBatch, computation: Computation, hypothesis: Hypothesis) -> Ints | None:
    made = computation.answers(hypothesis)
    return None if made is None else batch.rows(made)


def _right(batch: VectorBatch, computation: Computation, own: Hypothesis) -> Ints:
    made = _rows(batch, computation, own)
    if made is None:
        raise ConfigError(f"{batch.probe.opcode} cannot be computed by {own}")
    return made


def _detected_mutants(
    batches: Sequence[VectorBatch], candidates: Candidates
) -> tuple[tuple[VectorMutant, ...], list[VectorBlock]]:
    """Return the mutants that these batches detect, merging mutants with equal answers, and the batches' blocks."""
    both = [(batch, Computation(batch.probe)) for batch in batches]
    right = [_right(*one, candidates.own) for one in both]
    found: dict[str, tuple[VectorMutant, list[Ints | None]]] = {}
    for mutant in candidates.others:
        made = [_rows(*one, mutant.hypothesis) for one in both]
        if any(m is not None and (m != r).any() for m, r in zip(made, right, strict=True)):
            first, _ = found.setdefault(key := _digest(made), (mutant, made))
            if first is not mutant:
                found[key] = replace(first, same=(*first.same, mutant.name)), made
    mistaken = zip(*(made for _, made in found.values()), strict=True)
    blocks = [
        VectorBlock(0, batch.columns, own, others)
        for batch, own, others in zip(batches, right, mistaken, strict=True)
    ]
    return tuple(mutant for mutant, _ in found.values()), blocks


def _digest(made: Sequence[NDArray[np.int64] | None]) -> str:
    digest = hashlib.sha256()
    for rows in made:
        digest.update(b"-" if rows is None else rows.tobytes())
    return digest.hexdigest()
