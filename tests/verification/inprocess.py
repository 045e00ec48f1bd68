"""A device in this process: litecheck's own kernels under an arithmetic, with planted defects."""

from __future__ import annotations

from collections.abc import Callable

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.port import Answer, Failure, Job
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter

#: Change of outputs by a test: job, number of the run, outputs.
Change = Callable[[Job, int, Arrays], Arrays]


class InProcess:
    """Device that computes with the reference; ``change`` edits outputs, ``instead`` may replace the answer.

    ``memory`` is the declared support for state; with ``forgets``, every inference starts from the initial state.
    """

    def __init__(
        self,
        arithmetic: Arithmetic | str = "litert-reference",
        change: Change | None = None,
        instead: Callable[[Job], Answer | Failure | None] | None = None,
        name: str = "in-process",
        memory: StateSupport = StateSupport.SET,
        forgets: bool = False,
    ) -> None:
        self.name = self.described = name
        self.arithmetic = load_arithmetic(arithmetic) if isinstance(arithmetic, str) else arithmetic
        self.change, self.instead = change, instead
        self.jobs: list[str] = []
        self.memory, self.forgets = memory, forgets

    def run(self, job: Job) -> Answer | Failure:
        self.jobs.append(job.name)
        if self.instead and (answer := self.instead(job)) is not None:
            return answer
        interpreter, runs = ReferenceInterpreter(job.model, self.arithmetic), []
        main = job.model.subgraphs[0]
        for series in job.series:
            interpreter.restart()
            interpreter.variables.update({(0, index): contents for index, contents in series.start.items()})
            for inputs in series.runs:
                if self.forgets:
                    interpreter.restart()
                tensors = interpreter.run(main, inputs)
                outputs = tuple(tensors[i].copy() for i in main.outputs)
                runs.append(self.change(job, len(runs), outputs) if self.change else outputs)
        return Answer(tuple(runs))

    def close(self) -> None:
        pass
