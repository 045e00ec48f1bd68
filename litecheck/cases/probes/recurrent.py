"""Probes of operators with a memory: SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM, from their initial state and in series.

In a series the inferences follow each other without a reset: a device that forgets, or that never does, differs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.probes.probe import Probe, drawn
from litecheck.model.build import ModelBuilder, SubgraphBuilder, quantized
from litecheck.model.types import Model
from litecheck.profile.operators import facts_of

#: Inferences of a series: more than the memory of an SVDF here is long.
STEPS = 12
_GATES = ("input", "forget", "cell", "output")


def of_svdf(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """SVDF of several ranks, with one row and with three."""
    for batch, features, units, rank, memory in ((1, 9, 7, 1, 5), (3, 19, 8, 2, 4), (1, 37, 35, 1, 10)):
        model = _svdf(rng, opcode, (batch, features, units), rank, memory)
        what = f"{batch} x {features} to {units} of rank {rank}, memory {memory}"
        yield from _probes(rng, opcode, what, model, (batch, features))


def _svdf(
    rng: np.random.Generator, opcode: str, sizes: tuple[int, int, int], rank: int, memory: int
) -> Model:
    batch, features, units = sizes
    builder = ModelBuilder("svdf")
    graph = builder.subgraph("main")
    filters = units * rank
    # The newest entry of the memory and the sums over it use most of 16 and 8 bits.
    state, time, output = 0.05 * 0.01 * 74 * 74 * np.sqrt(features) / 9000, 1 / 32768, 0.0
    output = float(state * time * 9000 * 9000 * np.sqrt(memory * rank) / 60)
    x = graph.tensor("input", (batch, features), "int8", quantized(0.05, -7))
    operands = [
        x,
        graph.constant("weights_feature", drawn(rng, filters, features), quantized(0.01)),
        graph.constant(
            "weights_time",
            rng.integers(-16000, 16000, (filters, memory)).astype(np.int16),
            quantized(time),
        ),
        graph.constant(
            "bias", rng.integers(-(2**24), 2**24, units).astype(np.int32), quantized(state * time)
        ),
        graph.tensor("state", (batch, filters * memory), "int16", quantized(state), is_variable=True),
    ]
    y = graph.tensor("output", (batch, units), "int8", quantized(output, 5))
    graph.add(
        opcode, operands, [y], version=facts_of(opcode).version, rank=rank, fused_activation_function="RELU"
    )
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def of_lstm(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """UNIDIRECTIONAL_SEQUENCE_LSTM of 8-bit activations and a 16-bit cell, over one step and over several."""
    for batch, time, features, cells, strength in (
        (1, 1, 9, 7, 1), (1, 9, 9, 7, 1), (2, 5, 37, 35, 1), (1, 9, 37, 35, 8),
    ):  # fmt: skip
        model = _lstm(rng, opcode, (batch, time, features, cells), strength)
        saturated = ", gates beyond 16 bits" if strength > 1 else ""
        what = f"{batch} x {time} steps x {features} to {cells} cells{saturated}"
        yield from _probes(rng, opcode, what, model, (batch, time, features))


def _lstm(rng: np.random.Generator, opcode: str, sizes: tuple[int, int, int, int], strength: int) -> Model:
    """Weights so much larger that, with a strength of 8, what goes into the gates saturates."""
    batch, time, features, cells = sizes
    builder = ModelBuilder("lstm")
    graph = builder.subgraph("main")
    x = graph.tensor("input", (batch, time, features), "int8", quantized(0.02, -7))
    hidden = quantized(1 / 128, 5)
    scales = strength * rng.uniform(0.002, 0.01, (2, len(_GATES)))
    kinds = ((features, 0), (cells, 1))
    weights = [
        graph.constant(f"weights {kind} {gate}", drawn(rng, cells, width), quantized(scales[kind, at]))
        for width, kind in kinds
        for at, gate in enumerate(_GATES)
    ]
    biases = _biases(rng, graph, cells, scales[0] * 0.02)
    h = graph.tensor("output_state", (batch, cells), "int8", hidden, is_variable=True)
    c = graph.tensor("cell_state", (batch, cells), "int16", quantized(2.0**-11), is_variable=True)
    operands = [x, *weights, -1, -1, -1, *biases, -1, -1, h, c, -1, -1, -1, -1]
    sums = [graph.tensor(f"sum {gate}", (0,), "int16", quantized(2.0**-12)) for gate in _GATES]
    inner = graph.tensor("hidden", (0,), "int8", hidden)
    y = graph.tensor("output", (batch, time, cells), "int8", hidden)
    graph.add(
        opcode, operands, [y], version=facts_of(opcode).version, intermediates=[*sums, inner],
        fused_activation_function="TANH", time_major=False,
    )  # fmt: skip
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def _biases(rng: np.random.Generator, graph: SubgraphBuilder, cells: int, scales: np.ndarray) -> list[int]:
    return [
        graph.constant(f"bias {gate}", rng.integers(-9999, 9999, cells).astype(np.int32), quantized(scale))
        for gate, scale in zip(_GATES, scales, strict=True)
    ]


def _probes(
    rng: np.random.Generator, opcode: str, what: str, model: Model, shape: tuple[int, ...]
) -> Iterator[Probe]:
    runs: tuple[Arrays, ...] = tuple((drawn(rng, *shape),) for _ in range(STEPS))
    alone = Probe(f"{what}, each from the initial state", opcode, model, runs[:4])
    yield alone
    yield replace(alone, name=f"{what}, a series of {STEPS}", runs=runs, series=True)
