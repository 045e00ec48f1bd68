"""Placement of a model on a target, an NPU beside a CPU: plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

#: On the accelerator; left to the processor; in a model its compiler refuses, or dies of.
Place = Literal["npu", "cpu", "refused", "crashes"]
PLACES: tuple[Place, ...] = get_args(Place)


@dataclass(frozen=True, slots=True)
class Placement:
    """The place of one operator on a target.

    ``partition`` is the number of its partition, from 1; None on the CPU, and for an operator that is optimized out.
    ``unverified`` is the reason why the placement of an NPU operator was not compared with the compiler. Examples:
    ``rank 7``, ``weight is computed``; "" where it was.
    """

    subgraph: int
    index: int
    opcode: str
    place: Place
    macs: int = 0
    partition: int | None = None
    unverified: str = ""


@dataclass(frozen=True, slots=True)
class CompilerReport:
    """What the target's own compiler made of a model. ``ending`` says why it made nothing, else it is empty; ``otherwise``
    are the operators that it placed otherwise than was said, with its places; ``memories`` bytes by the memory's name."""

    program: str
    ending: str
    otherwise: tuple[Placement, ...]
    partitions: int
    macs: int
    memories: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TargetReport:
    """Where the operators of a model run on one target.

    ``partitions`` counts the stretches on the accelerator, ``live`` the most bytes of computed tensors at one time.
    ``compiler`` is what the target's own compiler did, where it was asked.
    """

    target: str
    operators: tuple[Placement, ...]
    partitions: int
    live: int
    compiler: CompilerReport | None = None

    @property
    def places(self) -> dict[Place, int]:
        """How many operators run where; all places are always there."""
        counts = Counter(op.place for op in self.operators)
        return {place: counts[place] for place in PLACES}

    @property
    def compiles(self) -> bool:
        """Whether the compiler makes anything: it refuses no operator, and none crashes it."""
        return not (self.places["refused"] or self.places["crashes"])

    @property
    def unverified(self) -> tuple[Placement, ...]:
        """NPU operators whose placement was not compared with the compiler, neither before nor, with ``compiler``, now."""
        unverified = tuple(op for op in self.operators if op.unverified)
        if self.compiler is None or self.compiler.ending:
            return unverified
        differing = {(op.subgraph, op.index) for op in self.compiler.otherwise}
        return tuple(op for op in unverified if (op.subgraph, op.index) in differing)

    @property
    def folded(self) -> int:
        """How many operators of the accelerator are optimized out: none of its work is theirs."""
        return sum(op.place == "npu" and op.partition is None for op in self.operators)

    @property
    def share(self) -> float | None:
        """The share of multiply-accumulates on the accelerator; None where there are none."""
        total = sum(op.macs for op in self.operators)
        return sum(op.macs for op in self.operators if op.place == "npu") / total if total else None

    @property
    def fallbacks(self) -> dict[str, int]:
        """The operators left to the CPU by their kind, the most frequent first."""
        return dict(Counter(op.opcode for op in self.operators if op.place == "cpu").most_common())
