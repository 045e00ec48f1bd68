"""A device in this process: litecheck's own kernels under some arithmetic, and whatever a test plants in them."""

from __future__ import annotations

from collections.abc import Callable

from litecheck.reference.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.interpreter import Machine
from litecheck.verify.devices.port import Answer, Arrays, Failure, Job

#: What a test makes of an answer: the job, the number of the run, its outputs.
Change = Callable[[Job, int, Arrays], Arrays]


class InProcess:
    """Computes jobs with the reference; ``change`` alters outputs, ``instead`` may answer in its place."""

    def __init__(
        self,
        arithmetic: Arithmetic | str = "litert-reference",
        change: Change | None = None,
        instead: Callable[[Job], Answer | Failure | None] | None = None,
        name: str = "in-process",
    ) -> None:
        self.name = self.described = name
        self.arithmetic = load_arithmetic(arithmetic) if isinstance(arithmetic, str) else arithmetic
        self.change, self.instead = change, instead
        self.jobs: list[str] = []

    def run(self, job: Job) -> Answer | Failure:
        self.jobs.append(job.name)
        if self.instead and (answer := self.instead(job)) is not None:
            return answer
        machine, runs = Machine(job.model, self.arithmetic), []
        main = job.model.subgraphs[0]
        for number, inputs in enumerate(job.runs):
            machine.restart()
            tensors = machine.run(main, inputs)
            outputs = tuple(tensors[i].copy() for i in main.outputs)
            runs.append(self.change(job, number, outputs) if self.change else outputs)
        return Answer(tuple(runs))

    def close(self) -> None:
        pass
