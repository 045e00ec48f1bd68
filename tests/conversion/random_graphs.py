"""Random float graphs of 3 to 30 operators: branches, shared constants, fused activations, several inputs and
outputs.

    model = random_graph(seed)            # the same for a seed, everywhere
    runs = random_inputs(model, seed, 8)  # inputs in the model's order, between -1 and 1

All values are finite: divisors and inputs of LOG, SQRT and RSQRT are positive, inputs of EXP are bounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.types import Model

#: The fewest and the most operators of a graph; a step may add up to three.
FEWEST, MOST = 3, 30
FUSED = ("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1")


class Sketch:
    """A graph in the making, with the shapes of its float tensors and how often each is used."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.builder = ModelBuilder(f"random graph {seed}")
        self.graph: SubgraphBuilder = self.builder.subgraph("main")
        self.shapes: dict[int, tuple[int, ...]] = {}
        self.used: set[int] = set()
        self.kernels: dict[tuple[Any, ...], int] = {}
        self.operators = 0
        self.integers: list[int] = []

    def coin(self, chance: float) -> bool:
        """Return True with this probability."""
        return bool(self.rng.random() < chance)

    def pick(self, rank: int | None = None) -> int | None:
        """Return a float tensor of this rank, more likely a late tensor; None without such a tensor."""
        found = [t for t, s in self.shapes.items() if rank in (None, len(s))]
        if not found:
            return None
        return found[-1 - min(int(self.rng.geometric(0.35)) - 1, len(found) - 1)]

    def like(self, shape: tuple[int, ...]) -> int | None:
        """Return a float tensor of exactly this shape."""
        found = [t for t, s in self.shapes.items() if s == shape]
        return found[int(self.rng.integers(len(found)))] if found else None

    def weights(self, kind: str, shape: tuple[int, ...], spread: float, shift: float = 0.0) -> int:
        """Return a float constant, sometimes a constant of another operator."""
        key = (kind, shape)
        if key in self.kernels and self.coin(0.3):
            return self.kernels[key]
        values = (self.rng.normal(0, spread if kind != "zeros" else 0, shape) + shift).astype(np.float32)
        self.kernels[key] = self.graph.constant(f"{kind}{len(self.kernels)}", values)
        return self.kernels[key]

    def steering(self, numbers: Any) -> int:
        """Return an int32 constant."""
        return self.graph.constant("numbers", np.asarray(numbers, np.int32))

    def put(self, opcode: str, inputs: list[int], shape: Any, dtype: str = "float32", **options: Any) -> int:
        """Add an operator with a single output."""
        return self.put_all(opcode, inputs, [tuple(map(int, shape))], dtype, **options)[0]

    def put_all(
        self, opcode: str, inputs: list[int], shapes: list[tuple[int, ...]], dtype: str = "float32",
        **options: Any,
    ) -> list[int]:  # fmt: skip
        """Add an operator with an output for each shape."""
        version = options.pop("version", 1)
        results = [
            self.graph.tensor(f"{opcode.lower()}{self.operators}_{n}", s, dtype) for n, s in enumerate(shapes)
        ]
        self.graph.add(opcode, inputs, results, version=version, **options)
        self.used |= set(inputs)
        self.operators += 1
        if dtype == "float32":
            self.shapes |= dict(zip(results, shapes, strict=True))
        elif dtype != "bool":
            self.integers += results
        return results


def random_graph(seed: int, patterned: bool = False) -> Model:
    """Return a graph; a patterned graph has patterns that compilers fuse.

    Every input is used, and every unused tensor is an output.
    """
    from tests.conversion.random_patterns import PATTERNED
    from tests.conversion.random_steps import STEPS

    sketch, steps = Sketch(seed), PATTERNED if patterned else STEPS
    rng = sketch.rng
    inputs = []
    for n in range(int(rng.choice([1, 1, 1, 2, 3]))):
        side, channels = int(rng.choice([4, 6, 8])), int(rng.integers(1, 7))
        shape = (1, side, side, channels) if sketch.coin(0.75) else (1, 4 * channels)
        inputs.append(sketch.graph.tensor(f"input{n}", shape, "float32"))
        sketch.shapes[inputs[-1]] = shape
    wanted = int(rng.integers(FEWEST, MOST - 2))
    while sketch.operators < wanted:
        steps[int(rng.integers(len(steps)))](sketch)
    for tensor in inputs:
        if tensor not in sketch.used:
            sketch.put("RELU", [tensor], sketch.shapes[tensor])
    loose = [t for t in sketch.shapes if t not in sketch.used and t not in inputs]
    inner = [t for t in sketch.shapes if t in sketch.used and t not in inputs]
    if inner and sketch.coin(0.2):
        loose.append(inner[int(rng.integers(len(inner)))])
    sketch.graph.inputs(*inputs)
    sketch.graph.outputs(*loose, *[t for t in sketch.integers if t not in sketch.used])
    return sketch.builder.finish()


def random_inputs(model: Model, seed: int, count: int = 1) -> list[tuple[np.ndarray, ...]]:
    """Return inputs in the model's order, each set with its own magnitude."""
    rng = np.random.default_rng([seed, 1])
    graph = model.subgraphs[0]
    shapes = [graph.tensors[t].shape for t in graph.inputs]
    return [
        tuple((rng.uniform(-1, 1, s) * rng.uniform(0.2, 1)).astype(np.float32) for s in shapes)
        for _ in range(count)
    ]
