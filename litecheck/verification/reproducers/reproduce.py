"""Reproducer folders: a small failing model, its inputs, expected and actual outputs, a program, and an issue text."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.expectation import Expectation, with_all_outputs
from litecheck.cases.model_parts import Case
from litecheck.cases.sequences import sequence
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.comparison.element_explanation import explain_outputs
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure
from litecheck.devices.registry import driver
from litecheck.files import atomic_write, make_folder
from litecheck.model.submodels import Submodel, cut_operators
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.case_verdict import Judge, JudgedAnswer
from litecheck.verification.explanation import Explanation, verdict
from litecheck.verification.jobs import CaseJob
from litecheck.verification.reproducers.issue import issue
from litecheck.verification.reproducers.model_reduction import Trial
from litecheck.verification.reproducers.shrink import shrink
from litecheck.verification.result import Verdict

#: Largest number of trials on the device for one reproducer; fewer for timeouts, because each trial takes the timeout.
BUDGET, BUDGET_HANGING = 200, 6
#: Number of repeated inferences in a reproducer of flaky outputs.
FLAKY = 8


#: Addition to the issue text for an operator with state.
_BEHIND = (
    "Before that, on the same interpreter and without a reset between them, it is fed `before_0_*.npy`,"
    " `before_1_*.npy` and so on; `start_N.npy` is its variable tensor N before the first run.\n"
)


@dataclass(frozen=True, slots=True, eq=False)
class Reproducer:
    """Writer of reproducers for a device's failures: a folder for each failure, in ``folder``."""

    folder: Path
    device: Device
    judge: Judge
    seconds: float = 60.0
    scrub: bool = False

    def __call__(self, case_job: CaseJob, outcome: Outcome) -> str:
        """Shrink a failure, write it, and return the folder's path; return "" if the failure does not repeat.

        Raise ConfigError if the folder cannot be written.
        """
        found = self._smallest(case_job, outcome)
        if found is None:
            return ""
        trial = _anonymous(found) if self.scrub else found
        asked = self._case_job(trial, outcome)
        answer = self.device.run(asked.job)
        judged = self.judge(asked, answer, frozenset())
        return self._write(case_job.case.name, asked, answer, judged)

    def _smallest(self, case_job: CaseJob, outcome: Outcome) -> Trial | None:
        """Return the first failing trial among the case's inputs and segments, shrunk."""

        def fails(trial: Trial) -> bool:
            asked = self._case_job(trial, outcome)
            if asked.expected(self.judge.admissible[0]) is None:
                return False
            return self.judge(asked, self.device.run(asked.job), frozenset()).outcome is outcome

        first = next((t for t in _trials(case_job, self.judge.admissible[0]) if fails(t)), None)
        if first is None:
            return None
        return shrink(first, fails, BUDGET_HANGING if outcome is Outcome.TIMED_OUT else BUDGET)

    def _case_job(self, trial: Trial, wanted: Outcome) -> CaseJob:
        main = trial.model.subgraphs[0]
        numbers = tuple(op.index for op in main.operators)
        same = {t.index: t.index for t in main.tensors}
        alone = Submodel(trial.model, 0, numbers, main.inputs, main.outputs, same)
        case = Case("reproducer", main, main.operators, alone)
        fed = Stimuli.of(sequence([Stimulus("reproducer", run) for run in trial.runs], trial.start))
        return CaseJob(case, fed, FLAKY if wanted is Outcome.FLAKY else 1, Expectation(case, fed))

    def _explain(self, asked: CaseJob, judged: JudgedAnswer, arithmetic: Arithmetic) -> Verdict:
        others = self.judge.published
        shown, fed = with_all_outputs(asked.case, asked.stimuli, arithmetic)
        told = explain_outputs(shown, fed, judged.differences, arithmetic, others)
        return verdict(asked, judged, Explanation(told))

    def _write(self, name: str, asked: CaseJob, answer: Answer | Failure, judged: JudgedAnswer) -> str:
        place = self.folder / name
        arithmetic = judged.nearest or self.judge.admissible[0]
        small = self._explain(asked, judged, arithmetic)
        make_folder(place)
        expected = asked.expected(arithmetic) or ()
        atomic_write(place / "model.tflite", asked.job.content)
        *before, last = asked.stimuli
        given = answer.runs[len(before) :] if isinstance(answer, Answer) else ()
        _save(place, "input", last.arrays)
        _save(place, "expected", expected[-1] if expected else ())
        _save(place, "actual", given[0] if given else ())
        for number, stimulus in enumerate(before):
            _save(place, f"before_{number}", stimulus.arrays)
        for index, contents in asked.stimuli[0].start.items():
            _save(place, "start", (contents,), index)
        reals = [d.tolerance for d in small.differences if d.unit != "LSB"]
        facts = {
            "title": f"{small.opcode} on {self.device.described}: {small.outcome.value}",
            "outcome": small.outcome.value,
            "inputs": len(last.arrays),
            "before": len(before),
            "starts": sorted(asked.stimuli[0].start),
            "outputs": len(asked.case.submodel.outputs),
            "times": asked.repeat,
            "tolerance": max(reals, default=0.0),
            "seconds": self.seconds,
        }
        driven = write_program(place, self.device.name, facts)
        text = issue(asked.case, small, self.device.described, arithmetic.name, driven)
        if before or facts["starts"]:
            text += _BEHIND
        atomic_write(place / "ISSUE.md", text)
        return str(place)


def write_program(place: Path, device: str, facts: Mapping[str, Any]) -> bool:
    """Write the program that runs the model in a folder, with its facts; return False for devices that only litecheck
    drives.

    ``facts`` are title, outcome, inputs, outputs, times, before, starts, tolerance and seconds.
    """
    found = driver(device)
    if found is None:
        return False
    atomic_write(place / "reproduce.py", Path(__file__).with_name("reproducer_program.py").read_bytes())
    atomic_write(place / "reproduce.json", json.dumps({**facts, "driver": found}, indent=1) + "\n")
    return True


def _trials(case_job: CaseJob, arithmetic: Arithmetic) -> Iterator[Trial]:
    """Yield a trial for each series of a case's inputs; for several operators, first their shortest segments.

    The reference computes the inputs of segments.
    """
    model = case_job.case.submodel.model
    for numbers in case_job.stimuli.series:
        several = [case_job.stimuli[n] for n in numbers]
        *before, last = (stimulus.arrays for stimulus in several)
        if len(model.subgraphs[0].operators) > 1 and not before:
            yield from _segments(model, last, arithmetic)
        yield Trial(model, last, tuple(before), several[0].start)


def _segments(model: Model, inputs: Arrays, arithmetic: Arithmetic) -> Iterator[Trial]:
    main = model.subgraphs[0]
    try:
        tensors = ReferenceInterpreter(model, arithmetic).run(main, inputs, keep_all=True)
    except RunError:
        return
    count = len(main.operators)
    for length in (1, 2, 4, 8):
        for start in range(count - length + 1 if length < count else 0):
            made = cut_operators(model, main, main.operators[start : start + length])
            if made.outputs and all(i in tensors for i in made.inputs):
                yield Trial(made.model, tuple(tensors[i] for i in made.inputs))


def _save(place: Path, name: str, arrays: Sequence[Any], first: int = 0) -> None:
    for number, array in enumerate(arrays, first):
        held = io.BytesIO()
        np.save(held, array)
        atomic_write(place / f"{name}_{number}.npy", held.getvalue())


def _anonymous(trial: Trial) -> Trial:
    """Return the trial without names, description and file of its model."""
    subgraphs = tuple(
        replace(s, name="", tensors=tuple(replace(t, name=f"t{t.index}") for t in s.tensors))
        for s in trial.model.subgraphs
    )
    model = replace(trial.model, subgraphs=subgraphs, description="", file="", remarks=())
    return replace(trial, model=model)
