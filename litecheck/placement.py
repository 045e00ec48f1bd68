"""Placement of a model's operators on a target with an NPU and a CPU, as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

#: Placement of an operator: NPU; CPU; rejected by the compiler; crash of the compiler.
Place = Literal["npu", "cpu", "refused", "crashes"]
PLACES: tuple[Place, ...] = get_args(Place)


@dataclass(frozen=True, slots=True)
class Placement:
    """The placement of one operator on a target.

    ``partition`` is the number of its partition, from 1. It is None on the CPU, and for an operator that is optimized
    out. ``unverified`` is the reason why the placement of an NPU operator was not compared with the compiler, or "" if
    it was. Examples: ``rank 7``, ``weight is computed``.
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
    """The output of the target's own compiler for a model.

    ``ending`` is the reason why the compiler made no output, else "". ``otherwise`` are the operators whose placement
    differs from litecheck's, with the compiler's placement. ``memories`` maps the name of a memory to bytes.
    """

    program: str
    ending: str
    otherwise: tuple[Placement, ...]
    partitions: int
    macs: int
    memories: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TargetReport:
    """Placement of a model's operators on one target.

    ``partitions`` counts the partitions on the NPU. ``live`` is the peak activation memory in bytes. ``compiler`` is
    the report of the target's own compiler, or None if the compiler did not run.
    """

    target: str
    operators: tuple[Placement, ...]
    partitions: int
    live: int
    compiler: CompilerReport | None = None

    @property
    def places(self) -> dict[Place, int]:
        """Number of operators by placement. Every placement is a key."""
        counts = Counter(op.place for op in self.operators)
        return {place: counts[place] for place in PLACES}

    @property
    def compiles(self) -> bool:
        """True if the compiler accepts the model: it rejects no operator, and no operator crashes it."""
        return not (self.places["refused"] or self.places["crashes"])

    @property
    def unverified(self) -> tuple[Placement, ...]:
        """NPU operators with an unverified placement. With ``compiler``, only those that the compiler placed otherwise."""
        unverified = tuple(op for op in self.operators if op.unverified)
        if self.compiler is None or self.compiler.ending:
            return unverified
        differing = {(op.subgraph, op.index) for op in self.compiler.otherwise}
        return tuple(op for op in unverified if (op.subgraph, op.index) in differing)

    @property
    def optimized_out(self) -> int:
        """Number of NPU operators that are optimized out and cost no work."""
        return sum(op.place == "npu" and op.partition is None for op in self.operators)

    @property
    def share(self) -> float | None:
        """Share of the multiply-accumulates that run on the NPU, or None if the model has none."""
        total = sum(op.macs for op in self.operators)
        return sum(op.macs for op in self.operators if op.place == "npu") / total if total else None
