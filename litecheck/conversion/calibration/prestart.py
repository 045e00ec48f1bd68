"""LiteRT's child process, started while litecheck's own modules are still imported, because both take time."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

from litecheck.devices.process import QUIET, WorkerProcess, WorkerSetup

#: Setup of a child that runs models on samples.
SETUP = WorkerSetup("litecheck.conversion.calibration.litert_runs:LitertRuns", {}, QUIET)
#: Modules that the child imports to compare two models.
_COMPARING = ("litecheck.conversion.litert_pairs",)


def prestart_child(device: str, compares: bool) -> WorkerProcess | None:
    """Start the child that ``device`` probably needs. Return None without LiteRT, or for litecheck's own kernels."""
    if device == "litecheck" or find_spec("ai_edge_litert") is None:
        return None
    return WorkerProcess(replace(SETUP, modules=_COMPARING) if compares else SETUP)
