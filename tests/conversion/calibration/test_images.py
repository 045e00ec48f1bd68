"""Folders of images as calibration data: size, channels and range are the model's."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import DataOptions
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.conversion.calibration import networks

Image = pytest.importorskip("PIL.Image", reason="needs pillow")


def taking(shape: tuple[int, ...], dtype: str = "float32") -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", shape, dtype), main.tensor("y", shape, dtype)
    main.add("ABS", [x], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Write a red image, a gray image of another size, a hidden file and a text file."""
    Image.new("RGB", (8, 4), (255, 0, 51)).save(tmp_path / "b.png")
    Image.new("L", (3, 3), 102).save(tmp_path / "a.PNG")
    (tmp_path / ".hidden.png").write_text("no image")
    (tmp_path / "readme.txt").write_text("no image")
    return tmp_path


def test_images_become_0_to_1_with_a_warning(folder: Path) -> None:
    data = open_data(folder, taking((1, 6, 6, 3)))
    grey, red = (sample.inputs["x"] for (sample,) in data)
    assert (grey.shape, grey.dtype) == ((1, 6, 6, 3), np.float32)
    assert grey == pytest.approx(0.4)
    assert red[0, 0, 0].tolist() == pytest.approx([1, 0, 0.2])
    assert (data.count, data.description) == (2, f"2 images of {folder}, values 0..1 (v * 0.00392157 + 0)")
    assert "no preprocessing is stated" in data.warnings[0]


@pytest.mark.parametrize("text", ["1/127.5:-1", "0.00784313725:-1"])
def test_preprocessing_is_a_scale_and_an_offset(folder: Path, text: str) -> None:
    data = open_data(folder, taking((1, 6, 6, 3)), options=DataOptions(preprocessing=text))
    (red,) = list(data)[1]
    assert red.inputs["x"][0, 5, 5].tolist() == pytest.approx([1, -1, -0.6])
    assert data.warnings == ()


def test_one_channel_is_grey(folder: Path) -> None:
    data = open_data(folder, taking((1, 2, 2, 1)), options=DataOptions(preprocessing="1:0"))
    grey, red = (sample.inputs["x"] for (sample,) in data)
    assert set(grey.flat) == {102.0}
    assert set(red.flat) == {round(0.299 * 255 + 0.114 * 51)}


def test_a_smooth_image_stays_smooth(tmp_path: Path) -> None:
    ramp = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (64, 1))
    Image.fromarray(ramp).save(tmp_path / "ramp.png")
    ((sample,),) = open_data(tmp_path, taking((1, 8, 8, 1)), options=DataOptions(preprocessing="1:0"))
    row = sample.inputs["x"][0, 0, :, 0]
    assert row == pytest.approx(np.arange(8) * 255 / 8 + 255 / 16, abs=6)


@pytest.mark.parametrize("text", ["", ":1", "a:b", "1/0:0", "0:1", "inf:0", "1:nan"])
def test_invalid_preprocessing_is_an_error(folder: Path, text: str) -> None:
    with pytest.raises(ConfigError, match=r"^--preprocessing .*: expected SCALE:OFFSET"):
        open_data(folder, taking((1, 6, 6, 3)), options=DataOptions(preprocessing=text or " "))


def test_models_without_an_image_input_are_errors(folder: Path) -> None:
    with pytest.raises(ConfigError, match=r"input 'x' has shape \[1, 8\]; give \.npz"):
        open_data(folder, taking((1, 8)))
    with pytest.raises(ConfigError, match=r"takes 2 inputs \(ids, positive\)"):
        open_data(folder, networks.looking_up())
    with pytest.raises(ConfigError, match="not sequences"):
        open_data(folder, taking((1, 6, 6, 3)), options=DataOptions(sequences=True))


@pytest.mark.parametrize(
    ("channels", "pixel"), [(1, [76]), (3, [255, 0, 0]), (4, [255, 0, 0, 128])]
)  # luma of red: 0.299 x 255
def test_channels_of_the_model_are_those_of_the_image(
    tmp_path: Path, channels: int, pixel: list[int]
) -> None:
    Image.new("RGBA", (2, 2), (255, 0, 0, 128)).save(tmp_path / "a.png")
    ((sample,),) = open_data(tmp_path, taking((1, 2, 2, channels)), options=DataOptions(preprocessing="1:0"))
    assert sample.inputs["x"][0, 1, 1].tolist() == pixel


@pytest.mark.parametrize("shape", [(1, 2, 2, 2), (1, 2, 2, 5), (2, 2, 2, 3), (2, 2, 3)])
def test_an_input_that_is_no_image_is_named(folder: Path, shape: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"holds images, input 'x' has shape"):
        open_data(folder, taking(shape))


def test_images_are_found_in_a_folder_for_each_class(tmp_path: Path) -> None:
    for name, level in (("cat/1", 10), ("cat/2", 20), ("cat/3", 30), ("dog/1", 40)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.new("L", (2, 2), level).save(tmp_path / f"{name}.png")
    options = DataOptions(preprocessing="1:0", most=3)
    data = open_data(tmp_path, taking((1, 2, 2, 1)), options=options)
    found = [(sample.inputs["x"][0, 0, 0, 0], Path(sample.source).parent.name) for (sample,) in data]
    assert found == [(10, "cat"), (40, "dog"), (20, "cat")], "classes take turns"
    assert open_data(tmp_path, taking((1, 2, 2, 1))).count == 4


def test_a_file_that_is_no_image_is_named(folder: Path) -> None:
    (folder / "c.jpg").write_bytes(b"\xff\xd8nothing")
    with pytest.raises(ConfigError, match=r"c\.jpg: cannot be read as an image"):
        list(open_data(folder, taking((1, 6, 6, 3))))
