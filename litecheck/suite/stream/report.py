"""What the answers to a stream say: how many are wrong, the first and the worst, and the mistakes that explain them."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.suite.stream.header import Header
from litecheck.suite.stream.ways import VectorFlag


@dataclass(frozen=True, slots=True)
class FailedVector:
    """A vector answered wrongly: its fields by name as the line has them, and what mistakes it catches."""

    number: int
    fields: tuple[tuple[str, str], ...]
    expected: tuple[int, ...]
    answer: tuple[int, ...]
    difference: int
    catches: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MistakeFit:
    """A mistake under which failing answers are right; ``all_`` says whether every answer of the stream is."""

    flag: VectorFlag
    explained: int
    all_: bool


@dataclass(frozen=True, slots=True)
class StreamReport:
    """``explanations`` has the mistakes that explain a failing answer, those that fit all answers first."""

    header: Header
    flags: tuple[VectorFlag, ...]
    failed: int
    first: FailedVector | None
    worst: FailedVector | None
    explanations: tuple[MistakeFit, ...]
    unexplained: int

    @property
    def exit_code(self) -> int:
        """0: every answer is right; 1: not."""
        return int(self.failed > 0)

    @property
    def verdict(self) -> str:
        """exact, or differs."""
        return "differs" if self.failed else "exact"
