"""Multiply-accumulates and peak activation memory, computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.targets.cost import count_macs, peak_live_bytes

Shape = tuple[int, ...]


def macs(opcode: str, inputs: list[Shape | None], output: Shape, **options: Any) -> int:
    """Count the operations of an operator; None is an absent input."""
    builder = ModelBuilder()
    main = builder.subgraph()
    q = qparams(0.5)
    found = [
        -1 if shape is None else main.tensor(f"t{n}", shape, "int8", q) for n, shape in enumerate(inputs)
    ]
    main.add(opcode, found, [main.tensor("y", output, "int8", q)], **options)
    subgraph = builder.finish().subgraphs[0]
    return count_macs(subgraph, subgraph.operators[0])


@pytest.mark.parametrize(
    ("opcode", "inputs", "output", "options", "count"),
    [
        ("CONV_2D", [(1, 4, 4, 2), (8, 3, 3, 2)], (1, 4, 4, 8), {}, 128 * 18),
        ("CONV_2D", [(1, 4, 4, 4), (8, 3, 3, 2)], (1, 4, 4, 8), {}, 128 * 18),  # two groups
        ("DEPTHWISE_CONV_2D", [(1, 4, 4, 8), (1, 3, 3, 8)], (1, 2, 2, 8), {}, 32 * 9),
        ("TRANSPOSE_CONV", [(4,), (8, 3, 3, 2), (1, 4, 4, 2)], (1, 8, 8, 8), {}, 32 * 8 * 9),
        ("FULLY_CONNECTED", [(2, 35), (9, 35)], (2, 9), {}, 18 * 35),
        ("BATCH_MATMUL", [(2, 3, 5), (2, 5, 7)], (2, 3, 7), {}, 42 * 5),
        ("BATCH_MATMUL", [(2, 5, 3), (2, 5, 7)], (2, 3, 7), {"adj_x": True}, 42 * 5),
        ("BATCH_MATMUL", [(5,), (5, 7)], (7,), {"adj_x": True}, 7 * 5),
        ("FULLY_CONNECTED", [(2, 35), None], (2, 9), {}, 0),
        ("FULLY_CONNECTED", [None, (9, 35)], (2, 9), {}, 0),
        ("FULLY_CONNECTED", [(2, 35), ()], (2, 9), {}, 0),
        ("FULLY_CONNECTED", [(), (9, 35)], (2, 9), {}, 0),
        ("CONV_2D", [(1, 4, 4, 2), (0, 3, 3, 2)], (1, 4, 4, 8), {}, 0),
        ("ADD", [(4, 4), (4, 4)], (4, 4), {}, 0),
    ],
)
def test_macs(opcode: str, inputs: list[Shape | None], output: Shape, options: Any, count: int) -> None:
    assert macs(opcode, inputs, output, **options) == count


@pytest.mark.parametrize(
    ("dtype", "kept", "peak"),
    [
        ("int8", (), 160),  # x and y, then y and z
        ("int16", (), 320),
        ("int4", (), 80),
        ("int8", (0,), 210),  # x is an output too, and lives to the end
        ("int8", (1,), 160),
    ],
)
def test_peak_memory(dtype: str, kept: tuple[int, ...], peak: int) -> None:
    """A chain of tensors with 50, 100 and 60 elements, and a constant of 1,000."""
    builder = ModelBuilder()
    main = builder.subgraph()
    sizes = (50, 100, 60)
    x, y, z = (main.tensor(f"t{size}", (size,), dtype, qparams(0.5)) for size in sizes)
    constant = main.constant("c", np.zeros(1000, np.int8), qparams(0.5))
    main.add("PAD", [x, constant], [y])
    main.add("SLICE", [y], [z])
    main.inputs(x)
    main.outputs(z, *((x, y)[number] for number in kept))
    assert peak_live_bytes(builder.finish().subgraphs[0]) == peak
