"""What a profile hints at, tried on its compiler: a model with the finding, and the same rewritten as the hint says."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from litecheck.checks.placement import placement
from litecheck.data import rules_dir
from litecheck.devices.vela import Vela
from litecheck.model.build import ModelBuilder, SubgraphBuilder, quantized
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.profile.yaml_reader import entries, read_yaml

pytestmark = pytest.mark.slow
pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")

Q, P = quantized(0.5), quantized(0.25, 3)


def built(draw: Callable[[SubgraphBuilder], tuple[list[int], list[int]]]) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    inputs, outputs = draw(main)
    main.inputs(*inputs)
    main.outputs(*outputs)
    return builder.finish()


def scalar(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        shape = (1,) if rewritten else ()
        x, y = (main.tensor(n, shape, "int8", Q) for n in "xy")
        main.add("ABS", [x], [y])
        return [x], [y]

    return built(draw)


def reshape(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        if rewritten:
            source = main.tensor("q", (1, 4, 4, 8), "int8", P)
            main.add("QUANTIZE", [x], [source])
        y = main.tensor("y", (1, 128), "int8", P)
        main.add("RESHAPE", [source, main.constant("s", np.array([1, 128], np.int32))], [y])
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


def batch(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (2, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (2, 8, 8, 8), "int8", Q)
        size = main.constant("size", np.array([8, 8], np.int32))
        if not rewritten:
            main.add("RESIZE_BILINEAR", [x, size], [y])
            return [x], [y]
        parts = [main.tensor(f"p{n}", (1, 4, 4, 8), "int8", Q) for n in range(2)]
        main.add("SPLIT", [main.constant("a", np.array(0, np.int32)), x], parts, num_splits=2)
        results = [main.tensor(f"r{n}", (1, 8, 8, 8), "int8", Q) for n in range(2)]
        for part, result in zip(parts, results, strict=True):
            main.add("RESIZE_BILINEAR", [part, size], [result])
        main.add("CONCATENATION", results, [y], axis=0)
        return [x], [y]

    return built(draw)


def largest(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        a, b = main.tensor("a", (1, 4, 4, 8), "int8", Q), main.tensor("b", (1, 4, 4, 8), "int8", P)
        y, same = main.tensor("y", (1, 4, 4, 8), "int8", Q), b
        if rewritten:
            same = main.tensor("q", (1, 4, 4, 8), "int8", Q)
            main.add("QUANTIZE", [b], [same])
        main.add("MAXIMUM", [a, same], [y])
        return [a, b], [y]

    return built(draw)


def stride(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 17, 17, 8), "int8", Q)
        if rewritten:
            source = main.tensor("p", (1, 21, 21, 8), "int8", Q)
            margins = np.array([[0, 0], [2, 2], [2, 2], [0, 0]], np.int32)
            main.add("PAD", [x, main.constant("m", margins)], [source])
        w = main.constant("w", np.ones((8, 5, 5, 8), np.int8), quantized(0.25))
        b = main.constant("b", np.zeros(8, np.int32), quantized(0.125))
        y = main.tensor("y", (1, 5, 5, 8), "int8", quantized(4.0))
        padding = "VALID" if rewritten else "SAME"
        main.add("CONV_2D", [source, w, b], [y], padding=padding, stride_w=4, stride_h=4)
        return [x], [y]

    return built(draw)


def swish(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = (main.tensor(n, (1, 4, 4, 8), "int16", quantized(1 / 256)) for n in "xy")
        inner = [main.tensor(n, (1, 4, 4, 8), "int8", quantized(1 / 16)) for n in "ab"]
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
        x = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        y = result = main.tensor("y", (1, 4, 4, 8), "int16", quantized(1 / 256))
        if rewritten:
            result = main.tensor("r", (1, 4, 4, 8), "int8", Q)
        main.add("ABS", [x], [result])
        if rewritten:
            main.add("QUANTIZE", [result], [y])
        return [x], [y]

    return built(draw)


def unscaled(rewritten: bool) -> Model:
    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        stated = (quantized(1.0),) if rewritten else ()
        x, y = (main.tensor(n, (1, 4, 4, 8), "int8", *stated) for n in "xy")
        main.add("MAXIMUM", [x, x], [y])
        return [x], [y]

    return built(draw)


#: A model for each hint: the requirement it does not keep, and what draws it.
CASES = {
    "ABS/limits/scalar_maps": scalar,
    "RESHAPE/limits/requantized_result": reshape,
    "RESIZE_NEAREST_NEIGHBOR/limits/resize_factor": resize,
    "RESIZE_BILINEAR/limits/resized_batch": batch,
    "MAXIMUM/limits/map_quantizations": largest,
    "CONV_2D/limits/padded_stride": stride,
    "HARD_SWISH/limits/input_type": swish,
    "ABS/limits/map_types": widened,
    "MAXIMUM/limits/unquantized_maps": unscaled,
}
if __name__ == "__main__":
    for t in ("ethos-u55", "ethos-u65", "ethos-u85"):
        with Vela(t) as v:
            for path, draw in CASES.items():
                for flag in (False, True):
                    m = draw(flag)
                    r, f = placement(m, load_profile(t))
                    c = v.compile(m)
                    print(t, path, flag, c.fates, [o.place for o in r.operators], {x.path for x in f}, c.said[:150] if flag else "")
