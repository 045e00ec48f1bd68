"""Whole verifications of a device with planted faults: every verdict, difference, cause and correlation."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.types import Model
from litecheck.verification.device_run import verify
from litecheck.verification.serialize import to_json
from litecheck.verification.settings import Budget, Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import branching, convolutional, remembering
from tests.verification.planted import changed
from tests.whole import digits


def odd(job: Job, run: int, outputs: Arrays) -> Arrays:
    """Change every third element of ADD, a channel of DEPTHWISE_CONV_2D, and AVERAGE_POOL_2D in every second run."""
    (output, *others) = outputs
    spoiled = output.copy()
    if "DEPTHWISE" in job.name:
        spoiled[..., 3] = np.clip(spoiled[..., 3].astype(np.int32) + 2, -128, 127)
    elif "ADD" in job.name:
        spoiled.reshape(-1)[::3] ^= 1
    elif "AVERAGE" in job.name and run % 2:
        spoiled.reshape(-1)[5] ^= 1
    return (spoiled, *others)


def fails(job: Job) -> Answer | Failure | None:
    """Return a crash for SOFTMAX and no support for RESHAPE."""
    if "RESHAPE" in job.name:
        return Failure(Outcome.NOT_SUPPORTED, "RESHAPE")
    return Failure(Outcome.CRASHED, "SIGSEGV") if "SOFTMAX" in job.name else None


DEVICES: dict[str, Callable[[], InProcess]] = {
    "odd": lambda: InProcess(change=odd, instead=fails),
    "defects": lambda: InProcess(replace(changed("CONV_2D", defect="wraps"), name="faulty")),
    "xnnpack": lambda: InProcess("litert-xnnpack", name="litert:xnnpack"),
    "forgets": lambda: InProcess(forgets=True),
    "stateless": lambda: InProcess(memory=StateSupport.NONE),
}
RUNS: dict[str, tuple[Callable[[], Model], str, Settings]] = {
    "odd": (convolutional, "odd", Settings(("litert-reference",))),
    "budget": (convolutional, "odd", Settings(("litert-reference",), budget=Budget(invocations=40))),
    "defects": (convolutional, "defects", Settings(drift=True)),
    "xnnpack": (convolutional, "xnnpack", Settings(("litert-reference",), segment=3)),
    "branching": (branching, "odd", Settings()),
    "remembering": (remembering, "forgets", Settings(repeat=1)),
    "stateless": (remembering, "stateless", Settings(repeat=1)),
}


@pytest.mark.parametrize("name", RUNS)
def test_whole_verifications(name: str, golden: Callable[[str, str], None]) -> None:
    model, device, settings = RUNS[name]
    found = digits(to_json(verify(model(), DEVICES[device](), settings)))
    del found["started"], found["version"], found["sha256"]
    lines = (
        f"{key}: {json.dumps(value)}" for key, value in found.items() if key not in ("verdicts", "operations")
    )
    cases = (json.dumps(each) for each in (*found["verdicts"], *found["operations"]))
    golden(f"verification.{name}.txt", "".join(f"{line}\n" for line in (*lines, *cases)))
