"""Calibration sets: files, folders and scripts become stored inputs, or a message."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.sample_inputs import samples
from litecheck.errors import ConfigError
from litecheck.reference.engine.entry_point import entry
from tests.verification.networks import convolutional

POINT = entry(convolutional())
IMAGE = np.arange(192, dtype=np.int8).reshape(1, 8, 8, 3)


def test_one_npz_is_one_sample(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=IMAGE)
    (found,) = samples(str(tmp_path / "a.npz"), POINT)
    assert np.array_equal(found["image"], IMAGE)


def test_real_values_are_quantized_by_the_inputs_own_parameters(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", image=np.full((1, 8, 8, 3), 1.0, np.float32))
    (found,) = samples(str(tmp_path / "a.npz"), POINT)
    assert found["image"].dtype == np.int8
    assert set(found["image"].flat) == {17}  # 1.0 / 0.05 - 3


@pytest.mark.parametrize("shape", [(5, 8, 8, 3), (5, 1, 8, 8, 3)])
def test_a_longer_array_holds_several_samples(tmp_path: Path, shape: tuple[int, ...]) -> None:
    stack = np.arange(5).repeat(192).reshape(shape).astype(np.int8)
    np.save(tmp_path / "x.npy", stack)
    found = samples(str(tmp_path / "x.npy"), POINT, most=4)
    assert [int(s["image"].flat[0]) for s in found] == [0, 1, 2, 3]
    assert all(s["image"].shape == (1, 8, 8, 3) for s in found)


def test_a_folder_is_read_in_the_order_of_names(tmp_path: Path) -> None:
    for n in (2, 0, 1):
        np.savez(tmp_path / f"{n}.npz", image=np.full((1, 8, 8, 3), n, np.int8))
    assert [int(s["image"].flat[0]) for s in samples(str(tmp_path), POINT)] == [0, 1, 2]


@pytest.mark.parametrize(
    "body",
    [
        "return [{'image': np.full((1, 8, 8, 3), n, np.int8)} for n in range(3)]",
        "yield from ([np.full((1, 8, 8, 3), n, np.int8)] for n in range(3))",
        "return {'serving_default': [{'image': np.full((1, 8, 8, 3), n, np.int8)} for n in range(3)]}",
        "return [(np.full((1, 8, 8, 3), n, np.int8),) for n in range(3)]",
    ],
)
def test_a_script_gives_them_in_any_usual_way(tmp_path: Path, body: str) -> None:
    script = tmp_path / "data.py"
    script.write_text(f"import numpy as np\ndef get_calibration_data():\n    {body}\n")
    assert [int(s["image"].flat[0]) for s in samples(str(script), POINT)] == [0, 1, 2]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def get_calibration_data(): raise ValueError('no disk')", "no disk"),
        ("import os; os.abort()", "ended with SIGABRT"),
        ("x = 1", "get_calibration_data"),
    ],
)
def test_a_script_that_fails_is_an_error_with_the_reason(tmp_path: Path, code: str, message: str) -> None:
    script = tmp_path / "data.py"
    script.write_text(code)
    with pytest.raises(ConfigError, match=message):
        samples(str(script), POINT)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"picture": IMAGE}, "no input 'picture'; there are image"),
        ({"image": IMAGE[:, :4]}, r"got shape \(1, 4, 8, 3\), expected \(N, 8, 8, 3\)"),
    ],
)
def test_arrays_that_match_no_input_are_an_error(
    tmp_path: Path, arrays: dict[str, np.ndarray], message: str
) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(ConfigError, match=message):
        samples(str(tmp_path / "a.npz"), POINT)


def test_an_empty_or_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no samples"):
        samples(str(tmp_path), POINT)
    with pytest.raises(ConfigError, match="no such file"):
        samples(str(tmp_path / "none"), POINT)
