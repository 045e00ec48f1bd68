"""The float nets in fixtures/convert and TensorFlow's int8 files of them: ``python -m tests.conversion.nets``.

The module needs tensorflow 2.21 and tf-keras in addition to litecheck; the tests need neither. Each net has weights
from a seed and becomes the float32 file ``NAME.tflite``. :mod:`tests.conversion.quantized_nets` makes the quantized
files from it. A net that TensorFlow cannot quantize is reported and skipped. Names as arguments select nets.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import numpy as np

from tests.conversion.quantized_nets import FOLDER, FORMULAS, RAISED, RANGES, raised, ranges
from tests.conversion.samples import NETS

Built = Callable[[Any, Any], Any]


def separable(keras: Any, x: Any) -> Any:
    """Return depthwise separable convolutions with RELU6, pooled into a softmax."""
    layers = keras.layers
    x = layers.Conv2D(8, 3, strides=2, padding="same", use_bias=False)(x)
    x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    for filters, stride in ((12, 1), (16, 2)):
        x = layers.DepthwiseConv2D(3, strides=stride, padding="same", use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
        x = layers.Conv2D(filters, 1, use_bias=False)(x)
        x = layers.ReLU(6.0)(layers.BatchNormalization()(x))
    return layers.Dense(5, activation="softmax")(layers.GlobalAveragePooling2D()(x))


def residual(keras: Any, x: Any) -> Any:
    """Return three convolutions with a shortcut around two of them, and a shortcut around a pooling."""
    layers = keras.layers
    x = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    y = layers.Conv2D(8, 3, padding="same", activation="relu")(x)
    x = layers.ReLU()(layers.Add()([x, layers.Conv2D(8, 3, padding="same")(y)]))
    y = layers.MaxPooling2D()(x)
    x = layers.ReLU()(layers.Add()([y, layers.Conv2D(8, 1, strides=2)(x)]))
    return layers.Dense(4)(layers.Flatten()(layers.AveragePooling2D(3)(x)))


def transpose_conv(keras: Any, x: Any) -> Any:
    """Return a downsampling, an upsampling, and a concatenation with the earlier tensor."""
    layers = keras.layers
    skip = layers.Conv2D(6, 3, padding="same", activation="relu")(x)
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(skip)
    x = layers.Conv2DTranspose(6, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Concatenate()([x, skip])
    x = layers.UpSampling2D(2, interpolation="bilinear")(x)
    return layers.Conv2D(1, 1, activation="sigmoid")(x)


def attention(keras: Any, x: Any) -> Any:
    """Return a transformer block: attention with a single head, layer normalization, and a feed-forward network with
    GELU."""
    layers, ops = keras.layers, keras.ops
    q, k, v = (layers.Dense(16)(x) for _ in range(3))
    scores = ops.matmul(q, ops.transpose(k, (0, 2, 1))) * 0.25
    x = layers.LayerNormalization()(x + layers.Dense(16)(ops.matmul(ops.softmax(scores), v)))
    y = layers.Dense(16)(layers.Dense(32, activation="gelu")(x))
    return layers.LayerNormalization()(x + y)


def detection(keras: Any, x: Any) -> Any:
    """Return a CONCATENATION of boxes in hundreds of pixels and scores between 0 and 1, as detectors export them."""
    layers, ops = keras.layers, keras.ops
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2D(12, 3, strides=2, padding="same", activation="relu")(x)
    boxes = layers.Reshape((16, 4))(layers.Conv2D(4, 1)(x))
    boxes = ops.concatenate([boxes[..., :2] * 40.0 + 160.0, ops.exp(boxes[..., 2:] * 0.2) * 60.0], axis=-1)
    scores = layers.Activation("sigmoid")(layers.Reshape((16, 3))(layers.Conv2D(3, 1)(x)))
    return layers.Concatenate()([boxes, scores])


def mixed_concat(keras: Any, x: Any) -> Any:
    """Return a concatenation of four different ranges: fixed, clipped and free ranges."""
    layers = keras.layers
    x = layers.Conv2D(6, 3, padding="same")(x)
    parts = [
        layers.Activation("tanh")(x),
        layers.Activation("sigmoid")(x),
        layers.ReLU(6.0)(layers.Conv2D(4, 1)(x)),
        layers.Conv2D(4, 1)(x) * 12.0,
    ]
    return layers.Conv2D(4, 1)(layers.Concatenate()(parts))


def lstm_unrolled(keras: Any, x: Any) -> Any:
    """Return an LSTM as single operators, step by step."""
    return keras.layers.Dense(3)(keras.layers.LSTM(8, unroll=True)(x))


def lstm_while(keras: Any, x: Any) -> Any:
    """Return an LSTM as a WHILE loop over its steps."""
    return keras.layers.Dense(3)(keras.layers.LSTM(8)(x))


def lstm_fused(keras: Any, x: Any) -> Any:
    """Return an LSTM as a UNIDIRECTIONAL_SEQUENCE_LSTM, which only the old Keras (tf-keras) makes."""
    x = keras.layers.LSTM(8, return_sequences=True)(x)
    return keras.layers.Dense(3)(keras.layers.Flatten()(x))


def dead_channels(keras: Any, x: Any) -> Any:
    """Return convolutions with channels of zeros and of tiny values, with biases that need raised weight scales."""
    layers = keras.layers
    x = layers.Conv2D(24, 3, padding="same", activation="relu")(x)
    x = layers.DepthwiseConv2D(3, padding="same")(x)
    return layers.Dense(8)(layers.Dense(8)(layers.Flatten()(layers.Conv2D(4, 1)(x))))


KERAS: dict[str, Built] = {
    f.__name__: f
    for f in (
        separable, residual, transpose_conv, attention, detection, mixed_concat, lstm_unrolled, lstm_while,
        lstm_fused, dead_channels,
    )
}  # fmt: skip


def gather_select(tf: Any) -> tuple[Any, Any]:
    """Return rows selected by index, compared, and an elementwise selection of two."""
    rng = np.random.default_rng(1)
    other = rng.normal(0, 0.4, (4, 8)).astype(np.float32)

    def run(table: Any, index: Any) -> Any:
        rows = tf.gather(table[0], index[0], axis=0)
        picked = tf.where(rows > 0.1, rows * 3.0, other)
        lowest = tf.minimum(picked, tf.reverse(rows, axis=[0]))
        return tf.stack([tf.maximum(lowest, -0.5), tf.gather(picked, [3, 0, 0, 1])], axis=1)

    return run, None


def comparison(tf: Any) -> tuple[Any, Any]:
    """Return every comparison, selections by them, and the largest value of a row."""

    def run(left: Any, right: Any) -> Any:
        inside = tf.logical_and(left < right, left * 2.0 >= right - 1.5)
        outside = tf.logical_or(left > right + 1.0, tf.logical_not(inside))
        chosen = tf.where(inside, left + right, tf.where(outside, left - right, tf.zeros_like(left)))
        best = tf.argmax(chosen, axis=-1, output_type=tf.int32)
        return {"chosen": chosen, "best": best, "top": tf.reduce_max(chosen, axis=-1)}

    return run, None


def streaming(tf: Any) -> tuple[Any, Any]:
    """Return a net that reads a frame at a time and keeps the last three in a variable."""
    rng = np.random.default_rng(2)
    kernel = rng.normal(0, 0.3, (32, 5)).astype(np.float32)
    bias = rng.normal(0, 0.1, 5).astype(np.float32)
    module = tf.Module()
    module.past = tf.Variable(tf.zeros((1, 3, 8)), trainable=False)

    def run(frame: Any) -> Any:
        window = tf.concat([module.past.read_value(), frame * 2.0], axis=1)
        module.past.assign(window[:, 1:])
        return tf.nn.relu(tf.matmul(tf.reshape(window, (1, 32)), kernel) + bias)

    return run, module


def branches(tf: Any) -> tuple[Any, Any]:
    """Return an IF on the sum of the input, and a WHILE that halves the result until it is small."""
    rng = np.random.default_rng(3)
    wide, narrow = (rng.normal(0, 0.5, (8, 8)).astype(np.float32) for _ in range(2))

    def run(signal: Any) -> Any:
        chosen = tf.cond(
            tf.reduce_sum(signal) > 0,
            lambda: tf.nn.relu(tf.matmul(signal, wide)),
            lambda: tf.tanh(tf.matmul(signal, narrow)) * 2.0,
        )
        (halved,) = tf.while_loop(
            lambda x: tf.reduce_max(tf.abs(x)) > 0.5,
            lambda x: (x * 0.5,),
            (chosen,),
        )
        return halved + signal

    return run, None


FUNCTIONS: dict[str, Callable[[Any], tuple[Any, Any]]] = {
    f.__name__: f for f in (gather_select, comparison, streaming, branches)
}


def float_model(name: str) -> bytes:
    """Return a net as a float32 .tflite from TensorFlow's converter, with a signature that has the inputs' aliases."""
    import tensorflow as tf

    if name in KERAS:
        return bytes(tf.lite.TFLiteConverter.from_keras_model(_keras_model(name)).convert())
    module = tf.Module()
    run, module.held = FUNCTIONS[name](tf)
    module.run = tf.function(run)
    specs = [tf.TensorSpec(i.shape, i.dtype, name=alias) for alias, i in NETS[name].items()]
    with TemporaryDirectory() as folder:
        tf.saved_model.save(module, folder, module.run.get_concrete_function(*specs))
        return bytes(tf.lite.TFLiteConverter.from_saved_model(folder).convert())


def _keras_model(name: str) -> Any:
    if name == "lstm_fused":
        import tf_keras as keras
    else:
        import keras
    ((alias, spec),) = NETS[name].items()
    x = keras.Input(spec.shape[1:], batch_size=1, name=alias)
    model = keras.Model(x, KERAS[name](keras, x))
    rng = np.random.default_rng(crc32(name.encode()))
    model.set_weights(
        [_weights(rng, w.path if hasattr(w, "path") else w.name, w.shape, name) for w in model.weights]
    )
    return model


def _weights(rng: Any, path: str, shape: Any, name: str) -> Any:
    """Return seeded weights with channels of different ranges, as after training; variances are positive."""
    shape = tuple(shape)
    if "variance" in path or "gamma" in path:
        return rng.uniform(0.3, 2.0, shape).astype(np.float32)
    if len(shape) < 2:
        return rng.normal(0, 0.2, shape).astype(np.float32)
    fan = int(np.prod(shape[:-1])) if "depthwise" not in path else 9
    values = rng.normal(0, 1.2 / np.sqrt(fan), shape)
    channels = rng.uniform(0.5, 2.0, shape[-2:] if "depthwise" in path else shape[-1:])
    if "depthwise" in path:
        channels = channels.reshape(*shape[-2:])
    if name == "dead_channels" and len(shape) == 4:
        small = 10.0 ** rng.uniform(-14, 0, channels.shape)
        small.reshape(-1)[::4] = 1
        small.reshape(-1)[3] = 0
        channels = channels * small
    return (values * channels).astype(np.float32)


def main(names: list[str]) -> None:
    """Write the files of the named nets, by default of all.

    The integer forms are made in separate processes, because TensorFlow may crash.
    """
    FOLDER.mkdir(exist_ok=True)
    for name in names or [*NETS, RANGES, RAISED]:
        build = {RANGES: ranges, RAISED: raised}.get(name)
        (FOLDER / f"{name}.tflite").write_bytes(build() if build else float_model(name))
    for name in names or [*NETS, RANGES, RAISED]:
        for form in ("int8", "old_int8", "int16x8") if name in FORMULAS else ("int8",):
            command = [sys.executable, "-m", "tests.conversion.quantized_nets", form, name]
            environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
            last = done.stderr.strip().splitlines()[-1:] if done.returncode > 0 else []
            print(name, form, *last, f"(exit status {done.returncode})", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
