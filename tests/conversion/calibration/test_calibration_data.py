"""Calibration data: every kind of file gives the same samples, or an error with its location."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.calibration import script
from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import CalibrationData, DataOptions
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.calibration import networks

LAYERED = networks.layered()
IMAGES = np.arange(5 * 108, dtype=np.float32).reshape(5, 6, 6, 3)
IDS = np.arange(15).reshape(3, 5) % 7
POSITIVE = np.arange(60, dtype=np.float32).reshape(3, 5, 4) + 1


def first_values(data: CalibrationData, name: str) -> list[list[float]]:
    """Return the first value of an input for every sample of every chain."""
    return [[float(sample.inputs[name].flat[0]) for sample in chain] for chain in data]


def saved(folder: Path, arrays: Mapping[str, np.ndarray]) -> Path:
    np.savez(folder / "data.npz", **arrays)
    return folder / "data.npz"


@pytest.mark.parametrize("key", ["image", "x", "0", "arr_0"])
@pytest.mark.parametrize("shape", [(5, 6, 6, 3), (5, 1, 6, 6, 3)])
def test_an_npz_has_an_axis_of_samples(tmp_path: Path, key: str, shape: tuple[int, ...]) -> None:
    data = open_data(saved(tmp_path, {key: IMAGES.reshape(shape)}), LAYERED)
    assert data.count == 5
    assert data.description == f"5 samples of {tmp_path / 'data.npz'}"
    for _ in range(2):  # repeated iteration is possible
        for number, (sample,) in enumerate(data):
            assert sample.signature is None
            assert np.array_equal(sample.inputs["image"], IMAGES[number : number + 1])


def test_a_compressed_one_in_fortran_order_and_doubles_is_the_same(tmp_path: Path) -> None:
    np.savez_compressed(tmp_path / "data.npz", image=np.asfortranarray(IMAGES.astype(np.float64)))
    for number, (sample,) in enumerate(open_data(tmp_path / "data.npz", LAYERED)):
        assert sample.inputs["image"].dtype == np.float32
        assert np.array_equal(sample.inputs["image"][0], IMAGES[number])


def test_one_input_is_the_one_array_that_fits(tmp_path: Path) -> None:
    file = saved(tmp_path, {"specs": IMAGES, "labels": np.arange(5)})
    data = open_data(file, LAYERED)
    assert first_values(data, "image") == [[108 * n] for n in range(5)]
    assert data.description == f"5 samples of {file} (specs)"


def test_several_inputs_go_together(tmp_path: Path) -> None:
    data = open_data(
        saved(tmp_path, {"positive": POSITIVE, "ids": IDS.astype(np.int32)}), networks.looking_up()
    )
    samples = [sample for (sample,) in data]
    assert [sample.inputs["ids"].tolist() for sample in samples] == IDS.tolist()
    assert samples[0].inputs["ids"].dtype == np.int64
    assert np.array_equal(samples[2].inputs["positive"], POSITIVE[2])


def test_npy_files_are_samples_of_their_own(tmp_path: Path) -> None:
    for number in (3, 0, 1):
        np.save(tmp_path / f"{number}.npy", IMAGES[number])
    data = open_data(tmp_path, LAYERED)
    assert (data.count, first_values(data, "image")) == (3, [[0], [108], [324]])


def test_a_folder_for_each_input(tmp_path: Path) -> None:
    for name, arrays in (("ids", IDS), ("positive", POSITIVE)):
        (tmp_path / name).mkdir()
        for number, array in enumerate(arrays):
            np.save(tmp_path / name / f"{number}.npy", array)
    data = open_data(tmp_path, networks.looking_up())
    assert first_values(data, "ids") == [[0], [5], [3]]
    (tmp_path / "ids" / "1.npy").unlink()
    with pytest.raises(ConfigError, match=r"1\.npy is not there for every input"):
        open_data(tmp_path, networks.looking_up())


def test_one_npy_and_several_npz_files(tmp_path: Path) -> None:
    np.save(tmp_path / "all.npy", IMAGES)
    assert first_values(open_data(tmp_path / "all.npy", LAYERED), "image") == [[108 * n] for n in range(5)]
    for number in range(2):
        np.savez(tmp_path / f"{number}.npz", image=IMAGES[2 * number :][:2])
    data = open_data(tmp_path, LAYERED)
    assert (data.count, first_values(data, "image")) == (4, [[108 * n] for n in range(4)])


def test_sequences_have_two_axes(tmp_path: Path) -> None:
    steps = np.arange(12, dtype=np.float32).reshape(2, 3, 1, 2)
    file = saved(tmp_path, {"x": steps})
    data = open_data(file, networks.streaming(), options=DataOptions(sequences=True))
    assert (data.count, first_values(data, "x")) == (2, [[0, 2, 4], [6, 8, 10]])
    assert data.description == f"2 sequences of {file}"
    flat = open_data(
        saved(tmp_path, {"x": steps[:, :, 0]}), networks.streaming(), options=DataOptions(sequences=True)
    )
    assert first_values(flat, "x") == [[0, 2, 4], [6, 8, 10]]
    with pytest.raises(ConfigError, match="add --sequences"):
        open_data(file, networks.streaming())


def test_npy_files_may_be_sequences(tmp_path: Path) -> None:
    for number in range(2):
        np.save(tmp_path / f"{number}.npy", np.full((3, 2), number, np.float32))
    data = open_data(tmp_path, networks.streaming(), options=DataOptions(sequences=True))
    assert first_values(data, "x") == [[0, 0, 0], [1, 1, 1]]


def test_signatures_are_named_before_their_inputs(tmp_path: Path) -> None:
    model = networks.of_two_signatures()
    arrays = {"value": np.ones((2, 3)), "join/zulu": np.zeros((3, 2)), "join/alpha": np.ones((3, 1))}
    chains = list(open_data(saved(tmp_path, arrays), model))
    assert [sample.signature for (sample,) in chains] == [None, None, "join", "join", "join"]
    assert set(chains[0][0].inputs) == {"x"}
    assert set(chains[2][0].inputs) == {"alpha", "zulu"}
    file = saved(tmp_path, {"zulu": np.zeros((3, 2)), "alpha": np.ones((3, 1))})
    assert len(list(open_data(file, model, options=DataOptions(signature="join")))) == 3


def test_the_number_of_samples_is_limited(tmp_path: Path) -> None:
    file = saved(tmp_path, {"image": IMAGES})
    data = open_data(file, LAYERED, options=DataOptions(most=2))
    assert (data.count, len(list(data)), data.description) == (
        2,
        2,
        f"the first 2 samples of 5 samples of {file}",
    )
    assert open_data(file, LAYERED, options=DataOptions(most=9)).count == 5


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"imege": IMAGES[0, 0]}, r"there is no input 'imege'; did you mean 'image'\?"),
        ({"one": IMAGES, "two": IMAGES}, "there is no input 'one'; there are image"),
        ({"image": IMAGES[:, :4]}, r"got shape \(5, 4, 6, 3\), expected \(N, 6, 6, 3\)$"),
        ({"image": IMAGES, "x": IMAGES}, "has the same input twice"),
        ({}, "holds no samples"),
        ({"image": IMAGES[:0]}, "holds no samples"),
    ],
)
def test_arrays_that_do_not_match_an_input_are_errors(
    tmp_path: Path, arrays: dict[str, np.ndarray], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        open_data(saved(tmp_path, arrays), LAYERED)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"ids": IDS}, "nothing for input 'positive'; it has ids"),
        ({"ids": IDS, "positiv": POSITIVE}, r"there is no input 'positiv'; did you mean 'positive'\?"),
        ({"ids": IDS, "positive": POSITIVE[:2]}, "different numbers of samples: ids 3, positive 2"),
    ],
)
def test_inconsistent_inputs_are_errors(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_data(saved(tmp_path, arrays), networks.looking_up())


def test_values_outside_the_type_of_an_input_are_errors_with_their_sample(tmp_path: Path) -> None:
    arrays = {"ids": IDS + np.array([0, 0.5, 0])[:, None], "positive": POSITIVE}
    data = open_data(saved(tmp_path, arrays), networks.looking_up())
    with pytest.raises(
        ConfigError, match=r"data\.npz, sample 1: input 'ids' is int64, which does not hold float64"
    ):
        list(data)


def test_bytes_need_a_scale(tmp_path: Path) -> None:
    folder = saved(tmp_path, {"ids": IDS, "positive": np.full(POSITIVE.shape, 51, np.uint8)})
    with pytest.raises(ConfigError, match=r"sample 0: input 'positive': got uint8, expected float32"):
        list(open_data(folder, networks.looking_up()))
    data = open_data(folder, networks.looking_up(), options=DataOptions(preprocessing="1/255:0"))
    found = {value for (sample,) in data for value in sample.inputs["positive"].ravel()}
    assert found == {np.float32(51) * np.float32(1 / 255)}
    with pytest.raises(ConfigError, match="is for images and uint8 arrays"):
        open_data(
            saved(tmp_path, {"ids": IDS, "positive": POSITIVE}),
            networks.looking_up(),
            options=DataOptions(preprocessing="1:0"),
        )


def test_missing_and_invalid_data_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no calibration data"):
        open_data(None, LAYERED)
    with pytest.raises(ConfigError, match="give one of them"):
        open_data(tmp_path, LAYERED, random=3)
    with pytest.raises(ConfigError, match="no such file"):
        open_data(tmp_path / "nothing", LAYERED)
    with pytest.raises(ConfigError, match="holds no samples"):
        open_data(tmp_path, LAYERED)
    (tmp_path / "data.txt").write_text("1 2 3")
    with pytest.raises(ConfigError, match="a Python file"):
        open_data(tmp_path / "data.txt", LAYERED)


def test_images_need_pillow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.png").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(ConfigError, match=r"images need the package pillow: pip install -e '\.\[convert\]'"):
        open_data(tmp_path, LAYERED)


def scripted(folder: Path, body: str) -> Path:
    file = folder / "data.py"
    file.write_text(f"import numpy as np\ndef get_calibration_data():\n    {body}\n")
    return file


@pytest.mark.parametrize(
    "body",
    [
        "print('noise'); return [{'image': np.full((1, 6, 6, 3), n)} for n in range(3)]",
        "yield from (np.full((6, 6, 3), n) for n in range(3))",
        "yield from ([np.full((1, 6, 6, 3), n)] for n in range(3))",
        "return [(np.full((1, 6, 6, 3), n, np.float32),) for n in range(3)]",
    ],
)
def test_a_script_gives_samples_in_any_usual_way(tmp_path: Path, body: str) -> None:
    data = open_data(scripted(tmp_path, body), LAYERED)
    assert first_values(data, "image") == [[0], [1], [2]] == first_values(data, "image")


def test_a_script_gives_sequences_and_signatures(tmp_path: Path) -> None:
    file = scripted(tmp_path, "return [[np.full((1, 2), n), np.full((1, 2), n + 5)] for n in range(2)]")
    data = open_data(file, networks.streaming(), options=DataOptions(sequences=True))
    assert first_values(data, "x") == [[0, 5], [1, 6]]
    groups = "{'negate': [np.ones(3)], 'join': [{'alpha': np.ones(1), 'zulu': np.ones(2)}] * 2}"
    file = scripted(tmp_path, f"return {groups}")
    both = [sample.signature for (sample,) in open_data(file, networks.of_two_signatures())]
    assert both == ["negate", "join", "join"]


def test_a_script_ends_after_the_wanted_samples(tmp_path: Path) -> None:
    body = "n = 0\n    while True:\n        yield np.full((6, 6, 3), n)\n        n += 1"
    data = open_data(scripted(tmp_path, body), LAYERED, options=DataOptions(most=2))
    assert first_values(data, "image") == [[0], [1]]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def get_calibration_data(): raise ValueError('no disk')", "gave no sample 0: ValueError: no disk"),
        ("import os; os.abort()", "gave no sample 0: ended with SIGABRT"),
        ("x = 1", "get_calibration_data"),
        ("def get_calibration_data():\n    yield [1.0]\n    yield 'text'", "got shape \\(\\), expected"),
    ],
)
def test_a_failing_script_is_an_error_with_the_reason(tmp_path: Path, code: str, message: str) -> None:
    (tmp_path / "data.py").write_text(code)
    with pytest.raises(ConfigError, match=message):
        list(open_data(tmp_path / "data.py", LAYERED))


def test_a_script_that_hangs_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script, "PATIENCE", 0.2)
    with pytest.raises(ConfigError, match="gave no sample within"):
        list(open_data(scripted(tmp_path, "import time; time.sleep(60)"), LAYERED))


def test_random_samples_are_the_same_for_the_same_seed() -> None:
    one, same, other = (open_data(None, LAYERED, random=4, seed=seed) for seed in (1, 1, 2))
    assert first_values(one, "image") == first_values(one, "image") == first_values(same, "image")
    assert first_values(one, "image") != first_values(other, "image")
    assert one.count == 4
    assert "RANDOM" in one.warnings[0]
    image = next(iter(one))[0].inputs["image"]
    assert -1 <= image.min() < -0.9 < 0.9 < image.max() <= 1


def test_random_ids_lie_in_the_table_and_operands_of_log_are_positive() -> None:
    samples = [sample for (sample,) in open_data(None, networks.looking_up(), random=20)]
    ids = np.concatenate([sample.inputs["ids"] for sample in samples])
    assert set(ids.tolist()) == set(range(7))
    assert min(sample.inputs["positive"].min() for sample in samples) > 0


def test_random_samples_enter_every_signature() -> None:
    model: Model = networks.of_two_signatures()
    data = open_data(None, model, random=2)
    assert [sample.signature for (sample,) in data] == [None, None, "join", "join"]
    assert data.count == 4


def test_scalars_are_one_number_a_sample(tmp_path: Path) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, s, y = (
        main.tensor("x", (2,), "float32"),
        main.tensor("s", (), "float32"),
        main.tensor("y", (2,), "float32"),
    )
    main.add("MUL", [x, s], [y])
    main.inputs(x, s)
    main.outputs(y)
    file = saved(tmp_path, {"x": np.ones((3, 2), np.float32), "s": np.arange(3, dtype=np.float32)})
    found = [dict(sample.inputs) for chain in open_data(file, builder.finish()) for sample in chain]
    assert [one["s"].shape for one in found] == [(), (), ()]
    assert [float(one["s"]) for one in found] == [0, 1, 2]
