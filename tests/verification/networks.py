"""Small int8 models with enough in them to be verified: branches, constants, a variable, a called subgraph."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model


def convolutional() -> Model:
    """Return CONV_2D, DEPTHWISE_CONV_2D, ADD of both, AVERAGE_POOL_2D, RESHAPE, FULLY_CONNECTED and SOFTMAX."""
    rng = np.random.default_rng(1)
    builder = ModelBuilder("a small network")
    main = builder.subgraph()
    x = main.tensor("image", (1, 8, 8, 3), "int8", qparams(0.05, -3))
    a = _conv(main, rng, "stem", x, (1, 8, 8, 8), 3)
    b = main.tensor("depthwise", (1, 8, 8, 8), "int8", qparams(0.04, 2))
    kernel = rng.integers(-127, 128, (1, 3, 3, 8)).astype(np.int8)
    scales = rng.uniform(0.002, 0.01, 8)
    w = main.constant("depthwise/kernel", kernel, qparams(scales, 0, 3))
    bias = main.constant(
        "depthwise/bias", rng.integers(-500, 500, 8).astype(np.int32), qparams(scales * 0.06)
    )
    main.add(
        "DEPTHWISE_CONV_2D", [a, w, bias], [b], padding="SAME", stride_h=1, stride_w=1, depth_multiplier=1
    )
    c = main.tensor("sum", (1, 8, 8, 8), "int8", qparams(0.07, 1))
    main.add("ADD", [a, b], [c], fused_activation_function="RELU")
    d = main.tensor("pooled", (1, 4, 4, 8), "int8", qparams(0.07, 1))
    main.add(
        "AVERAGE_POOL_2D", [c], [d], padding="VALID", stride_h=2, stride_w=2, filter_height=2, filter_width=2
    )
    shape = main.constant("shape", np.array([1, 128], np.int32))
    e = main.tensor("flat", (1, 128), "int8", qparams(0.07, 1))
    main.add("RESHAPE", [d, shape], [e])
    f = main.tensor("logits", (1, 10), "int8", qparams(0.2, -5))
    dense = main.constant("dense", rng.integers(-127, 128, (10, 128)).astype(np.int8), qparams(0.004))
    offset = main.constant("offset", rng.integers(-900, 900, 10).astype(np.int32), qparams(0.07 * 0.004))
    main.add("FULLY_CONNECTED", [e, dense, offset], [f])
    y = main.tensor("scores", (1, 10), "int8", qparams(1 / 256, -128))
    main.add("SOFTMAX", [f], [y], beta=1.0)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def _conv(
    main: SubgraphBuilder, rng: np.random.Generator, name: str, x: int, shape: tuple[int, ...], depth: int
) -> int:
    channels = shape[-1]
    scales = rng.uniform(0.002, 0.01, channels)
    kernel = rng.integers(-127, 128, (channels, 3, 3, depth)).astype(np.int8)
    w = main.constant(f"{name}/kernel", kernel, qparams(scales))
    bias = rng.integers(-2000, 2000, channels).astype(np.int32)
    b = main.constant(f"{name}/bias", bias, qparams(scales * np.float32(0.05)))
    y = main.tensor(name, shape, "int8", qparams(0.06, -1))
    main.add("CONV_2D", [x, w, b], [y], padding="SAME", stride_h=1, stride_w=1)
    return y


def remembering() -> Model:
    """Return an SVDF with a variable tensor and a LOGISTIC."""
    rng = np.random.default_rng(2)
    builder = ModelBuilder("a network with a memory")
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "int8", qparams(0.05, 0))
    feature = main.constant("feature", rng.integers(-127, 128, (6, 4)).astype(np.int8), qparams(0.01))
    time = main.constant("time", rng.integers(-500, 500, (6, 5)).astype(np.int16), qparams(0.001))
    bias = main.constant("bias", np.zeros(6, np.int32), qparams(0.05 * 0.01))
    state = main.tensor("state", (1, 30), "int16", qparams(0.002, 0), is_variable=True)
    y = main.tensor("y", (1, 6), "int8", qparams(0.03, 4))
    main.add("SVDF", [x, feature, time, bias, state], [y], rank=1, fused_activation_function="RELU")
    z = main.tensor("z", (1, 6), "int8", qparams(1 / 256, -128))
    main.add("LOGISTIC", [y], [z])
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


def branching() -> Model:
    """Return an IF with two subgraphs, called by a subgraph that is not the last."""
    builder = ModelBuilder("a network with a choice")
    main = builder.subgraph()
    q = qparams(0.1, 3)
    c = main.tensor("condition", (), "bool")
    x = main.tensor("x", (2, 3), "int8", q)
    y = main.tensor("y", (2, 3), "int8", q)
    z = main.tensor("z", (2, 3), "int8", q)
    main.add("RELU", [x], [y])
    main.add("IF", [c, y], [z], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(c, x)
    main.outputs(z)
    for name, opcode in (("then", "LOGISTIC"), ("else", "RELU6")):
        branch = builder.subgraph(name)
        a = branch.tensor("a", (2, 3), "int8", q)
        b = branch.tensor("b", (2, 3), "int8", qparams(1 / 256, -128) if opcode == "LOGISTIC" else q)
        branch.add(opcode, [a], [b])
        branch.inputs(a)
        branch.outputs(b)
    return builder.finish()


def saturating(bias: int) -> Model:
    """Return a FULLY_CONNECTED of 4 inputs with zero point 3; a bias above 100,000 saturates every output."""
    builder = ModelBuilder("a network at the limits of int8")
    main = builder.subgraph()
    x = main.tensor("x", (1, 4), "int8", qparams(0.05, 3))
    weight = main.constant("weight", np.eye(4, dtype=np.int8) * np.int8(100), qparams(0.01))
    offset = main.constant("bias", np.full(4, bias, np.int32), qparams(0.05 * 0.01))
    y = main.tensor("y", (1, 4), "int8", qparams(0.06, 0))
    main.add("FULLY_CONNECTED", [x, weight, offset], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()
