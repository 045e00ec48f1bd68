"""Where a model's operators run on a target, an accelerator beside a processor: plain data."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

#: On the accelerator; left to the processor; in a model its compiler refuses, or dies of.
Place = Literal["npu", "cpu", "refused", "crashes"]
PLACES: tuple[Place, ...] = get_args(Place)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where one operator runs on a target."""

    subgraph: int
    index: int
    opcode: str
    place: Place
    macs: int = 0


@dataclass(frozen=True, slots=True)
class TargetReport:
    """Where the operators of a model run on one target.

    ``partitions`` counts the stretches on the accelerator, ``live`` the most bytes of computed tensors at one time.
    """

    target: str
    operators: tuple[Placement, ...]
    partitions: int
    live: int

    @property
    def places(self) -> dict[Place, int]:
        """How many operators run where; all places are always there."""
        counts = Counter(op.place for op in self.operators)
        return {place: counts[place] for place in PLACES}

    @property
    def share(self) -> float:
        """The share of multiply-accumulates on the accelerator; 1 where there are none."""
        total = sum(op.macs for op in self.operators)
        return sum(op.macs for op in self.operators if op.place == "npu") / total if total else 1.0

    @property
    def fallbacks(self) -> dict[str, int]:
        """The operators left to the CPU by their kind, the most frequent first."""
        return dict(Counter(op.opcode for op in self.operators if op.place == "cpu").most_common())
