"""Small models of enormous computations: growing loops, endless calls, huge shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.fuzz.bombs import bomb
from tests.fuzz.hostile import commands
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.kinds.models import model_file
from tests.fuzz.hostile.sandbox import Sandbox

#: Sizes from harmless to beyond all memory and beyond 63 bits.
EXTENTS = (1, 100, 10_000, 50_000, 1_000_000, 2**30, 2**31 - 1)


def loop(rng: Random) -> Model:
    """Return an endless WHILE; its body doubles the tensor or keeps it."""
    builder = ModelBuilder()
    main, condition, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    a, b = _floats(main, (4,), 2)
    main.add("WHILE", [a], [b], cond_subgraph_index=1, body_subgraph_index=2)
    _ends(main, a, b)
    x = condition.tensor("x", (4,), "float32")
    _ends(condition, x, condition.constant("true", np.array([True]), dtype="bool"))
    c, d = _floats(body, (4,), 2)
    if rng.random() < 0.6:
        body.add("CONCATENATION", [c, c], [d], axis=0)
    else:
        body.add("ABS", [c], [d])
    _ends(body, c, d)
    return builder.finish()


def calls(rng: Random) -> Model:
    """Return subgraphs that each call the next subgraph twice (or once), by IF or CALL_ONCE."""
    builder, count, twice = ModelBuilder(), rng.choice((5, 12, 20, 30)), rng.random() < 0.8
    graphs = [builder.subgraph(f"s{n}") for n in range(count)]
    for n, graph in enumerate(graphs[:-1]):
        a, b, d = _floats(graph, (4,), 3)
        c = graph.constant("c", np.array([True]), dtype="bool")
        for source, target in ((a, b), (b, d))[: 2 if twice else 1]:
            graph.add("IF", [c, source], [target], then_subgraph_index=n + 1, else_subgraph_index=n + 1)
        _ends(graph, a, d if twice else b)
    a, b = _floats(graphs[-1], (4,), 2)
    graphs[-1].add("ABS", [a], [b])
    _ends(graphs[-1], a, b)
    return builder.finish()


def chain(rng: Random) -> Model:
    """Return thousands of subgraphs, each called by its predecessor."""
    builder, count = ModelBuilder(), rng.choice((100, 1000, 3000))
    graphs = [builder.subgraph("") for _ in range(count)]
    for n, graph in enumerate(graphs):
        a, b = _floats(graph, (4,), 2)
        if n + 1 < count:
            c = graph.constant("", np.array([True]), dtype="bool")
            graph.add("IF", [c, a], [b], then_subgraph_index=n + 1, else_subgraph_index=n + 1)
        else:
            graph.add("ABS", [a], [b])
        _ends(graph, a, b)
    return builder.finish()


def overflow(rng: Random) -> Model:
    """Return tensors with a number of bytes beyond 63 bits, or slightly beyond memory."""
    shape = [rng.choice(EXTENTS) for _ in range(rng.choice((1, 2, 3, 4, 6)))]
    opcode = rng.choice(
        ("RELU", "ABS", "LOGISTIC", "TANH", "SOFTMAX", "RESHAPE", "CAST", "NEG", "DEQUANTIZE")
    )
    return _one_operator(rng, opcode, shape, [], shape)


def growth(rng: Random) -> Model:
    """Return an operator with a constant that gives an enormous output."""
    opcode, make = rng.choice(sorted(_GROWTH.items()))
    shape, constants, options = make(rng)
    out = rng.choice((shape, [1] * len(shape), [rng.choice(EXTENTS) for _ in shape]))
    return _one_operator(rng, opcode, shape, constants, out, **options)


def _size(rng: Random, count: int) -> Any:
    return np.array([rng.choice(EXTENTS) for _ in range(count)], np.int32)


def _pairs(rng: Random) -> Any:
    return np.array(
        [[0, 0], [rng.choice(EXTENTS), rng.choice(EXTENTS)], [rng.choice(EXTENTS), 0], [0, 0]], np.int32
    )


#: Shape of the input, constants and options of an operator.
_GROWTH: dict[str, Callable[[Random], tuple[list[int], list[Any], dict[str, Any]]]] = {
    "RESIZE_BILINEAR": lambda rng: ([1, 4, 4, 3], [_size(rng, 2)], {}),
    "RESIZE_NEAREST_NEIGHBOR": lambda rng: ([1, 4, 4, 3], [_size(rng, 2)], {}),
    "TILE": lambda rng: ([1, 4, 4, 3], [_size(rng, 4)], {}),
    "PAD": lambda rng: ([1, 4, 4, 3], [_pairs(rng)], {}),
    "MIRROR_PAD": lambda rng: ([1, 4, 4, 3], [_pairs(rng)], {"mode": "SYMMETRIC"}),
    "BROADCAST_TO": lambda rng: ([1, 1, 1, 1], [_size(rng, 4)], {}),
    "SPACE_TO_BATCH_ND": lambda rng: ([1, 4, 4, 3], [np.array([1, 1], np.int32), _pairs(rng)[1:3]], {}),
    "TRANSPOSE_CONV": lambda rng: (
        [1, 4, 4, 3],
        [],
        {"stride_w": rng.choice(EXTENTS), "stride_h": rng.choice(EXTENTS)},
    ),
    "AVERAGE_POOL_2D": lambda rng: (
        [1, 4, 4, 3],
        [],
        {
            "padding": "SAME",
            "stride_w": 1,
            "stride_h": 1,
            "filter_width": rng.choice(EXTENTS),
            "filter_height": rng.choice(EXTENTS),
        },
    ),
    "GATHER": lambda rng: ([4, 4, 4, 3], [np.zeros(rng.choice((1, 10_000)), np.int32)], {"axis": 0}),
    "ONE_HOT": lambda rng: ([4], [np.array(rng.choice(EXTENTS), np.int32)], {}),
    "BATCH_MATMUL": lambda rng: ([rng.choice(EXTENTS), 8, 8], [], {}),
}


def fill(rng: Random) -> Model:
    """Return FILL, RANGE or RANDOM_UNIFORM: operators whose only input is a size."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    (x,) = _floats(main, (1,), 1)
    if rng.random() < 0.5:
        (y,) = _floats(main, (1,), 1)
        main.add(
            "FILL",
            [main.constant("dims", _size(rng, rng.choice((1, 3)))), main.constant("v", np.float32(1))],
            [y],
        )
    else:
        y = main.tensor("y", (1,), "int32")
        main.add(
            "RANGE",
            [
                main.constant(n, np.array(v, np.int32))
                for n, v in (("a", 0), ("b", rng.choice(EXTENTS)), ("c", 1))
            ],
            [y],
        )
    _ends(main, x, y)
    return builder.finish()


def _one_operator(
    rng: Random, opcode: str, shape: list[int], constants: list[Any], out: list[int], **options: Any
) -> Model:
    builder, kind = ModelBuilder(), rng.choice(("int8", "float32", "int8"))
    main = builder.subgraph("main")
    scale = qparams(0.5) if kind == "int8" else None
    x, y = main.tensor("x", shape, kind, scale), main.tensor("y", out, kind, scale)
    main.add(opcode, [x, *(main.constant(f"c{n}", c) for n, c in enumerate(constants))], [y], **options)
    _ends(main, x, y)
    return builder.finish()


def _floats(graph: SubgraphBuilder, shape: tuple[int, ...], count: int) -> list[int]:
    return [graph.tensor("abc"[n], shape, "float32") for n in range(count)]


def _ends(graph: SubgraphBuilder, first: int, last: int) -> None:
    graph.inputs(first)
    graph.outputs(last)


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Return a case with a model of this module, for commands that compute and commands that do not."""
    kind = rng.choices((loop, calls, chain, overflow, growth, fill, None), (2, 2, 1, 4, 6, 2, 2))[0]
    title, content = bomb(rng) if kind is None else (kind.__name__, model_bytes(kind(rng)))
    file = model_file(rng, box)
    (box.work / file).write_bytes(content)
    line = rng.choices(
        (commands.run, commands.validate, commands.verify, commands.convert, commands.diagnose),
        (8, 4, 3, 4, 1),
    )[0]
    argv, writes = line(rng, file)
    return Case(f"{argv[0]}: {title}", tuple(argv), tuple(writes))
