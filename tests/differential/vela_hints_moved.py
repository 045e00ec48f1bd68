"""Hints of targets for operators that move or divide, or are at a model's ends: models and their rewritten form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from litecheck.model.build import SubgraphBuilder, qparams
from litecheck.model.types import Model
from tests.differential.vela_hints import Q, built


def moved(
    main: SubgraphBuilder, opcode: str, source: int, shape: Sequence[int], values: Sequence[int], name: str
) -> int:
    """Add an operator with one constant and return its output of this shape."""
    result = main.tensor(name, tuple(shape), "int8", Q)
    main.add(opcode, [source, main.constant(f"{name}_c", np.array(values, np.int32))], [result])
    return result


def blocks(opcode: str, rewritten: bool) -> Model:
    """Return blocks of 2 x 2 moved to or from the channels."""
    wide, deep = (1, 4, 4, 8), (1, 2, 2, 32)
    into = opcode == "SPACE_TO_DEPTH"

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", wide if into else deep, "int8", Q)
        out = deep if into else wide
        if not rewritten:
            y = main.tensor("y", out, "int8", Q)
            main.add(opcode, [x], [y], block_size=2)
            return [x], [y]
        rows = moved(main, "RESHAPE", x, (2, 2, 2, 16), (2, 2, 2, 16), "rows")
        turned = moved(main, "TRANSPOSE", rows, (2, 2, 2, 16), (0, 2, 1, 3), "turned")
        return [x], [moved(main, "RESHAPE", turned, out, out, "y")]

    return built(draw)


def gathered(rewritten: bool) -> Model:
    """Return rows selected by constant indices."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = main.tensor("x", (1, 4, 4, 8), "int8", Q), main.tensor("y", (1, 3, 4, 8), "int8", Q)
        rows = (2, 0, 2)
        if not rewritten:
            indices = main.constant("i", np.array(rows, np.int32))
            main.add("GATHER", [x, indices], [y], axis=1)
            return [x], [y]
        parts = []
        for n, row in enumerate(rows):
            parts.append(main.tensor(f"p{n}", (1, 1, 4, 8), "int8", Q))
            begin = main.constant(f"b{n}", np.array((0, row, 0, 0), np.int32))
            size = main.constant(f"s{n}", np.array((1, 1, 4, 8), np.int32))
            main.add("SLICE", [x, begin, size], [parts[-1]])
        main.add("CONCATENATION", parts, [y], axis=1)
        return [x], [y]

    return built(draw)


def reversed_rows(rewritten: bool) -> Model:
    """Return an input with its rows reversed."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = (main.tensor(n, (1, 4, 4, 8), "int8", Q) for n in "xy")
        axis = main.constant("a", np.array(1 if rewritten else [1], np.int32))
        if not rewritten:
            main.add("REVERSE_V2", [x, axis], [y])
            return [x], [y]
        rows = [main.tensor(f"r{n}", (1, 1, 4, 8), "int8", Q) for n in range(4)]
        main.add("SPLIT", [axis, x], rows, num_splits=4)
        main.add("CONCATENATION", rows[::-1], [y], axis=1)
        return [x], [y]

    return built(draw)


def searched(rewritten: bool) -> Model:
    """Return the index of the largest value of each column."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = source = main.tensor("x", (1, 4, 3, 8), "int8", Q)
        y = main.tensor("y", (1, 3, 8), "int32")
        if rewritten:
            source = moved(main, "TRANSPOSE", x, (1, 3, 8, 4), (0, 2, 3, 1), "turned")
        axis = main.constant("a", np.array(3 if rewritten else 1, np.int32))
        main.add("ARG_MAX", [source, axis], [y], output_type="INT32")
        return [x], [y]

    return built(draw)


def divided(rewritten: bool) -> Model:
    """Return a division by a constant, 0.5; every second quotient is between two steps."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (1, 4, 4, 8), "int8", qparams(2.0))
        c = main.constant("c", np.array([64], np.int8), qparams(1 / 32 if rewritten else 1 / 128))
        main.add("MUL" if rewritten else "DIV", [x, c], [y])
        return [x], [y]

    return built(draw)


def ended(rewritten: bool) -> Model:
    """Return a model with a float output, or with the integer output before DEQUANTIZE."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x, y = (
            main.tensor("x", (1, 4, 4, 8), "int8", Q),
            main.tensor("y", (1, 4, 4, 8), "int8", qparams(1 / 128)),
        )
        main.add("TANH", [x], [y])
        if rewritten:
            return [x], [y]
        z = main.tensor("z", (1, 4, 4, 8), "float32")
        main.add("DEQUANTIZE", [y], [z])
        return [x], [z]

    return built(draw)


def begun(rewritten: bool) -> Model:
    """Return a model with a float input, or with the integer input after QUANTIZE."""

    def draw(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        x = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (1, 4, 4, 8), "int8", qparams(1 / 128))
        main.add("TANH", [x], [y])
        return [x], [y]

    def drawn(main: SubgraphBuilder) -> tuple[list[int], list[int]]:
        z = main.tensor("z", (1, 4, 4, 8), "float32")
        x = main.tensor("x", (1, 4, 4, 8), "int8", Q)
        y = main.tensor("y", (1, 4, 4, 8), "int8", qparams(1 / 128))
        main.add("QUANTIZE", [z], [x])
        main.add("TANH", [x], [y])
        return [z], [y]

    return built(draw if rewritten else drawn)


#: Requirement -> function that returns the violating model or the rewritten model.
MOVED: dict[str, Callable[[bool], Model]] = {
    "SPACE_TO_DEPTH/unsupported": partial(blocks, "SPACE_TO_DEPTH"),
    "DEPTH_TO_SPACE/unsupported": partial(blocks, "DEPTH_TO_SPACE"),
    "GATHER/unsupported": gathered,
    "GATHER/limits/batch_axis_mismatch": gathered,
    "REVERSE_V2/limits/reversed_axes": reversed_rows,
    "ARG_MAX/limits/axis_from_end": searched,
    "DIV/unsupported": divided,
    "DEQUANTIZE/unsupported": ended,
    "QUANTIZE/input/dtype": begun,
}
