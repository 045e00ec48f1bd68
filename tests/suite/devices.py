"""Devices that compute with an arithmetic: exact, wrong or failing devices."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError


@dataclass
class Computing:
    """Device that computes with an arithmetic; ``instead`` may replace the outcome of a job."""

    arithmetic: Arithmetic
    instead: Callable[[Job], Failure | None] = lambda job: None
    name: str = "computing"
    described: str = "computing"
    memory: StateSupport = StateSupport.KEPT

    def run(self, job: Job) -> Answer | Failure:
        """Run every series from the initial state."""
        if failed := self.instead(job):
            return failed
        interpreter = ReferenceInterpreter(job.model, self.arithmetic)
        made = []
        try:
            for series in job.series:
                interpreter.restart()
                for run in series.runs:
                    tensors = interpreter.run(job.model.subgraphs[0], run)
                    made.append(tuple(tensors[i] for i in job.model.subgraphs[0].outputs))
        except RunError as error:
            return Failure(Outcome.REFUSED, str(error))
        return Answer(tuple(made))

    def close(self) -> None:
        """Do nothing, because no process runs."""


def arithmetic(name: str = "litert-reference", **stages: dict[str, str]) -> Arithmetic:
    """Return a published arithmetic with other variants for some operators."""
    base = load_arithmetic(name)
    changed = {opcode: {**base.variants(opcode), **variants} for opcode, variants in stages.items()}
    return replace(base, stages={**base.stages, **changed})
