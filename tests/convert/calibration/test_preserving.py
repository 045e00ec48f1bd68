"""LiteRT with every tensor kept: who runs what XNNPACK refuses."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.convert.calibration import preserving
from litecheck.convert.calibration.preserving import PreservingInterpreter


def refusing(*refused: str) -> Any:
    def allocated(path: str, kernels: str) -> str:
        if kernels in refused:
            raise RuntimeError(f"{kernels} cannot prepare {path}")
        return kernels

    return allocated


def test_plain_kernels_run_what_xnnpack_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preserving, "_allocated", refusing("xnnpack"))
    assert PreservingInterpreter("m.tflite", "xnnpack", ()).kernels == "optimized"


def test_who_is_asked_for_runs_what_he_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preserving, "_allocated", refusing("reference"))
    assert PreservingInterpreter("m.tflite", "xnnpack", ()).kernels == "xnnpack"
    with pytest.raises(RuntimeError, match="reference cannot prepare"):
        PreservingInterpreter("m.tflite", "reference", ())
