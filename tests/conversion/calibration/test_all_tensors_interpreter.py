"""LiteRT with all tensors kept: the choice of kernels for models that XNNPACK rejects."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.models import conv_int8
from litecheck.conversion.calibration import all_tensors_interpreter
from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.profile.unpacked_constants import unpacking_operators
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.conversion.calibration import networks


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


@pytest.mark.parametrize("number", [0, 1])
def test_unpacked_tensors_have_their_values(number: int, tmp_path: Path) -> None:
    """XNNPACK unpacks constants behind DEQUANTIZE and DENSIFY when it loads a model, and does not write these tensors."""
    pytest.importorskip("ai_edge_litert", reason="needs the extra 'runtime'")
    model = networks.unpacking()
    file = tmp_path / "m.tflite"
    save_model(model, str(file))
    keys = [(one.key, one.subgraph) for one in model.signatures]
    interpreter = AllTensorsInterpreter(
        str(file), "xnnpack", keys, any(map(unpacking_operators, model.subgraphs))
    )
    interpreter.reset()
    assert interpreter.run(number + 1, (np.ones((1, 4), np.float32),)) == number
    expected = written_tensors(model, number)
    places = [(number, index) for index in expected]
    found = dict(interpreter.tensors(places, number))
    for place in places:
        np.testing.assert_allclose(found[place], expected[place[1]], rtol=1e-6)
        np.testing.assert_allclose(interpreter.copy(place), expected[place[1]], rtol=1e-6)


def written_tensors(model: Model, number: int) -> dict[int, Any]:
    """Return the tensors of a subgraph that litecheck's kernels write for a constant input."""
    found: dict[int, Any] = {}
    interpreter = ReferenceInterpreter(model)
    interpreter.watch = lambda _, indexes, arrays: found.update(zip(indexes, arrays, strict=True))
    interpreter.run(model.subgraphs[number], (np.ones((1, 4), np.float32),))
    return found
