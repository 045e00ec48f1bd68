"""Targets known only from public lists: supported and unsupported operators of each list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from litecheck.finding import REFUSED
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model

Shape = tuple[int, ...]
Q = qparams(0.5)


def single_operator(
    opcode: str,
    shapes: Sequence[Shape],
    result: Shape,
    *,
    dtype: str = "int8",
    scales: tuple[float, float] = (0.5, 0.5),
    steering: Sequence[Any] = (),
    first: bool = False,
    weights: Shape = (),
    **options: Any,
) -> Model:
    """Return an operator of inputs, weights, and index constants; with ``first``, the constants come first."""
    builder = ModelBuilder()
    main = builder.subgraph()
    given = [main.tensor(f"x{n}", s, dtype, qparams(scales[0])) for n, s in enumerate(shapes)]
    more = [main.constant(f"s{n}", np.array(v, np.int32)) for n, v in enumerate(steering)]
    filters = [main.constant("w", np.ones(weights, np.int8), qparams(0.25))] if weights else []
    y = main.tensor("y", result, dtype, qparams(scales[1]))
    operands = [*more, *filters, *given] if first else [*given, *filters, *more]
    main.add(opcode, operands, [y], **options)
    main.inputs(*given)
    main.outputs(y)
    return builder.finish()


def window(opcode: str, kernel: Shape, stride: int = 1, size: int = 18, **more: Any) -> Model:
    """Return a convolution or pooling of 16 channels."""
    options: dict[str, Any] = {"stride_w": stride, "stride_h": stride, "padding": "SAME", **more}
    side = -(-size // stride) if options["padding"] == "SAME" else (size - kernel[0]) // stride + 1
    scales = options.pop("scales", (0.5, 0.5))
    if "POOL" in opcode:
        options |= {"filter_height": kernel[0], "filter_width": kernel[1]}
        return single_operator(opcode, [(1, size, size, 16)], (1, side, side, 16), **options)
    depth = options.pop("depth", 16)
    weights = (1, *kernel, 16) if opcode.startswith("DEPTH") else (16, *kernel, depth)
    shapes = [(1, size, size, depth)]
    return single_operator(opcode, shapes, (1, side, side, 16), weights=weights, scales=scales, **options)


def joined(*depths: int, axis: int = 3, scales: tuple[float, float] = (0.5, 0.5)) -> Model:
    shapes = [(1, 4, 4, d) for d in depths]
    result = (1, 4, 4, sum(depths)) if axis == 3 else (1, 4 * len(depths), 4, depths[0])
    return single_operator("CONCATENATION", shapes, result, axis=axis, scales=scales)


def padded(*margins: Shape) -> Model:
    result = tuple(d + a + b for d, (a, b) in zip((1, 4, 4, 16), margins, strict=True))
    return single_operator("PAD", [(1, 4, 4, 16)], result, steering=[margins])


def alike(opcode: str, shape: Shape = (1, 4, 4, 16), count: int = 1, **more: Any) -> Model:
    return single_operator(opcode, [shape] * count, shape, **more)


def resized(height: int, width: int) -> Model:
    return single_operator(
        "RESIZE_BILINEAR", [(1, 8, 8, 16)], (1, height, width, 16), steering=[(height, width)]
    )


def mean(height: int, width: int, axes: Shape = (1, 2)) -> Model:
    result = tuple(1 if n in axes else d for n, d in enumerate((1, height, width, 7)))
    return single_operator("MEAN", [(1, height, width, 7)], result, steering=[axes], keep_dims=True)


#: (supported model, unsupported model, path of the finding).
ARTPEC: list[tuple[Model, Model, str]] = [
    (alike("ADD", count=2), alike("ADD", count=2, dtype="int16"), "ADD/lhs/dtype"),
    (alike("TANH", scales=(0.5, 1 / 128)), alike("TANH"), "TANH/output/scale"),
    (alike("LOGISTIC", scales=(0.5, 1 / 256)), alike("LOGISTIC"), "LOGISTIC/output/scale"),
    (alike("RELU"), alike("RELU", (2, 4, 4, 16)), "RELU/limits/largest_batch_product"),
    (alike("RELU"), alike("RELU", (1, 1, 4, 4, 16)), "RELU/limits/feature_map_rank"),
    (alike("LEAKY_RELU", alpha=0.25), alike("LEAKY_RELU", alpha=1.0), "LEAKY_RELU/limits/quantized_alpha"),
    (window("CONV_2D", (9, 1)), window("CONV_2D", (4, 4)), "CONV_2D/limits/kernel_h"),
    (window("CONV_2D", (7, 7), 2), window("CONV_2D", (9, 9), 2), "CONV_2D/limits/kernel_h"),
    (window("CONV_2D", (3, 3), 2), window("CONV_2D", (3, 3), 3), "CONV_2D/limits/stride_h"),
    (window("CONV_2D", (3, 3)), window("CONV_2D", (3, 3), stride_w=2), "CONV_2D/limits/stride_w"),
    (
        window("CONV_2D", (3, 3), scales=(1.0, 2.0**-17)),
        window("CONV_2D", (3, 3), scales=(1.0, 2.0**-19)),
        "CONV_2D/limits/accumulator_step",
    ),
    (
        window("DEPTHWISE_CONV_2D", (5, 5), depth_multiplier=1),
        window("DEPTHWISE_CONV_2D", (5, 5), depth=8, depth_multiplier=2),
        "DEPTHWISE_CONV_2D/limits/channel_multiplier",
    ),
    (
        window("AVERAGE_POOL_2D", (3, 3)),
        window("AVERAGE_POOL_2D", (3, 3), padding="VALID"),
        "AVERAGE_POOL_2D/limits/padding",
    ),
    (
        window("AVERAGE_POOL_2D", (7, 7), size=7, padding="VALID"),
        window("AVERAGE_POOL_2D", (7, 7), size=8, padding="VALID"),
        "AVERAGE_POOL_2D/limits/input.height",
    ),
    (
        window("MAX_POOL_2D", (2, 2), 2, padding="VALID"),
        window("MAX_POOL_2D", (2, 2), 2, size=17, padding="VALID"),
        "MAX_POOL_2D/limits/odd_height_width",
    ),
    (
        window("MAX_POOL_2D", (3, 3), 2, size=417),
        window("MAX_POOL_2D", (3, 3), 2, size=419),
        "MAX_POOL_2D/limits/input.width",
    ),
    (joined(16, 32), joined(16, 24), "CONCATENATION/limits/concat_depth_gcd"),
    (joined(8, 8, axis=1), joined(8, 8), "CONCATENATION/limits/concat_depth_gcd"),
    (
        joined(16, 16, scales=(1.0, 1 / 128)),
        joined(16, 16, scales=(1.0, 1 / 129)),
        "CONCATENATION/limits/inverse_scale_ratio",
    ),
    (
        padded((0, 0), (7, 0), (1, 2), (0, 0)),
        padded((0, 0), (8, 0), (1, 2), (0, 0)),
        "PAD/limits/paddings.largest",
    ),
    (
        padded((0, 0), (7, 0), (1, 2), (0, 0)),
        padded((0, 0), (0, 0), (0, 0), (0, 16)),
        "PAD/limits/pads_outside_hw",
    ),
    (resized(16, 15), resized(16, 24), "RESIZE_BILINEAR/limits/not_2x_sides"),
    (mean(7, 7), mean(7, 8), "MEAN/limits/square_side"),
    (mean(8, 8), mean(7, 7, (1, 3)), "MEAN/limits/square_side"),
    (
        single_operator("SPLIT", [(1, 4, 4, 16)], (1, 4, 4, 16), steering=[3], first=True, num_splits=1),
        single_operator("SPLIT", [(1, 4, 4, 8)], (1, 4, 4, 8), steering=[3], first=True, num_splits=1),
        "SPLIT/limits/concat_depth_gcd",
    ),
    (alike("RELU"), alike("SQRT"), "SQRT/unsupported"),
]
VECTORBLOX: list[tuple[Model, Model, str]] = [
    (alike("TANH", dtype="uint8"), alike("TANH", dtype="int16"), "TANH/input/dtype"),
    (alike("NEG", dtype="int32"), alike("NEG"), "NEG/input/dtype"),
    (
        alike("SUB", count=2, fused_activation_function="RELU"),
        alike("SUB", count=2, fused_activation_function="RELU6"),
        "SUB/limits/fused_activation",
    ),
    (
        alike("ADD", count=2, fused_activation_function="RELU6"),
        alike("ADD", count=2, fused_activation_function="TANH"),
        "ADD/limits/fused_activation",
    ),
    (
        single_operator("SUM", [(1, 4, 4, 16)], (1, 4, 4), steering=[-1]),
        single_operator("SUM", [(1, 1, 4, 4, 16)], (1, 4, 4, 16), steering=[0]),
        "SUM/limits/farthest_axis_from_end",
    ),
    (
        single_operator("PACK", [(4, 8), (4, 8)], (2, 4, 8), axis=0, values_count=2),
        single_operator("PACK", [(4, 8), (4, 8)], (4, 8, 2), axis=2, values_count=2),
        "PACK/limits/farthest_axis_from_end",
    ),
    (
        single_operator("ARG_MAX", [(4, 8)], (4,), steering=[1]),
        single_operator("ARG_MAX", [(4, 8)], (8,), steering=[0]),
        "ARG_MAX/limits/farthest_axis_from_end",
    ),
    (
        single_operator("DIV", [(1, 8)], (1, 8), weights=(1, 8)),
        alike("DIV", (1, 8), 2),
        "DIV/limits/rhs.constant",
    ),
    (alike("TANH"), alike("SQRT"), "SQRT/unsupported"),
]


def where(model: Model, target: str) -> tuple[str, set[str]]:
    report, found = place_model(model, load_profile(target))
    return report.operators[0].place, {f.path for f in found}


@pytest.mark.parametrize(("taken", "left", "path"), ARTPEC, ids=lambda v: v if isinstance(v, str) else "")
def test_operators_on_the_dlpu_and_on_the_cpu(taken: Model, left: Model, path: str) -> None:
    assert where(taken, "artpec-9") == ("npu", set())
    place, paths = where(left, "artpec-9")
    assert place == "cpu"
    assert path in paths


@pytest.mark.parametrize(
    ("taken", "refused", "path"), VECTORBLOX, ids=lambda v: v if isinstance(v, str) else ""
)
def test_operators_that_vectorblox_supports_and_rejects(taken: Model, refused: Model, path: str) -> None:
    assert where(taken, "vectorblox") == ("npu", set())
    place, paths = where(refused, "vectorblox")
    assert place == "refused"
    assert path in paths


def test_an_operator_without_an_entry_is_a_violation_where_it_refuses_the_model() -> None:
    _, found = place_model(alike("SQRT"), load_profile("vectorblox"))
    assert [(f.path, f.effect, f.level) for f in found] == [("SQRT/unsupported", REFUSED, "violation")]
