"""LiteRT's child process for conversions: it passes the runs of a job to the class that answers the job's question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.port import AdapterAnswer, Series
from litecheck.devices.worker_main import load_attribute


class Answering(Protocol):
    """An object made from the facts of a question. LitertRuns keeps it until the next question."""

    def answer(self, several: Iterable[Series]) -> Mapping[str, Any]:
        """Return plain values about all runs. Variables are reset for each series."""
        ...


class LitertRuns:
    """An adapter without options. A job's model is ``[module:attribute, facts]`` as JSON, its answer an array of JSON."""

    memory = StateSupport.KEPT
    runtime = ("ai_edge_litert.interpreter", "litecheck.conversion.calibration.litert_observer")

    def __init__(self, options: Mapping[str, str]) -> None:
        self._chosen: Answering | None = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """Return the answers of ``series``, with a fresh state for each run."""
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """Return the answer of the job's own class about its runs."""
        reference, facts = json.loads(model)
        self._chosen = load_attribute(reference)(facts)
        encoded = json.dumps(self._chosen.answer(series)).encode()
        return AdapterAnswer(((np.frombuffer(encoded, np.uint8),),))
