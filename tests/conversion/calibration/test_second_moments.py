"""Second moments: rows of layers are those that kernels multiply with the weights, and both runtimes give equal sums."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.calibration.calibration_data import open_data
from litecheck.conversion.calibration.dataset import DataOptions
from litecheck.conversion.calibration.second_moments import LayerInput, second_moments
from litecheck.devices.port import Limits
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.conversion.small_models import reals

SAME, VALID = 0, 1


def convolution(padding: str, stride: int, dilation: int, side: tuple[int, int]) -> Model:
    """Return a CONV_2D of a 2 x 3 filter on images of 9 x 8 pixels with 4 channels."""
    graph = (builder := ModelBuilder()).subgraph()
    x, y = graph.tensor("x", (1, 9, 8, 4), "float32"), graph.tensor("y", (1, *side, 5), "float32")
    weight = graph.constant("w", reals(3, 5, 2, 3, 4))
    steps = {
        "stride_h": stride,
        "stride_w": stride,
        "dilation_h_factor": dilation,
        "dilation_w_factor": dilation,
    }
    bias = graph.constant("b", np.zeros(5, np.float32))
    graph.add("CONV_2D", [x, weight, bias], [y], padding=padding, **steps)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("padding", "stride", "dilation", "side"),
    [("SAME", 1, 1, (9, 8)), ("SAME", 2, 1, (5, 4)), ("VALID", 1, 2, (7, 4)), ("VALID", 2, 1, (4, 3))],
)
def test_rows_times_weights_are_the_outputs(
    padding: str, stride: int, dilation: int, side: tuple[int, int]
) -> None:
    model, x = convolution(padding, stride, dilation, side), reals(1, 1, 9, 8, 4)
    layer = LayerInput(
        (0, 0), 24, (2, 3), (stride,) * 2, (dilation,) * 2, SAME if padding == "SAME" else VALID
    )
    (expected,) = ReferenceInterpreter(model).run(model.subgraphs[0], (x,)).values()
    weights = reals(3, 5, 2, 3, 4).reshape(5, 24)
    assert np.allclose(layer.rows(x) @ weights.T, expected.reshape(-1, 5), atol=1e-5)


def test_rows_of_other_layers_are_those_of_the_last_axes() -> None:
    x = reals(1, 2, 3, 8)
    assert np.array_equal(LayerInput((0, 0), 8).rows(x), x.reshape(6, 8))


@pytest.mark.parametrize("device", ["litecheck", pytest.param("litert:xnnpack", marks=pytest.mark.runtime)])
def test_sums_over_all_samples(device: str, tmp_path: Path) -> None:
    """Two layers read x: the first multiplies windows, the second pixels."""
    model, samples = convolution("SAME", 1, 1, (9, 8)), reals(2, 3, 1, 9, 8, 4)
    np.savez(tmp_path / "x.npz", x=samples)
    data = open_data(str(tmp_path / "x.npz"), model, options=DataOptions(None, False, None, ""))
    layers = (LayerInput((0, 0), 24, (2, 3), padding=SAME), LayerInput((0, 0), 4))
    done: list[int] = []
    found = second_moments(model, layers, data, device, done.append, Limits())
    for layer, total in zip(layers, found, strict=True):
        rows = np.concatenate([layer.rows(sample) for sample in samples])
        assert np.allclose(total, rows.T @ rows)
    assert done[-1] == 3
