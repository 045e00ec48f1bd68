"""Models with hostile names that also violate rules, cannot be read, cannot be computed, or have wrong shapes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, quantized
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from tests.fuzz.hostile.case import Case
from tests.fuzz.hostile.commands import any_command
from tests.fuzz.hostile.sandbox import Sandbox
from tests.fuzz.hostile.words import argument, file_name, name

#: The failures of a model beside its names.
Build = Callable[[Random, SubgraphBuilder, str], tuple[list[int], list[int]]]


def make(rng: Random, box: Sandbox, stock: Path) -> Case:
    """Write a model whose subgraphs, tensors, operators, signatures and metadata have hostile names."""
    failure = rng.choice(sorted(FAILURES))
    dtype = rng.choice(("int8", "int8", "float32", "uint8", "int16"))
    model = named_model(rng, failure, dtype)
    path = file_name(rng, ".tflite") if rng.random() < 0.3 else "model.tflite"
    (box.work / path).write_bytes(model_bytes(model))
    (box.work / "x.npy").write_bytes((stock / "x.npy").read_bytes())
    tensor = rng.choice([t.name.replace("\0", "") for t in model.subgraphs[0].tensors][:4]) or argument(rng)
    argv, writes = any_command(rng, path, tensor.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:500])
    return Case(f"{failure} {dtype}", argv, writes, environment=surroundings(rng))


def surroundings(rng: Random) -> dict[str, str]:
    """Return the environment of a case: the width of the terminal, colors."""
    width = {"COLUMNS": rng.choice(("20", "40", "80"))} if rng.random() < 0.3 else {}
    colors = {"FORCE_COLOR": "1"} if rng.random() < 0.1 else {}
    return {**width, **colors}


def named_model(rng: Random, failure: str, dtype: str = "int8") -> Model:
    """Return a model with hostile names and one failure."""
    builder = ModelBuilder(name(rng))
    main = builder.subgraph(name(rng))
    inputs, outputs = FAILURES[failure](rng, main, dtype)
    main.inputs(*inputs)
    main.outputs(*outputs)
    if rng.random() < 0.7:
        aliases = [{f"{name(rng)}{n}": tensor for n, tensor in enumerate(ends)} for ends in (inputs, outputs)]
        builder.signature(rng.choice((name(rng), "serving_default")), main, *aliases)
    if rng.random() < 0.5:
        builder.metadata(name(rng), name(rng).encode("utf-8", "surrogatepass"))
    return builder.finish()


def _q(dtype: str, scale: float = 0.5, zero_point: int = 0) -> Any:
    return None if dtype == "float32" else quantized(scale, zero_point)


def _tensor(rng: Random, main: SubgraphBuilder, shape: tuple[int, ...], dtype: str, scale: float = 0.5) -> int:
    return main.tensor(name(rng), shape, dtype, _q(dtype, scale))


def _dense(rng: Random, main: SubgraphBuilder, dtype: str, zero_point: int = 0, width: int = 4) -> tuple[int, int]:
    """Add a fully connected layer and return its input and output."""
    x = _tensor(rng, main, (1, 4), dtype)
    kind = "int8" if dtype == "int16" else dtype
    w = main.constant(name(rng), np.arange(2 * width).reshape(2, width).astype(kind), _q(dtype, 0.25, zero_point))
    y = _tensor(rng, main, (1, 2), dtype)
    main.add("FULLY_CONNECTED", [x, w], [y])
    return x, y


def _conforming(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    return [x], [y]


def _violating(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype, zero_point=3)
    z = _tensor(rng, main, (1, 2), dtype, 0.1)
    main.add("SOFTMAX", [y], [z], beta=1.0)
    return [x], [z]


def _custom(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    z = _tensor(rng, main, (1, 2), dtype)
    main.add("CUSTOM", [y], [z], custom_code=name(rng), custom_options=rng.randbytes(9))
    return [x], [z]


def _without_kernel(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    z = _tensor(rng, main, (1, 2), dtype)
    main.add(rng.choice(("COS", "FLOOR_MOD", "SEGMENT_SUM", "LSH_PROJECTION", "SKIP_GRAM", "UNIQUE", "DENSIFY")), [y], [z])
    return [x], [z]


def _wrong_shapes(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype, width=rng.choice((3, 5, 40)))
    z = _tensor(rng, main, rng.choice(((7,), (), (0,), (1, 2, 3, 4, 5, 6, 7), (-1, 2), (2**31 - 1, 2))), dtype)
    main.add(rng.choice(("ADD", "RESHAPE", "CONCATENATION", "TRANSPOSE", "CONV_2D", "MEAN", "SPLIT")), [x, y], [z])
    return [x], [z]


def _wrong_operands(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    z = _tensor(rng, main, (1, 2), dtype)
    operator = rng.choice(("ADD", "CONV_2D", "SOFTMAX", "LSTM", "WHILE", "IF", "CALL_ONCE", "GATHER", "QUANTIZE"))
    main.add(operator, rng.choice(([], [y], [y, -1], [y] * 9, [z])), rng.choice(([z], [z, z], [])))
    return [x], [z]


def _wrong_quantization(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    scale = rng.choice((0.0, -1.0, float("nan"), float("inf"), 1e-40, [0.5] * 3, []))
    z = main.tensor(name(rng), (1, 2), dtype, quantized(scale, rng.choice((0, 2**31, -(2**63))), rng.choice((0, 9, -1))))
    main.add("RELU", [y], [z])
    return [x], [z]


def _wrong_type(rng: Random, main: SubgraphBuilder, dtype: str) -> tuple[list[int], list[int]]:
    x, y = _dense(rng, main, dtype)
    z = main.tensor(name(rng), (1, 2), rng.choice(("string", "resource", "variant", "complex64", "int4", "bool", "float16")))
    main.add(rng.choice(("ADD", "CAST", "QUANTIZE", "DEQUANTIZE", "RELU")), [y, y][: rng.choice((1, 2))], [z])
    return [x], [z]


FAILURES: dict[str, Build] = {
    "conforming": _conforming, "violating": _violating, "custom operator": _custom, "operator without kernel": _without_kernel,
    "wrong shapes": _wrong_shapes, "wrong operands": _wrong_operands, "wrong quantization": _wrong_quantization,
    "wrong type": _wrong_type,
}  # fmt: skip
