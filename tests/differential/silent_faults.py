"""Faults that LiteRT ignores, crashes on or rejects: for each a valid model and a broken copy.

``litert`` is the impact of the broken model. ``refused``: at load or at run time. ``crashes``. ``default only``: only
the default interpreter rejects it. ``wrong``: outputs differ from ``right``, the outputs that the parameters state.
``undefined``: it reads memory outside tensors. Further words describe differences between resolvers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization

#: Impact of reading memory before the array of tensors, or unwritten memory: accidental.
UNDEFINED = "undefined"
GATES = ("input", "forget", "cell", "output")
Inputs = tuple[np.ndarray, ...]


@dataclass(frozen=True)
class SilentFault:
    """Fault: the paths of the findings that it alone must have, and its impact on LiteRT."""

    name: str
    good: Model
    bad: Model
    inputs: Inputs
    paths: tuple[str, ...]
    litert: str
    right: np.ndarray | None = None
    """The stored outputs that the broken model's parameters state; by default those of the good model."""


def changed(model: Model, name: str, **fields: Any) -> Model:
    """Return the model with a single tensor changed, found by its name, or with its only operator changed (``operator``)."""
    graph = model.subgraphs[0]
    if name == "operator":
        graph = replace(graph, operators=(replace(graph.operators[0], **fields),))
    else:
        tensors = tuple(replace(t, **fields) if t.name == name else t for t in graph.tensors)
        graph = replace(graph, tensors=tensors)
    return replace(model, subgraphs=(graph, *model.subgraphs[1:]))


def lstm(opcode: str, norm: bool = False, projected: bool = False) -> tuple[Model, Inputs]:
    """Return a conforming 8x8_16 LSTM of 8 cells, with 5 outputs if projected, and its inputs."""
    rng, cells, n = np.random.default_rng(3), 8, 6
    outputs, sx, sh, zh = 5 if projected else cells, 2.0**-6, 2.0**-7, -4
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    shape = (2, n) if opcode == "LSTM" else (2, 5, n)
    x = graph.tensor("x", shape, "int8", qparams(sx, 3))

    def constants(name: str, dtype: str, scales: list[float], *dims: int, most: float = 127) -> list[int]:
        draws = [rng.integers(-int(most / s) if most < 1 else -127, int(most / s) if most < 1 else 128, dims)
                 for s in scales]  # fmt: skip
        return [
            graph.constant(f"{name} {gate}", draw.astype(dtype), qparams(s))
            for gate, draw, s in zip(GATES, draws, scales, strict=False)
        ]

    steps = [2.0**-7, 2.0**-7, 2.0**-8, 2.0**-7]
    norms = [2.0**-15] * 4
    operands = [x, *constants("w", "int8", steps, cells, n), *constants("r", "int8", steps, cells, outputs)]
    operands += [-1, -1, -1]
    biases = [s / 1024 for s in norms] if norm else [sx * s for s in steps]
    operands += constants("b", "int32", biases, cells, most=0.3)
    hidden = (2.0**-6, 7) if projected else (sh, zh)
    if projected:
        operands += constants("p", "int8", [2.0**-7], outputs, cells)
        operands += constants("pb", "int32", [2.0**-7 * hidden[0]], outputs, most=0.3)
    else:
        operands += [-1, -1]
    operands.append(graph.tensor("state", (2, outputs), "int8", qparams(sh, zh), is_variable=True))
    operands.append(graph.tensor("cell", (2, cells), "int16", qparams(2.0**-11), is_variable=True))
    operands += constants("n", "int16", norms, cells, most=0.9) if norm else [-1] * 4
    extra = [graph.tensor(f"sum {gate}", (0,), "int16", qparams(2.0**-10)) for gate in GATES]
    extra.append(graph.tensor("hidden", (0,), "int8", qparams(*hidden)))
    y = graph.tensor("y", (*shape[:-1], outputs), "int8", qparams(sh, zh))
    graph.add(opcode, operands, [y], version=2, intermediates=extra, fused_activation_function="TANH")
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish(), (rng.integers(-128, 128, shape).astype(np.int8),)


def lstm_faults(opcode: str) -> Iterator[SilentFault]:
    """Yield faults of intermediates, cell scale, and output state."""
    plain, inputs = lstm(opcode)
    fault = partial(SilentFault, good=plain, inputs=inputs)
    limits = f"{opcode}/limits/"
    for name, q in (("scale", qparams(2.0**-6, -4)), ("zero point", qparams(2.0**-7, 40))):
        bad = changed(plain, "hidden", quantization=q)
        yield fault(f"{opcode} hidden {name}", bad=bad, paths=(limits + "hidden_mismatches",), litert="wrong")
    extra = plain.subgraphs[0].operators[0].intermediates
    bad = changed(plain, "operator", intermediates=(*extra[:4], -1))
    yield fault(f"{opcode} hidden absent", bad=bad, paths=(f"{opcode}/hidden/operands",), litert=UNDEFINED)
    bad = changed(plain, "operator", intermediates=(*extra, extra[0]))
    yield fault(
        f"{opcode} six intermediates", bad=bad, paths=(limits + "intermediate_tensors",), litert="refused"
    )
    for bits in (-16, -8):
        bad = changed(plain, "cell", quantization=qparams(2.0**bits))
        yield fault(f"{opcode} cell 2^{bits}", bad=bad, paths=(limits + "cell_state.scale",), litert="wrong")
    projected, inputs = lstm(opcode, projected=True)
    fault = partial(SilentFault, good=projected, inputs=inputs)
    # The projected tensor is hidden: half its scale also changes the steps of the projection's bias.
    bad = changed(projected, "hidden", quantization=qparams(2.0**-6, 3000))
    yield fault(
        f"{opcode} hidden outside int8", bad=bad, paths=(f"{opcode}/hidden/zero_point",), litert="wrong"
    )
    bad = changed(projected, "state", quantization=qparams(2.0**-6, -4))
    yield fault(f"{opcode} state scale", bad=bad, paths=(f"{opcode}/same_quantization",), litert="wrong")
    normal, inputs = lstm(opcode, norm=True)
    fault = partial(SilentFault, good=normal, inputs=inputs)
    bad = changed(normal, "sum cell", quantization=qparams(-(2.0**-10)))
    yield fault(f"{opcode} gate below 0", bad=bad, paths=(limits + "unscaled_gates",), litert="wrong")


def svdf_faults() -> Iterator[SilentFault]:
    """Yield faults of int8 state and time weights, which only TFLM supports."""
    rng = np.random.default_rng(4)

    def svdf(kind: str, state_kind: str) -> Model:
        builder = ModelBuilder("svdf")
        graph = builder.subgraph("main")
        x = graph.tensor("x", (1, 6), "int8", qparams(2.0**-6, 2))
        feature = graph.constant("f", np.full((8, 6), 50, np.int8), qparams(2.0**-7))
        time = graph.constant("t", np.full((8, 3), 90, kind), qparams(2.0**-9))
        bias = graph.constant("b", np.full(8, 500, np.int32), qparams(2.0**-18))
        state = graph.tensor("s", (1, 24), state_kind, qparams(2.0**-9), is_variable=True)
        y = graph.tensor("y", (1, 8), "int8", qparams(2.0**-6, -128))
        graph.add(
            "SVDF", [x, feature, time, bias, state], [y], rank=1, version=3, fused_activation_function="RELU"
        )
        graph.inputs(x)
        graph.outputs(y)
        return builder.finish()

    x = rng.integers(20, 128, (1, 6)).astype(np.int8)
    good = svdf("int16", "int16")
    yield SilentFault(
        "SVDF int8 time", good, svdf("int8", "int16"), (x,), ("SVDF/weights_time/dtype",), "wrong"
    )
    yield SilentFault("SVDF int8 state", good, svdf("int16", "int8"), (x,), ("SVDF/state/dtype",), "wrong")


def bias_faults() -> Iterator[SilentFault]:
    """Yield faults of int16x8 layers with a bias of a different type than the options state."""

    def layer(opcode: str, dtype: str, stated: str | None) -> tuple[Model, Inputs]:
        builder = ModelBuilder(opcode)
        graph = builder.subgraph("main")
        options: dict[str, Any] = {} if stated is None else {"quantized_bias_type": stated}
        shape: tuple[int, ...] = (1, 4)
        if opcode != "FULLY_CONNECTED":
            shape = (1, 1, 1, 4)
            options |= {"padding": "VALID", "stride_w": 1, "stride_h": 1}
        if opcode == "CONV_2D":
            options |= {"dilation_w_factor": 1, "dilation_h_factor": 1}
        x = graph.tensor("x", shape, "int16", qparams(2.0**-12))
        weight = graph.constant("w", np.full((4, *shape[1:]), 64, np.int8), qparams(2.0**-6))
        bias = graph.constant("b", np.full(4, 70000).astype(dtype), qparams(2.0**-18))
        y = graph.tensor("y", shape, "int16", qparams(2.0**-10))
        operands = [x, weight, bias]
        if opcode == "TRANSPOSE_CONV":
            operands = [graph.constant("shape", np.int32(shape)), weight, x, bias]
        graph.add(opcode, operands, [y], version=3 if opcode == "TRANSPOSE_CONV" else 1, **options)
        graph.inputs(x)
        graph.outputs(y)
        return builder.finish(), (np.full(shape, 1000, np.int16),)

    for opcode in ("CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"):
        path = (f"{opcode}/limits/bias_type_mismatch",)
        for good, bad, litert in (
            (("int32", "int32"), ("int32", None), "wrong"),
            (("int32", "int32"), ("int32", "int64"), "refused"),
            (("int64", None), ("int64", "int32"), "refused"),
            (("int64", "int64"), ("int64", "int16"), "refused"),
        ):
            model, inputs = layer(opcode, *good)
            yield SilentFault(f"{opcode} {bad}", model, layer(opcode, *bad)[0], inputs, path, litert)


Q = qparams(2.0**-5, 3)
COARSE = qparams(2.0**-4, 3)


def _logistic(stored: np.ndarray, scale: float) -> np.ndarray:
    real = (stored.astype(float) - 3) * scale
    return np.clip(np.rint(256 / (1 + np.exp(-real)) - 128), -128, 127)


def variable_faults() -> Iterator[SilentFault]:
    """Yield faults of variables that are read with a different type, shape or quantization than assigned."""

    def variable(q: Quantization, dtype: str = "int8", read: int = 4, assign: bool = True) -> Model:
        builder = ModelBuilder("variable")
        graph = builder.subgraph("main")
        x = graph.tensor("x", (1, 4), "int8", Q)
        handle = graph.tensor("handle", (1,), "resource")
        y = graph.tensor("y", (1, read), dtype, q)
        graph.add("VAR_HANDLE", [], [handle], shared_name="v", container="c")
        if assign:
            graph.add("ASSIGN_VARIABLE", [handle, x], [])
        graph.add("READ_VARIABLE", [handle], [y])
        graph.inputs(x)
        graph.outputs(y)
        return builder.finish()

    good, x = variable(Q), np.int8([[1, 20, 30, 40]])
    limits = "READ_VARIABLE/limits/"
    fault = partial(SilentFault, good=good, inputs=(x,))
    bad = variable(COARSE)
    yield fault("variable scale", bad=bad, paths=(limits + "variable_mismatches",), litert="default only")
    bad = variable(qparams(2.0**-5, 4))
    yield fault(
        "variable zero point", bad=bad, paths=(limits + "variable_mismatches",), litert="default only"
    )
    bad = variable(qparams(2.0**-5, 0), "int16")
    yield fault("variable type", bad=bad, litert="refused",
                paths=(limits + "variable_mismatches", limits + "variable_types"))  # fmt: skip
    bad = variable(Q, read=6)
    yield fault("variable too short", bad=bad, paths=(limits + "shorter_assignments",), litert="wrong",
                right=np.full((1, 4), 0))  # fmt: skip
    bad = variable(Q, assign=False)
    yield fault(
        "variable never assigned", bad=bad, paths=(limits + "assignments",), litert="refused somewhere"
    )


Build = Callable[..., Model]


def _callee(builder: ModelBuilder, name: str, q: Quantization = Q, dtype: str = "int8", operands: int = 1,
            results: int = 1, loop: bool = False) -> SubgraphBuilder:  # fmt: skip
    """Return a subgraph of the logistic function, or of ABS for loops, which need equal input and output parameters."""
    graph = builder.subgraph(name)
    out = q if loop else qparams(1 / 256, -128)
    ins = [graph.tensor(f"in {n}", (1, 4), dtype, q) for n in range(operands)]
    outs = [graph.tensor(f"out {n}", (1, 4), dtype, out) for n in range(results)]
    for n, tensor in enumerate(outs):
        graph.add("ABS" if loop else "LOGISTIC", [ins[min(n, operands - 1)]], [tensor])
    graph.inputs(*ins)
    graph.outputs(*outs)
    return graph


def _call(opcode: str, targets: tuple[int, ...] = (1, 2), steering: tuple[str, tuple[int, ...]] | None = None,
          callees: Callable[[ModelBuilder], None] | None = None, **fields: Any) -> Model:  # fmt: skip
    """Return a main subgraph that calls one or two subgraphs with x; IF and CASE have a steering input."""
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    loop = opcode == "WHILE"
    x = graph.tensor("x", (1, 4), "int8", Q)
    y = graph.tensor("y", (1, 4), "int8", Q if loop else qparams(1 / 256, -128))
    kinds = {"IF": ("bool", (1,)), "STABLEHLO_CASE": ("int32", (1,))}
    ins = [x]
    if opcode in kinds:
        dtype, shape = steering or kinds[opcode]
        ins = [graph.tensor("steering", shape, dtype), x]
    options: dict[str, Any] = {
        "IF": dict(zip(("then_subgraph_index", "else_subgraph_index"), targets, strict=False)),
        "WHILE": dict(zip(("body_subgraph_index", "cond_subgraph_index"), targets, strict=False)),
        "STABLEHLO_CASE": {"branch_subgraph_indices": list(targets)},
        "STABLEHLO_COMPOSITE": {"name": "c", "decomposition_subgraph_index": 1,
                                "composite_attributes": np.uint8([0, 0, 1, 0, 0, 36, 1])},
    }[opcode]  # fmt: skip
    graph.add(opcode, ins, [y], **options)
    graph.inputs(*ins)
    graph.outputs(y)
    _callee(builder, "one", loop=loop, **fields)
    if callees:
        callees(builder)
    elif not loop:
        _callee(builder, "two", **fields)
    return builder.finish()


def _condition(
    builder: ModelBuilder, dtype: str = "bool", shape: tuple[int, ...] = (1,), outs: int = 1
) -> None:
    """Return a condition subgraph that never starts the loop."""
    graph = builder.subgraph("condition")
    x = graph.tensor("in", (1, 4), "int8", Q)
    no = graph.constant("no", np.zeros(shape, dtype))
    result = graph.tensor("out", shape, dtype)
    graph.add("RESHAPE", [no], [result], new_shape=list(shape))
    graph.inputs(x)
    graph.outputs(*[result] * outs)


def border_faults() -> Iterator[SilentFault]:
    """Yield faults of calls with disagreeing sides."""
    x = np.int8([[-100, 20, 30, 40]])
    steered = {"IF": (np.array([True]),), "STABLEHLO_CASE": (np.zeros(1, np.int32),)}
    right = _logistic(x, 2.0**-5)
    for opcode in ("IF", "STABLEHLO_CASE", "STABLEHLO_COMPOSITE"):
        make, limits = partial(_call, opcode), f"{opcode}/limits/"
        fault = partial(SilentFault, good=make(), inputs=(*steered.get(opcode, ()), x))
        yield fault(f"{opcode} scale", bad=make(q=COARSE), paths=(limits + "boundary_mismatches",), litert="wrong",
                    right=right)  # fmt: skip
        if opcode == "STABLEHLO_CASE":
            bad = make(callees=lambda builder: _callee(builder, "two", dtype="uint8") and None)
            yield fault("CASE of two types", bad=bad, litert="refused",
                        paths=(limits + "boundary_types", limits + "branch_types"))  # fmt: skip
        else:
            yield fault(f"{opcode} type", bad=make(dtype="uint8"), paths=(limits + "boundary_types",),
                        litert="refused or wrong", right=right)  # fmt: skip
        for side in ("operands", "results"):
            bad = make(**{side: 2})
            yield fault(f"{opcode} {side}", bad=bad, paths=(limits + "arity_mismatches",), litert="refused")
        if opcode == "STABLEHLO_COMPOSITE":
            bad = changed(make(), "operator", options=replace(make().subgraphs[0].operators[0].options, fields={
                "name": "c", "decomposition_subgraph_index": 1}))  # fmt: skip
            yield fault("composite without attributes", bad=bad, paths=(limits + "composite_attributes",),
                        litert="refused")  # fmt: skip
    fault = partial(SilentFault, good=_call("IF"), inputs=(*steered["IF"], x))
    bad = _call("IF", steering=("bool", (2,)))
    yield fault("IF two truths", bad=bad, paths=("IF/limits/condition.elements",), litert="refused",
                inputs=(np.array([True, True]), x))  # fmt: skip
    bad = _call("IF", steering=("int32", (1,)))
    yield fault(
        "IF int32", bad=bad, paths=("IF/condition/dtype",), litert="refused", inputs=(np.int32([1]), x)
    )
    fault = partial(SilentFault, good=_call("STABLEHLO_CASE"), inputs=(*steered["STABLEHLO_CASE"], x))
    bad = _call("STABLEHLO_CASE", ())
    yield fault("CASE of none", bad=bad, paths=("STABLEHLO_CASE/limits/called_subgraphs",), litert="refused")
    bad = _call("STABLEHLO_CASE", (1, 9))
    yield fault(
        "CASE of no subgraph", bad=bad, paths=("STABLEHLO_CASE/limits/missing_subgraphs",), litert="crashes"
    )
    yield from _loop_faults(x)
    yield from _recursion_faults(x)


def _loop_faults(x: np.ndarray) -> Iterator[SilentFault]:
    make, limits = partial(_call, "WHILE"), "WHILE/limits/"
    fault = partial(SilentFault, good=make(callees=_condition), inputs=(x,))
    yield fault("WHILE type", bad=make(callees=_condition, dtype="int16", q=qparams(2.0**-5)), litert="refused",
                paths=(limits + "boundary_mismatches", limits + "boundary_types"))  # fmt: skip
    for side in ("operands", "results"):
        bad = make(callees=_condition, **{side: 2})
        yield fault(f"WHILE {side}", bad=bad, paths=(limits + "arity_mismatches",), litert="refused")
    for name, given in (
        ("type", {"dtype": "int8"}), ("rank", {"shape": (1, 1)}), ("elements", {"shape": (2,)}),
    ):  # fmt: skip
        bad = make(callees=partial(_condition, **given))  # type: ignore[arg-type]
        yield fault(
            f"WHILE condition {name}", bad=bad, paths=(limits + f"condition_{name}",), litert="refused"
        )
    bad = make(callees=partial(_condition, outs=2))
    yield fault("WHILE two conditions", bad=bad, paths=(limits + "arity_mismatches",), litert="refused")


def _recursion_faults(x: np.ndarray) -> Iterator[SilentFault]:
    """Yield subgraphs that call themselves, directly or through one subgraph."""
    attributes = np.uint8([0, 0, 1, 0, 0, 36, 1])

    def circle(depth: int, back: int) -> Model:
        builder = ModelBuilder("circle")
        for n in range(depth):
            graph = builder.subgraph(f"at {n}")
            ends = [graph.tensor(name, (1, 4), "int8", Q) for name in ("x", "y")]
            target = n + 1 if n < depth - 1 else back
            if target < 0:
                graph.add("ABS", ends[:1], ends[1:])
            else:
                graph.add("STABLEHLO_COMPOSITE", ends[:1], ends[1:], name="c", composite_attributes=attributes,
                          decomposition_subgraph_index=target)  # fmt: skip
            graph.inputs(ends[0])
            graph.outputs(ends[1])
        return builder.finish()

    path = "STABLEHLO_COMPOSITE/limits/recursion"
    for depth, back, found in ((1, 0, 1), (2, 0, 2), (3, 1, 2), (3, 2, 1)):
        yield SilentFault(f"circle of {depth} back to {back}", circle(3, -1), circle(depth, back), (x,), (path,) * found,
                          "crashes")  # fmt: skip
    good = _call("WHILE", callees=_condition)
    paths = ("WHILE/limits/recursion",)
    yield SilentFault(
        "WHILE of its own", good, _call("WHILE", (0, 2), callees=_condition), (x,), paths, "crashes"
    )


def _of_one(
    opcode: str, x: np.ndarray, q: Quantization, out: Quantization, constants: tuple[np.ndarray, ...] = (),
    shape: tuple[int, ...] = (), version: int = 2, **options: Any,
) -> Model:  # fmt: skip
    """Return a model of a single operator with one computed input."""
    given, y = run_time("x", x.shape, x.dtype.name, q), run_time("y", shape or x.shape, x.dtype.name, out)
    held = [constant(f"c{at}", value) for at, value in enumerate(constants)]
    return one_operator(opcode, [given, *held], [y], options, version=version, description=opcode)


def unary_faults() -> Iterator[SilentFault]:
    """Yield faults of options and constants that limit scales, and of types without a kernel."""
    ends, q15 = np.array([[-300, 32767]], np.int16), qparams(1 / 32768)
    good, bad = (_of_one("SOFTMAX", ends, qparams(2.6), q15, version=3, beta=beta) for beta in (1.5, 2.0))
    yield SilentFault("SOFTMAX beta", good, bad, (ends,), ("SOFTMAX/limits/exponent_step",), "wrong")
    codes = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    coarse = [np.float32(scale) for scale in (25165822, 25165824)]
    good, bad = (_of_one("HARD_SWISH", codes, qparams(s), qparams(s / 2), version=1) for s in coarse)
    yield SilentFault("HARD_SWISH coarse", good, bad, (codes,), ("HARD_SWISH/limits/input.scale",), "wrong")
    roots = [qparams(np.float32(scale), 3) for scale in (2048, 2049)]
    good, bad = (_of_one("RSQRT", codes, qparams(4, -128), q, version=2) for q in roots)
    yield SilentFault("RSQRT coarse", good, bad, (codes,), ("RSQRT/limits/inverse_root_step",), "wrong")
    window = {"filter_width": 2, "filter_height": 2, "stride_w": 2, "stride_h": 2, "padding": "VALID"}
    image = codes.reshape(1, 8, 8, 4)
    for opcode in ("AVERAGE_POOL_2D", "MAX_POOL_2D"):
        good, bad = (
            _of_one(opcode, image, q, q, (), (1, 4, 4, 4), **window, fused_activation_function="RELU6")
            for q in map(qparams, (2.8e-9, 2.7e-9))
        )
        yield SilentFault(f"{opcode} fused", good, bad, (image,), (f"{opcode}/limits/fused_bound",),
                          UNDEFINED)  # fmt: skip
    grid, wide = np.zeros((1, 2, 2, 4), np.int8), qparams(0.1)
    made = [
        _of_one("DEPTH_TO_SPACE", grid.astype(t), wide, wide, (), (1, 4, 4, 1), 1, block_size=2)
        for t in ("i1", "i2")
    ]
    good, bad = made
    yield SilentFault("DEPTH_TO_SPACE of int16", good, bad, (grid.astype(np.int16),), ("DEPTH_TO_SPACE/unsupported",),
                      "refused")  # fmt: skip


def _unpacked(values: np.ndarray, stated: tuple[int, ...]) -> Model:
    """Return a constant (4, 6) that DEQUANTIZE reads, added to an input; DEQUANTIZE's output has a stated shape."""
    builder = ModelBuilder("unpacked")
    graph = builder.subgraph("main")
    held = graph.constant("held", values, qparams(0.5) if values.dtype == np.int8 else None)
    x, y, z = (graph.tensor(n, s, "float32") for n, s in zip("xyz", ((4, 6), stated, (4, 6)), strict=True))
    graph.add("DEQUANTIZE", [held], [y], version=3)
    graph.add("ADD", [x, y], [z])
    graph.inputs(x)
    graph.outputs(z)
    return builder.finish()


def unpacked_faults() -> Iterator[SilentFault]:
    """Yield faults of constants that the default delegate converts at load, with the shape in the file."""
    x, codes = np.ones((4, 6), np.float32), np.arange(24).reshape(4, 6)
    for dtype, shape in (
        ("int8", (6, 6)), ("int8", (6, 4)), ("int8", (24,)), ("int8", (1, 1)), ("float16", (4, 7)), ("float16", (4, 5)),
    ):  # fmt: skip
        good, bad = (_unpacked(codes.astype(dtype), stated) for stated in ((4, 6), shape))
        yield SilentFault(
            f"unpacked {dtype} {shape}", good, bad, (x,), ("DEQUANTIZE/shapes",), "default only"
        )


def faults() -> Iterator[SilentFault]:
    """Yield all faults."""
    yield from unpacked_faults()
    yield from unary_faults()
    for opcode in ("UNIDIRECTIONAL_SEQUENCE_LSTM", "LSTM"):
        yield from lstm_faults(opcode)
    yield from svdf_faults()
    yield from bias_faults()
    yield from variable_faults()
    yield from border_faults()


__all__ = ["SilentFault", "changed", "faults", "lstm"]
