"""Small float models to calibrate: layers, a memory, loops and branches, variables, two signatures."""

from __future__ import annotations

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from tests.differential.spread import folded

REAL = "float32"


def _drawn(rng: np.random.Generator, *shape: int, size: float = 0.5) -> np.ndarray:
    return rng.normal(0, size, shape).astype(np.float32)


def layered() -> Model:
    """Return CONV_2D, MUL of a tensor with itself and ADD (in place in LiteRT), MEAN, FULLY_CONNECTED and SOFTMAX."""
    rng = np.random.default_rng(1)
    builder = ModelBuilder("a small network")
    main = builder.subgraph()
    x = main.tensor("image", (1, 6, 6, 3), REAL)
    w = main.constant("kernel", _drawn(rng, 4, 3, 3, 3))
    b = main.constant("bias", _drawn(rng, 4))
    conv = main.tensor("conv", (1, 6, 6, 4), REAL)
    main.add("CONV_2D", [x, w, b], [conv], padding="SAME", stride_h=1, stride_w=1)
    squared = main.tensor("squared", (1, 6, 6, 4), REAL)
    main.add("MUL", [conv, conv], [squared])
    offset = main.constant("offset", np.float32([3.0]))
    moved = main.tensor("moved", (1, 6, 6, 4), REAL)
    main.add("ADD", [squared, offset], [moved])
    axes = main.constant("axes", np.array([1, 2], np.int32))
    mean = main.tensor("mean", (1, 4), REAL)
    main.add("MEAN", [moved, axes], [mean])
    logits = main.tensor("logits", (1, 5), REAL)
    main.add("FULLY_CONNECTED", [mean, main.constant("dense", _drawn(rng, 5, 4)), -1], [logits])
    scores = main.tensor("scores", (1, 5), REAL)
    main.add("SOFTMAX", [logits], [scores], beta=1.0)
    main.inputs(x)
    main.outputs(scores)
    return builder.finish()


def looping(last: str = "ADD") -> Model:
    """Return a WHILE that doubles and moves a value until a counter ends, and a NEG.

    With LOCAL_RESPONSE_NORMALIZATION as the ``last`` operator of the body, litecheck has no kernel for it.
    """
    builder = ModelBuilder("a loop")
    main = builder.subgraph()
    shape = (1, 3) if last == "ADD" else (1, 1, 1, 3)
    n, x = main.tensor("n", (1,), "int32"), main.tensor("x", shape, REAL)
    m, y = main.tensor("m", (1,), "int32"), main.tensor("y", shape, REAL)
    z = main.tensor("z", shape, REAL)
    main.add("WHILE", [n, x], [m, y], cond_subgraph_index=1, body_subgraph_index=2)
    main.add("NEG", [y], [z])
    main.inputs(n, x)
    main.outputs(z)
    condition = builder.subgraph("condition")
    n, x = condition.tensor("n", (1,), "int32"), condition.tensor("x", shape, REAL)
    more = condition.tensor("more", (1,), "bool")
    condition.add("GREATER", [n, condition.constant("none", np.array([0], np.int32))], [more])
    condition.inputs(n, x)
    condition.outputs(more)
    body = builder.subgraph("body")
    n, x = body.tensor("n", (1,), "int32"), body.tensor("x", shape, REAL)
    left, double = body.tensor("left", (1,), "int32"), body.tensor("double", shape, REAL)
    moved = body.tensor("moved", shape, REAL)
    body.add("SUB", [n, body.constant("one", np.array([1], np.int32))], [left])
    body.add("MUL", [x, body.constant("factor", np.float32([-2]))], [double])
    offset = [body.constant("offset", np.float32([0.5]))] if last == "ADD" else []
    options = {} if last == "ADD" else {"radius": 1, "bias": 1.0, "alpha": 1.0, "beta": 1.0}
    body.add(last, [double, *offset], [moved], **options)
    body.inputs(n, x)
    body.outputs(left, moved)
    return builder.finish()


def branching() -> Model:
    """Return an IF with ABS and NEG."""
    builder = ModelBuilder("a choice")
    main = builder.subgraph()
    c, x = main.tensor("condition", (1,), "bool"), main.tensor("x", (2, 3), REAL)
    y = main.tensor("y", (2, 3), REAL)
    main.add("IF", [c, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(c, x)
    main.outputs(y)
    for name, opcode in (("then", "ABS"), ("else", "NEG")):
        branch = builder.subgraph(name)
        a, b = branch.tensor("a", (2, 3), REAL), branch.tensor("b", (2, 3), REAL)
        branch.add(opcode, [a], [b])
        branch.inputs(a)
        branch.outputs(b)
    return builder.finish()


def _handle(subgraph: SubgraphBuilder) -> int:
    handle = subgraph.tensor("handle", (), "resource")
    subgraph.add("VAR_HANDLE", [], [handle], container="", shared_name="total")
    return handle


def streaming() -> Model:
    """Return a resource variable that CALL_ONCE sets to 1, and that adds the input in every inference."""
    builder = ModelBuilder("a stream")
    main = builder.subgraph()
    x, before = main.tensor("x", (1, 2), REAL), main.tensor("before", (1, 2), REAL)
    after = main.tensor("after", (1, 2), REAL)
    main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    handle = _handle(main)
    main.add("READ_VARIABLE", [handle], [before])
    main.add("ADD", [before, x], [after])
    main.add("ASSIGN_VARIABLE", [handle, after], [])
    main.inputs(x)
    main.outputs(after)
    start = builder.subgraph("start")
    first = start.constant("first", np.ones((1, 2), np.float32))
    start.add("ASSIGN_VARIABLE", [_handle(start), first], [])
    return builder.finish()


def recurrent(steps: int = 4) -> Model:
    """Return a UNIDIRECTIONAL_SEQUENCE_LSTM of 3 cells over steps of 2 values, with its states in variable tensors."""
    rng = np.random.default_rng(3)
    builder = ModelBuilder("an LSTM")
    main = builder.subgraph()
    x = main.tensor("x", (1, steps, 2), REAL)
    weights = [main.constant(f"w{n}", _drawn(rng, 3, 2, size=1.5)) for n in range(4)]
    recurrent = [main.constant(f"r{n}", _drawn(rng, 3, 3, size=1.5)) for n in range(4)]
    biases = [main.constant(f"b{n}", _drawn(rng, 3)) for n in range(4)]
    hidden = main.tensor("hidden", (1, 3), REAL, is_variable=True)
    cell = main.tensor("cell", (1, 3), REAL, is_variable=True)
    y = main.tensor("y", (1, steps, 3), REAL)
    operands = [x, *weights, *recurrent, -1, -1, -1, *biases, -1, -1, hidden, cell, -1, -1, -1, -1]
    main.add(
        "UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], fused_activation_function="TANH", time_major=False
    )
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def of_two_signatures() -> Model:
    """Return a model with two signatures: ``negate`` of the first subgraph, and ``join``, with inputs in a different
    order from their names."""
    builder = ModelBuilder("two entries")
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 3), REAL), main.tensor("y", (1, 3), REAL)
    main.add("NEG", [x], [y])
    main.inputs(x)
    main.outputs(y)
    other = builder.subgraph("other")
    a, b = other.tensor("a", (1, 2), REAL), other.tensor("b", (1, 1), REAL)
    c, d = other.tensor("c", (1, 3), REAL), other.tensor("d", (1, 3), REAL)
    other.add("CONCATENATION", [a, b], [c], axis=1)
    other.add("EXP", [c], [d])
    other.inputs(a, b)
    other.outputs(d)
    builder.signature("negate", main, {"value": x}, {"result": y})
    builder.signature("join", other, {"zulu": a, "alpha": b}, {"result": d})
    return builder.finish()


def unpacking() -> Model:
    """Return a model with two signatures. Both read constants of float16 and int8 through DEQUANTIZE, and the first a
    sparse constant of float16 through DENSIFY and DEQUANTIZE."""
    rng = np.random.default_rng(5)
    builder = ModelBuilder("unpacked constants")
    for name in ("first", "second"):
        graph = builder.subgraph(name)
        x, y, z = (graph.tensor(one, (1, 4), REAL) for one in "xyz")
        half = graph.constant("half", _drawn(rng, 4, 4).astype(np.float16))
        stored = graph.constant("stored", np.arange(-64, 64, 32, dtype=np.int8), qparams(0.01, 3))
        weights, offset = graph.tensor("weights", (4, 4), REAL), graph.tensor("offset", (4,), REAL)
        graph.add("DEQUANTIZE", [half], [weights])
        graph.add("DEQUANTIZE", [stored], [offset])
        if name == "first":
            held, sparsity = folded(np.diag(np.float16([1, 2, 0, 4])), [0, 1], [0, 1], [], [])
            values = graph.constant("values", held)
            data = graph.finish().tensors[values].data
            sparse = graph.tensor("sparse", (4, 4), "float16", data=data, sparsity=sparsity)
            dense, real = graph.tensor("dense", (4, 4), "float16"), graph.tensor("real", (4, 4), REAL)
            graph.add("DENSIFY", [sparse], [dense])
            graph.add("DEQUANTIZE", [dense], [real])
            w = graph.tensor("w", (1, 4), REAL)
            graph.add("FULLY_CONNECTED", [x, real, -1], [w])
            x, start = w, x
        else:
            start = x
        graph.add("FULLY_CONNECTED", [x, weights, -1], [y])
        graph.add("MUL", [y, offset], [z])
        graph.inputs(start)
        graph.outputs(z)
        builder.signature(name, graph, {"x": start}, {"z": z})
    return builder.finish()


def looking_up() -> Model:
    """Return a GATHER of rows of a table of 7 by ids after a CAST, and a LOG of a positive input."""
    rng = np.random.default_rng(4)
    builder = ModelBuilder("an embedding")
    main = builder.subgraph()
    ids, positive = main.tensor("ids", (5,), "int64"), main.tensor("positive", (5, 4), REAL)
    narrow = main.tensor("narrow", (5,), "int32")
    main.add("CAST", [ids], [narrow], in_data_type="INT64", out_data_type="INT32")
    rows, logs = main.tensor("rows", (5, 4), REAL), main.tensor("logs", (5, 4), REAL)
    main.add("GATHER", [main.constant("table", _drawn(rng, 7, 4)), narrow], [rows], axis=0)
    main.add("LOG", [positive], [logs])
    total = main.tensor("total", (5, 4), REAL)
    main.add("ADD", [rows, logs], [total])
    main.inputs(ids, positive)
    main.outputs(total)
    return builder.finish()
