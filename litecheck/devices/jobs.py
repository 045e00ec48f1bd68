"""A case as a device gets it: the bytes of its model, and the inputs of each inference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.parts import Case
from litecheck.devices.port import Job
from litecheck.model.save import model_bytes


def job_of(
    case: Case,
    runs: tuple[Arrays, ...],
    lengths: tuple[int, ...] = (),
    starts: Mapping[int, Mapping[int, NDArray[Any]]] | None = None,
) -> Job:
    """A case's job; series are given as a Job has them."""
    model = case.cut.model
    return Job(case.name, model, model_bytes(model, drop_unknown=True), runs, lengths, starts or {})
