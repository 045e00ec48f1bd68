"""What LiteRT's child process does for conversions: it hands the runs of a job to whoever answers the job's question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.memory import Memory
from litecheck.devices.port import AdapterAnswer, Series
from litecheck.devices.worker_main import loaded


class Answering(Protocol):
    """Made from the facts of a question; it lives until its answer is safe."""

    def answer(self, several: Iterable[Series]) -> Mapping[str, Any]:
        """Plain values about all the runs; variables begin anew with each series."""
        ...


class LitertRuns:
    """An adapter without options. A job's model is ``[module:attribute, facts]`` as JSON, its answer one array: JSON."""

    memory = Memory.KEPT
    runtime = ("ai_edge_litert.interpreter", "litecheck.convert.calibration.litert_observer")

    def __init__(self, options: Mapping[str, str]) -> None:
        self._chosen: Answering | None = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """As ``series``, each run from a fresh state."""
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """What the job's own answering class says of its runs."""
        reference, facts = json.loads(model)
        self._chosen = loaded(reference)(facts)
        said = json.dumps(self._chosen.answer(series)).encode()
        return AdapterAnswer(((np.frombuffer(said, np.uint8),),))
