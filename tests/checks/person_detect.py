"""A model with a peculiarity of TFLM's person_detect: biases of depthwise layers quantized along dimension 3."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model

DEPTHWISE = 14
_CHANNELS = 8


def person_detect(bias_axis: int = 3) -> Model:
    """Return a model of fourteen depthwise and pointwise layers on a grayscale image, a mean and a SOFTMAX of
    two classes."""
    rng = np.random.default_rng(7)
    builder = ModelBuilder("person detection in small")
    graph = builder.subgraph("main")

    def layer(
        opcode: str, x: int, n: int, shape: tuple[int, ...], made: tuple[int, ...], axis: int, **options
    ) -> int:
        scales = 0.004 + 0.001 * rng.random(made[-1])
        w = graph.constant(f"w{n}", rng.integers(-127, 128, shape).astype(np.int8), qparams(scales, 0, axis))
        steps = (np.float32(0.05) * scales.astype(np.float32)).astype(np.float32)
        b = graph.constant(
            f"b{n}", rng.integers(-3000, 3000, made[-1]).astype(np.int32),
            qparams(steps, 0, bias_axis if axis == 3 else 0),
        )  # fmt: skip
        y = graph.tensor(f"y{n}", made, "int8", qparams(0.05, -128))
        graph.add(opcode, [x, w, b], [y], version=3, padding="SAME", fused_activation_function="RELU6",
                  dilation_w_factor=1, dilation_h_factor=1, **options)  # fmt: skip
        return y

    image = x = graph.tensor("image", (1, 24, 24, 1), "int8", qparams(0.05, 0))
    size, depth, n = 24, 1, 0
    for number in range(DEPTHWISE):
        stride = 2 if number in (0, 4) else 1
        size //= stride
        x = layer("DEPTHWISE_CONV_2D", x, n, (1, 3, 3, _CHANNELS), (1, size, size, _CHANNELS), 3,
                  stride_w=stride, stride_h=stride, depth_multiplier=_CHANNELS // depth)  # fmt: skip
        depth = _CHANNELS
        x = layer(
            "CONV_2D", x, n + 1, (depth, 1, 1, depth), (1, size, size, depth), 0, stride_w=1, stride_h=1
        )
        n += 2
    pooled = graph.tensor("pooled", (1, 1, 1, depth), "int8", qparams(0.05, -128))
    graph.add("AVERAGE_POOL_2D", [x], [pooled], padding="VALID", stride_w=size, stride_h=size, filter_width=size,
              filter_height=size)  # fmt: skip
    logits = layer("CONV_2D", pooled, n, (2, 1, 1, depth), (1, 1, 1, 2), 0, stride_w=1, stride_h=1)
    flat = graph.tensor("flat", (1, 2), "int8", qparams(0.05, -128))
    graph.add("RESHAPE", [logits, graph.constant("shape", np.int32([1, 2]))], [flat], new_shape=[1, 2])
    score = graph.tensor("score", (1, 2), "int8", qparams(1 / 256, -128))
    graph.add("SOFTMAX", [flat], [score], beta=1.0)
    graph.inputs(image)
    graph.outputs(score)
    return builder.finish()
