"""Models for requirements without a case in ``rules_cases``: LSTMs, control flow, variables, square weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from tests.differential import rules_cases, rules_cases_hybrid, rules_cases_uint8
from tests.differential.rules_cases import Case, Part, act, bias, case, const, out

SEED, CELLS, WIDTH, BATCH, TIME = 41, 6, 5, 2, 3
CONV = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}


def all_cases(dtype: str) -> list[Case]:
    """Return the cases of ``rules_cases`` and of this module, always the same; uint8 and hybrid have separate modules."""
    made = {"uint8": rules_cases_uint8.cases, "hybrid": rules_cases_hybrid.cases}.get(dtype)
    state = rules_cases.RNG.bit_generator.state
    rules_cases.RNG.bit_generator.state = np.random.default_rng(SEED).bit_generator.state
    try:
        if made:
            return [*made()]
        known = [_below_zero(one) if one.opcode == "PRELU" else one for one in rules_cases.cases(dtype)]
        return [*known, *_square(dtype), *_variables(dtype), *_narrow(dtype)]
    finally:
        rules_cases.RNG.bit_generator.state = state


def _below_zero(one: Case) -> Case:
    """Return the case with a stored 0 in its first input, which is below the zero point as int8 and as uint8."""
    values = one.inputs[0].copy()
    values.reshape(-1)[1] = 0
    return replace(one, inputs=(values, *one.inputs[1:]))


def _narrow(dtype: str) -> Iterator[Case]:
    """Yield cases of int8 only."""
    if dtype != "int8":
        return
    for opcode in ("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"):
        yield _lstm(f"{opcode} peephole, projected", opcode, peephole=True, projected=True)
        yield _lstm(f"{opcode} layer norm", opcode, norm=True)
        yield _lstm(opcode, opcode)
    yield _svdf()
    yield case("FAKE_QUANT", [act((4, 3))], [out((4, 3), qparams(0.05, 3))], min=-6.0, max=6.0, num_bits=8)
    ties = Part((4, 6), "int8", qparams(0.05, 3), rules_cases.RNG.integers(125, 128, (4, 6)).astype("int8"))
    yield case("LOG_SOFTMAX ties", [ties], [out((4, 6), qparams(1 / 16, 127))], "LOG_SOFTMAX", tolerance=2)
    yield from _small()
    yield from _stablehlo()
    yield from _called()


def _square(dtype: str) -> Iterator[Case]:
    """Yield square weights: their scales fit the correct and the wrong dimension."""
    wide = dtype == "int16"
    kind, unit = ("int64", 1 / 256) if wide else ("int32", 1.0)

    def a(*shape: int) -> Part:
        return act(shape, 0.05 * unit, 3, dtype, -32768 if wide else -128)

    def o(*shape: int) -> Part:
        return out(shape, qparams(0.4 * unit, 0 if wide else 3), dtype)

    def w(axis: int, *shape: int) -> Part:
        values = rules_cases.RNG.integers(-127, 128, shape)
        return const(values, qparams(0.004 + 0.004 * np.arange(shape[axis]), 0, axis), "int8")

    x, v = a(1, 4, 6, 3), w(0, 3, 3, 3, 3)
    yield case("CONV_2D square", [x, v, bias(x, v, kind)], [o(1, 4, 6, 3)], "CONV_2D", **CONV)
    v = w(3, 1, 3, 3, 3)
    yield case("DEPTHWISE_CONV_2D square", [x, v, bias(x, v, kind)], [o(1, 4, 6, 3)], "DEPTHWISE_CONV_2D",
               **CONV, depth_multiplier=1)  # fmt: skip
    x, v = a(2, 5), w(0, 5, 5)
    yield case("FULLY_CONNECTED square", [x, v, bias(x, v, kind)], [o(2, 5)], "FULLY_CONNECTED")
    yield case("FULLY_CONNECTED without bias", [x, v], [o(2, 5)], "FULLY_CONNECTED")
    v = const(rules_cases.RNG.integers(-127, 128, (5, 5)), qparams(0.01), "int8")
    yield case("FULLY_CONNECTED per-tensor, without bias", [x, v], [o(2, 5)], "FULLY_CONNECTED")
    x, v = a(1, 3, 4, 3), w(0, 3, 3, 3, 3)
    yield case("TRANSPOSE_CONV square", [const([1, 6, 8, 3]), v, x, bias(x, v, kind)], [o(1, 6, 8, 3)],
               "TRANSPOSE_CONV", padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip
    if wide:
        x = a(2, 4, 5)
        y = const(rules_cases.RNG.integers(-127, 128, (2, 5, 4)), qparams(0.01), "int8")
        yield case("BATCH_MATMUL int8", [x, y], [o(2, 4, 4)], "BATCH_MATMUL")
        yield case("WHERE", [act((4, 3), None, 0, "int16")], [out((12, 2), None, "int64")], real=False)
        yield case("QUANTIZE to int8", [x], [out((2, 4, 5), qparams(0.06, 5), "int8")], "QUANTIZE")
        for opcode in ("ADD", "SUB"):
            given = [act((4, 6), 2.0**-n, 0, "int16", -20000) for n in (12, 13)]
            yield case(f"{opcode} powers of two", given, [out((4, 6), qparams(2.0**-12), "int16")], opcode,
                       pot_scale_int16=True)  # fmt: skip
        return
    yield case("EMBEDDING_LOOKUP square", [const([3, 1]), w(0, 4, 4)], [out((2, 4), None, "float32")],
               "EMBEDDING_LOOKUP")  # fmt: skip


def _lstm(
    name: str, opcode: str, norm: bool = False, peephole: bool = False, projected: bool = False
) -> Case:
    """Return an LSTM with a 16-bit cell and sums that fit its types. Without layer normalization, the recurrent
    weights, peepholes and biases are so large that the outputs show their parameters.
    """
    builder, rng = ModelBuilder(name), np.random.default_rng(SEED)
    graph, outputs = builder.subgraph("main"), 4 if projected and not peephole else CELLS
    layout = (BATCH, WIDTH) if opcode == "LSTM" else (BATCH, TIME, WIDTH)
    sx, sh, sm, sw = 0.02, 2.0**-7, 0.006, [0.004, 0.005, 0.006, 0.0045]
    x = graph.tensor("x", layout, "int8", qparams(sx, -4))

    def gates(kind: str, shape: tuple[int, ...], dtype: str, most: int, scales: list[float]) -> list[int]:
        draws = [rng.integers(-most, most + 1, shape).astype(dtype) for _ in range(4)]
        return [graph.constant(f"{kind}{g}", draws[g], qparams(scales[g])) for g in range(4)]

    coefficients = [2.0**-14, 2.0**-13, 2.0**-14, 2.0**-13]
    steps = [c / 1024 for c in coefficients] if norm else [float(np.float32(sx) * np.float32(w)) for w in sw]
    operands = [
        x,
        *gates("w", (CELLS, WIDTH), "int8", 127, sw),
        *gates("r", (CELLS, outputs), "int8", 127, [s if norm else 3 * s for s in sw]),
    ]
    seen = gates("peephole", (CELLS,), "int16", 20000, [2.0**-15] * 4)
    operands += [seen[g] if peephole else -1 for g in (0, 1, 3)]
    operands += [*gates("bias", (CELLS,), "int32", 4_000_000 if norm else 15000, steps), -1, -1]
    if projected:
        values = rng.integers(-127, 128, (outputs, CELLS)).astype(np.int8)
        operands[16] = graph.constant("p", values, qparams(0.003))
        step = np.float32(sm) * np.float32(0.003)
        operands[17] = graph.constant("pb", rng.integers(-3000, 3000, outputs).astype("int32"), qparams(step))
    operands.append(graph.tensor("h", (BATCH, outputs), "int8", qparams(sh, 3), is_variable=True))
    operands.append(graph.tensor("c", (BATCH, CELLS), "int16", qparams(2.0**-12), is_variable=True))
    if norm:
        operands += gates("norm", (CELLS,), "int16", 16000, coefficients)
    step = 0.0003 if norm else 2.0**-12
    sums = [graph.tensor(f"sum{g}", (0,), "int16", qparams(step)) for g in range(4)]
    hidden = graph.tensor("hidden", (0,), "int8", qparams(sm, -2) if projected else qparams(sh, 3))
    y = graph.tensor("y", (*layout[:-1], outputs), "int8", qparams(sh, 3))
    graph.add(
        opcode, operands, [y], version=2, intermediates=[*sums, hidden], fused_activation_function="TANH"
    )
    graph.inputs(x)
    graph.outputs(y)
    given = rng.integers(-128, 128, layout).astype(np.int8)
    return Case(name, opcode, builder.finish(), (given,), tolerance=6)


def _svdf() -> Case:
    """Return an SVDF with the smallest output 0: the kernel's RELU clamps to the type's smallest integer."""
    rng = np.random.default_rng(SEED)
    feature = const(rng.integers(-127, 128, (6, WIDTH)), qparams(0.01), "int8")
    time = const(rng.integers(-9000, 9000, (6, 4)), qparams(2.0**-13), "int16")
    start = const(rng.integers(-900, 900, 3), qparams(2.0**-24), "int32")
    state = Part((BATCH, 24), "int16", qparams(2.0**-11), variable=True)
    given = [act((BATCH, WIDTH), 0.02), feature, time, start, state]
    return case("SVDF rank 2", given, [out((BATCH, 3), qparams(0.1, -128))], "SVDF", rank=2,
                fused_activation_function="RELU", version=3)  # fmt: skip


def _small() -> Iterator[Case]:
    """Yield operators on unquantized integers, so small that no output exceeds the type: real numbers do not wrap."""
    for opcode in ("STABLEHLO_ADD", "STABLEHLO_MULTIPLY"):
        given = [
            Part((4, 3), "int8", None, rules_cases.RNG.integers(1, 11, (4, 3)).astype("int8")) for _ in "xy"
        ]
        yield case(f"{opcode} small", given, [out((4, 3))], opcode)


def _stablehlo() -> Iterator[Case]:
    q, x = qparams(0.05, 3), act((4, 3))
    rest = const(-40, q, "int8")
    yield case("DILATE", [x, const([2, 1]), rest], [out((7, 3), q)], real=False)
    yield case("STABLEHLO_GATHER", [x, const([[1], [3]])], [out((2, 3), q)], real=False, offset_dims=[1],
               collapsed_slice_dims=[0], start_index_map=[0], index_vector_dim=1, slice_sizes=[1, 3])  # fmt: skip
    window = {"window_dimensions": [2, 1], "window_strides": [1, 1], "base_dilations": [1, 1],
              "window_dilations": [1, 1], "padding": [0, 0, 0, 0], "body_subgraph_index": 1}  # fmt: skip
    yield _with_body(case("STABLEHLO_REDUCE_WINDOW", [act((4, 3), None), Part((1,), "int8", None, np.zeros(1, np.int8))],
                          [out((3, 3))], real=False, **window), "STABLEHLO_ADD")  # fmt: skip
    sizes = [const([2, 1], None, "int64"), const([1, 1], None, "int64"), const([1, 1], None, "int64")]
    zero = const(0, None, "int8")
    small = Part((4, 3), "int8", None, rules_cases.RNG.integers(1, 11, (4, 3)).astype("int8"))
    yield case("REDUCE_WINDOW", [small, zero, *sizes], [out((3, 3))], real=False,
               reduce_function="ADD")  # fmt: skip
    scatter = {"update_window_dims": [1], "inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0],
               "index_vector_dim": 1, "update_computation_subgraph_index": 1}  # fmt: skip
    given = [act((4, 3), None), const([[1], [3]]), act((2, 3), None)]
    yield _with_body(case("STABLEHLO_SCATTER", given, [out((4, 3))], real=False, **scatter), "STABLEHLO_ADD")


def _with_body(outer: Case, opcode: str) -> Case:
    """Return the case with a second subgraph of a binary operator."""
    builder = ModelBuilder()
    graph = builder.subgraph("body")
    a, b, c = (graph.tensor(n, (), "int8") for n in "abc")
    graph.add(opcode, [a, b], [c])
    graph.inputs(a, b)
    graph.outputs(c)
    body = builder.finish().subgraphs[0]
    model = replace(outer.model, subgraphs=(*outer.model.subgraphs, replace(body, index=1)))
    return replace(outer, model=model)


def _variables(dtype: str) -> Iterator[Case]:
    """Yield cases of a variable that is assigned and read, one for each of the two operators."""
    q = qparams(0.05, 3 if dtype == "int8" else 0)
    for opcode in ("READ_VARIABLE", "ASSIGN_VARIABLE"):
        builder = ModelBuilder(opcode)
        graph = builder.subgraph("main")
        x, y = graph.tensor("x", (2, 3), dtype, q), graph.tensor("y", (2, 3), dtype, q)
        handle = graph.tensor("handle", (), "resource")
        graph.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
        graph.add("ASSIGN_VARIABLE", [handle, x], [])
        graph.add("READ_VARIABLE", [handle], [y])
        graph.inputs(x)
        graph.outputs(y)
        yield Case(opcode, opcode, builder.finish(), (np.arange(6).reshape(2, 3).astype(dtype),), real=False)


def _called() -> Iterator[Case]:
    """Yield a sum in a separate subgraph, called by each control-flow operator."""
    q, given = qparams(0.05, 3), np.arange(6, dtype=np.int8).reshape(2, 3)
    for opcode in ("IF", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE", "WHILE"):
        builder = ModelBuilder(opcode)
        main = builder.subgraph("main")
        x, y = (main.tensor(n, (2, 3), "int8", q) for n in "xy")
        if opcode == "IF":
            c = main.tensor("c", (), "bool")
            main.add("IF", [c, x], [y], then_subgraph_index=1, else_subgraph_index=1)
        elif opcode == "STABLEHLO_CASE":
            c = main.tensor("c", (), "int32")
            main.add("STABLEHLO_CASE", [c, x], [y], branch_subgraph_indices=[1])
        elif opcode == "STABLEHLO_COMPOSITE":
            main.add("STABLEHLO_COMPOSITE", [x], [y], name="own", decomposition_subgraph_index=1,
                     composite_attributes=np.uint8([0, 0, 1, 4, 0, 0, 36, 1]))  # fmt: skip
        else:
            main.add("WHILE", [x], [y], cond_subgraph_index=2, body_subgraph_index=1)
        main.inputs(*([c, x] if opcode in ("IF", "STABLEHLO_CASE") else [x]))
        main.outputs(y)
        body = builder.subgraph("body")
        a, b = (body.tensor(n, (2, 3), "int8", q) for n in "ab")
        body.add("ADD", [a, body.constant("one", np.full((2, 3), 90, np.int8), q)], [b])
        body.inputs(a)
        body.outputs(b)
        if opcode == "WHILE":
            cond = builder.subgraph("cond")
            a, more, least = cond.tensor("a", (2, 3), "int8", q), cond.tensor("m", (), "bool"), None
            least = cond.tensor("least", (), "int8", q)
            cond.add("REDUCE_MIN", [a, cond.constant("axis", np.int32([0, 1]))], [least])
            cond.add("LESS", [least, cond.constant("far", np.int8(60), q)], [more])
            cond.inputs(a)
            cond.outputs(more)
        first = {"IF": [np.array(True)], "STABLEHLO_CASE": [np.array(0, np.int32)]}.get(opcode, [])
        yield Case(opcode, opcode, builder.finish(), (*first, given), real=False)
