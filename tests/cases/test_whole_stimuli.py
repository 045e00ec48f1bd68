"""Inputs of every case of small models, and the outputs that are expected: a seed gives the same on every machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from litecheck.cases.variable_state import StateSupport
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verification.schedule import every_case_job
from litecheck.verification.settings import Settings
from tests.conversion.small_models import branch
from tests.verification.networks import branching, convolutional, remembering
from tests.whole import summed, summed_runs

MODELS: dict[str, Callable[[], Model]] = {
    "branching": branching,
    "float": branch,
    "convolutional": convolutional,
    "remembering": remembering,
}


def lines(model: Model) -> Iterator[str]:
    """Yield the inputs and outputs of every case."""
    arithmetic = load_arithmetic("litert-reference")
    for case_job in every_case_job(model, Settings(seed=3), arithmetic, StateSupport.SET, whole=True):
        case = case_job.case
        yield f"{case.name}: {case.opcodes} {case.submodel.inputs} -> {case.submodel.outputs}, {case_job.note}"
        order, lengths = (np.array(each) for each in (case_job.order, [*map(len, case_job.stimuli.series)]))
        yield f"  order {summed(order)}, series {summed(lengths)}"
        pairs = [*zip(case_job.stimuli, case_job.expected(arithmetic) or (), strict=False)]
        for kind in dict.fromkeys(stimulus.kind for stimulus, _ in pairs):
            own = [(stimulus, outputs) for stimulus, outputs in pairs if stimulus.kind == kind]
            fed, start = summed_runs(s.arrays for s, _ in own), summed_runs(s.start.values() for s, _ in own)
            yield f"  {kind} {fed} from {start} -> {summed_runs(outputs for _, outputs in own)}"


@pytest.mark.parametrize("name", MODELS)
def test_whole_stimuli(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"stimuli.{name}.txt", "".join(f"{line}\n" for line in lines(MODELS[name]())))
