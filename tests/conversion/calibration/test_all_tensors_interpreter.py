"""LiteRT with all tensors kept: the choice of kernels for models that XNNPACK rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fixtures.models import conv_int8
from litecheck.conversion.calibration import all_tensors_interpreter
from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter
from litecheck.model.save import save_model


def refusing(*refused: str) -> Any:
    def allocated(path: str, kernels: str) -> str:
        if kernels in refused:
            raise RuntimeError(f"{kernels} cannot prepare {path}")
        return kernels

    return allocated


def test_optimized_kernels_run_models_that_xnnpack_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_tensors_interpreter, "_allocate", refusing("xnnpack"))
    assert AllTensorsInterpreter("m.tflite", "xnnpack", ()).kernels == "optimized"


def test_requested_kernels_run_or_the_model_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_tensors_interpreter, "_allocate", refusing("reference"))
    assert AllTensorsInterpreter("m.tflite", "xnnpack", ()).kernels == "xnnpack"
    with pytest.raises(RuntimeError, match="reference cannot prepare"):
        AllTensorsInterpreter("m.tflite", "reference", ())


def test_loading_gives_no_warning_of_litert(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    """LiteRT warns that preserved tensors take memory; failures of a child process quote its output."""
    pytest.importorskip("ai_edge_litert", reason="needs the extra 'runtime'")
    file = tmp_path / "m.tflite"
    save_model(conv_int8(), str(file))
    AllTensorsInterpreter(str(file), "xnnpack", ())
    assert [str(warning.message) for warning in recwarn] == []
