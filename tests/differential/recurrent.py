"""Random LSTM and SVDF over several inferences: outputs and states."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from tests.differential.one_operator import Trial
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
GATES = ("input", "forget", "cell", "output")


def int8(rng: Random, *shape: int) -> np.ndarray:
    return rng.integers(-127, 128, shape).astype(np.int8)


def saturating(rng: Random) -> np.ndarray:
    """Return factors of the scales of input and recurrent weights, in some cases so large that products saturate."""
    return np.array([[2.0 ** int(rng.integers(2, 8)) if rng.random() < 0.3 else 1.0] for _ in range(2)])


def lstm(rng: Random, opcode: str = "UNIDIRECTIONAL_SEQUENCE_LSTM") -> tuple[Model, tuple[int, ...]]:
    """Return a random 8x8_16 LSTM with any of its extensions, and the shape of its input."""
    builder = ModelBuilder("lstm")
    graph = builder.subgraph("main")
    cifg, peephole, norm, projected, clipped = (rng.random() < p for p in (0.3, 0.4, 0.4, 0.4, 0.3))
    time_major = opcode != "LSTM" and rng.random() < 0.3
    batch, time, n, cells = (int(v) for v in rng.integers(1, (4, 9, 20, 20)))
    # LiteRT counts peepholes by outputs: with more outputs than cells it reads beyond them.
    outputs = int(rng.integers(1, cells + 1 if peephole else 20)) if projected else cells
    sx, sh, bits = rng.uniform(0.005, 0.05), rng.uniform(0.005, 0.01), int(rng.integers(-15, -8))
    layout = (batch, n) if opcode == "LSTM" else (time, batch, n) if time_major else (batch, time, n)
    zx, zh = (int(v) for v in rng.integers(-128, 128, 2))
    x = graph.tensor("x", layout, "int8", qparams(sx, zx))
    present = [not (cifg and gate == "input") for gate in GATES]
    scales = rng.uniform(0.001, 0.02, (2, 4)) * saturating(rng)

    def weights(kind: int, width: int) -> list[int]:
        return [
            graph.constant(f"w{kind}{g}", int8(rng, cells, width), qparams(scales[kind, g]))
            if present[g]
            else -1
            for g in range(4)
        ]

    def vectors(name: str, dtype: str, scale: float, present: list[bool], most: int) -> list[int]:
        return [
            graph.constant(f"{name}{g}", rng.integers(-most, most, cells).astype(dtype), qparams(scale))
            if present[g] else -1
            for g in range(4)
        ]  # fmt: skip

    operands = [x, *weights(0, n), *weights(1, outputs)]
    seen = vectors("peephole", "int16", rng.uniform(1e-6, 1e-4), [peephole and h for h in present], 32767)
    operands += [seen[0], seen[1], seen[3]]
    operands += vectors("bias", "int32", 1e-4, present, 20000 if not norm else 2_000_000)
    operands += [-1, -1]
    if projected:
        operands[16] = graph.constant("p", int8(rng, outputs, cells), qparams(rng.uniform(0.002, 0.02)))
        if rng.random() < 0.7:
            operands[17] = graph.constant(
                "pb", rng.integers(-5000, 5000, outputs).astype(np.int32), qparams(1e-4)
            )
    h = graph.tensor("h", (batch, outputs), "int8", qparams(sh, zh), is_variable=True)
    c = graph.tensor("c", (batch, cells), "int16", qparams(2.0**bits), is_variable=True)
    operands += [h, c]
    operands += vectors("norm", "int16", rng.uniform(1e-5, 1e-4), [norm and p for p in present], 32767)
    sums = [graph.tensor(f"sum{g}", (0,), "int16", qparams(rng.uniform(0.0005, 0.005))) for g in range(4)]
    hz = int(rng.integers(-20, 20)) if projected else zh
    hidden = graph.tensor("hidden", (0,), "int8", qparams(rng.uniform(0.005, 0.01) if projected else sh, hz))
    y = graph.tensor("y", (*layout[:-1], outputs), "int8", qparams(sh, zh))
    options = {"cell_clip": 2.5, "proj_clip": 0.4} if clipped else {}
    if opcode != "LSTM":
        options["time_major"] = time_major
    graph.add(opcode, operands, [y], version=2, intermediates=[*sums, hidden], fused_activation_function="TANH",
              **options)  # fmt: skip
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish(), layout


def plain_lstm(rng: Random) -> tuple[Model, tuple[int, ...]]:
    return lstm(rng, "LSTM")


def narrow_lstm(rng: Random) -> tuple[Model, tuple[int, ...]]:
    """Return a random 8x8_8 LSTM, and the shape of its input.

    LiteRT supports a single step, and states are initial before an inference: three operators share the states.
    """
    builder = ModelBuilder("lstm 8x8_8")
    graph = builder.subgraph("main")
    batch, n, cells, outputs = (int(v) for v in rng.integers(1, (4, 20, 40, 20)))
    sx, sh = rng.uniform(0.005, 0.05), rng.uniform(0.005, 0.01)
    zx, zh = (int(v) for v in rng.integers(-128, 128, 2))
    x = graph.tensor("x", (batch, n), "int8", qparams(sx, zx))
    cifg, clipped = rng.random() < 0.5, rng.random() < 0.3
    present = [not (cifg and gate == "input") for gate in GATES]
    scales = rng.uniform(0.001, 0.02, (2, 4))

    def each(name: str, make: Callable[[], np.ndarray], parameters: list) -> list[int]:
        return [
            graph.constant(f"{name}{g}", make(), qparams(parameters[g])) if present[g] else -1
            for g in range(4)
        ]

    norm = list(rng.uniform(1e-5, 1e-4, 4))
    operands = [x, *each("w", lambda: int8(rng, cells, n), scales[0])]
    operands += [*each("r", lambda: int8(rng, cells, outputs), scales[1]), -1, -1, -1]
    operands += each("b", lambda: rng.integers(-(10**6), 10**6, cells).astype(np.int32), [1e-4] * 4)
    operands.append(graph.constant("p", int8(rng, outputs, cells), qparams(rng.uniform(0.002, 0.02))))
    bias = rng.integers(-(10**6), 10**6, outputs).astype(np.int32)
    operands.append(graph.constant("pb", bias, qparams(1e-6)))
    operands.append(graph.tensor("h", (batch, outputs), "int8", qparams(sh, zh), is_variable=True))
    operands.append(graph.tensor("c", (batch, cells), "int16", qparams(2.0**-15), is_variable=True))
    operands += each("norm", lambda: rng.integers(-32767, 32767, cells).astype(np.int16), norm)
    sums = []
    for gate in range(4):
        reach = [sx * scales[0, gate] * np.sqrt(n), sh * scales[1, gate] * np.sqrt(outputs)]
        for step in (2.0**-12 * rng.uniform(0.2, 5), *(100 * r * rng.uniform(0.3, 3) for r in reach)):
            zero = int(rng.integers(-20, 20))
            sums.append(graph.tensor(f"sum{len(sums)}", (0,), "int8", qparams(step, zero)))
    options = {"cell_clip": 0.4, "proj_clip": 0.4} if clipped else {}
    ends = []
    for step in range(3):
        ends.append(graph.tensor(f"y{step}", (batch, outputs), "int8", qparams(sh, zh)))
        graph.add("LSTM", operands, ends[-1:], version=2, intermediates=sums, fused_activation_function="TANH",
                  **options)  # fmt: skip
    graph.inputs(x)
    graph.outputs(*ends)
    return builder.finish(), (batch, n)


def svdf(rng: Random, activation: str = "RELU") -> tuple[Model, tuple[int, ...]]:
    """Return a random SVDF with an int16 state, and the shape of its input."""
    builder = ModelBuilder("svdf")
    graph = builder.subgraph("main")
    batch, n, units, rank, memory = (int(v) for v in rng.integers(1, (4, 20, 9, 4, 9)))
    sx, sf, ss, st, so = rng.uniform(0.005, 0.05, 5) * np.array([1, 1, 0.05, 0.01, 3])
    x = graph.tensor("x", (batch, n), "int8", qparams(sx, int(rng.integers(-128, 128))))
    f = graph.constant("f", int8(rng, units * rank, n), qparams(sf))
    t = graph.constant("t", rng.integers(-2000, 2000, (units * rank, memory)).astype(np.int16), qparams(st))
    b = graph.constant("b", rng.integers(-99999, 99999, units).astype(np.int32), qparams(st * ss))
    state = graph.tensor("s", (batch, units * rank * memory), "int16", qparams(ss), is_variable=True)
    y = graph.tensor("y", (batch, units), "int8", qparams(so, int(rng.integers(-128, 128))))
    bias = b if rng.random() < 0.7 else -1
    graph.add("SVDF", [x, f, t, bias, state], [y], version=3, rank=rank, fused_activation_function=activation)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish(), (batch, n)


CASES: dict[str, Callable[[Random], tuple[Model, tuple[int, ...]]]] = {
    "UNIDIRECTIONAL_SEQUENCE_LSTM": lstm, "LSTM": plain_lstm, "SVDF": svdf,
}  # fmt: skip


def _made(opcode: str, draw: Callable[[Random], tuple[Model, tuple[int, ...]]]) -> Make:
    def make(rng: Random) -> Trial:
        model, shape = draw(rng)
        runs = tuple((rng.integers(-128, 128, shape).astype(np.int8),) for _ in range(3))
        return Trial(f"{opcode} {shape}", model, runs)

    return make


FAMILY = Family({opcode: _made(opcode, draw) for opcode, draw in CASES.items()})
#: Family that needs tanhf of the C library: older libraries do not round it correctly, and cells differ by a single
#: step.
NARROW = Family(
    {"LSTM 8x8_8": _made("LSTM 8x8_8", narrow_lstm)}, faults={"LSTM": {"output_gate": "input-alone"}}
)
