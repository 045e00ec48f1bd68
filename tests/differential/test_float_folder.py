"""A small fixed slice of ``python -m tests.differential.float_folder``."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from litecheck.model.load import load_model
from litecheck.model.types import Model
from tests.differential import float_folder
from tests.differential.float_folder import MODES, convert_and_run, float_models
from tests.differential.oracle import Oracle

pytestmark = pytest.mark.slow
FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "convert"


def test_float_models_of_a_folder_convert_in_all_modes() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    found = {file.stem: model for file, model in float_models(FOLDER)}
    assert {"residual", "attention", "trained"} <= found.keys()
    assert "residual_int8" not in found
    endings = Counter[str]()
    with Oracle() as oracle:
        for name in ("residual", "attention", "trained"):
            endings.update(convert_and_run(oracle, Path(name), found[name], mode, 1).ending for mode in MODES)
    assert endings.keys() <= {"made", "refused"}
    assert endings["made"] >= 8


def test_an_exception_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(model: Model, **_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(float_folder, "convert_model", broken)
    with Oracle() as oracle:
        case = convert_and_run(oracle, Path("x"), load_model(FOLDER / "residual.tflite"), "int8", 1)
    assert case.ending == "exception"
    assert "broken" in case.reason
