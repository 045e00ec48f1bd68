"""Report on the answers to a stream: number of failures, first and worst failure, and mutants that explain them."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.suite.stream.computations import VectorMutant
from litecheck.suite.stream.stream_header import Header


@dataclass(frozen=True, slots=True)
class FailedVector:
    """A vector with a wrong answer: its fields by name as in the line, and the mutants that it detects (``catches``)."""

    number: int
    fields: tuple[tuple[str, str], ...]
    expected: tuple[int, ...]
    answer: tuple[int, ...]
    difference: int
    catches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MutantFit:
    """A mutant that gives failing answers; ``all_`` is True if it gives every answer of the stream."""

    mutant: VectorMutant
    explained: int
    all_: bool


@dataclass(frozen=True, slots=True)
class StreamReport:
    """Report on a stream. ``explanations`` are mutants that give a failing answer, those that give all answers first."""

    header: Header
    mutants: tuple[VectorMutant, ...]
    failed: int
    first: FailedVector | None
    worst: FailedVector | None
    explanations: tuple[MutantFit, ...]
    unexplained: int

    @property
    def exit_code(self) -> int:
        """Exit code: 0 if every answer is correct, else 1."""
        return int(self.failed > 0)

    @property
    def verdict(self) -> str:
        """``exact`` or ``differs``."""
        return "differs" if self.failed else "exact"
