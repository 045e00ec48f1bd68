"""Nets with simulated quantization, and their int8 forms by TensorFlow: ``python -m tests.conversion.trained_nets``.

Weights of ``trained`` have a range per channel for the convolution and a single range for further layers. All
activations have asymmetric ranges. The float file has pairs of QUANTIZE and DEQUANTIZE; TensorFlow needs no data for
the int8 file.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "convert"


def trained(tf: Any) -> Any:
    """Return a function of an image: convolutions, an addition, pooling, a layer and SOFTMAX, each with its range."""
    rng = np.random.default_rng(5)
    shapes = ((3, 3, 3, 6), (3, 3, 6, 1), (96, 10))
    w1, w2, w3 = (tf.constant(rng.normal(0, 0.3, shape).astype(np.float32)) for shape in shapes)
    b1, b3 = (tf.constant(rng.normal(0, 1, n).astype(np.float32)) for n in (6, 10))
    fake = tf.quantization.fake_quant_with_min_max_args
    largest = np.abs(w1.numpy()).max((0, 1, 2)) * np.float32(0.9)

    def narrow(weights: Any, reach: float) -> Any:
        return fake(weights, -reach, reach, narrow_range=True)

    def run(image: Any) -> Any:
        w = tf.quantization.fake_quant_with_min_max_vars_per_channel(w1, -largest, largest, narrow_range=True)
        x = fake(image, -1.3, 1.0)
        x = fake(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME") + b1), 0.0, 4.1)
        y = fake(tf.nn.depthwise_conv2d(x, narrow(w2, 0.6), [1, 1, 1, 1], "SAME"), -3.3, 2.7)
        x = tf.nn.max_pool2d(fake(x + y, -3.1, 5.3), 2, 2, "VALID")
        x = tf.matmul(tf.reshape(x, (1, 96)), narrow(w3, 0.7)) + b3
        return tf.nn.softmax(fake(x, -9.1, 11.7))

    return tf.function(run).get_concrete_function(tf.TensorSpec((1, 8, 8, 3), name="image"))


def main() -> None:
    """Write both files."""
    import tensorflow as tf

    for name in ("trained", "trained_int8"):
        converter = tf.lite.TFLiteConverter.from_concrete_functions([trained(tf)])
        if name.endswith("int8"):
            converter.optimizations = [tf.lite.Optimize.DEFAULT]
            converter.inference_input_type = converter.inference_output_type = tf.int8
        (FOLDER / f"{name}.tflite").write_bytes(converter.convert())


if __name__ == "__main__":
    main()
