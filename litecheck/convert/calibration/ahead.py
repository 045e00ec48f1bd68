"""LiteRT's child process, started while litecheck still loads itself: both take a while."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

from litecheck.devices.process import QUIET, Setup, WorkerProcess

#: A child that runs models on samples.
SETUP = Setup("litecheck.convert.calibration.litert_runs:LitertRuns", {}, QUIET)
#: What it loads to compare two models.
_COMPARING = ("litecheck.convert.litert_pairs",)


def started_ahead(device: str, compares: bool) -> WorkerProcess | None:
    """The child that ``device`` will most likely want; None where LiteRT is not installed, or its own kernels are chosen."""
    if device == "litecheck" or find_spec("ai_edge_litert") is None:
        return None
    return WorkerProcess(replace(SETUP, modules=_COMPARING) if compares else SETUP)
