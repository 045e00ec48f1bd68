"""Float nets in the form of MobileNetV2, written by hand, with planted channel ranges that exceed per-tensor weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.types import Model

SIZE = 12


def mobile_net(seed: int, activation: str = "RELU", spread: float = 2.0, blocks: int = 4) -> Model:
    """Return inverted bottlenecks: expand, depthwise, project; every second block has a shortcut; then MEAN and a
    classifier.

    Between the layers of a block each channel is multiplied by 10**u, with u uniform in -spread/2..spread/2, and
    divided again. With RELU or without an activation this changes no float output.
    """
    rng = np.random.default_rng(seed)
    main = (builder := ModelBuilder("of MobileNetV2's shape")).subgraph()
    x = main.tensor("image", (1, SIZE, SIZE, 3), "float32")
    main.inputs(x)
    x = _conv(main, "stem", x, _drawn(rng, (8, 3, 3, 3), 27), rng, activation)
    for number in range(blocks):
        x = _block(main, f"block{number}", x, rng, activation, spread)
    axes = main.constant("axes", np.array([1, 2], np.int32))
    pooled = main.tensor("pooled", (1, 8), "float32")
    main.add("MEAN", [x, axes], [pooled])
    logits = main.tensor("logits", (1, 10), "float32")
    weights = [main.constant("head/w", _drawn(rng, (10, 8), 8)), main.constant("head/b", _bias(rng, 10))]
    main.add("FULLY_CONNECTED", [pooled, *weights], [logits])
    main.outputs(logits)
    return builder.finish()


def images(seed: int, count: int = 16) -> CalibrationData:
    """Return images for a seed."""
    rng = np.random.default_rng(seed)
    arrays = rng.normal(0, 1, (count, 1, SIZE, SIZE, 3)).astype(np.float32)
    return CalibrationData(lambda: ((Sample({"image": a}),) for a in arrays), "seeded images", count)


def _block(
    main: SubgraphBuilder, name: str, x: int, rng: np.random.Generator, activation: str, spread: float
) -> int:
    wide = 32
    one, other = (10.0 ** rng.uniform(-spread / 2, spread / 2, wide).astype(np.float32) for _ in range(2))
    expand = _drawn(rng, (wide, 1, 1, 8), 8) * one.reshape(-1, 1, 1, 1)
    y = _conv(main, f"{name}/expand", x, expand, rng, activation, one)
    depth = _drawn(rng, (1, 3, 3, wide), 9) * (other / one)
    y = _conv(main, f"{name}/depthwise", y, depth, rng, activation, other)
    y = _conv(main, f"{name}/project", y, _drawn(rng, (8, 1, 1, wide), wide) / other, rng, "NONE")
    total = main.tensor(name, (1, SIZE, SIZE, 8), "float32")
    main.add("ADD", [x, y], [total], fused_activation_function="NONE")
    return total


def _conv(
    main: SubgraphBuilder,
    name: str,
    x: int,
    kernel: NDArray[np.float32],
    rng: np.random.Generator,
    activation: str,
    scale: NDArray[np.float32] | None = None,
) -> int:
    depthwise = kernel.shape[0] == 1
    channels = kernel.shape[3 if depthwise else 0]
    bias = _bias(rng, channels) * (np.float32(1) if scale is None else scale)
    operands = [x, main.constant(f"{name}/w", kernel.astype(np.float32)), main.constant(f"{name}/b", bias)]
    result = main.tensor(name, (1, SIZE, SIZE, channels), "float32")
    options = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "fused_activation_function": activation}
    if depthwise:
        main.add("DEPTHWISE_CONV_2D", operands, [result], depth_multiplier=1, **options)
    else:
        main.add("CONV_2D", operands, [result], **options)
    return result


def _drawn(rng: np.random.Generator, shape: tuple[int, ...], terms: int) -> NDArray[np.float32]:
    return rng.normal(0, np.sqrt(2 / terms), shape).astype(np.float32)


def _bias(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    return rng.normal(0, 0.2, count).astype(np.float32)
