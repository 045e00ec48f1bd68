"""Small float models for conversion: loops, branches, variables, recurrent layers, masks, joints of unlike ranges."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, options_table
from litecheck.model.types import Model, Operator


def reals(seed: int, *shape: int, reach: float = 0.5) -> np.ndarray:
    """Return normal values of a given spread."""
    return (np.random.default_rng(seed).standard_normal(shape) * reach).astype(np.float32)


def dense(
    graph: SubgraphBuilder, x: int, name: str, shape: tuple[int, int], seed: int, reach: float = 0.5
) -> int:
    """Add a fully connected layer without a bias; ``shape`` is (units, inputs)."""
    weights = graph.constant(f"{name} weights", reals(seed, *shape, reach=reach))
    y = graph.tensor(name, (1, shape[0]), "float32")
    graph.add("FULLY_CONNECTED", [x, weights, -1], [y])
    return y


def loop() -> Model:
    """Return a WHILE: three iterations of a layer on its state."""
    builder = ModelBuilder()
    main, condition, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    x = main.tensor("x", (1, 8), "float32")
    start = main.constant("start", np.zeros((), np.int32))
    end, state = main.tensor("end", (), "int32"), main.tensor("state", (1, 8), "float32")
    first = dense(main, x, "first", (8, 8), 1)
    main.add("WHILE", [start, first], [end, state], cond_subgraph_index=1, body_subgraph_index=2)
    y = main.tensor("y", (1, 8), "float32")
    main.add("LOGISTIC", [state], [y])
    main.inputs(x)
    main.outputs(y)
    count, carried = condition.tensor("count", (), "int32"), condition.tensor("carried", (1, 8), "float32")
    turns, more = condition.constant("turns", np.array(3, np.int32)), condition.tensor("more", (), "bool")
    condition.add("LESS", [count, turns], [more])
    condition.inputs(count, carried)
    condition.outputs(more)
    count, carried = body.tensor("count", (), "int32"), body.tensor("carried", (1, 8), "float32")
    one, counted = body.constant("one", np.array(1, np.int32)), body.tensor("counted", (), "int32")
    body.add("ADD", [count, one], [counted])
    turned = dense(body, carried, "turned", (8, 8), 2)
    result = body.tensor("result", (1, 8), "float32")
    body.add("ADD", [turned, carried], [result])
    body.inputs(count, carried)
    body.outputs(counted, result)
    return builder.finish()


def branch() -> Model:
    """Return an IF: one of two layers, selected by the mean of the input."""
    builder = ModelBuilder()
    main, positive, negative = (builder.subgraph(name) for name in ("main", "positive", "negative"))
    x = main.tensor("x", (1, 8), "float32")
    axes = main.constant("axes", np.array([0, 1], np.int32))
    mean, zero = main.tensor("mean", (), "float32"), main.constant("zero", np.zeros((), np.float32))
    main.add("MEAN", [x, axes], [mean])
    more = main.tensor("more", (), "bool")
    main.add("GREATER", [mean, zero], [more])
    y = main.tensor("y", (1, 4), "float32")
    main.add("IF", [more, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(x)
    main.outputs(y)
    for seed, graph in enumerate((positive, negative)):
        given = graph.tensor("given", (1, 8), "float32")
        graph.outputs(dense(graph, given, "made", (4, 8), 3 + seed))
        graph.inputs(given)
    return builder.finish()


def streaming() -> Model:
    """Return a variable that keeps the last three of four samples."""
    builder = ModelBuilder()
    main, initial = builder.subgraph("main"), builder.subgraph("initial")
    x = main.tensor("x", (1, 1, 4), "float32")
    handle, kept = main.tensor("handle", (1,), "resource"), main.tensor("kept", (1, 3, 4), "float32")
    main.add("VAR_HANDLE", [], [handle], shared_name="past")
    main.add("READ_VARIABLE", [handle], [kept])
    joined, later = main.tensor("joined", (1, 4, 4), "float32"), main.tensor("later", (1, 3, 4), "float32")
    main.add("CONCATENATION", [kept, x], [joined], axis=1)
    begin = main.constant("begin", np.array([0, 1, 0], np.int32))
    size = main.constant("size", np.array([1, 3, 4], np.int32))
    main.add("SLICE", [joined, begin, size], [later])
    main.add("ASSIGN_VARIABLE", [handle, later], [])
    flat, shape = main.tensor("flat", (1, 16), "float32"), main.constant("shape", np.array([1, 16], np.int32))
    main.add("RESHAPE", [joined, shape], [flat])
    main.inputs(x)
    main.outputs(dense(main, flat, "y", (2, 16), 5))
    handle = initial.tensor("handle", (1,), "resource")
    initial.add("VAR_HANDLE", [], [handle], shared_name="past")
    initial.add("ASSIGN_VARIABLE", [handle, initial.constant("zeros", np.zeros((1, 3, 4), np.float32))], [])
    model = builder.finish()
    graph = model.subgraphs[0]
    once = Operator(0, "CALL_ONCE", (), (), 1, options=options_table("CALL_ONCE", init_subgraph_index=1))
    rest = tuple(replace(op, index=op.index + 1) for op in graph.operators)
    return replace(model, subgraphs=(replace(graph, operators=(once, *rest)), model.subgraphs[1]))


def masked() -> Model:
    """Return a CONCATENATION of boxes and scores, and a mask of -1e9 before a SOFTMAX."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), "float32")
    boxes = dense(main, x, "boxes", (8, 8), 6, reach=50)
    logits = dense(main, x, "logits", (8, 8), 7)
    scores, both = main.tensor("scores", (1, 8), "float32"), main.tensor("both", (1, 16), "float32")
    main.add("LOGISTIC", [logits], [scores])
    main.add("CONCATENATION", [boxes, scores], [both], axis=1)
    mask = main.constant("mask", np.where(np.arange(8) < 6, 0, -1e9).astype(np.float32)[None])
    hidden, shares = main.tensor("hidden", (1, 8), "float32"), main.tensor("shares", (1, 8), "float32")
    main.add("ADD", [logits, mask], [hidden])
    main.add("SOFTMAX", [hidden], [shares], beta=1.0)
    main.inputs(x)
    main.outputs(both, shares, scores)
    return builder.finish()


def recurrent(projection: bool = False, peephole: bool = False, norm: bool = False) -> Model:
    """Return a fused LSTM over ten steps, and a layer after it."""
    builder = ModelBuilder()
    main = builder.subgraph()
    cells, width, out = 5, 6, 4 if projection else 5
    x = main.tensor("x", (1, 10, width), "float32")
    weights = [main.constant(f"w{i}", reals(10 + i, cells, width)) for i in range(4)]
    past = [main.constant(f"r{i}", reals(20 + i, cells, out)) for i in range(4)]
    holes = [main.constant(f"p{i}", reals(30 + i, cells)) for i in range(3)] if peephole else [-1] * 3
    biases = [main.constant(f"b{i}", reals(40 + i, cells)) for i in range(4)]
    ends = [-1, -1]
    if projection:
        ends = [main.constant("pw", reals(50, out, cells)), main.constant("pb", reals(51, out))]
    h = main.tensor("h", (1, out), "float32", is_variable=True)
    c = main.tensor("c", (1, cells), "float32", is_variable=True)
    norms = (
        [main.constant(f"n{i}", np.abs(reals(60 + i, cells)) + 0.5) for i in range(4)] if norm else [-1] * 4
    )
    y = main.tensor("y", (1, 10, out), "float32")
    operands = [x, *weights, *past, *holes, *biases, *ends, h, c, *norms]
    main.add("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], fused_activation_function="TANH")
    main.inputs(x)
    main.outputs(y)
    return builder.finish()
