"""Models for benchmarks: valid int8 models with random weights, of given sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.save import save_model
from litecheck.model.types import Model
from litecheck.quantization import Quantization

MB, GB = 1 << 20, 1 << 30
#: Scales whose products are exact in float32.
ACTIVATION, WEIGHT = 1 / 16, 1 / 256
WIDTH = 4096

Weights = Callable[[int, int], NDArray[np.int8]]


def _random_weights(size: int) -> Weights:
    """Return a source of random matrices in -127..127: different views of a block, which share no buffer."""
    block = np.random.default_rng(0).integers(-127, 128, size + (1 << 24), np.int8)
    used = 0

    def take(rows: int, columns: int) -> NDArray[np.int8]:
        nonlocal used
        used += 64
        return block[used : used + rows * columns].reshape(rows, columns)

    return take


def _dense(main: SubgraphBuilder, x: int, weights: NDArray[np.int8], name: str) -> int:
    """Add a FULLY_CONNECTED layer with a scale for each output channel."""
    rows = len(weights)
    per_axis = qparams([WEIGHT] * rows, axis=0)
    bias_scale = qparams([ACTIVATION * WEIGHT] * rows, axis=0)
    w = main.constant(f"{name}/weight", weights, per_axis)
    b = main.constant(f"{name}/bias", np.zeros(rows, np.int32), bias_scale)
    y = main.tensor(name, (1, rows), "int8", qparams(ACTIVATION))
    main.add("FULLY_CONNECTED", [x, w, b], [y], fused_activation_function="RELU")
    return y


def layers(sizes: list[tuple[int, int]]) -> Model:
    """Return a model of consecutive FULLY_CONNECTED layers of these (outputs, inputs)."""
    builder = ModelBuilder("dense layers")
    main = builder.subgraph("main")
    take = _random_weights(max(rows * columns for rows, columns in sizes))
    x = first = main.tensor("input", (1, sizes[0][1]), "int8", qparams(ACTIVATION))
    for number, (rows, columns) in enumerate(sizes):
        x = _dense(main, x, take(rows, columns), f"dense_{number}")
    main.inputs(first)
    main.outputs(x)
    return builder.finish()


def weighty(size: int) -> Model:
    """Return a model of dense layers with ``size`` bytes of weights."""
    inner = min(WIDTH, size >> 10)
    rows = min(size // 2, 64 * MB) // inner
    pairs = max(1, size // (2 * rows * inner))
    return layers([(rows, inner), (inner, rows)] * pairs)


def many_operators(count: int, constant_each: bool = False) -> Model:
    """Return a chain of ADDs over (1, 16). With ``constant_each``, every ADD has a separate constant and buffer."""
    builder = ModelBuilder("a chain of additions")
    main = builder.subgraph("main")
    q = qparams(ACTIVATION)
    shared = main.constant("shared", np.arange(16, dtype=np.int8).reshape(1, 16), q)
    x = first = main.tensor("input", (1, 16), "int8", q)
    for number in range(count):
        c = _constant(main, number, q) if constant_each else shared
        y = main.tensor(f"block_{number}/add", (1, 16), "int8", q)
        main.add("ADD", [x, c], [y])
        x = y
    main.inputs(first)
    main.outputs(x)
    return builder.finish()


def own_scales(count: int) -> Model:
    """Return a chain of ADDs in which every tensor has a different scale, as after calibration."""
    builder = ModelBuilder("a chain of additions, every tensor with its own scale")
    main = builder.subgraph("main")
    scales = ACTIVATION * (1 + np.random.default_rng(0).random(count + 2, np.float32) / 4)
    shared = main.constant("shared", np.arange(16, dtype=np.int8).reshape(1, 16), qparams(scales[-1]))
    x = first = main.tensor("input", (1, 16), "int8", qparams(scales[-2], 3))
    for number in range(count):
        y = main.tensor(f"block_{number}/add", (1, 16), "int8", qparams(scales[number], number % 7))
        main.add("ADD", [x, shared], [y])
        x = y
    main.inputs(first)
    main.outputs(x)
    return builder.finish()


def _constant(main: SubgraphBuilder, number: int, q: Quantization) -> int:
    return main.constant(f"block_{number}/c", np.full((1, 16), number % 100, np.int8), q)


#: Number of tables of an ADD with a constant: operator, options, two tensors, two quantizations, a buffer.
TABLES_PER_ADD = 7


def build(name: str, folder: Path) -> Path:
    """Write the model of a name into ``folder`` and return its path."""
    path = folder / f"{name}.tflite"
    model, outside_above = MODELS[name]()
    save_model(model, path, outside_above=outside_above)
    return path


MODELS: dict[str, Callable[[], tuple[Model, int | None]]] = {
    "4 MB": lambda: (weighty(4 * MB), None),
    "1 GB": lambda: (weighty(GB), None),
    "3 GB": lambda: (weighty(3 * GB), MB),
    "50k operators": lambda: (many_operators(50_000), None),
    "50k own scales": lambda: (own_scales(50_000), None),
    "500k tables": lambda: (many_operators(500_000 // TABLES_PER_ADD, constant_each=True), None),
}
