"""LiteRT with every tensor kept: who runs what XNNPACK refuses."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.conversion.calibration import all_tensors_interpreter
from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter


def refusing(*refused: str) -> Any:
    def allocated(path: str, kernels: str) -> str:
        if kernels in refused:
            raise RuntimeError(f"{kernels} cannot prepare {path}")
        return kernels

    return allocated


def test_plain_kernels_run_what_xnnpack_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_tensors_interpreter, "_allocated", refusing("xnnpack"))
    assert AllTensorsInterpreter("m.tflite", "xnnpack", ()).kernels == "optimized"


def test_who_is_asked_for_runs_what_he_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_tensors_interpreter, "_allocated", refusing("reference"))
    assert AllTensorsInterpreter("m.tflite", "xnnpack", ()).kernels == "xnnpack"
    with pytest.raises(RuntimeError, match="reference cannot prepare"):
        AllTensorsInterpreter("m.tflite", "reference", ())
