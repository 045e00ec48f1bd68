"""Conforming model that is changed, and its builder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization

SEED = 7


@dataclass(frozen=True)
class Specimen:
    """Conforming model and values for the inputs of its first subgraph; ``dtype`` is the type of its activations."""

    name: str
    dtype: str
    model: Model
    inputs: tuple[np.ndarray, ...]


class Sketch:
    """Builder of a model with activations of a single type."""

    def __init__(self, name: str, dtype: str = "int8") -> None:
        self.name, self.dtype, self.wide = name, dtype, dtype == "int16"
        self.rng = np.random.default_rng(SEED)
        self.builder = ModelBuilder(name)
        self.main = self.builder.subgraph("main")
        self.given: list[int] = []
        self.values: list[np.ndarray] = []

    def q(self, scale: float, zero: int = 3) -> Quantization:
        return qparams(scale / 256, 0) if self.wide else qparams(scale, zero)

    def x(self, *shape: int, scale: float = 0.05, zero: int = 3) -> int:
        """Add an input of the first subgraph and return its index."""
        info = np.iinfo(self.dtype)
        values = self.rng.integers(info.min, info.max + 1, shape).astype(self.dtype)
        return self.feed(self.t(*shape, scale=scale, zero=zero), values)

    def feed(self, tensor: int, values: np.ndarray) -> int:
        self.given.append(tensor)
        self.values.append(values)
        return tensor

    def t(self, *shape: int, scale: float = 0.05, zero: int = 3, graph: SubgraphBuilder | None = None) -> int:
        """Add an activation and return its index."""
        graph = graph or self.main
        return graph.tensor(f"t{len(graph._tensors)}", shape, self.dtype, self.q(scale, zero))

    def c(self, values: object, dtype: str = "int32", graph: SubgraphBuilder | None = None) -> int:
        """Add a constant of plain integers and return its index."""
        graph = graph or self.main
        return graph.constant(f"c{len(graph._tensors)}", np.asarray(values, dtype))

    def weight(self, *shape: int, axis: int = 0, scale: float = 0.01, dtype: str = "int8") -> int:
        low, high = (-7, 8) if dtype == "int4" else (-127, 128)
        values = self.rng.integers(low, high, shape).astype(np.int8)
        scales = scale * (1 + np.arange(shape[axis]) / 8)
        return self.main.constant(
            f"w{len(self.main._tensors)}", values, qparams(scales, 0, axis), dtype=dtype
        )

    def bias(self, x: int, weight: int, dtype: str = "") -> int:
        a, b = (self.main._tensors[i].quantization.scale for i in (x, weight))
        scale = (a[0].astype(np.float64) * b).astype(np.float32)
        values = self.rng.integers(-9000, 9000, len(scale)).astype(
            dtype or ("int64" if self.wide else "int32")
        )
        return self.main.constant(f"b{len(self.main._tensors)}", values, qparams(scale))

    def done(self, *outputs: int) -> Specimen:
        self.main.inputs(*self.given)
        self.main.outputs(*outputs)
        return Specimen(self.name, self.dtype, self.builder.finish(), tuple(self.values))
