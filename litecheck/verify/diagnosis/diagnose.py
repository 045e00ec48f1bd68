"""Finds the arithmetic a device implements: what it makes of probes, against every way they could be computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck import __version__
from litecheck.model.save import model_bytes
from litecheck.reference.values import RunError
from litecheck.verify.devices.port import Answer, Arrays, Device, Failure, Job
from litecheck.verify.diagnosis.groups import Group, stages
from litecheck.verify.diagnosis.probes.probe import Probe
from litecheck.verify.diagnosis.result import Diagnosed, Diagnosis, Excluded, Nearest, Unanswered, Way
from litecheck.verify.diagnosis.ways import departing, named, outputs, published
from litecheck.verify.explanation.faults import known_fault
from litecheck.verify.outcome import Outcome
from litecheck.verify.stored import stored

#: Called with what was just answered.
Progress = Callable[[str], None]


def diagnose(
    device: Device,
    groups: Sequence[Group],
    *,
    model: str = "",
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Diagnosis:
    """Run every probe and find the ways that give exactly what the device gives. The device stays open."""

    def ask(numbered: tuple[int, Probe]) -> Answer | Failure:
        number, probe = numbered
        name = f"{number:04d}-{probe.opcode}"
        answer = device.run(Job(name, probe.model, model_bytes(probe.model), probe.runs))
        if progress is not None:
            progress(probe.opcode)
        return answer

    every = [probe for group in groups for probe in group.probes]
    with ThreadPoolExecutor(jobs) as pool:
        coming = pool.map(ask, enumerate(every))
        found = tuple(
            _diagnosed(device.name, group, [next(coming) for _ in group.probes]) for group in groups
        )
    return Diagnosis(__version__, device.name, device.described, model, seed, found)


@dataclass(frozen=True, slots=True, eq=False)
class _Seen:
    """A probe and what the device made of it, run by run."""

    probe: Probe
    runs: tuple[Arrays, ...]

    @property
    def size(self) -> int:
        return sum(array.size for run in self.runs for array in run)

    def against(self, way: Way) -> Excluded | None:
        """Where the way gives something else: the first such element, and how many there are; None where nowhere."""
        expected = tuple(outputs(self.probe, way))
        first, differing = None, 0
        for number, (wanted, given) in enumerate(zip(expected, self.runs, strict=True)):
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


def _diagnosed(device: str, group: Group, answers: Sequence[Answer | Failure]) -> Diagnosed:
    seen: list[_Seen] = []
    unanswered: list[Unanswered] = []
    for probe, answer in zip(group.probes, answers, strict=True):
        usable = _usable(probe, answer)
        if isinstance(usable, Unanswered):
            unanswered.append(replace(usable, fault=_fault(device, probe, usable.outcome)))
        else:
            seen.append(_Seen(probe, usable))
    known = published(group.opcode, group.kernel)
    possible = [named(way, known) for way in group.ways]
    fits, excluded = _sorted_out(possible, seen)
    nearest = None
    if seen and not fits:
        departed = [other for way in possible for other in departing(way, group.opcode)]
        fits, more = _sorted_out(departed, seen)
        nearest = None if fits else _nearest(group.opcode, possible, seen)
        excluded = [*excluded, *more] if fits else excluded
    named_by = {probe.name: probe for probe in group.probes}
    operand = group.probes[0].subgraph.tensors[group.probes[0].subgraph.inputs[0]]
    return Diagnosed(
        group.opcode,
        operand.dtype,
        stages(possible),
        len(seen),
        sum(s.size for s in seen),
        tuple(sorted(fits, key=lambda way: _rank(way, tuple(known)))) if seen else (),
        tuple(excluded),
        nearest,
        tuple(unanswered),
        "" if nearest is None else _fault(device, named_by[nearest.example.probe], Outcome.MISMATCH),
    )


def _fault(device: str, probe: Probe, outcome: Outcome) -> str:
    operator = probe.subgraph.operators[0]
    tensors = [probe.subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0]
    return known_fault(device, probe.opcode, {t.dtype for t in tensors}, outcome)


def _rank(way: Way, usual: Sequence[str]) -> int:
    """How usual a way is: the place of the first arithmetic that has it."""
    return min((usual.index(name) for name in way.published), default=len(usual))


def _usable(probe: Probe, answer: Answer | Failure) -> tuple[Arrays, ...] | Unanswered:
    """The outputs as the model stores them, or why they say nothing."""
    if isinstance(answer, Failure):
        return Unanswered(probe.name, answer.outcome, answer.message)
    if answer.delegated is not None and not all(answer.delegated):
        return Unanswered(probe.name, Outcome.NOT_DELEGATED, "the device did not take it")
    tensors = [probe.subgraph.tensors[i] for i in probe.subgraph.outputs]
    wanted = tuple(outputs(probe, Way(())))
    runs = tuple(tuple(map(stored, tensors, run)) for run in answer.runs)
    fit = len(runs) == len(wanted) and all(
        [(a.shape, a.dtype) for a in run] == [(a.shape, a.dtype) for a in like]
        for run, like in zip(runs, wanted, strict=True)
    )
    if not fit:
        return Unanswered(probe.name, Outcome.WRONG_SHAPE, "outputs of another number, shape or type")
    if answer.ended:
        return Unanswered(probe.name, Outcome.CRASHED, f"{answer.ended} after it had answered")
    return runs


def _sorted_out(candidates: Iterable[Way], seen: Sequence[_Seen]) -> tuple[list[Way], list[Excluded]]:
    """The ways that fit all probes, and for each other one where it does not; what excluded one is tried first on
    the next."""
    order = list(seen)
    fits, excluded = [], []
    for way in candidates:
        for at, one in enumerate(order):
            found = _compared(one, way)
            if found == "fits":
                continue
            if isinstance(found, Excluded):
                excluded.append(found)
            order.insert(0, order.pop(at))
            break
        else:
            fits.append(way)
    return fits, excluded


def _compared(seen: _Seen, way: Way) -> Excluded | str:
    try:
        return seen.against(way) or "fits"
    except RunError:
        return "cannot be computed"


def _nearest(opcode: str, possible: Sequence[Way], seen: Sequence[_Seen]) -> Nearest | None:
    """The way with the fewest differences: among all without a departure, and those the best of them can have."""
    best = min(filter(None, (_total(way, seen) for way in possible)), key=lambda n: n.differing, default=None)
    if best is None:
        return None
    more = (_total(way, seen) for way in departing(best.example.way, opcode))
    return min([best, *filter(None, more)], key=lambda n: n.differing)


def _total(way: Way, seen: Sequence[_Seen]) -> Nearest | None:
    found = [_compared(one, way) for one in seen]
    differing = [f for f in found if isinstance(f, Excluded)]
    if not differing or "cannot be computed" in found:
        return None
    return Nearest(sum(f.differing for f in differing), sum(one.size for one in seen), differing[0])
