"""What a device made of a probe, and where a way of computing it gives something else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import requantized
from litecheck.cases.probes.probe import Probe
from litecheck.compare.patterns import gathered
from litecheck.compare.scatter import Scatter
from litecheck.compare.types import Gathering
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure
from litecheck.diagnose.hypotheses import outputs
from litecheck.diagnose.result import Excluded, Hypothesis, Unanswered, Unsteady
from litecheck.diagnose.steady import settled
from litecheck.reference.operands import NUMPY_TYPES, RunError


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A probe and what the device made of it, run by run; ``unsteady`` where it made several things of one input."""

    probe: Probe
    runs: tuple[Arrays, ...]
    unsteady: Unsteady | None = None

    @property
    def size(self) -> int:
        """Outputs of all runs."""
        return sum(array.size for run in self.runs for array in run)

    def against(self, way: Hypothesis) -> Excluded | None:
        """Where the way gives something else: the first such element, and how many there are; None where nowhere."""
        first, differing = None, 0
        for number, (wanted, given) in enumerate(zip(outputs(self.probe, way), self.runs, strict=True)):
            for one, other in zip(wanted, given, strict=True):
                off = np.flatnonzero(_bits(one) != _bits(other))
                if off.size and first is None:
                    first = number, int(off[0]), one, other
                differing += off.size
        if first is None:
            return None
        number, at, one, other = first
        index = tuple(map(int, np.unravel_index(at, one.shape)))
        known = self.probe.accumulators
        return Excluded(
            way, self.probe.name, number, index, one.reshape(-1)[at].item(), other.reshape(-1)[at].item(),
            differing, self.size, None if known is None else int(known[index]), self._inputs(number, index, one.shape),
        )  # fmt: skip

    def near(self, way: Hypothesis, steps: int, share: float) -> bool:
        """Whether so many elements of each run differ by so little at most; False where it cannot be computed."""
        try:
            return all(
                np.mean(np.abs(one.astype(np.int64) - other) <= steps) >= share
                for wanted, given in zip(outputs(self.probe, way), self.runs, strict=True)
                for one, other in zip(wanted, given, strict=True)
            )
        except RunError:
            return False

    def distance(self, way: Hypothesis) -> float:
        """The sum of all differences; infinite where the way cannot be computed."""
        try:
            return sum(
                float(np.abs(one.astype(np.float64) - other).sum())
                for wanted, given in zip(outputs(self.probe, way), self.runs, strict=True)
                for one, other in zip(wanted, given, strict=True)
            )
        except RunError:
            return float("inf")

    def differ(self, one: Hypothesis, other: Hypothesis) -> bool:
        """Whether two ways give different outputs; not where one cannot be computed."""
        try:
            return any(
                not np.array_equal(a, b)
                for first, second in zip(outputs(self.probe, one), outputs(self.probe, other), strict=True)
                for a, b in zip(first, second, strict=True)
            )
        except RunError:
            return False

    def patterns(self, way: Hypothesis) -> tuple[Gathering, ...]:
        """Where the elements lie that the way gives otherwise."""
        wanted = [run[0] for run in outputs(self.probe, way)]
        given = [run[0] for run in self.runs]
        off = [np.flatnonzero(_bits(one) != _bits(other)) for one, other in zip(wanted, given, strict=True)]
        tensor = self.probe.subgraph.tensors[self.probe.subgraph.outputs[0]]
        return gathered(Scatter.of(tensor, wanted, given, off)).patterns

    def _inputs(self, run: int, index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
        """The operands of one element, where the operator works on elements."""
        given = self.probe.runs[run]
        try:
            if np.broadcast_shapes(*(x.shape for x in given)) != shape or any(
                x.dtype.kind == "f" for x in given
            ):
                return ()
        except ValueError:
            return ()
        return tuple(int(np.broadcast_to(x, shape)[index]) for x in given)


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """Something that compares as the bytes do: NaN equals itself."""
    return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else array


def seen(probe: Probe, answer: Answer | Failure) -> Seen | Unanswered:
    """The outputs as the model stores them, or why they say nothing."""
    if isinstance(answer, Failure):
        return Unanswered(probe.name, answer.outcome, answer.message)
    if answer.delegated is not None and not all(answer.delegated):
        return Unanswered(probe.name, Outcome.NOT_DELEGATED, "the device did not take it")
    tensors = [probe.subgraph.tensors[i] for i in probe.subgraph.outputs]
    made = [tuple(map(requantized, tensors, run)) for run in answer.runs]
    if len(made) != len(probe.asked) or not _fitting(probe, made):
        return Unanswered(probe.name, Outcome.WRONG_SHAPE, "outputs of another number, shape or type")
    if answer.ended:
        return Unanswered(probe.name, Outcome.CRASHED, f"{answer.ended} after it had answered")
    return Seen(probe, *settled(probe.name, probe.asked, made))


def _fitting(probe: Probe, made: Sequence[Arrays]) -> bool:
    """Whether outputs have the shapes and types that the reference gives; a designed probe states them."""
    if probe.called:
        wanted = [[(a.shape, a.dtype) for a in run] for run in outputs(probe, Hypothesis(()))]
    else:
        tensors = [probe.subgraph.tensors[i] for i in probe.subgraph.outputs]
        wanted = [[(t.shape, np.dtype(NUMPY_TYPES[t.dtype])) for t in tensors]] * len(probe.runs)
    return all(
        [(a.shape, a.dtype) for a in run] == wanted[number]
        for run, number in zip(made, probe.asked, strict=True)
    )


def compared(one: Seen, way: Hypothesis) -> Excluded | str:
    """How a way does not fit, ``fits``, or ``cannot be computed``."""
    try:
        return one.against(way) or "fits"
    except RunError:
        return "cannot be computed"
