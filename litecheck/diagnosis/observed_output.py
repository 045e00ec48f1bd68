"""Observed outputs of a probe: repetitions that disagree, and elements that a candidate computes differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import quantize_input
from litecheck.cases.probes.probe import Probe
from litecheck.comparison.patterns import clusters
from litecheck.comparison.scatter import Scatter
from litecheck.comparison.types import MismatchCluster
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure
from litecheck.diagnosis.hypotheses import outputs
from litecheck.diagnosis.result import ExcludedCandidate, Hypothesis, NonDeterministic, UnansweredProbe
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError

#: Smallest number of inferences that can show that outputs belong to the previous input.
_ENOUGH = 8


@dataclass(frozen=True, slots=True, eq=False)
class ObservedOutput:
    """A probe and the device's outputs, run by run; ``unsteady`` is set if repetitions of an input disagreed."""

    probe: Probe
    runs: tuple[Arrays, ...]
    unsteady: NonDeterministic | None = None

    @property
    def size(self) -> int:
        """Number of output elements of all runs."""
        return sum(array.size for run in self.runs for array in run)

    def against(self, hypothesis: Hypothesis) -> ExcludedCandidate | None:
        """Return the first element that the candidate computes differently, and the number of differences; None if
        equal."""
        first, differing = None, 0
        for number, (wanted, given) in enumerate(
            zip(outputs(self.probe, hypothesis), self.runs, strict=True)
        ):
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
        return ExcludedCandidate(
            hypothesis, self.probe.name, number, index, one.reshape(-1)[at].item(), other.reshape(-1)[at].item(),
            differing, self.size, None if known is None else int(known[index]), self._inputs(number, index, one.shape),
        )  # fmt: skip

    def _pairs(self, hypothesis: Hypothesis) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Yield each output of the candidate with the device's. Raise RunError if the candidate cannot compute the
        probe."""
        for wanted, given in zip(outputs(self.probe, hypothesis), self.runs, strict=True):
            yield from zip(wanted, given, strict=True)

    def near(self, hypothesis: Hypothesis, steps: int, share: float) -> bool:
        """Return True if at least ``share`` of each output's elements differ by at most ``steps``; False if not
        computable."""
        with suppress(RunError):
            close = (np.abs(one.astype(np.int64) - other) <= steps for one, other in self._pairs(hypothesis))
            return all(np.mean(inside) >= share for inside in close)
        return False

    def distance(self, hypothesis: Hypothesis) -> float:
        """Return the sum of all absolute differences; infinity if the candidate cannot compute the probe."""
        with suppress(RunError):
            return sum(
                float(np.abs(one.astype(np.float64) - other).sum()) for one, other in self._pairs(hypothesis)
            )
        return float("inf")

    def differ(self, one: Hypothesis, other: Hypothesis) -> bool:
        """Return True if two candidates give different outputs; False if either cannot compute the probe."""
        with suppress(RunError):
            runs = zip(outputs(self.probe, one), outputs(self.probe, other), strict=True)
            return any(not np.array_equal(a, b) for pair in runs for a, b in zip(*pair, strict=True))
        return False

    def patterns(self, hypothesis: Hypothesis) -> tuple[MismatchCluster, ...]:
        """Return the patterns of the elements that the candidate computes differently."""
        wanted, given, off = self._first_outputs(hypothesis)
        tensor = self.probe.subgraph.tensors[self.probe.subgraph.outputs[0]]
        return clusters(Scatter.of(tensor, wanted, given, off))[0]

    def differing(self, hypothesis: Hypothesis) -> tuple[tuple[int, ...], NDArray[np.int64]]:
        """Return the shape of the first output, and the flat positions that the candidate computes differently."""
        wanted, _, off = self._first_outputs(hypothesis)
        return wanted[0].shape, np.unique(np.concatenate(off))

    def _first_outputs(
        self, hypothesis: Hypothesis
    ) -> tuple[list[NDArray[Any]], list[NDArray[Any]], list[NDArray[np.int64]]]:
        """Return the first output of the candidate and of the device in each run, and the positions that differ."""
        wanted = [run[0] for run in outputs(self.probe, hypothesis)]
        given = [run[0] for run in self.runs]
        off = [np.flatnonzero(_bits(one) != _bits(other)) for one, other in zip(wanted, given, strict=True)]
        return wanted, given, off

    def _inputs(self, run: int, index: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the stored inputs of one element, for elementwise operators on integers."""
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
    """Return an array that compares bitwise, so that NaN equals itself."""
    return array.view(f"u{array.dtype.itemsize}") if array.dtype.kind == "f" else array


def observe(probe: Probe, answer: Answer | Failure) -> ObservedOutput | UnansweredProbe:
    """Return the outputs as the model stores them, or the reason they are unusable."""
    if isinstance(answer, Failure):
        return UnansweredProbe(probe.name, answer.outcome, answer.message)
    if answer.delegated is not None and not all(answer.delegated):
        return UnansweredProbe(probe.name, Outcome.NOT_DELEGATED, "the device did not take it")
    tensors = [probe.subgraph.tensors[i] for i in probe.subgraph.outputs]
    made = [tuple(map(quantize_input, tensors, run)) for run in answer.runs]
    if len(made) != len(probe.run_order) or not _has_expected_form(probe, made):
        return UnansweredProbe(probe.name, Outcome.WRONG_SHAPE, "outputs of another number, shape or type")
    if answer.ended:
        return UnansweredProbe(probe.name, Outcome.CRASHED, f"{answer.ended} after it had answered")
    return ObservedOutput(probe, *deterministic(probe.name, probe.run_order, made))


def _has_expected_form(probe: Probe, made: Sequence[Arrays]) -> bool:
    """Return True if outputs have the expected shapes and types: those of the reference for a model's own operator,
    those of the probe's tensors for a designed probe."""
    if probe.operator_name:
        wanted = [[(a.shape, a.dtype) for a in run] for run in outputs(probe, Hypothesis(()))]
    else:
        tensors = [probe.subgraph.tensors[i] for i in probe.subgraph.outputs]
        wanted = [[(t.shape, np.dtype(NUMPY_TYPES[t.dtype])) for t in tensors]] * len(probe.runs)
    return all(
        [(a.shape, a.dtype) for a in run] == wanted[number]
        for run, number in zip(made, probe.run_order, strict=True)
    )


def compare_candidate(one: ObservedOutput, hypothesis: Hypothesis) -> ExcludedCandidate | str:
    """Return the first difference of a candidate, ``fits``, or ``cannot be computed``."""
    try:
        return one.against(hypothesis) or "fits"
    except RunError:
        return "cannot be computed"


def deterministic(
    probe: str, asked: Sequence[int], answers: Sequence[Arrays]
) -> tuple[tuple[Arrays, ...], NonDeterministic | None]:
    """Return the most frequent answer to each input, and a description of disagreeing repetitions.

    ``asked`` has the number of each answer's input, from 0; the answers agree in shape and type. Elements that belong
    to the previous input are assigned to that input.
    """
    given = [b"".join(array.tobytes() for array in arrays) for arrays in answers]
    usual = _most_frequent(asked, given)
    odd = [at for at, number in enumerate(asked) if given[at] != usual[number]]
    known = [answers[given.index(usual[number])] for number in sorted(usual)]
    if not odd:
        return tuple(known), None
    flat = [_flat(answer) for answer in answers]
    right = [_flat(answer) for answer in known]
    moving = np.flatnonzero(np.any([flat[at] != right[asked[at]] for at in odd], axis=0))
    late = _delayed_values(asked, [one[moving] for one in flat])
    if late is None:
        return tuple(known), _unsteady(probe, asked, flat, right, odd)
    for number, values in late.items():
        right[number] = right[number].copy()
        right[number][moving] = values
    different = sum(last != now for last, now in pairwise(asked))
    element = int(moving[0]) if len(moving) == 1 else -1
    unsteady = NonDeterministic(
        probe, len(asked), different, len(moving), len(flat[0]), element, delayed=True
    )
    return tuple(map(_restore_shapes, right, known)), unsteady


def _flat(arrays: Arrays) -> NDArray[Any]:
    return np.concatenate([array.reshape(-1) for array in arrays])


def _restore_shapes(flat: NDArray[Any], like: Arrays) -> Arrays:
    parts = np.split(flat, np.cumsum([array.size for array in like])[:-1])
    return tuple(
        part.astype(array.dtype).reshape(array.shape) for part, array in zip(parts, like, strict=True)
    )


def _most_frequent(asked: Sequence[int], given: Sequence[bytes]) -> dict[int, bytes]:
    """Return the most frequent answer to each input, the first answer in a tie.

    For example, the inputs (1, 1, 1, 2) with the answers (a, b, a, c) give a for 1 and c for 2.
    """
    counts: dict[int, Counter[bytes]] = {}
    for number, content in zip(asked, given, strict=True):
        counts.setdefault(number, Counter())[content] += 1
    return {number: count.most_common(1)[0][0] for number, count in counts.items()}


def _delayed_values(asked: Sequence[int], moving: Sequence[NDArray[Any]]) -> dict[int, NDArray[Any]] | None:
    """Return the values after each input, if the values of every inference depend on the previous input alone; else
    None."""
    found: dict[int, NDArray[Any]] = {}
    for number, values in zip(asked[:-1], moving[1:], strict=True):
        if not np.array_equal(found.setdefault(number, values), values):
            return None
    return found if len(asked) >= _ENOUGH and len(found) > 1 else None


def _unsteady(
    probe: str,
    asked: Sequence[int],
    flat: Sequence[NDArray[Any]],
    right: Sequence[NDArray[Any]],
    odd: Sequence[int],
) -> NonDeterministic:
    """Describe the inferences that differ from the usual answer to their input, and their differing elements."""
    places = {at: np.flatnonzero(flat[at] != right[asked[at]]) for at in odd}
    moving = np.unique(np.concatenate(list(places.values())))
    steps = {b - a for a, b in pairwise(odd)}
    return NonDeterministic(
        probe=probe,
        asked=len(asked),
        odd=len(odd),
        moving=len(moving),
        size=len(flat[0]),
        element=int(moving[0]) if len(moving) == 1 else -1,
        most=max(map(len, places.values())),
        inferences=tuple(at + 1 for at in odd),
        every=steps.pop() if len(odd) > 2 and len(steps) == 1 else 0,
        repeats=all(at and np.array_equal(flat[at][off], flat[at - 1][off]) for at, off in places.items()),
    )
