"""Probes of operators with state: SVDF and UNIDIRECTIONAL_SEQUENCE_LSTM, from their initial state and in series.

In a series, inferences run consecutively without a reset. A device that loses state, or never resets it, differs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.cases.probes.probe import Probe, draw_int8
from litecheck.model.build import Option, qparams
from litecheck.model.types import Model
from litecheck.profile.operators import traits_of

#: Inferences of a series: more than the memory of an SVDF probe has entries.
STEPS = 12
_GATES = ("input", "forget", "cell", "output")


def of_svdf(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of SVDF with several ranks, with 1 row and with 3."""
    for batch, features, units, rank, memory in ((1, 9, 7, 1, 5), (3, 19, 8, 2, 4), (1, 37, 35, 1, 10)):
        model = _svdf(rng, opcode, (batch, features, units), rank, memory)
        what = f"{batch} x {features} to {units} of rank {rank}, memory {memory}"
        yield from _probes(rng, opcode, what, model, (batch, features))


def _svdf(
    rng: np.random.Generator, opcode: str, sizes: tuple[int, int, int], rank: int, memory: int
) -> Model:
    batch, features, units = sizes
    filters = units * rank
    # The newest entry of the memory and the sums over it use most of 16 and 8 bits.
    state, time, output = 0.05 * 0.01 * 74 * 74 * np.sqrt(features) / 9000, 1 / 32768, 0.0
    output = float(state * time * 9000 * 9000 * np.sqrt(memory * rank) / 60)
    operands = [
        run_time("input", (batch, features), "int8", qparams(0.05, -7)),
        constant("weights_feature", draw_int8(rng, filters, features), qparams(0.01)),
        constant(
            "weights_time", rng.integers(-16000, 16000, (filters, memory)).astype(np.int16), qparams(time)
        ),
        constant("bias", rng.integers(-(2**24), 2**24, units).astype(np.int32), qparams(state * time)),
        run_time("state", (batch, filters * memory), "int16", qparams(state), variable=True),
    ]
    y = run_time("output", (batch, units), "int8", qparams(output, 5))
    options: dict[str, Option] = {"rank": rank, "fused_activation_function": "RELU"}
    return one_operator(opcode, operands, [y], options, version=traits_of(opcode).version, description="svdf")


def of_lstm(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of UNIDIRECTIONAL_SEQUENCE_LSTM with 8-bit activations and a 16-bit cell, over 1 step and several."""
    for batch, time, features, cells, strength in (
        (1, 1, 9, 7, 1), (1, 9, 9, 7, 1), (2, 5, 37, 35, 1), (1, 9, 37, 35, 8),
    ):  # fmt: skip
        model = _lstm(rng, opcode, (batch, time, features, cells), strength)
        saturated = ", gates beyond 16 bits" if strength > 1 else ""
        what = f"{batch} x {time} steps x {features} to {cells} cells{saturated}"
        yield from _probes(rng, opcode, what, model, (batch, time, features))


def _lstm(rng: np.random.Generator, opcode: str, sizes: tuple[int, int, int, int], strength: int) -> Model:
    """Return an LSTM with random weights; ``strength`` multiplies their scales, and 8 saturates the gates."""
    batch, time, features, cells = sizes
    hidden = qparams(1 / 128, 5)
    scales = strength * rng.uniform(0.002, 0.01, (2, len(_GATES)))
    kinds = ((features, 0), (cells, 1))
    weights = [
        constant(f"weights {kind} {gate}", draw_int8(rng, cells, width), qparams(scales[kind, at]))
        for width, kind in kinds
        for at, gate in enumerate(_GATES)
    ]
    biases = [
        constant(f"bias {gate}", rng.integers(-9999, 9999, cells).astype(np.int32), qparams(scale * 0.02))
        for gate, scale in zip(_GATES, scales[0], strict=True)
    ]
    x = run_time("input", (batch, time, features), "int8", qparams(0.02, -7))
    h = run_time("output_state", (batch, cells), "int8", hidden, variable=True)
    c = run_time("cell_state", (batch, cells), "int16", qparams(2.0**-11), variable=True)
    operands = [x, *weights, *[None] * 3, *biases, None, None, h, c, *[None] * 4]
    sums = [run_time(f"sum {gate}", (0,), "int16", qparams(2.0**-12)) for gate in _GATES]
    inner = run_time("hidden", (0,), "int8", hidden)
    y = run_time("output", (batch, time, cells), "int8", hidden)
    options: dict[str, Option] = {"fused_activation_function": "TANH", "time_major": False}
    return one_operator(
        opcode, operands, [y], options, version=traits_of(opcode).version, intermediates=[*sums, inner],
        description="lstm",
    )  # fmt: skip


def _probes(
    rng: np.random.Generator, opcode: str, what: str, model: Model, shape: tuple[int, ...]
) -> Iterator[Probe]:
    runs: tuple[Arrays, ...] = tuple((draw_int8(rng, *shape),) for _ in range(STEPS))
    alone = Probe(f"{what}, each from the initial state", opcode, model, runs[:4])
    yield alone
    yield replace(alone, name=f"{what}, a series of {STEPS}", runs=runs, series=True)
