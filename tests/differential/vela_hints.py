"""Hints of targets: for each requirement a model that violates it, and the same model rewritten."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model

Q, P = qparams(0.5), qparams(0.25, 3)


def built(draw: Callable[[SubgraphBuilder], tuple[list[int], list[int]]]) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    inputs, outputs = draw(main)
    main.inputs(*inputs)
    main.outputs(*outputs)
    return builder.finish()


def scalar(opcode: str, rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        shape = (1,) if rewritten else ()
        x, y = (main.tensor(n, shape, "int8", Q) for n in "xy")
        main.add(opcode, [x], [y])
        return [x], [y]

    return built(draw)


def reduced(opcode: str, rewritten: bool) -> Model:
    """Return a reduction of all dimensions."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = main.tensor("x", (1, 3), "int8", Q), main.tensor("y", (1, 1) if rewritten else (), "int8", Q)
        axes = main.constant("a", np.array([0, 1], np.int32))
        main.add(opcode, [x, axes], [y], keep_dims=rewritten)
        return [x], [y]

    return built(draw)


def searched_row(rewritten: bool) -> Model:
    """Return the index of the largest value of a vector."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (10,), "int8", Q)
        if rewritten:
            source = main.tensor("row", (1, 10), "int8", Q)
            main.add("RESHAPE", [x, main.constant("s", np.array([1, 10], np.int32))], [source])
        y = main.tensor("y", (1,) if rewritten else (), "int32")
        axis = main.constant("a", np.array(-1, np.int32))
        main.add("ARG_MAX", [source, axis], [y], output_type="INT32")
        return [x], [y]

    return built(draw)


def reshape(opcode: str, rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 1, 4, 8), "int8", Q)
        if rewritten:
            source = main.tensor("q", (1, 1, 4, 8), "int8", P)
            main.add("QUANTIZE", [x], [source])
        shape = (4, 8) if opcode == "SQUEEZE" else (1, 1, 1, 4, 8)
        y = main.tensor("y", shape, "int8", P)
        wanted = {"RESHAPE": np.array(shape, np.int32), "EXPAND_DIMS": np.array(0, np.int32)}
        more = [main.constant("s", wanted[opcode])] if opcode in wanted else []
        main.add(opcode, [source, *more], [y])
        return [x], [y]

    return built(draw)


def resize(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 3, 3, 8), "int8", Q)
        for side in (12, 48) if rewritten else (48,):
            result = main.tensor(f"y{side}", (1, side, side, 8), "int8", Q)
            size = main.constant(f"s{side}", np.array([side, side], np.int32))
            main.add("RESIZE_NEAREST_NEIGHBOR", [source, size], [result])
            source = result
        return [x], [source]

    return built(draw)


def batch(opcode: str, rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (2, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (2, 8, 8, 8), "int8", Q)
        size = main.constant("size", np.array([8, 8], np.int32))
        if not rewritten:
            main.add(opcode, [x, size], [y])
            return [x], [y]
        parts = [main.tensor(f"p{n}", (1, 4, 4, 8), "int8", Q) for n in range(2)]
        main.add("SPLIT", [main.constant("a", np.array(0, np.int32)), x], parts, num_splits=2)
        results = [main.tensor(f"r{n}", (1, 8, 8, 8), "int8", Q) for n in range(2)]
        for part, result in zip(parts, results, strict=True):
            main.add(opcode, [part, size], [result])
        main.add("CONCATENATION", [unchanged(main, result) for result in results], [y], axis=0)
        return [x], [y]

    return built(draw)


def unchanged(main: SubgraphBuilder, source: int, side: int = 8) -> int:
    """Add a MAX_POOL_2D of one pixel, which leaves its input unchanged, and return its output."""
    result = main.tensor(f"m{source}", (1, side, side, 8), "int8", Q)
    windows = dict.fromkeys(("stride_w", "stride_h", "filter_width", "filter_height"), 1)
    main.add("MAX_POOL_2D", [source], [result], padding="VALID", **windows)
    return result


def joined(opcode: str, axis: int, side: int, option: str, rewritten: bool) -> Model:
    """Return an input resized into a part of a larger tensor."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        resized, beside = (main.tensor(n, (1, side, side, 8), "int8", Q) for n in ("resized", "beside"))
        y = main.tensor(
            "y", tuple(d * (1 + (at == axis)) for at, d in enumerate((1, side, side, 8))), "int8", Q
        )
        size = main.constant("size", np.array([side, side], np.int32))
        main.add(opcode, [x, size], [resized], **({option: True} if option else {}))
        part = unchanged(main, resized, side) if rewritten else resized
        main.add("CONCATENATION", [part, beside], [y], axis=axis)
        return [x, beside], [y]

    return built(draw)


def in_place_depthwise(rewritten: bool) -> Model:
    """Return two filters for each of four channels, concatenated with two further channels."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (1, 4, 4, 4), "int8", Q)
        weight = main.constant("w", np.ones((1, 3, 3, 8), np.int8), Q)
        made = main.tensor("made", (1, 4, 4, 8), "int8", Q)
        sides = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
        main.add("DEPTHWISE_CONV_2D", [x, weight, -1], [made], version=3, depth_multiplier=2, **sides)
        beside, y = main.tensor("beside", (1, 4, 4, 2), "int8", Q), main.tensor("y", (1, 4, 4, 10), "int8", Q)
        main.add("CONCATENATION", [unchanged(main, made, 4) if rewritten else made, beside], [y], axis=3)
        return [x, beside], [y]

    return built(draw)


def extreme(opcode: str, rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        a, b = main.tensor("a", (1, 4, 4, 8), "int8", Q), main.tensor("b", (1, 4, 4, 8), "int8", P)
        y, same = main.tensor("y", (1, 4, 4, 8), "int8", Q), b
        if rewritten:
            same = main.tensor("q", (1, 4, 4, 8), "int8", Q)
            main.add("QUANTIZE", [b], [same])
        main.add(opcode, [a, same], [y])
        return [a, b], [y]

    return built(draw)


def swish(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = (main.tensor(n, (1, 4, 4, 8), "int16", qparams(1 / 256)) for n in "xy")
        inner = [main.tensor(n, (1, 4, 4, 8), "int8", qparams(1 / 16)) for n in "ab"]
        if rewritten:
            main.add("QUANTIZE", [x], [inner[0]])
            main.add("HARD_SWISH", [inner[0]], [inner[1]])
            main.add("QUANTIZE", [inner[1]], [y])
        else:
            main.add("HARD_SWISH", [x], [y])
        return [x], [y]

    return built(draw)


def widened(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (1, 4, 4, 8), "int16", qparams(1 / 256))
        if rewritten:
            source = main.tensor("q", (1, 4, 4, 8), "int16", qparams(1 / 256))
            main.add("QUANTIZE", [x], [source])
        main.add("ABS", [source], [y])
        return [x], [y]

    return built(draw)


def narrowed(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (1, 4, 4, 8), "int16", qparams(1 / 256))
        y = result = main.tensor("y", (1, 4, 4, 8), "int8", qparams(1.0))
        if rewritten:
            result = main.tensor("r", (1, 4, 4, 8), "int16", qparams(1 / 256))
        main.add("LEAKY_RELU", [x], [result], alpha=0.25)
        if rewritten:
            main.add("QUANTIZE", [result], [y])
        return [x], [y]

    return built(draw)


def unscaled(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        stated = (qparams(1.0),) if rewritten else ()
        x, y = (main.tensor(n, (1, 4, 4, 8), "int8", *stated) for n in "xy")
        main.add("MAXIMUM", [x, x], [y])
        return [x], [y]

    return built(draw)


#: Requirement -> function that returns the violating model or the rewritten model.
CASES: dict[str, Callable[[bool], Model]] = {
    "ABS/limits/rank0_inputs": partial(scalar, "ABS"),
    "RELU/limits/rank0_feature_maps": partial(scalar, "RELU"),
    "ARG_MAX/limits/rank0_feature_maps": searched_row,
    **{
        f"{op}/limits/rank0_feature_maps": partial(reduced, op)
        for op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN")
    },
    "MAXIMUM/limits/unquantized_feature_maps": unscaled,
    "RESIZE_NEAREST_NEIGHBOR/limits/resize_factor": resize,
    "HARD_SWISH/limits/input_dtype": swish,
    **{
        f"{op}/limits/io_scale_mismatch": partial(reshape, op) for op in ("RESHAPE", "SQUEEZE", "EXPAND_DIMS")
    },
    **{
        f"{op}/limits/resized_batch": partial(batch, op)
        for op in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR")
    },
    "RESIZE_NEAREST_NEIGHBOR/limits/in_place_resize_batch": partial(
        joined, "RESIZE_NEAREST_NEIGHBOR", 0, 16, ""
    ),
    "RESIZE_BILINEAR/limits/in_place_resize_half_pixel": partial(
        joined, "RESIZE_BILINEAR", 0, 8, "half_pixel_centers"
    ),
    "RESIZE_NEAREST_NEIGHBOR/limits/in_place_resize_align_corners": partial(
        joined, "RESIZE_NEAREST_NEIGHBOR", 3, 7, "align_corners"
    ),
    "DEPTHWISE_CONV_2D/limits/in_place_depthwise": in_place_depthwise,
    **{f"{op}/limits/feature_map_quantizations": partial(extreme, op) for op in ("MAXIMUM", "MINIMUM")},
    "ABS/limits/io_dtype_count": widened,
    "LEAKY_RELU/limits/io_dtype_count": narrowed,
}
