"""Identification of a device's arithmetic: its outputs for probes, compared with every candidate."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timezone
from weakref import WeakKeyDictionary

from litecheck.cases.probes.catalogue import probed_operators
from litecheck.cases.probes.probe import Probe
from litecheck.cases.variable_state import StateSupport
from litecheck.comparison.errata import known_fault
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, memory_of
from litecheck.diagnosis.contrast import contrast
from litecheck.diagnosis.hypotheses import defective, name_hypothesis, parametric, published_variants
from litecheck.diagnosis.observed_output import ObservedOutput, compare_candidate, observe
from litecheck.diagnosis.probe_sets import Group, stages
from litecheck.diagnosis.properties import general, probed_ranges, properties, untried_properties
from litecheck.diagnosis.result import (
    Diagnosis,
    Hypothesis,
    ModelOperator,
    OperatorDiagnosis,
    UnansweredProbe,
    UntestedProperty,
)
from litecheck.diagnosis.search import fitting, in_pairs, nearest, once
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.version import __version__

#: Callback with the opcode of each answered probe.
Progress = Callable[[str], None]
_FILES: WeakKeyDictionary[Model, bytes] = WeakKeyDictionary()


def diagnose(
    device: Device,
    groups: Sequence[Group],
    *,
    models: Sequence[str] = (),
    seed: int = 0,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Diagnosis:
    """Run every probe and return the candidates that give exactly the device's outputs. The device stays open."""

    def ask(numbered: tuple[int, Probe]) -> Answer | Failure:
        number, probe = numbered
        name = f"{number:04d}-{probe.opcode}"
        asked = tuple(probe.runs[run] for run in probe.run_order)
        job = Job(name, probe.model, _write_model(probe.model), asked, shares=probe.resized)
        if not probe.series:
            answer = device.run(job)
        elif memory_of(device) is StateSupport.NONE:
            answer = Failure(Outcome.INITIAL_ONLY, "the device keeps no state from inference to inference")
        else:
            answer = device.run(replace(job, lengths=(len(asked),)))
        if progress is not None:
            progress(probe.opcode)
        return answer

    every = [probe for group in groups for probe in group.probes]
    with ThreadPoolExecutor(jobs) as pool:
        coming = pool.map(ask, enumerate(every))
        found = tuple(
            _diagnose_group(device.name, group, [next(coming) for _ in group.probes]) for group in groups
        )
    return Diagnosis(
        __version__,
        device.name,
        device.described,
        tuple(models),
        seed,
        tuple(_add_conditions(found)),
        tuple(general(_repeats(every))),
    )


def _add_conditions(found: Sequence[OperatorDiagnosis]) -> Iterator[OperatorDiagnosis]:
    """Yield the operators; those of one kind get the condition of the steps that no other group of the kind has.

    For example, CONV_2D int8 with the steps ``requantize`` and with ``requantize/grouped`` gives "" and ``grouped``.
    """
    for one in found:
        alike = [other for other in found if (other.opcode, other.kind) == (one.opcode, one.kind)]
        own = set(one.stages).difference(*(other.stages for other in alike if other is not one))
        conditions = dict.fromkeys(stage.partition("/")[2] for stage in one.stages if stage in own)
        yield replace(one, condition=" ".join(filter(None, conditions))) if len(alike) > 1 else one


def _write_model(model: Model) -> bytes:
    """Return a probe's model as a file, the same for every device."""
    content = _FILES.get(model)
    if content is None:
        content = _FILES[model] = model_bytes(model)
    return content


def _repeats(probes: Sequence[Probe]) -> int:
    """Return the smallest number, over all operators with designed probes, of inferences of the repeated probe; 0
    without repetition."""
    most = {probe.opcode: 0 for probe in probes if probe.opcode in probed_operators() or probe.operator_name}
    for probe in probes:
        if probe.opcode in most and len(probe.order) >= 2 * len(probe.runs):
            most[probe.opcode] = max(most[probe.opcode], len(probe.order))
    return min(most.values(), default=0)


def _diagnose_group(device: str, group: Group, answers: Sequence[Answer | Failure]) -> OperatorDiagnosis:
    found: list[ObservedOutput] = []
    unanswered: list[UnansweredProbe] = []
    for probe, answer in zip(group.probes, answers, strict=True):
        usable = observe(probe, answer)
        fault = known_fault(device, probe.model, Outcome.MISMATCH) if probe.resized else ""
        if fault and isinstance(usable, ObservedOutput):
            unanswered.append(UnansweredProbe(probe.name, Outcome.MISMATCH, "", fault))
        elif isinstance(usable, UnansweredProbe):
            unanswered.append(replace(usable, fault=known_fault(device, probe.model, usable.outcome)))
        else:
            found.append(usable)
    judged = _find_fitting(device, group, found)
    like = [properties(one.probe) for one in found]
    return replace(
        judged,
        inferences=sum(len(one.probe.run_order) for one in found),
        unanswered=tuple(unanswered),
        unsteady=tuple(one.unsteady for one in found if one.unsteady is not None),
        tried=probed_ranges(like),
        untried=untried_properties(group.opcode, group.kinds, like),
        owned=tuple(_own_operators(judged, found)),
    )


def _find_fitting(device: str, group: Group, found: Sequence[ObservedOutput]) -> OperatorDiagnosis:
    """Return the candidates that fit.

    If none fits, try parametric variants, then one defect, then two, then describe the nearest candidate.
    """
    known = published_variants(group.opcode, group.kernel)
    usual = tuple(known)
    possible = [name_hypothesis(hypothesis, known) for hypothesis in group.hypotheses]
    fits, excluded = fitting(possible, found) if found else ([], [])
    near = None
    if found and not fits:
        fits, _ = fitting(parametric(possible, group.kernel), found)
    if found and not fits:
        departed = [other for hypothesis in possible for other in defective(hypothesis, group.opcode)]
        fits, more = fitting(departed, found)
        if not fits and (near := nearest(group.opcode, possible, found)):
            fits = once(fitting(in_pairs(near.example.way, possible, found, group.opcode), found)[0])
            near = None if fits else near
        excluded = [*excluded, *more] if fits else excluded
    failed = near and next(one.probe for one in found if one.probe.name == near.example.probe)
    return OperatorDiagnosis(
        group.opcode,
        group.kind,
        stages(possible),
        len(found),
        sum(one.size for one in found),
        tuple(
            sorted(
                fits, key=lambda hypothesis: min(map(usual.index, hypothesis.published), default=len(usual))
            )
        ),
        tuple(excluded),
        near,
        fault=known_fault(device, failed.model, Outcome.MISMATCH) if failed else "",
        contrast=contrast(replace(near.example.way, defect=""), found) if near else None,
    )


def _own_operators(judged: OperatorDiagnosis, found: Sequence[ObservedOutput]) -> list[ModelOperator]:
    """Return the models' own operators among the probes; an unexplained probe of an operator marks it as unexplained."""
    hypothesis = next(iter(judged.fits), None) or (
        judged.nearest.example.way if judged.nearest else Hypothesis(())
    )
    explained: dict[tuple[str, str, str], bool] = {}
    for one in found:
        if one.probe.operator_name:
            key = one.probe.source, one.probe.operator_name, one.probe.title
            good = one.unsteady is None and (
                bool(judged.fits) or compare_candidate(one, hypothesis) == "fits"
            )
            explained[key] = explained.get(key, True) and good
    return [ModelOperator(*key, good) for key, good in explained.items()]


def add_provenance(
    diagnosis: Diagnosis, build: str = "", untested: Sequence[UntestedProperty] = ()
) -> Diagnosis:
    """Return the diagnosis with the host, the time, the device's build, and the models' operators that were not
    tested."""
    host = (
        f"{platform.system()} {platform.release()}, {platform.machine()}, Python {platform.python_version()}"
    )
    started = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return replace(
        diagnosis, build=build, host=host, started=started, untried=(*untested, *diagnosis.untried)
    )
