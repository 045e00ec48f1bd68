"""Models that compute a new shape from SHAPE: RESHAPE of (batch, 16, 24) to it fits, or fits no batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from litecheck.model.build import ModelBuilder, Option, SubgraphBuilder
from litecheck.model.types import Model

#: Operators with outputs known at load, and operators with outputs known only at run time. A chain leads from the
#: shape (tensor 1) to the new shape, which has the number of elements of the input for the first number only.
Chain = Callable[["ShapeChain", int], int]


class ShapeChain:
    """Operators on short lists of int32."""

    def __init__(self, graph: SubgraphBuilder, shape: int) -> None:
        self.graph, self.shape = graph, shape

    def add(self, opcode: str, first: int, *more: object, to: int | None = 1, **options: Option) -> int:
        """Add an operator with constants as further inputs; ``to`` is the length of its list, None for a number."""
        output = self.graph.tensor(opcode, () if to is None else (to,), "int32")
        constants = [self.graph.constant("c", np.array(value, np.int32)) for value in more]
        self.graph.add(opcode, [first, *constants], [output], **options)
        return output

    def at(self, index: int) -> int:
        """Return a list with one dimension of the shape, known at load."""
        return self.add("GATHER", self.shape, [index])

    def joined(self, *parts: int) -> int:
        """Concatenate lists of a single number."""
        output = self.graph.tensor("joined", (len(parts),), "int32")
        self.graph.add("CONCATENATION", list(parts), [output])
        return output


def _sliced(chain: ShapeChain, n: int) -> int:
    return chain.add("SLICE", chain.shape, [0], [n], to=n)


def _packed(chain: ShapeChain, n: int) -> int:
    number = chain.add("STRIDED_SLICE", chain.shape, [0], [1], [1], to=None, shrink_axis_mask=1)
    return chain.add("PACK", number, 128 * n, 1, to=3, values_count=3)


def _squeezed(chain: ShapeChain, n: int) -> int:
    number = chain.add("SQUEEZE", chain.add("MUL", chain.at(1), [4 - n]), to=None)
    return chain.joined(chain.add("EXPAND_DIMS", number, 0), chain.at(2), chain.at(0))


def _cast(chain: ShapeChain, n: int) -> int:
    wide = chain.graph.tensor("wide", (3,), "int64")
    chain.graph.add("CAST", [chain.shape], [wide])
    return chain.add("GATHER", chain.add("CAST", wide, to=3), list(range(n)), to=n)


def _with(opcode: str, fits: int, fails: int, **options: Option) -> Chain:
    """Return the chain that changes the second length, 16, by an operator of two inputs."""

    def chain(of: ShapeChain, n: int) -> int:
        changed = of.add(opcode, of.at(1), [fits if n == 3 else fails], **options)
        return of.joined(of.at(0), changed, of.at(2))

    return chain


LOAD, RUN = "fails to load", "fails at run time"
#: Impact of the chain that fits no batch.
CHAINS: dict[str, tuple[Chain, str]] = {
    "GATHER": (lambda chain, n: chain.add("GATHER", chain.shape, list(range(n)), to=n), LOAD),
    "STRIDED_SLICE": (lambda chain, n: chain.add("STRIDED_SLICE", chain.shape, [0], [n], [1], to=n), LOAD),
    "REDUCE_PROD": (
        lambda chain, n: chain.add("REDUCE_PROD", chain.add("SLICE", chain.shape, [0], [n], to=n), [0], keep_dims=True),
        RUN,
    ),
    "REDUCE_PROD of GATHER": (
        lambda chain, n: chain.add(
            "REDUCE_PROD", chain.add("GATHER", chain.shape, list(range(n)), to=n), [0], keep_dims=True
        ),
        LOAD,
    ),
    "RESHAPE": (lambda chain, n: chain.add("RESHAPE", chain.add("MUL", chain.shape, [1, 1, 4 - n], to=3), [3], to=3), LOAD),
    "MUL": (_with("MUL", 1, 2), LOAD),
    "ADD": (_with("ADD", 0, 1), RUN),
    "SUB": (_with("SUB", 0, 1), RUN),
    "FLOOR_DIV": (_with("FLOOR_DIV", 1, 3), RUN),
    "MAXIMUM": (_with("MAXIMUM", 1, 17), RUN),
    "MINIMUM": (_with("MINIMUM", 17, 1), RUN),
    "SLICE": (_sliced, RUN),
    "PACK": (_packed, RUN),
    "SQUEEZE": (_squeezed, RUN),
    "CAST": (_cast, RUN),
}  # fmt: skip


def reshaped(chain: Chain, n: int, batch: int = -1) -> Model:
    """Return the model; it fits with ``n`` 3, and with 2 it fits no batch."""
    builder = ModelBuilder("reshaped")
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 16, 24), "float32", shape_signature=(batch, 16, 24))
    shape = graph.tensor("s", (3,), "int32")
    graph.add("SHAPE", [x], [shape], out_type=2)
    wanted = chain(ShapeChain(graph, shape), n)
    y = graph.tensor("y", (1, 384), "float32", shape_signature=(-1, 384))
    graph.add("RESHAPE", [x, wanted], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def batch_of_rows(rows: int) -> Model:
    """Return RESHAPE of (batch, 16, 24) to (-1, rows); with 768 it fits an even batch only."""
    builder = ModelBuilder("rows")
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 16, 24), "float32", shape_signature=(-1, 16, 24))
    y = graph.tensor("y", (1, rows), "float32", shape_signature=(-1, rows))
    graph.add("RESHAPE", [x, graph.constant("s", np.array([-1, rows], np.int32))], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def sliced_shape(option: int, stated: str, gathered: bool = False) -> Model:
    """Return a STRIDED_SLICE to int32 of a SHAPE, with a type in the option and a stated type of its output.

    With ``gathered``, a GATHER to the stated type is between them.
    """
    builder = ModelBuilder("sliced shape")
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 16, 24), "float32")
    shape, y = graph.tensor("s", (3,), stated), graph.tensor("y", (2,), "int32")
    ends = [graph.constant(name, np.array([at], np.int32)) for name, at in (("b", 0), ("e", 2), ("t", 1))]
    graph.add("SHAPE", [x], [shape], out_type=option)
    if gathered:
        whole, shape = shape, graph.tensor("g", (3,), stated)
        graph.add("GATHER", [whole, graph.constant("i", np.array([0, 1, 2], np.int32))], [shape])
    graph.add("STRIDED_SLICE", [shape, *ends], [y])
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def folded_models() -> Iterator[tuple[str, Model, str]]:
    """Yield a name, a model and its impact, "" for a model that runs."""
    yield "rows fit", batch_of_rows(384), ""
    yield "rows fit every second batch", batch_of_rows(768), LOAD
    for name, (chain, impact) in CHAINS.items():
        yield f"{name} fits", reshaped(chain, 3), ""
        yield f"{name} fits no batch", reshaped(chain, 2), impact
        yield f"{name} fits not the batch", reshaped(chain, 2, 1), impact
