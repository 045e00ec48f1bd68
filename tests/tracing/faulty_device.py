"""A device that computes some operators with a defect: litecheck's own kernels under an arithmetic with the defect."""

from __future__ import annotations

from dataclasses import replace

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.port import Answer, Failure, Job
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter


class FaultyDevice:
    """A device with a defect in a single kind of operator; without a defect it computes as the reference kernels."""

    name = described = "faulty"
    memory = StateSupport.NONE

    def __init__(self, opcode: str = "", defect: str = "") -> None:
        sound = load_arithmetic("litert-reference")
        stages = (
            {**sound.stages, opcode: {**sound.variants(opcode), "defect": defect}} if defect else sound.stages
        )
        self._arithmetic = replace(sound, stages=stages)

    def run(self, job: Job) -> Answer | Failure:
        interpreter, main = ReferenceInterpreter(job.model, self._arithmetic), job.model.subgraphs[0]
        answers = []
        for arrays in job.runs:
            made = interpreter.run(main, arrays)
            answers.append(tuple(made[i] for i in main.outputs))
        return Answer(tuple(answers))

    def close(self) -> None:
        """Do nothing, because no process runs."""
