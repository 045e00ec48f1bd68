"""Small models that ask for much: loops that grow, calls that double, outputs of gigabytes, shapes that overflow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, quantized
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.fuzz.bombs import bomb as sharing
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import (
    Line,
    convert_model,
    diagnose_model,
    judge_model,
    run_model,
    show_model,
    verify_model,
)
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.stock import RUNTIME
from tests.fuzz.hostile.words import name

#: Elements of an output: some fit into memory, others do not.
SIZES = (2**20, 2**26, 2**29, 2**31 - 1)


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a bomb, and a command that computes or judges it."""
    kind = rng.choice(sorted(BOMBS))
    content = sharing(rng)[1] if kind == "shared vectors" else model_bytes(BOMBS[kind](rng))
    (box.work / "model.tflite").write_bytes(content)
    argv, writes = _command(rng)
    return Case(kind, argv, writes)


def _command(rng: Random) -> Line:
    makers = [run_model] * 5 + [judge_model] * 2 + [show_model, convert_model]
    number = rng.randrange(len(makers) + (2 if RUNTIME else 0))
    if number < len(makers):
        return makers[number](rng, "model.tflite")
    return (verify_model, diagnose_model)[number - len(makers)](rng, "model.tflite", RUNTIME)


def _builder(rng: Random) -> tuple[ModelBuilder, SubgraphBuilder]:
    builder = ModelBuilder("a bomb")
    return builder, builder.subgraph(name(rng))


def _quantization(dtype: str) -> Any:
    return quantized(0.5) if dtype == "int8" else None


def _sized(rng: Random) -> tuple[int, ...]:
    """Return a shape of many elements, which may overflow 31, 63 or 64 bits."""
    return rng.choice(
        (
            (rng.choice(SIZES),), (2**15, 2**15, 2), (2**31 - 1,) * 2, (2**31 - 1,) * 3, (2**31 - 1,) * 8, (2**16,) * 4,
            (65536, 65536, 65536, 65536, 2**31 - 1), (1, 40000, 40000, 3),
        )
    )  # fmt: skip


def _one(rng: Random, opcode: str, shape: Sequence[int], constants: Sequence[Any], out: Sequence[int], **options: Any) -> Model:
    """Return a model of one operator: an input, constants, an output."""
    builder, main = _builder(rng)
    dtype = rng.choice(("int8", "float32"))
    x = main.tensor("x", shape, dtype, _quantization(dtype))
    rest = [main.constant(f"c{n}", np.asarray(values)) for n, values in enumerate(constants)]
    y = main.tensor(name(rng), out, dtype, _quantization(dtype))
    main.add(opcode, [x, *rest], [y], **options)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def _resize(rng: Random) -> Model:
    side = rng.choice((2**12, 2**15, 2**16 - 1, 2**30))
    operator = rng.choice(("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"))
    return _one(rng, operator, (1, 2, 2, 1), [np.array([side, side], np.int32)], (1, side, side, 1))


def _tile(rng: Random) -> Model:
    times = rng.choice(((2**29,), (2**30,), (2**31 - 1,)))
    return _one(rng, "TILE", (4,), [np.array(times, np.int32)], ((4 * times[0]) % 2**31,))


def _pad(rng: Random) -> Model:
    side = rng.choice((2**14, 2**15, 2**30, 2**31 - 1))
    return _one(rng, "PAD", (1, 1), [np.array([[side, 0], [0, side]], np.int32)], (side, side))


def _broadcast(rng: Random) -> Model:
    shape = _sized(rng)
    return _one(rng, "BROADCAST_TO", (1,), [np.array(shape, np.int32)], shape)


def _fill(rng: Random) -> Model:
    builder, main = _builder(rng)
    shape = _sized(rng)
    dims = main.constant("dims", np.array(shape, np.int32))
    value = main.tensor("value", (), "int8", quantized(0.5))
    y = main.tensor("y", shape, "int8", quantized(0.5))
    main.add("FILL", [dims, value], [y])
    main.inputs(value)
    main.outputs(y)
    return builder.finish()


def _range(rng: Random) -> Model:
    builder, main = _builder(rng)
    ends = [main.constant(f"c{n}", np.array(v, np.int32)) for n, v in enumerate((0, rng.choice(SIZES[2:]), 1))]
    y = main.tensor("y", (0,), "int32")
    main.add("RANGE", ends, [y])
    main.outputs(y)
    return builder.finish()


def _large_tensor(rng: Random) -> Model:
    shape = _sized(rng)
    return _one(rng, rng.choice(("RELU", "ABS", "RESHAPE", "ADD")), shape, [], shape)


def _multiplied(rng: Random) -> Model:
    builder, main = _builder(rng)
    x = main.tensor("x", (rng.choice((2**15, 2**20)), 1), "float32")
    y = main.tensor("y", (1, rng.choice((2**15, 2**20))), "float32")
    z = main.tensor("z", (2**15, 2**15), "float32")
    main.add(rng.choice(("ADD", "MUL", "BATCH_MATMUL")), [x, y], [z])
    main.inputs(x, y)
    main.outputs(z)
    return builder.finish()


def _while(rng: Random, body: Callable[[SubgraphBuilder], tuple[list[int], list[int]]]) -> Model:
    """Return a WHILE whose condition is always true."""
    builder, main = _builder(rng)
    condition, loop = builder.subgraph(name(rng)), builder.subgraph(name(rng))
    x, y = main.tensor("x", (4,), "float32"), main.tensor("y", (4,), "float32")
    main.add("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
    main.inputs(x)
    main.outputs(y)
    condition.inputs(condition.tensor("x", (4,), "float32"))
    condition.outputs(condition.constant("true", np.array([True])))
    inputs, outputs = body(loop)
    loop.inputs(*inputs)
    loop.outputs(*outputs)
    return builder.finish()


def _while_grows(rng: Random) -> Model:
    def body(loop: SubgraphBuilder) -> tuple[list[int], list[int]]:
        a, b = loop.tensor("a", (4,), "float32"), loop.tensor("b", (4,), "float32")
        loop.add("CONCATENATION", [a] * rng.choice((2, 2, 3, 8)), [b], axis=0)
        return [a], [b]

    return _while(rng, body)


def _while_stays(rng: Random) -> Model:
    def body(loop: SubgraphBuilder) -> tuple[list[int], list[int]]:
        a, b = loop.tensor("a", (4,), "float32"), loop.tensor("b", (4,), "float32")
        loop.add("ABS", [a], [b])
        return [a], [b]

    return _while(rng, body)


def _calls(rng: Random) -> Model:
    """Return subgraphs of which each calls the next one or two times."""
    depth, times = rng.choice(((8, 2), (30, 2), (31, 3), (300, 1), (2000, 1)))
    builder = ModelBuilder("calls")
    subgraphs = [builder.subgraph(name(rng) if n < 20 else "") for n in range(depth)]
    for number, sub in enumerate(subgraphs):
        x = sub.tensor("x", (4,), "float32")
        sub.inputs(x)
        condition = sub.constant("c", np.array([True]))
        for _ in range(times if number < depth - 1 else 1):
            y = sub.tensor("y", (4,), "float32")
            target = {"then_subgraph_index": number + 1, "else_subgraph_index": number + 1}
            sub.add("IF", [condition, x], [y], **target) if number < depth - 1 else sub.add("ABS", [x], [y])
            x = y
        sub.outputs(x)
    return builder.finish()


def _recursion(rng: Random) -> Model:
    builder, main = _builder(rng)
    x, y = main.tensor("x", (4,), "float32"), main.tensor("y", (4,), "float32")
    condition = main.constant("c", np.array([True]))
    other = rng.choice((0, 1, 7))
    main.add("IF", [condition, x], [y], then_subgraph_index=0, else_subgraph_index=other)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def _many(rng: Random) -> Model:
    """Return a chain of many operators, or very many tensors, or very many subgraphs."""
    builder, main = _builder(rng)
    x = main.tensor("x", (1, 4), "int8", quantized(0.5))
    main.inputs(x)
    for number in range(rng.choice((500, 3000))):
        y = main.tensor(f"t{number}", (1, 4), "int8", quantized(0.5))
        main.add("RELU", [x], [y])
        x = y
    main.outputs(x)
    return builder.finish()


BOMBS: dict[str, Callable[[Random], Model]] = {
    "RESIZE": _resize, "TILE": _tile, "PAD": _pad, "BROADCAST_TO": _broadcast, "FILL": _fill, "RANGE": _range,
    "large tensor": _large_tensor, "outer product": _multiplied, "WHILE grows": _while_grows, "WHILE stays": _while_stays,
    "calls": _calls, "recursion": _recursion, "many operators": _many, "shared vectors": _many,
}  # fmt: skip
