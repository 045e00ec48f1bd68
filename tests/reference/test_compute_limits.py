"""Limits of a computation: memory before it is allocated, calls of subgraphs, time."""

from __future__ import annotations

import tracemalloc
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from litecheck.arrays import Array
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.reference import compute_limits
from litecheck.reference.compute_limits import ComputeLimits, LimitError, reserve
from litecheck.reference.engine.interpreter import ReferenceInterpreter, run
from litecheck.reference.runtime_tensors import NUMPY_TYPES, RunError

#: 2 MB: an array of a few million bytes exceeds the limit, and tests stay small.
MEMORY = 2_000_000
SCALE = Quantization(scale=np.array([0.05], np.float32), zero_point=np.array([0], np.int64))
#: Operand: a constant, or type and shape of an input.
Given = Array | tuple[str, tuple[int, ...]]
Case = tuple[str, Sequence[Given], Mapping[str, Any]]


def whole(*values: Any) -> Array:
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def quantization(dtype: str) -> Quantization:
    return SCALE if dtype in ("int8", "uint8", "int16") else Quantization()


def operator(opcode: str, operands: Sequence[Given], options: Mapping[str, Any], outputs: int = 1) -> Model:
    """Return a model of a single operator; its outputs have the type of its first input that is not an index."""
    plans = [
        constant(f"c{n}", one, quantization(one.dtype.name))
        if isinstance(one, np.ndarray)
        else run_time(f"x{n}", one[1], one[0], quantization(one[0]))
        for n, one in enumerate(operands)
    ]
    kinds = [one.dtype.name if isinstance(one, np.ndarray) else one[0] for one in operands]
    given = [kind for kind, one in zip(kinds, operands, strict=True) if isinstance(one, tuple)]
    dtype = OUTPUTS.get(opcode, (given or kinds[-1:])[0])
    made = [run_time(f"y{n}", (1,), dtype, quantization(dtype)) for n in range(outputs)]
    return one_operator(opcode, plans, made, options)


def drawn(model: Model) -> tuple[Array, ...]:
    rng, main = np.random.default_rng(0), model.subgraphs[0]
    tensors = [main.tensors[index] for index in main.inputs]
    return tuple(rng.integers(0, 2, t.shape).astype(NUMPY_TYPES[t.dtype]) for t in tensors)


#: Types of outputs that are not the type of an input.
OUTPUTS = {
    "EQUAL": "bool", "LESS": "bool", "WHERE": "int64", "ONE_HOT": "int8", "GATHER": "int8", "GATHER_ND": "int8",
    "EMBEDDING_LOOKUP": "int8", "SELECT_V2": "int8",
}  # fmt: skip
IMAGE = ("int8", (1, 2, 2, 1))
WINDOW = {"stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}
FAR = {**WINDOW, "dilation_h_factor": 3000, "dilation_w_factor": 3000}
POOL = {"stride_h": 1, "stride_w": 1, "filter_height": 3000, "filter_width": 3000}
EIGHT = np.ones((1, 2, 2, 1), np.int8)

#: Operators with a few bytes of input and large outputs.
AMPLIFYING: list[Case] = [
    ("RESIZE_BILINEAR", [IMAGE, whole(5000, 5000)], {}),
    ("RESIZE_BILINEAR", [("float32", IMAGE[1]), whole(5000, 5000)], {}),
    ("RESIZE_NEAREST_NEIGHBOR", [IMAGE, whole(5000, 5000)], {}),
    ("RESIZE_NEAREST_NEIGHBOR", [("int8", (0, 2, 2, 1)), whole(50_000_000, 5)], {}),
    ("TILE", [("int8", (2,)), whole([5_000_000])], {}),
    ("TILE", [("int8", (2,)), whole(5000, 5000)], {}),
    ("BROADCAST_TO", [("int8", (1,)), whole(5000, 5000)], {}),
    ("FILL", [whole(5000, 5000), np.array(3, np.int8)], {}),
    ("RANGE", [whole(0), whole(50_000_000), whole(1)], {}),
    ("RANGE", [np.array(0, np.float32), np.array(9e7, np.float32), np.array(1, np.float32)], {}),
    ("PAD", [("int8", (2, 2)), whole([[5000, 0], [0, 5000]])], {}),
    ("PADV2", [("int8", (2, 2)), whole([[5000, 0], [0, 5000]]), np.array(1, np.int8)], {}),
    ("MIRROR_PAD", [("int8", (1500, 1500)), whole([[1400, 0], [0, 1400]])], {}),
    ("DILATE", [("int8", (9, 9)), whole(900, 900), np.array(1, np.int8)], {}),
    ("SPACE_TO_BATCH_ND", [IMAGE, whole(2, 2), whole([[5000, 0], [0, 5000]])], {}),
    ("ONE_HOT", [("int32", (3000,)), whole(3000), np.array(1, np.int8), np.array(0, np.int8)], {}),
    ("ONE_HOT", [("int32", (0,)), whole(50_000_000), np.array(1, np.int8), np.array(0, np.int8)], {}),
    ("GATHER", [np.ones((2, 3000), np.int8), ("int32", (3000,))], {}),
    ("GATHER_ND", [np.ones((2, 3000), np.int8), ("int32", (3000, 1))], {}),
    ("EMBEDDING_LOOKUP", [("int32", (3000,)), np.ones((2, 3000), np.int8)], {}),
    ("SCATTER_ND", [whole([[1]]), ("int8", (1,)), whole([50_000_000])], {}),
    ("SPARSE_TO_DENSE", [whole([[1]]), whole([50_000_000]), ("int8", (1,)), np.array(0, np.int8)], {}),
    ("MATRIX_DIAG", [("int8", (3000,))], {}),
    ("CONCATENATION", [np.ones(900_000, np.int8)] * 4, {"axis": 0}),
    ("PACK", [np.ones(900_000, np.int8)] * 4, {"values_count": 4}),
    ("ADD", [("int8", (3000, 1)), ("int8", (1, 3000))], {}),
    ("EQUAL", [("int32", (3000, 1)), ("int32", (1, 3000))], {}),
    ("MAXIMUM", [np.ones((3000, 1), np.int8), np.ones((1, 3000), np.int8)], {}),
    ("SELECT_V2", [np.ones((3000, 1), np.bool_), ("int8", (1, 3000)), np.ones((1,), np.int8)], {}),
    ("BATCH_MATMUL", [("int8", (3000, 1)), ("int8", (1, 3000))], {}),
    ("BATCH_MATMUL", [("float32", (3000, 1)), ("float32", (1, 3000))], {}),
    ("FULLY_CONNECTED", [("int8", (3000, 1)), np.ones((3000, 1), np.int8)], {}),
    ("FULLY_CONNECTED", [("float32", (3000, 1)), np.ones((3000, 1), np.float32)], {}),
    ("CONV_2D", [IMAGE, EIGHT], FAR),
    ("CONV_2D", [("float32", IMAGE[1]), EIGHT.astype(np.float32)], FAR),
    ("CONV_2D", [("int8", (1, 90, 90, 1)), np.ones((900, 1, 1, 1), np.int8)], WINDOW),
    ("DEPTHWISE_CONV_2D", [IMAGE, EIGHT], {**FAR, "depth_multiplier": 1}),
    ("DEPTHWISE_CONV_2D", [("int8", (1, 90, 90, 1)), np.ones((1, 1, 1, 900), np.int8)], WINDOW),
    ("TRANSPOSE_CONV", [whole(1, 3000, 3000, 1), EIGHT, IMAGE], {"stride_h": 1, "stride_w": 1}),
    ("AVERAGE_POOL_2D", [IMAGE], POOL),
    ("MAX_POOL_2D", [IMAGE], POOL),
    ("L2_POOL_2D", [("float32", IMAGE[1])], POOL),
    ("STABLEHLO_PAD", [("int8", (2, 2)), np.array(1, np.int8)],
     {"edge_padding_low": [5000, 0], "edge_padding_high": [0, 5000], "interior_padding": [0, 0]}),
    ("SOFTMAX", [("int8", (400, 400))], {"beta": 1.0}),
]  # fmt: skip


@pytest.mark.parametrize("case", AMPLIFYING, ids=[f"{n}-{case[0]}" for n, case in enumerate(AMPLIFYING)])
def test_an_operator_is_stopped_before_it_allocates_the_memory(case: Case) -> None:
    model = operator(*case)
    inputs = drawn(model)
    interpreter = ReferenceInterpreter(model, limits=ComputeLimits(memory=MEMORY))
    tracemalloc.start()
    with pytest.raises(
        LimitError, match=rf"^{case[0]} #0 'y0': .* of .*: got .*, expected at most 2.0 MB\. Raise"
    ):
        interpreter.invoke(inputs)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert taken < 2 * MEMORY


def test_the_check_can_be_switched_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compute_limits, "check_limit", lambda *_: None)
    model = operator("TILE", [("int8", (2,)), whole([5_000_000])], {})
    done = run(model, drawn(model), limits=ComputeLimits(memory=MEMORY))
    assert done.outputs["y0"].size == 10_000_000


ROWS = (64, 1000)
PLANE = (1, 160, 160, 8)
#: Operators on tensors of ordinary sizes, and the number of outputs.
ORDINARY: list[tuple[str, Sequence[Given], Mapping[str, Any]]] = [
    ("SOFTMAX", [("int8", ROWS)], {"beta": 1.0}),
    *((name, [("int8", ROWS)], {}) for name in ("LOG_SOFTMAX", "LOGISTIC", "ABS", "L2_NORMALIZATION")),
    *((name, [("int16", ROWS)], {}) for name in ("SOFTMAX", "LOGISTIC", "TANH", "EXP", "LOG", "GELU", "RSQRT")),
    *((name, [("float32", ROWS)], {}) for name in ("SOFTMAX", "LOGISTIC", "TANH", "EXP", "LOG", "GELU", "ELU")),
    *((name, [("int16", ROWS), ("int16", ROWS)], {}) for name in ("ADD", "MUL", "SUB", "MAXIMUM", "LESS")),
    *((name, [("int8", ROWS), whole([1])], {}) for name in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_PROD")),
    ("CUMSUM", [("float32", ROWS), whole(1)], {}),
    ("LEAKY_RELU", [("int16", ROWS)], {"alpha": 0.5}),
    ("RELU6", [("int16", ROWS)], {}),
    ("QUANTIZE", [("int16", ROWS)], {}),
    ("WHERE", [("bool", (10, 10, 10, 10, 10))], {}),
    ("TRANSPOSE", [("int8", ROWS), whole(1, 0)], {}),
    ("TILE", [("int8", ROWS), whole(2, 3)], {}),
    ("PAD", [("int8", ROWS), whole([[9, 9], [9, 9]])], {}),
    ("ONE_HOT", [("int32", (300,)), whole(300), np.array(1, np.int8), np.array(0, np.int8)], {}),
    ("RESIZE_BILINEAR", [("int8", PLANE), whole(320, 320)], {}),
    ("RESIZE_BILINEAR", [("float32", PLANE), whole(320, 320)], {}),
    ("RESIZE_NEAREST_NEIGHBOR", [("int8", PLANE), whole(320, 320)], {}),
    ("CONV_2D", [("int8", PLANE), np.ones((8, 3, 3, 8), np.int8)], WINDOW),
    ("DEPTHWISE_CONV_2D", [("int8", PLANE), np.ones((1, 3, 3, 8), np.int8)], WINDOW),
    ("TRANSPOSE_CONV", [whole(1, 160, 160, 8), np.ones((8, 3, 3, 8), np.int8), ("int8", PLANE)],
     {"stride_h": 1, "stride_w": 1}),
    *((name, [("int8", PLANE)], {**POOL, "filter_height": 3, "filter_width": 3})
      for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")),
    ("BATCH_MATMUL", [("int8", (400, 40)), ("int8", (40, 400))], {}),
    ("FULLY_CONNECTED", [("int8", (4000, 40)), np.ones((400, 40), np.int8)], {}),
]  # fmt: skip


@pytest.mark.parametrize("case", ORDINARY, ids=[f"{n}-{case[0]}" for n, case in enumerate(ORDINARY)])
def test_less_memory_than_an_operator_needs_stops_it(case: Case) -> None:
    """The estimate is at least four fifths of the arrays that a kernel has at a time."""
    model = operator(*case)
    inputs = drawn(model)
    interpreter = ReferenceInterpreter(model)
    interpreter.invoke(inputs)  # first run: tables and constants are prepared
    tracemalloc.start()
    interpreter.invoke(inputs)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    interpreter.limits = ComputeLimits(memory=taken * 4 // 5)
    with pytest.raises(LimitError):
        interpreter.invoke(inputs)


def loop(opcode: str) -> Model:
    """Return an endless WHILE; its body is an operator that reads the state twice."""
    builder = ModelBuilder()
    for name in ("main", "condition", "body"):
        graph = builder.subgraph(name)
        x, y = graph.tensor("x", (4,), "float32"), graph.tensor("y", (4,), "float32")
        graph.inputs(x)
        if name == "main":
            graph.add("WHILE", [x], [y], cond_subgraph_index=1, body_subgraph_index=2)
        elif name == "condition":
            y = graph.constant("true", np.array([True]))
        else:
            graph.add(opcode, [x, x], [y])
        graph.outputs(y)
    return builder.finish()


X = (np.ones(4, np.float32),)


def test_a_loop_that_doubles_a_tensor_ends_at_the_memory() -> None:
    words = (
        r"WHILE #0 'y': in CONCATENATION #0 'y': .* got .* MB of tensors, expected at most 2\.0 MB\. "
        r"Raise the limit with --memory\."
    )
    with pytest.raises(LimitError, match=words):
        ReferenceInterpreter(loop("CONCATENATION"), limits=ComputeLimits(memory=MEMORY)).invoke(X)


def test_a_loop_without_end_ends_at_the_calls() -> None:
    with pytest.raises(LimitError, match="WHILE #0 'y': subgraph calls: got 1,001, expected at most 1,000"):
        ReferenceInterpreter(loop("ADD"), limits=ComputeLimits(calls=1000)).invoke(X)


def fan(depth: int) -> Model:
    """Return subgraphs that each call the next subgraph twice."""
    builder = ModelBuilder()
    for n in range(depth):
        graph = builder.subgraph(f"s{n}")
        x, y, z = (graph.tensor(name, (4,), "float32") for name in "xyz")
        graph.inputs(x)
        if n == depth - 1:
            graph.add("ABS", [x], [z])
        else:
            true = graph.constant("true", np.array([True]))
            for source, target in ((x, y), (y, z)):
                graph.add(
                    "IF", [true, source], [target], then_subgraph_index=n + 1, else_subgraph_index=n + 1
                )
        graph.outputs(z)
    return builder.finish()


def test_subgraphs_that_call_the_next_one_twice_end_at_the_calls() -> None:
    with pytest.raises(LimitError, match=r"IF #0 'y': in IF #\d '[yz]': subgraph calls: got 1,001") as caught:
        ReferenceInterpreter(fan(30), limits=ComputeLimits(calls=1000)).invoke(X)
    assert str(caught.value).count("IF #") == 2
    assert run(fan(8), X).outputs["z"].tolist() == [1.0] * 4


def test_an_operator_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every reading of the clock is a second later. A call reads it once; each operator of the entry point starts at 0."""
    seconds = iter(range(10**9))
    monkeypatch.setattr(compute_limits, "monotonic", lambda: float(next(seconds)))
    with pytest.raises(
        LimitError, match=r"WHILE #0 'y': .*computation: got .* s, expected at most 100\.0 s\. .*--timeout"
    ):
        ReferenceInterpreter(loop("ADD"), limits=ComputeLimits(seconds=100)).invoke(X)
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    tensors = [graph.tensor(f"t{n}", (4,), "float32") for n in range(300)]
    graph.inputs(tensors[0])
    for x, y in pairwise(tensors):
        graph.add("ABS", [x], [y])
    graph.outputs(tensors[-1])
    ReferenceInterpreter(builder.finish(), limits=ComputeLimits(seconds=100)).invoke(X)


def test_tensors_in_use_count_together() -> None:
    """Ten tensors of 160 kB exceed 2 MB if all are kept, but not if each is freed after use."""
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    tensors = [graph.tensor(f"t{n}", (10_000,), "int32") for n in range(60)]
    graph.inputs(tensors[0])
    for x, y in pairwise(tensors):
        graph.add("ABS", [x], [y])
    graph.outputs(tensors[-1])
    interpreter = ReferenceInterpreter(builder.finish(), limits=ComputeLimits(memory=MEMORY))
    interpreter.invoke((np.ones(10_000, np.int32),))
    with pytest.raises(LimitError, match=r"ABS #\d+ 't\d+'"):
        interpreter.invoke((np.ones(10_000, np.int32),), keep="all")


def test_a_variable_tensor_is_no_larger_than_the_memory() -> None:
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    x, y = graph.tensor("x", (1,), "int8"), graph.tensor("y", (1,), "int8")
    state = graph.tensor("state", (5000, 5000), "int8", is_variable=True)
    graph.inputs(x)
    graph.add("CONCATENATION", [x, state], [y])
    graph.outputs(y)
    with pytest.raises(LimitError, match=r"variable tensor 2 'state' of 50\.0 MB: got"):
        ReferenceInterpreter(builder.finish(), limits=ComputeLimits(memory=MEMORY)).invoke(
            (np.ones(1, np.int8),)
        )


def test_resources_count_as_tensors_in_use() -> None:
    """Fifty variables of 100 kB each, which no tensor refers to, exceed the limit."""
    builder = ModelBuilder()
    graph = builder.subgraph("main")
    x = graph.tensor("x", (25_000,), "int32")
    graph.inputs(x)
    for n in range(50):
        handle, y = graph.tensor(f"h{n}", (), "resource"), graph.tensor(f"y{n}", (25_000,), "int32")
        graph.add("VAR_HANDLE", [], [handle], container="", shared_name=f"v{n}")
        graph.add("ABS", [x], [y])
        graph.add("ASSIGN_VARIABLE", [handle, y], [])
    graph.outputs(x)
    interpreter = ReferenceInterpreter(builder.finish(), limits=ComputeLimits(memory=2 * MEMORY))
    with pytest.raises(LimitError, match=r"^(ABS|ASSIGN_VARIABLE) #\d\d"):
        interpreter.invoke((np.ones(25_000, np.int32),))


def test_a_sparse_tensor_is_no_larger_than_the_memory() -> None:
    from litecheck.reference.kernels.sparse import make_dense

    class Sparse:
        index, name, dtype, shape = 3, "w", "int8", (50_000, 50_000)
        sparsity, data = object(), np.zeros(1, np.int8)

    with (
        pytest.raises(LimitError, match=r"sparse tensor 3 'w' of 2\.5 GB"),
        compute_limits.spending(compute_limits.ComputeBudget(ComputeLimits(memory=MEMORY))),
    ):
        make_dense(Sparse())  # type: ignore[arg-type]


def test_an_input_that_is_drawn_is_no_larger_than_the_memory() -> None:
    from litecheck.reference.engine.entry_point import affordable, entry

    model = operator("ABS", [("int8", (100_000, 100_000))], {})
    assert not affordable(model.subgraphs[0].tensors[0])
    with pytest.raises(LimitError, match=r"input 'x0' of 240\.0 GB: got"):
        entry(model).random(0)


def test_an_array_outside_of_inferences_has_the_limits_in_force() -> None:
    reserve((1 << 20,), 1)
    with pytest.raises(
        LimitError, match=r"output of 12\.8 GB: got 12\.8 GB of tensors, expected at most 4\.3 GB"
    ):
        reserve((1, 40_000, 40_000, 1), 8)
    compute_limits.set_limits(ComputeLimits(memory=100))
    try:
        with pytest.raises(
            RunError, match=r"output of 101 bytes: got 101 bytes of tensors, expected at most 100 bytes"
        ):
            reserve((101,), 1)
    finally:
        compute_limits.set_limits(ComputeLimits())


@pytest.mark.parametrize("limit", [{"memory": -1}, {"calls": 0}, {"seconds": float("nan")}])
def test_limits_are_positive(limit: dict[str, Any]) -> None:
    ((name, value),) = limit.items()
    with pytest.raises(ConfigError, match=f"limit {name}: got {value}, expected a positive number"):
        ComputeLimits(**limit)
