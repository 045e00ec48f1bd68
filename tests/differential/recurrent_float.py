"""Random LSTM and SVDF in float32 over several inferences: outputs and states."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from tests.differential.one_operator import Far, Trial, outputs
from tests.differential.sweep import Family

Random = np.random.Generator
#: Tolerance of outputs and states, in units of the last place of the largest among them. Sums are added in different
#: orders, exponentials differ by a few float32 values, and errors accumulate over steps. The largest of 900 networks is
#: 66, for a sum of six RELU6 with a small maximum; with TANH and usual values it is 22.
ULPS = 256
#: Relative change of inputs and constants, and the number of such changes, that measure the condition of an element.
STEP, CHANGES = 2.0**-22, 8
#: Activations without NONE, and no more outputs than cells: see known-faults.yaml.
ACTIVATIONS = ("TANH", "TANH", "RELU", "RELU6", "RELU_N1_TO_1")


def lstm(rng: Random, opcode: str, activation: str = "", projected: bool = False, more: int = 0) -> Trial:
    """Return a random float LSTM with any of its extensions, or with a projection to ``more`` outputs than cells."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    chosen = projected
    cifg, peephole, norm, projected, clipped = (
        rng.random() < p or p == 1 for p in (0.3, 0.4, 0.3, chosen or 0.4, 0.3)
    )
    time_major, diagonal = (opcode != "LSTM" and not chosen and rng.random() < p for p in (0.3, 0.2))
    batch, time, n, cells = (int(v) for v in rng.integers(1, (4, 9, 40, 40)))
    outputs = int(rng.integers(1, cells + 1)) if projected and not diagonal else cells
    outputs = cells + more if chosen else outputs
    layout = (batch, n) if opcode == "LSTM" else (time, batch, n) if time_major else (batch, time, n)

    def constant(name: str, *shape: int, present: bool = True, spread: float = 0.4) -> int:
        values = rng.normal(0, spread, shape).astype(np.float32)
        return graph.constant(name, values) if present else -1

    gates = [not cifg, True, True, True]
    x = graph.tensor("x", layout, "float32")
    operands = [x, *(constant(f"w{g}", cells, n, present=p) for g, p in enumerate(gates))]
    recurrent = (cells,) if diagonal else (cells, outputs)
    operands += [constant(f"r{g}", *recurrent, present=p) for g, p in enumerate(gates)]
    operands += [constant(f"p{g}", cells, present=peephole and gates[g]) for g in (0, 1, 3)]
    operands += [constant(f"b{g}", cells, present=p) for g, p in enumerate(gates)]
    operands.append(constant("p", outputs, cells, present=projected))
    operands.append(constant("pb", outputs, present=projected and rng.random() < 0.7))
    operands.append(graph.tensor("h", (batch, outputs), "float32", is_variable=True))
    operands.append(graph.tensor("c", (batch, cells), "float32", is_variable=True))
    operands += [constant(f"n{g}", cells, present=norm and p) for g, p in enumerate(gates)]
    y = graph.tensor("y", (*layout[:-1], outputs), "float32")
    options = {"cell_clip": 1.5, "proj_clip": 0.8} if clipped else {}
    if opcode != "LSTM":
        options |= {"time_major": time_major, "diagonal_recurrent_tensors": diagonal}
    fused = activation or str(rng.choice(ACTIVATIONS))
    graph.add(opcode, operands, [y], version=1, fused_activation_function=fused, **options)
    graph.inputs(x)
    graph.outputs(y)
    runs = tuple((rng.normal(size=layout).astype(np.float32),) for _ in range(2))
    return Trial(f"{opcode} {layout} {options}", builder.finish(), runs)


def svdf(rng: Random, weights: str = "float32") -> Trial:
    """Return a random SVDF with a float state; int8 weights have a single scale."""
    builder = ModelBuilder("svdf")
    graph = builder.subgraph("main")
    batch, n, units, rank, memory = (int(v) for v in rng.integers(1, (4, 40, 9, 4, 9)))

    def constant(name: str, *shape: int, dtype: str = "float32") -> int:
        values = rng.normal(0, 0.5, shape).astype(np.float32)
        if dtype == "float32":
            return graph.constant(name, values)
        scale = np.abs(values).max() / 127
        return graph.constant(name, np.rint(values / scale).astype(np.int8), qparams(scale))

    x = graph.tensor("x", (batch, n), "float32")
    feature = constant("f", units * rank, n, dtype=weights)
    time = constant("t", units * rank, memory, dtype=weights)
    bias = constant("b", units) if rng.random() < 0.7 else -1
    state = graph.tensor("s", (batch, units * rank * memory), "float32", is_variable=True)
    y = graph.tensor("y", (batch, units), "float32")
    asymmetric = weights != "float32" and bool(rng.random() < 0.5)
    more = {"asymmetric_quantize_inputs": True} if asymmetric else {}
    graph.add("SVDF", [x, feature, time, bias, state], [y], version=2, rank=rank, **more,
              fused_activation_function=str(rng.choice(ACTIVATIONS)))  # fmt: skip
    graph.inputs(x)
    graph.outputs(y)
    runs = tuple((rng.normal(size=(batch, n)).astype(np.float32),) for _ in range(3))
    return Trial("SVDF", builder.finish(), runs)


def too_far(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    """Return a mask of differences beyond :data:`ULPS` of the largest value."""
    return ~(np.abs(ours - theirs) <= ULPS * np.spacing(np.abs(theirs).max(initial=np.float32(1e-30))))


def _changed(trial: Trial, random: Random) -> Trial:
    """Return the trial with each float32 input and constant multiplied by 1 + STEP or 1 - STEP."""

    def other(x: np.ndarray) -> np.ndarray:
        return (x * (1 + STEP * random.choice([-1, 1], x.shape))).astype(np.float32)

    graph, buffers, tensors = trial.model.subgraphs[0], list(trial.model.buffers), []
    for tensor in graph.tensors:
        if tensor.data is not None and tensor.dtype == "float32":
            data = other(tensor.data.view(np.float32)).view(np.uint8)
            tensor, buffers[tensor.buffer] = (
                replace(tensor, data=data),
                replace(buffers[tensor.buffer], data=data),
            )
        tensors.append(tensor)
    model = replace(trial.model, subgraphs=(replace(graph, tensors=tuple(tensors)),), buffers=tuple(buffers))
    return replace(trial, model=model, runs=tuple(tuple(map(other, run)) for run in trial.runs))


def far(kind: str, resolver: str, trial: Trial) -> Far:
    """Return a mask of differences beyond :data:`ULPS` that the condition of an element does not explain.

    An element is ill-conditioned if changes of inputs and constants in the last bits change it by more than that, as in
    sums of RELU that cancel. Both runtimes then output the correct values of nearly equal networks. Example: of a value
    of 119.8, such changes alter 0.07, and the runtimes differ by 0.009.
    """
    arithmetic = "tflm" if resolver == "tflm" else f"litert-{resolver}"

    @cache
    def reaches() -> list[tuple[np.ndarray, np.ndarray]]:
        random, made = np.random.default_rng(0), [x for run in outputs(trial, arithmetic) for x in run]
        others = [outputs(_changed(trial, random), arithmetic) for _ in range(CHANGES)]
        flat = [[x for run in other for x in run] for other in others]
        return [(x, np.abs(np.stack(same) - x).max(axis=0)) for x, *same in zip(made, *flat, strict=True)]

    def mask(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
        wrong = too_far(ours, theirs)
        if wrong.any():
            reach = (reach for x, reach in reaches() if x.shape == ours.shape and np.array_equal(x, ours))
            wrong &= ~(np.abs(ours - theirs) <= next(reach, 0.0))
        return wrong

    return mask


FAMILY = Family(
    {
        "UNIDIRECTIONAL_SEQUENCE_LSTM float32": lambda rng: lstm(rng, "UNIDIRECTIONAL_SEQUENCE_LSTM"),
        "LSTM float32": lambda rng: lstm(rng, "LSTM"),
        "SVDF float32": svdf,
        "SVDF int8 weights": lambda rng: svdf(rng, "int8"),
    },
    far,
)
