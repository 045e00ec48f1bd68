"""Warnings about data: a sample that alone sets ranges, constant inputs, ranges that no sample reaches."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fixtures.detector import float_detector, samples
from litecheck import convert_model
from litecheck.conversion.agreement import agreement
from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import DataOptions
from litecheck.conversion.calibration.statistics import (
    CalibrationStatistics,
    TensorStatistics,
    statistics_of,
)
from litecheck.conversion.data_warnings import (
    decisive_samples,
    input_scaling_warnings,
    named_samples,
    ranges_without,
)
from litecheck.conversion.record import ConversionRecord
from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.quantizer.npy import read_npz
from tests.conversion.samples import samples as net_samples

STREAMING = Path(__file__).parents[2] / "fixtures" / "convert" / "streaming.tflite"


def seen(*values: list[float]) -> TensorStatistics:
    """Return statistics of a tensor with these values, sample by sample."""
    whole = TensorStatistics()
    for number, one in enumerate(values):
        whole = whole.merge(statistics_of(np.float32(one), number))
    return whole


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (([-1, 1], [0, 1], [-1, 40], [0, 2]), [(2, (-1, 40), (-1, 2))]),
        (([-1, 1], [0, 1], [-9, 40], [0, 2]), [(2, (-9, 40), (-1, 2))]),
        (([-1, 1], [0, 1], [-1, 10], [0, 2]), []),  # 11 is less than four times 3
        (([0, 40], [0, 1], [0, 40], [0, 1]), []),  # two samples reach it
        (([0, 0], [0, 0], [0, 1], [0, 0]), [(2, (0, 1), (0, 0))]),
        (([0, 1], [0, 40], [0, 1]), []),  # of three samples none is unusual
    ],
)
def test_a_sample_that_alone_sets_a_range(values: tuple[list[float], ...], found: list[object]) -> None:
    statistics = CalibrationStatistics({(0, 0): seen(*values)}, len(values), "", "")
    assert [(one.sample, one.extent, one.without) for one in decisive_samples(statistics)] == found


def test_samples_are_named_unless_every_sample_is_unusual() -> None:
    tensors = {(0, n): seen(*([0, 100.0 ** (m == n)] for m in range(5))) for n in range(4)}
    assert [one.sample for one in decisive_samples(CalibrationStatistics(tensors, 5, "", ""))] == [0, 1, 2, 3]
    assert named_samples(CalibrationStatistics(tensors, 5, "", "")) == ()
    del tensors[0, 3]
    assert len(named_samples(CalibrationStatistics(tensors, 5, "", ""))) == 3


def made(folder: Path, images: np.ndarray, **settings: object) -> ConversionRecord:
    np.savez(folder / "x.npz", image=images)
    return convert_model(float_detector(), data=(str(folder / "x.npz"),), device="litecheck", **settings)


def test_warnings_of_a_conversion(tmp_path: Path) -> None:
    (tmp_path / "images.npz").write_bytes(samples())
    images = read_npz(str(tmp_path / "images.npz"), "image")[:6]
    assert made(tmp_path, images, agreement=False).warnings == ()
    spiked = images.copy()
    spiked[4].flat[0] = 500
    (text,) = made(tmp_path, spiked, agreement=False).warnings
    assert "x.npz, sample 4 alone sets" in text
    assert "reaches" in text
    (text,) = made(tmp_path, 0 * images, agreement=False).warnings
    assert text.startswith("input 'image' is 0 in all samples")
    (text,) = made(tmp_path, images, agreement=False, ranges=("image=-300:300",)).warnings
    assert text.startswith(
        "1 range not reached by the samples: 'image' is stored for -298.8..301.2, the samples reach -1..1"
    )


def test_separate_data_are_an_evaluation(tmp_path: Path) -> None:
    (tmp_path / "images.npz").write_bytes(samples())
    images = read_npz(str(tmp_path / "images.npz"), "image")
    np.savez(tmp_path / "far.npz", image=3 * images[:3])
    record = made(tmp_path, images[:4], evaluate=(str(tmp_path / "far.npz"),), min_snr=20.0)
    assert record.agreement is not None
    assert record.evaluation is not None
    assert (record.agreement.samples, record.evaluation.samples) == (4, 3)
    assert record.evaluation.outputs[0].snr < 20 < record.agreement.outputs[0].snr, "other data saturate"
    assert all("on the data of --evaluate" in text for text in record.failed_gates)
    assert record.exit_code == 1


def test_the_number_of_samples_limits_the_calibration_alone(tmp_path: Path) -> None:
    (tmp_path / "images.npz").write_bytes(samples())
    images = read_npz(str(tmp_path / "images.npz"), "image")
    np.savez(tmp_path / "other.npz", image=images[4:12])
    record = made(tmp_path, images, evaluate=(str(tmp_path / "other.npz"),), samples=2)
    assert record.agreement is not None
    assert record.evaluation is not None
    assert (record.agreement.samples, record.evaluation.samples) == (2, 8)


def scaled(kind: str, constant: float, after: str = "") -> Model:
    """Return a model whose first operator scales its input by a constant, or after another operator."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = last = main.tensor("x", (1, 4), "float32")
    if after:
        last = main.tensor("after", (1, 4), "float32")
        main.add(after, [x], [last])
    y = main.tensor("y", (1, 4), "float32")
    main.add(kind, [last, main.constant("constant", np.full(4, constant, np.float32))], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "values", "warned"),
    [
        (scaled("MUL", 1 / 127.5), [0, 1], "MUL #0 by 0.007843"),
        (scaled("MUL", 1 / 255), [-1, 1], "MUL #0 by 0.003922"),
        (scaled("DIV", 255), [0, 1], "DIV #0 by 255"),
        (scaled("SUB", 127.5), [0, 1], "SUB #0 by 127.5"),
        (scaled("MUL", 1 / 127.5), [0, 255], ""),
        (scaled("MUL", 0.5), [0, 1], ""),
        (scaled("SUB", 0.5), [0, 1], ""),
        (scaled("DIV", 0.01), [0, 1], ""),
        (scaled("MUL", 1 / 127.5, after="RELU"), [0, 1], ""),
    ],
)
def test_a_model_that_scales_images_itself_has_samples_of_0_to_255(
    model: Model, values: list[float], warned: str
) -> None:
    found = list(input_scaling_warnings(CalibrationStatistics({(0, 0): seen(values)}, 1, "", ""), model))
    assert len(found) == bool(warned)
    assert all(warned in text and "--preprocessing 1:0" in text for text in found)


def test_ranges_without_a_sample_are_those_that_it_alone_sets() -> None:
    """Sample 2 sets the range of the first tensor, sample 0 that of the second, none that of the third."""
    tensors = {
        (0, 0): seen([-1, 1], [0, 1], [-1, 40], [0, 2]),
        (0, 1): seen([-50, 1], [-1, 1], [-2, 1], [0, 2]),
        (0, 2): seen([-1, 1], [-1, 1], [-1, 1], [-1, 1]),
    }
    statistics = CalibrationStatistics(tensors, 4, "", "")
    assert ranges_without(statistics, 2) == {(0, 0): (-1, 2)}
    assert ranges_without(statistics, 0) == {(0, 1): (-2, 2)}
    assert ranges_without(statistics, 1) == {}


def test_state_without_sequences_is_a_warning_that_sequences_resolve(tmp_path: Path) -> None:
    """Later frames exceed the ranges of first frames: 64 frames in 8 sequences, compared on other sequences."""
    frames = np.stack([one["frame"] for one in net_samples("streaming", 128)]).reshape(16, 8, 1, 1, 8)
    files = {"single": frames[:8].reshape(64, 1, 1, 8), "series": frames[:8], "other": frames[8:]}
    for name, array in files.items():
        np.savez(tmp_path / f"{name}.npz", frame=array)

    def converted(name: str, sequences: bool) -> ConversionRecord:
        data = (str(tmp_path / f"{name}.npz"),)
        return convert_model(STREAMING, data=data, sequences=sequences, device="litecheck", agreement=False)

    single, series = converted("single", False), converted("series", True)
    (warning,) = single.warnings
    assert warning.startswith("the model keeps state between inferences (READ_VARIABLE #3)")
    assert "--sequences" in warning
    assert series.warnings == ()
    assert snr_on(single, tmp_path / "other.npz") + 3 < snr_on(series, tmp_path / "other.npz")


def snr_on(record: ConversionRecord, file: Path) -> float:
    """Return the SNR of the output on sequences of a file."""
    model = load_model(STREAMING)
    data = open_data(file, model, options=DataOptions(sequences=True))
    (output,) = agreement(model, record.conversion.model, {}, data, device="litecheck").outputs
    return output.snr
