"""A complete diagnosis of a device with planted arithmetics: every candidate, exclusion and example."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict

import numpy as np

from litecheck.arrays import Arrays
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.diagnosis.session import diagnose_device
from tests.verification.inprocess import InProcess
from tests.verification.planted import changed


def spoiled(job: Job, run: int, outputs: Arrays) -> Arrays:
    """Change SUB unlike any arithmetic, and MUL in every second run."""
    (output,) = outputs
    if "SUB" in job.name:
        return ((output ^ (output > 5)).astype(output.dtype),)
    if "MUL" in job.name and run % 2:
        return (np.where(np.arange(output.size).reshape(output.shape) == 3, output ^ 1, output),)
    return outputs


def refuses(job: Job) -> Answer | Failure | None:
    """Return a crash for TANH."""
    return Failure(Outcome.CRASHED, "SIGSEGV") if "TANH" in job.name else None


def test_a_whole_diagnosis(golden: Callable[[str, str], None]) -> None:
    device = InProcess(changed("ADD", defect="wraps"), spoiled, refuses)
    found = diagnose_device(device, select=("ADD", "SUB", "MUL", "TANH", "RELU", "LOGISTIC"), repeat=4)
    lines = (json.dumps(asdict(each), default=str) for each in (*found.operators, *found.untried))
    golden("diagnosis.txt", "".join(f"{line}\n" for line in lines))
