"""Conforming models with states or control flow: LSTM, SVDF, branches, loops, variables."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from litecheck.model.build import qparams
from tests.differential.structure.sketch import Sketch, Specimen

CELLS, WIDTH, BATCH, TIME = 6, 5, 2, 3


def stateful() -> Iterator[Specimen]:
    """Yield all specimens of this module."""
    for opcode in ("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"):
        yield _lstm(opcode, opcode)
        yield _lstm(f"{opcode} layer norm", opcode, norm=True)
        yield _lstm(f"{opcode} peephole, projected", opcode, peephole=True, projected=True)
    yield _lstm("UNIDIRECTIONAL_SEQUENCE_LSTM CIFG", "UNIDIRECTIONAL_SEQUENCE_LSTM", cifg=True)
    yield _svdf()
    yield _branching()
    yield _looping()
    yield _remembering()


def _lstm(
    name: str,
    opcode: str,
    norm: bool = False,
    peephole: bool = False,
    projected: bool = False,
    cifg: bool = False,
) -> Specimen:
    """Return an 8x8_16 LSTM with sums well within its types."""
    s = Sketch(name)
    main, rng, outputs = s.main, s.rng, CELLS
    here = [not cifg, True, True, True]
    layout = (BATCH, WIDTH) if opcode == "LSTM" else (BATCH, TIME, WIDTH)
    sx, sh, sw = 0.02, 2.0**-7, [0.004, 0.005, 0.006, 0.0045]
    x = s.x(*layout, scale=sx, zero=-4)

    def gates(kind: str, shape: tuple[int, ...], dtype: str, most: int, scales: list[float]) -> list[int]:
        draws = [rng.integers(-most, most + 1, shape).astype(dtype) for _ in here]
        return [
            main.constant(f"{kind}{g}", draws[g], qparams(scales[g])) if here[g] else -1 for g in range(4)
        ]

    coefficients = [2.0**-14, 2.0**-13, 2.0**-14, 2.0**-13]
    steps = [c / 1024 for c in coefficients] if norm else [float(np.float32(sx) * np.float32(w)) for w in sw]
    operands = [
        x,
        *gates("w", (CELLS, WIDTH), "int8", 127, sw),
        *gates("r", (CELLS, outputs), "int8", 127, sw),
    ]
    seen = gates("peephole", (CELLS,), "int16", 9000, [2.0**-15] * 4)
    operands += [seen[g] if peephole else -1 for g in (0, 1, 3)]
    operands += gates("bias", (CELLS,), "int32", 4_000_000 if norm else 5000, steps)
    operands += [-1, -1]
    sm = 0.006
    if projected:
        operands[16] = main.constant(
            "p", rng.integers(-127, 128, (outputs, CELLS)).astype(np.int8), qparams(0.003)
        )
        scale = np.float32(sm) * np.float32(0.003)
        operands[17] = main.constant(
            "pb", rng.integers(-3000, 3000, outputs).astype(np.int32), qparams(scale)
        )
    operands.append(main.tensor("h", (BATCH, outputs), "int8", qparams(sh, 3), is_variable=True))
    operands.append(main.tensor("c", (BATCH, CELLS), "int16", qparams(2.0**-12), is_variable=True))
    if norm:
        operands += gates("norm", (CELLS,), "int16", 16000, coefficients)
    sums = [main.tensor(f"sum{g}", (0,), "int16", qparams(0.0003 if norm else 2.0**-12)) for g in range(4)]
    hidden = main.tensor("hidden", (0,), "int8", qparams(sm, -2) if projected else qparams(sh, 3))
    y = main.tensor("y", (*layout[:-1], outputs), "int8", qparams(sh, 3))
    main.add(
        opcode, operands, [y], version=2, intermediates=[*sums, hidden], fused_activation_function="TANH"
    )
    return s.done(y)


def _svdf() -> Specimen:
    s = Sketch("SVDF rank 2")
    main, rng, units, memory = s.main, s.rng, 3, 4
    x = s.x(BATCH, WIDTH, scale=0.02)
    feature = main.constant("f", rng.integers(-127, 128, (units * 2, WIDTH)).astype(np.int8), qparams(0.01))
    time = main.constant(
        "t", rng.integers(-9000, 9000, (units * 2, memory)).astype(np.int16), qparams(2.0**-13)
    )
    bias = main.constant(
        "b", rng.integers(-20_000_000, 20_000_000, units).astype(np.int32), qparams(2.0**-13 * 2.0**-11)
    )
    state = main.tensor("s", (BATCH, units * 2 * memory), "int16", qparams(2.0**-11), is_variable=True)
    y = s.t(BATCH, units, scale=0.1, zero=-128)  # the kernel's RELU is the lower end of int8
    main.add(
        "SVDF", [x, feature, time, bias, state], [y], version=3, rank=2, fused_activation_function="RELU"
    )
    return s.done(y)


def _branching() -> Specimen:
    """Return an IF of two sums of quantized values."""
    s = Sketch("IF")
    c = s.feed(s.main.tensor("c", (), "bool"), np.array(True))
    x, y = s.x(2, 3), s.t(2, 3, scale=0.08)
    s.main.add("IF", [c, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    for name, opcode in (("then", "ADD"), ("else", "SUB")):
        graph = s.builder.subgraph(name)
        inner, outer = s.t(2, 3, graph=graph), s.t(2, 3, scale=0.08, graph=graph)
        one = graph.constant("one", np.full((2, 3), 50, np.int8), qparams(0.03, -5))
        graph.add(opcode, [inner, one], [outer])
        graph.inputs(inner)
        graph.outputs(outer)
    return s.done(y)


def _looping() -> Specimen:
    """Return a WHILE of three iterations that count and add a quantized constant."""
    s = Sketch("WHILE")
    n = s.feed(s.main.tensor("n", (1,), "int32"), np.array([0], np.int32))
    x, m, y = s.x(2, 3), s.main.tensor("m", (1,), "int32"), s.t(2, 3)
    s.main.add("WHILE", [n, x], [m, y], cond_subgraph_index=1, body_subgraph_index=2)
    for name in ("cond", "body"):
        graph = s.builder.subgraph(name)
        count, inner = graph.tensor("n", (1,), "int32"), s.t(2, 3, graph=graph)
        graph.inputs(count, inner)
        if name == "cond":
            more = graph.tensor("more", (1,), "bool")
            graph.add("LESS", [count, s.c([3], graph=graph)], [more])
            graph.outputs(more)
        else:
            new, outer = graph.tensor("m", (1,), "int32"), s.t(2, 3, graph=graph)
            graph.add("ADD", [count, s.c([1], graph=graph)], [new])
            step = graph.constant("step", np.full((2, 3), 9, np.int8), qparams(0.05, 3))
            graph.add("ADD", [inner, step], [outer])
            graph.outputs(new, outer)
    return s.done(m, y)


def _remembering() -> Specimen:
    """Return a variable that is initialized once and assigned each output."""
    s = Sketch("CALL_ONCE, variables")
    x, old, y = s.x(2, 3), s.t(2, 3), s.t(2, 3)
    handle = s.main.tensor("handle", (), "resource")
    s.main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    s.main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    s.main.add("READ_VARIABLE", [handle], [old])
    s.main.add("ADD", [old, x], [y])
    s.main.add("ASSIGN_VARIABLE", [handle, y], [])
    first = s.builder.subgraph("first")
    own = first.tensor("handle", (), "resource")
    start = first.constant("start", np.arange(6, dtype=np.int8).reshape(2, 3), qparams(0.05, 3))
    first.add("VAR_HANDLE", [], [own], container="", shared_name="v")
    first.add("ASSIGN_VARIABLE", [own, start], [])
    return s.done(y)
