"""Several models on one device: independent failures, and a common verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import litecheck
from litecheck.errors import ConfigError, ModelError, Problem
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.several_models import UnverifiedModel, Verifications, each, verify_files

FIXTURES = Path(__file__).parents[2] / "fixtures"
FC = str(FIXTURES / "fc_int8.tflite")
DAMAGED = str(FIXTURES / "damaged_offset.tflite")


def right(model: bytes, *inputs: Any) -> Any:
    return litecheck.run(litecheck.load_model(model), inputs).outputs


def wrong(model: bytes, *inputs: Any) -> Any:
    return {name: values ^ 1 for name, values in right(model, *inputs).items()}


@pytest.mark.parametrize(
    ("paths", "device", "verdicts", "code"),
    [
        ([FC], right, ["conforms"], 0),
        ([FC, "missing.tflite"], right, ["conforms", "not checked"], 2),
        ([DAMAGED, FC], right, ["not checked", "conforms"], 2),
        ([FC], wrong, ["fails"], 1),
        ([FC, DAMAGED], wrong, ["fails", "not checked"], 1),
        ([FC, FC], right, ["conforms"], 0),
    ],
)
def test_an_invalid_path_does_not_stop_the_run(
    paths: list[str], device: Any, verdicts: list[str], code: int
) -> None:
    report = verify_files(paths, device, kinds=("propagated",))
    assert [one.verdict for one in report.models] == verdicts
    assert (report.exit_code, report.device) == (code, f"python:{device.__name__}")
    assert sum(report.counts().values()) == len(verdicts)


def test_a_whole_folder_is_verified(tmp_path: Path) -> None:
    for name in ("b", "a"):
        (tmp_path / f"{name}.tflite").write_bytes(Path(FC).read_bytes())
    report = verify_files([str(tmp_path)], right, kinds=("propagated",))
    assert [Path(one.model).name for one in report.models] == ["a.tflite", "b.tflite"]


def test_settings_that_suit_no_model_are_wrong_and_those_that_suit_one_are_not() -> None:
    conv = str(FIXTURES / "conv_int8.tflite")
    report = verify_files([FC, conv], right, select=("SOFTMAX",), kinds=("propagated",))
    assert [one.verdict for one in report.models] == ["not checked", "conforms"]
    unfit = report.models[0]
    assert isinstance(unfit, UnverifiedModel)
    assert unfit.problems[0].code == "not-asked"
    assert "no such operator" in unfit.problems[0].message
    with pytest.raises(ConfigError, match="no such operator"):
        verify_files([FC, conv], right, select=("TANH",))


def test_an_error_of_a_model_is_kept() -> None:
    problem = Problem("cut-off", "", 3, "ends early")

    def verified(file: str) -> Any:
        raise ModelError(file, (problem,)) if file == "a" else RunError("no inputs fit")

    found = each(["a", "b", ModelError("c", (problem,))], verified)
    assert found == (
        UnverifiedModel("a", (problem,)),
        UnverifiedModel("b", (Problem("not-computed", "", None, "no inputs fit"),)),
        UnverifiedModel("c", (problem,)),
    )


def test_a_bug_of_litecheck_is_raised() -> None:
    def verified(file: str) -> Any:
        raise KeyError(file)

    with pytest.raises(KeyError):
        each(["a"], verified)


def test_no_model_at_all_is_not_judged() -> None:
    nothing = Verifications("0", "d", "d", ())
    assert (nothing.verdict, nothing.exit_code) == ("not checked", 2)


def test_a_single_path_is_a_type_error_with_the_right_call() -> None:
    with pytest.raises(TypeError, match=r"litecheck\.verify_files\(\['model.tflite'\], device\)"):
        verify_files("model.tflite", right)
