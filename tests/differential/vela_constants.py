"""Constants that Vela compiles, compared with the reference: random tables, and random sums of products.

    python -m tests.differential.vela_constants --arch ethos-u85 --cases 300 --seed 5

Each model has one operator and is compiled. The outputs of its constants on random inputs (all 8-bit values for a
table) are compared with the reference with Vela's arithmetic, as identified by `litecheck diagnose`.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Failure, Job
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.graph import name_of
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import run

#: Operators with a table or one scale, and the output quantization that some of them require.
UNARY = (
    "LOGISTIC", "TANH", "HARD_SWISH", "LEAKY_RELU", "EXP", "LOG", "ELU", "GELU", "RSQRT", "QUANTIZE", "RELU", "RELU6",
    "RELU_N1_TO_1", "RELU_0_TO_1",
)  # fmt: skip
FIXED = {"LOGISTIC": (1 / 256, 0), "TANH": (1 / 128, 128)}
WIDE = {"LOGISTIC": 2.0**-15, "TANH": 2.0**-15}
LAYERS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
OWN = """arithmetic: own
title: LiteRT's, with fully connected layers and two tables in fixed point
source: this program
extends: litert-reference
operators:
  FULLY_CONNECTED: {requantize: {default: double, int64_sums: reduced, unstated_sums: reduced}}
  LOGISTIC: {table: fixed-point}
  TANH: {table: fixed-point}
"""
#: Operators with table entries that differ from LiteRT's: see docs/targets.md.
ODD = ("EXP", "LOG")


def drawn(random: np.random.Generator) -> Model:
    """Return a model of a single operator."""
    builder = ModelBuilder()
    if random.random() < 0.5:
        _unary(builder, random)
    else:
        _layer(builder, random)
    return builder.finish()


def _unary(builder: ModelBuilder, random: np.random.Generator) -> None:
    opcode, dtype = str(random.choice(UNARY)), str(random.choice(["int8", "int8", "uint8", "int16"]))
    low = INTEGER_RANGES[dtype][0]
    x, y = ((_scale(random), int(low + random.integers(0, 256))) for _ in range(2))
    if opcode in ("LOG", "RSQRT"):  # defined for positive values only
        x = x[0], low
    if opcode in FIXED:
        y = FIXED[opcode][0], low + FIXED[opcode][1]
    if dtype == "int16":
        x, y = (x[0] / 128, 0), (WIDE.get(opcode, y[0] / 128), 0)
    options = {"alpha": float(random.uniform(0, 1))} if opcode == "LEAKY_RELU" else {}
    main = builder.subgraph()
    ends = [main.tensor(n, (1, 8, 8, 8), dtype, qparams(*q)) for n, q in (("x", x), ("y", y))]
    main.add(opcode, ends[:1], ends[1:], **options)
    main.inputs(ends[0])
    main.outputs(ends[1])


def _scale(random: np.random.Generator, low: float = 1e-3, high: float = 0.5) -> float:
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def _layer(builder: ModelBuilder, random: np.random.Generator) -> None:
    opcode = str(random.choice(LAYERS))
    dtype = str(random.choice(["int8", "int8", "uint8", "int16"]))
    low, high = INTEGER_RANGES[dtype]
    batch, depth, many = int(random.integers(1, 3)), int(random.integers(1, 40)), int(random.integers(1, 70))
    connected, depthwise = opcode == "FULLY_CONNECTED", opcode == "DEPTHWISE_CONV_2D"
    size, kernel = random.integers(5, 33, 2).tolist(), random.integers(1, 5, 2).tolist()
    options: dict[str, Any] = {"fused_activation_function": str(random.choice(["NONE", "RELU", "RELU6"]))}
    if connected:
        source, filters, axis, target = (batch, depth), (many, depth), 0, (batch, many)
    else:
        many = depth * int(random.integers(1, 3) if depth == 1 else 1) if depthwise else many
        steps, same = random.integers(1, 4, 2).tolist(), bool(random.integers(0, 2))
        out = [-(-n // s) if same else (n - k) // s + 1 for n, k, s in zip(size, kernel, steps, strict=True)]
        source, target = (batch, *size, depth), (batch, *out, many)
        filters, axis = ((1, *kernel, many), 3) if depthwise else ((many, *kernel, depth), 0)
        options |= {"padding": "SAME" if same else "VALID", "stride_h": steps[0], "stride_w": steps[1]}
        options |= {"depth_multiplier": many // depth} if depthwise else {}
    zero_x, zero_y = (0, 0) if dtype == "int16" else random.integers(low, high + 1, 2).tolist()
    scale = np.float32(_scale(random))
    own = dtype != "uint8" and bool(random.random() < 0.7)
    scales = random.uniform(1e-3, 1e-2, many if own else 1).astype(np.float32)
    stored = random.integers(-127, 128, filters)
    kind, offset = ("uint8", 128) if dtype == "uint8" else ("int8", 0)
    main = builder.subgraph()
    x = main.tensor("x", source, dtype, qparams(scale, zero_x))
    y = main.tensor(
        "y", target, dtype, qparams(_scale(random, 1e-3, 2.0) * (1 if dtype != "int16" else 0.01), zero_y)
    )
    each = qparams(scales if own else scales[0], offset, axis)
    w = main.constant("w", (stored + offset).astype(kind), each)
    biases = random.integers(-5000, 5000, many).astype("int64" if dtype == "int16" else "int32")
    b = main.constant("b", biases, qparams(scales * scale if own else scales[0] * scale))
    main.add(opcode, [x, w, b], [y], **options)
    main.inputs(x)
    main.outputs(y)


def inputs(model: Model, random: np.random.Generator) -> np.ndarray:
    """Return random stored values of the whole range, with all 8-bit values among them if they fit."""
    tensor = model.subgraphs[0].tensors[model.subgraphs[0].inputs[0]]
    low, high = INTEGER_RANGES[tensor.dtype]
    values = random.integers(low, high + 1, tensor.shape)
    every = np.arange(low, high + 1)
    if values.size >= every.size:
        values.reshape(-1)[: every.size] = every
    return values.astype(tensor.dtype)


def compared(
    target: str, cases: int, seed: int, arithmetic: Arithmetic | None = None
) -> Iterator[tuple[Model, str, str]]:
    """Yield (model, ``equal``, ``differs`` or the outcome, details) of each case."""
    arithmetic = arithmetic or _arithmetic()
    device = open_device(f"vela:{target}")
    try:
        for number in range(cases):
            random = np.random.default_rng((seed, number))
            model = drawn(random)
            x = inputs(model, random)
            answer = device.run(Job(str(number), model, model_bytes(model), [(x,)], shares=True))
            if isinstance(answer, Failure):
                yield model, answer.outcome.value, answer.message
                continue
            try:
                (expected,) = run(model, (x,), arithmetic=arithmetic).outputs.values()
            except Exception as error:  # models that the reference rejects are not compared
                yield model, Outcome.NO_REFERENCE.value, str(error)
                continue
            ((given,),) = answer.runs
            off = np.abs(given.astype(np.int64) - expected)
            words = f"{np.count_nonzero(off)} of {off.size} by at most {off.max(initial=0)}; {answer.message}"
            yield model, "differs" if off.any() else "equal", words if off.any() else answer.message
    finally:
        device.close()


def _arithmetic() -> Arithmetic:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "own.yaml"
        path.write_text(OWN)
        return load_arithmetic(path)


def kind_of(model: Model) -> str:
    """Return the operator and its type. Example: ``CONV_2D int8``."""
    main = model.subgraphs[0]
    return f"{main.operators[0].opcode} {main.tensors[main.inputs[0]].dtype}"


def main() -> None:
    """Print the differences, and the counts of outcomes by kind."""
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--arch", default="ethos-u55", help="accelerator [default: ethos-u55]")
    options.add_argument("--cases", type=int, default=200, help="number of models [default: 200]")
    options.add_argument("--seed", type=int, default=1, help="seed of the models [default: 1]")
    arguments = options.parse_args()
    counts = Counter[tuple[str, str]]()
    for model, outcome, words in compared(arguments.arch, arguments.cases, arguments.seed):
        counts[kind_of(model), outcome] += 1
        if outcome not in ("equal", Outcome.NO_REFERENCE.value):
            print(
                kind_of(model),
                name_of(model.subgraphs[0], model.subgraphs[0].operators[0]),
                outcome,
                words[:160],
            )
    for (kind, outcome), count in sorted(counts.items()):
        print(f"{kind:28} {outcome:16} {count}")


if __name__ == "__main__":
    main()
