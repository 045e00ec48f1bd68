"""TensorFlow's integer forms of the float nets: ``python -m tests.conversion.quantized_nets int8 separable``.

The module reads the float file in fixtures/convert and the samples of :mod:`tests.conversion.samples`. TensorFlow's
calibrator and then its new quantizer (``NAME_int8.tflite``) or its old quantizer (``NAME_old_int8.tflite``,
``NAME_int16x8.tflite``) make the file. In TensorFlow 2.21, 16-bit activations still use the old quantizer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.quantization import Quantization
from tests.conversion.samples import samples

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "convert"
#: Activations of many ranges instead of a net; the statistics are in the float file.
RANGES = "ranges"
#: Layers of tiny weights with a single scale each instead of a net; large biases raise the scales.
RAISED = "raised"
#: Nets for the test of formulas in all forms.
FORMULAS = ("dead_channels", RANGES)


def bounds() -> list[tuple[float, float]]:
    """Return ranges: empty, tiny, on one side of zero, around the limits of rounding, and random."""
    rng = np.random.default_rng(11)
    fixed = [(0, 0), (5, 5), (-3, -3), (-1, 1), (0, 255), (-128, 127), (1e-7, 3e-7), (-4e-7, 4e-7), (-5e-7, 5e-7),
             (-1e-6, 0), (0, 1e-6), (2, 6), (-6, -2), (-1e4, 1e-3), (0, 1e20), (-1e-20, 1e-20)]  # fmt: skip
    drawn = [sorted(rng.normal(0, 10.0 ** rng.uniform(-4, 4), 2)) for _ in range(44)]
    return [(float(np.float32(low)), float(np.float32(high))) for low, high in fixed + drawn]


def ranges() -> bytes:
    """Return a doubled input for each range, with minimum and maximum as TensorFlow's calibrator states them."""
    builder = ModelBuilder("ranges of activations")
    main = builder.subgraph("main")
    inputs, outputs = [], []
    for n, (low, high) in enumerate(bounds()):
        inputs.append(main.tensor(f"x{n}", (1, 2), "float32", _seen(low, high)))
        outputs.append(main.tensor(f"y{n}", (1, 2), "float32", _seen(2 * low, 2 * high)))
        main.add("ADD", [inputs[-1], inputs[-1]], [outputs[-1]])
    main.inputs(*inputs)
    main.outputs(*outputs)
    builder.signature(
        "serving_default",
        main,
        {f"x{n}": t for n, t in enumerate(inputs)},
        {f"y{n}": t for n, t in enumerate(outputs)},
    )
    return model_bytes(builder.finish())


def raised() -> bytes:
    """Return parallel layers with weights and biases of these magnitudes."""
    reach = [
        (1e-9, 1),
        (1e-7, 1),
        (1e-7, 100),
        (1e-5, 3000),
        (1e-4, 1e6),
        (1, 1e7),
        (1e-10, 0),
        (0.1, 0.1),
        (0, 1),
    ]
    rng = np.random.default_rng(12)
    builder = ModelBuilder("weights under raised scales")
    main = builder.subgraph("main")
    x, outputs = main.tensor("x", (1, 8), "float32"), []
    for n, (weight, bias) in enumerate(reach):
        weights = main.constant(f"w{n}", (weight * rng.uniform(-1, 1, (4, 8))).astype(np.float32))
        biases = main.constant(f"b{n}", (bias * np.array([1, 0.5, -0.2, 0.1])).astype(np.float32))
        outputs.append(main.tensor(f"y{n}", (1, 4), "float32"))
        main.add("FULLY_CONNECTED", [x, weights, biases], [outputs[-1]])
    main.inputs(x)
    main.outputs(*outputs)
    builder.signature("serving_default", main, {"x": x}, {f"y{n}": t for n, t in enumerate(outputs)})
    return model_bytes(builder.finish())


def _seen(low: float, high: float) -> Quantization:
    return Quantization(minimum=np.float32([low]), maximum=np.float32([high]))


def quantized(form: str, name: str) -> bytes:
    """Return a form of a net."""
    import tensorflow as tf
    from tensorflow.lite.python.convert import mlir_quantize
    from tensorflow.lite.python.optimize import calibrator

    stated = (FOLDER / f"{name}.tflite").read_bytes()
    model = calibrator.add_intermediate_tensors(_without_statistics(name))
    feed = _feed(name)
    if form == "int8":
        calibrated = stated if name == RANGES else calibrator.Calibrator(model).calibrate(feed)
        return bytes(
            mlir_quantize(calibrated, name == RAISED, input_data_type=tf.int8, output_data_type=tf.int8)
        )
    wide = form == "int16x8"
    kinds = (tf.int16, tf.int64) if wide else (tf.int8, tf.int32)
    made = calibrator.Calibrator(model).calibrate_and_quantize(feed, kinds[0], kinds[0], True, *kinds)
    return bytes(made)


def _without_statistics(name: str) -> bytes:
    """Return the model without statistics, because the calibrator rejects a calibrated model."""
    model = load_model(FOLDER / f"{name}.tflite")
    if name != RANGES:
        return (FOLDER / f"{name}.tflite").read_bytes()
    graph = model.subgraphs[0]
    tensors = tuple(replace(t, quantization=Quantization()) for t in graph.tensors)
    return model_bytes(replace(model, subgraphs=(replace(graph, tensors=tensors),)))


def _feed(name: str) -> Any:
    """Return the samples for the calibrator, in the order of the model's inputs."""
    model = load_model(FOLDER / f"{name}.tflite")
    aliases = {tensor: alias for alias, tensor in model.signatures[0].inputs}

    def feed() -> Iterator[list[Any]]:
        if name == RANGES:
            yield [np.float32([pair]) for pair in bounds()]
            return
        if name == RAISED:
            yield [np.linspace(-1, 1, 8, dtype=np.float32)[None]]
            return
        for sample in samples(name):
            yield [sample[aliases[tensor]] for tensor in model.subgraphs[0].inputs]

    return feed


if __name__ == "__main__":
    (FOLDER / f"{sys.argv[2]}_{sys.argv[1]}.tflite").write_bytes(quantized(sys.argv[1], sys.argv[2]))
