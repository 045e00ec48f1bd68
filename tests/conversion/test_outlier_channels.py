"""Outlier channels between two layers: rescaled by powers of two if no weight scale grows; float outputs stay equal."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import convert_model, render
from litecheck.arrays import Arrays
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.equalize import layer_pairs
from litecheck.conversion.outlier_channels import outlier_factors, rescale_outliers
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.conversion.mobile_nets import mobile_net
from tests.conversion.test_rerun import with_outlier_channel


def layers(larger: float, smaller: float, beside: float = 1) -> Model:
    """Return two FULLY_CONNECTED: channel 5 has weights and a bias ``larger`` times the usual, read by weights
    ``smaller``.

    The weights of channel 6 are ``beside`` times the usual.
    """
    rng = np.random.default_rng(0)
    first, second = (rng.uniform(0.5, 1, shape) * rng.choice((-1, 1), shape) for shape in ((8, 16), (4, 8)))
    bias = rng.uniform(0.1, 0.2, 8)
    first[0] = np.linspace(-1, 1, 16)  # the largest weight of the median channel is 1
    first[:, 0], second[:, 0] = 1, 1
    first[5] *= larger
    first[6] *= beside
    bias[5] *= larger
    second[:, 5] = second[:, 5].round() / smaller
    main = (builder := ModelBuilder()).subgraph()
    x, h, y = (main.tensor(name, (1, n), "float32") for name, n in (("x", 16), ("h", 8), ("y", 4)))
    for data, weights, added, out, activation in ((x, first, bias, h, 1), (h, second, None, y, 0)):
        operands = [data, main.constant(f"w{out}", weights.astype(np.float32))]
        operands.append(-1 if added is None else main.constant("b", added.astype(np.float32)))
        main.add("FULLY_CONNECTED", operands, [out], fused_activation_function=activation)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


ROWS = np.random.default_rng(1).normal(0, 1, (8, 1, 16)).astype(np.float32)
DATA = CalibrationData(lambda: ((Sample({"x": row}),) for row in ROWS), "rows", 8)


def converted(model: Model, **more: object) -> ConversionRecord:
    return convert_model(model, data=(DATA,), device="litecheck", **more)


def outputs(model: Model, row: np.ndarray) -> Arrays:
    main = model.subgraphs[0]
    tensors = ReferenceInterpreter(model, load_arithmetic("litert-reference")).run(main, (row,))
    return tuple(tensors[i].copy() for i in main.outputs)


@pytest.mark.parametrize(
    ("larger", "smaller", "beside", "factor"),
    [
        (400, 4000, 1, 256), (16, 4000, 1, 16), (15, 4000, 1, 1), (400, 20, 1, 16), (400, 15, 1, 1),
        (1, 4000, 1, 1), (20, 4000, 2, 1), (400, 4000, 12, 32),
    ],
)  # fmt: skip
def test_factors(larger: float, smaller: float, beside: float, factor: float) -> None:
    """The outlier keeps its resolution: it is not divided below the largest of the remaining channels."""
    model = layers(larger, smaller, beside)
    ((first, second),) = layer_pairs(model, model.subgraphs[0])
    wanted = np.ones(8)
    wanted[5] = factor
    assert outlier_factors(first, second).tolist() == wanted.tolist()


def test_the_float_model_computes_the_same_bits() -> None:
    model = layers(400, 4000)
    found = rescale_outliers(model)
    assert found is not None
    assert [pair.rescaled for pair in found.pairs] == ["channel 5 of 8 divided by 256"]
    for row in ROWS:
        before, after = outputs(model, row), outputs(found.model, row)
        assert [one.tobytes() for one in before] == [one.tobytes() for one in after]


def test_other_channels_keep_their_resolution() -> None:
    plain, rescaled = converted(layers(400, 4000), equalize=False), converted(layers(400, 4000))
    snrs = [record.agreement.outputs[0].snr for record in (plain, rescaled) if record.agreement]
    assert snrs[1] > snrs[0] + 20
    assert (plain.pairs, rescaled.verdict) == (None, "conforms")
    assert "channel 5 of 8 divided by 256" in " ".join(render(rescaled).split())


def test_a_depthwise_layer_behind_keeps_its_scale() -> None:
    """The next depthwise layer has a weight scale per channel. This scale would grow under a profile with a single
    scale."""
    assert rescale_outliers(with_outlier_channel(mobile_net(0, blocks=2, spread=0), 5)) is None


@pytest.mark.parametrize(
    ("settings", "rescales"),
    [
        ({}, True), ({"to": "int16x8"}, True), ({"equalize": False}, False), ({"equalize": True}, False),
        ({"to": "dynamic"}, False), ({"generation": "old"}, False), ({"scales_from": "int8.tflite"}, False),
        ({"recipe": "recipe.yaml"}, False),
    ],
)  # fmt: skip
def test_options_that_exclude_rescaling(settings: dict[str, object], rescales: bool) -> None:
    assert ConversionSettings(**settings).rescales is rescales  # type: ignore[arg-type]
