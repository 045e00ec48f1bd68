"""Float activations and integer weights: one model for each hybrid kernel, by type and granularity.

Each row, or batch entry, of an input has 0 and one further number. Kernels quantize it to eight bits at run time, which
is exact for such a row with any zero point. The tolerance from the real numbers can be small.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from litecheck.model.build import options_table, qparams
from litecheck.model.types import Buffer, Operator, Tensor
from litecheck.quantization import Blockwise, Quantization
from tests.differential.rules_cases import Case, Part, case, const, out

RNG = np.random.default_rng(11)
#: Stored values of weights by type: symmetric, and for uint8 the values that int8 can hold too.
SPANS = {"int8": (-127, 128), "int4": (-7, 8), "int2": (-1, 2), "uint8": (0, 128)}
WINDOW = {"padding": "SAME", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}


def data(shape: Sequence[int]) -> Part:
    """Return a float32 input: 0 or one number for each element of its first dimension, with alternating signs."""
    rows = (shape[0], *[1] * (len(shape) - 1))
    signs = np.where(np.arange(shape[0]) % 2, 1, -1).reshape(rows)
    values = (RNG.random(tuple(shape)) > 0.4) * RNG.uniform(0.5, 3, rows) * signs
    return Part(tuple(shape), "float32", None, values.astype(np.float32))


def reals(shape: Sequence[int]) -> Part:
    """Return float32 constants, for biases and normalization coefficients."""
    return const(RNG.normal(size=tuple(shape)) / 2, None, "float32")


def weights(shape: Sequence[int], axis: int | None = None, dtype: str = "int8") -> Part:
    """Return weights with a scale for each slice along an axis, or with a single scale."""
    count = 1 if axis is None else shape[axis]
    stored = RNG.integers(*SPANS[dtype], tuple(shape)).astype("uint8" if dtype == "uint8" else "int8")
    fine = {"int4": 16, "int2": 64}.get(dtype, 1)
    q = qparams(fine * (0.01 + 0.002 * np.arange(count)), 0, axis or 0)
    return Part(tuple(shape), dtype, q, stored, constant=True)


def state(shape: Sequence[int]) -> Part:
    """Return a variable that a recurrent kernel keeps between steps."""
    return Part(tuple(shape), "float32", variable=True)


def result(*shape: int) -> Part:
    """Return a float32 output."""
    return out(shape, Quantization(), "float32")


def cases() -> Iterator[Case]:
    """Yield every form that LiteRT has a kernel for."""
    yield from _fully_connected()
    yield from _blocks()
    yield from _convolutions()
    yield from _products()
    yield from _tables()
    yield from _dequantize()
    yield from _recurrent()


def _kinds(*dtypes: str, axis: int) -> Iterator[tuple[str, str, int | None]]:
    """Yield (description, type, axis): each type with a single scale, and with several if the type has such a form."""
    for dtype in dtypes:
        yield f"{dtype} per-tensor", dtype, None
        if dtype != "uint8":
            yield f"{dtype} per-axis", dtype, axis


def _fully_connected() -> Iterator[Case]:
    opcode = "FULLY_CONNECTED"
    for title, dtype, axis in _kinds("int8", "int4", "int2", "uint8", axis=0):
        w = weights((8, 32), axis, dtype)
        yield case(f"{opcode} {title}", [data((2, 32)), w, reals((8,))], [result(2, 8)], opcode, version=12)
    w = weights((5, 12), 0)
    yield case(f"{opcode} asymmetric", [data((2, 12)), w, reals((5,))], [result(2, 5)], opcode, version=9,
               asymmetric_quantize_inputs=True)  # fmt: skip


def _blocks() -> Iterator[Case]:
    """Yield blockwise weights. XNNPACK rounds the scales of blocks to bfloat16, of eight bits: 0.4 % are 40 steps."""
    w = weights((8, 64), None, "int4")
    for title, more in (("", reals((8,))), (" no bias", None)):
        one = case(f"FULLY_CONNECTED blocks{title}", [data((2, 64)), w, more], [result(2, 8)], "FULLY_CONNECTED",
                   tolerance=40, version=12)  # fmt: skip
        yield blockwise(one, 1, 32)
    for dtype in ("int4", "int2"):
        w = weights((6, 64), None, dtype)
        one = case(
            f"EMBEDDING_LOOKUP {dtype} blocks",
            [const([3, 1]), w],
            [result(2, 64)],
            "EMBEDDING_LOOKUP",
            version=4,
        )
        yield blockwise(one, 1, 32)


def spoiled() -> Iterator[Case]:
    """Yield blocks in shapes with wrong results of every kernel, and weights of forms without a kernel."""
    x = data((2, 4, 6, 3))
    for title, dtype, axis in (("one scale", "int8", None), ("int4", "int4", 3), ("uint8", "uint8", 3)):
        yield _depthwise(f"DEPTHWISE_CONV_2D {title}", x, weights((1, 3, 3, 6), axis, dtype))
    for dtype in ("int4", "uint8"):
        yield _product(f"BATCH_MATMUL {dtype}", weights((5, 8), 0, dtype))
    opcode = "FULLY_CONNECTED"
    for title, rows, columns, block in (("3 rows", 3, 64, 32), ("16 columns", 8, 16, 16), ("odd", 8, 33, 3)):
        parts = [data((2, columns)), weights((rows, columns), None, "int4"), reals((rows,))]
        one = case(f"{opcode} blocks {title}", parts, [result(2, rows)], opcode, tolerance=40, version=12)
        yield blockwise(one, 1, block)
    one = case("EMBEDDING_LOOKUP blocks of 1", [const([3, 1]), weights((6, 8), None, "int4")], [result(2, 8)],
               "EMBEDDING_LOOKUP", version=4)  # fmt: skip
    yield blockwise(one, 1, 1)


def blockwise(given: Case, at: int, block: int, scales: np.ndarray | None = None) -> Case:
    """Return the case with an input's scales, random by default, in a separate tensor, one for each block."""
    graph = given.model.subgraphs[0]
    index, n = graph.operators[0].inputs[at], len(graph.tensors)
    old = graph.tensors[index]
    if scales is None:
        scales = RNG.uniform(0.05, 0.3, (old.shape[0], old.shape[1] // block)).astype(np.float16)
    held = scales.reshape(-1).view(np.uint8)
    table = Tensor(n, "scales", scales.dtype.name, scales.shape, buffer=len(given.model.buffers), data=held)
    new = replace(old, quantization=Quantization(details=Blockwise(n, -1, block)))
    tensors = (*graph.tensors[:index], new, *graph.tensors[index + 1 :], table)
    graph = replace(graph, tensors=tensors)
    buffers = (*given.model.buffers, Buffer(held))
    return replace(given, model=replace(given.model, subgraphs=(graph,), buffers=buffers))


def _convolutions() -> Iterator[Case]:
    x = data((2, 4, 6, 3))
    for title, dtype, axis in _kinds("int8", "int4", "uint8", axis=0):
        w = weights((5, 3, 3, 3), axis, dtype)
        yield case(
            f"CONV_2D {title}", [x, w, reals((5,))], [result(2, 4, 6, 5)], "CONV_2D", version=5, **WINDOW
        )
    yield _depthwise("DEPTHWISE_CONV_2D", x, weights((1, 3, 3, 6), 3))
    # Equal lengths in every dimension, so that scales fit along each.
    w = weights((3, 3, 3, 3), 0)
    yield case("CONV_2D square", [x, w, reals((3,))], [result(2, 4, 6, 3)], "CONV_2D", version=5, **WINDOW)
    w = weights((1, 3, 3, 3), 3)
    yield case("DEPTHWISE_CONV_2D square", [x, w, reals((3,))], [result(2, 4, 6, 3)], "DEPTHWISE_CONV_2D",
               version=6, depth_multiplier=1, **WINDOW)  # fmt: skip
    w = weights((3, 3, 3, 3), 0)
    yield case("TRANSPOSE_CONV square", [const([2, 8, 12, 3]), w, x, reals((3,))], [result(2, 8, 12, 3)],
               "TRANSPOSE_CONV", padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip
    w = weights((5, 2, 2, 3), 0)
    yield case("TRANSPOSE_CONV", [const([2, 8, 12, 5]), w, x, reals((5,))], [result(2, 8, 12, 5)],
               padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip


def _depthwise(name: str, x: Part, w: Part) -> Case:
    parts = [x, w, reals((6,))]
    return case(
        name, parts, [result(2, 4, 6, 6)], "DEPTHWISE_CONV_2D", version=6, depth_multiplier=2, **WINDOW
    )


def _product(name: str, w: Part) -> Case:
    return case(name, [data((3, 8)), w], [result(3, 5)], "BATCH_MATMUL", version=4, adj_y=True)


def _products() -> Iterator[Case]:
    opcode = "BATCH_MATMUL"
    for title, axis in (("per-tensor", None), ("per-axis", 0)):
        yield _product(f"{opcode} {title}", weights((5, 8), axis))
    w = weights((8, 5), 1)
    yield case(f"{opcode} columns", [data((3, 8)), w], [result(3, 5)], opcode, version=4)


def _tables() -> Iterator[Case]:
    opcode = "EMBEDDING_LOOKUP"
    yield case(f"{opcode} square", [const([3, 1]), weights((4, 4), 0)], [result(2, 4)], opcode, version=4)
    for title, dtype, axis in _kinds("int8", "int4", "int2", "uint8", axis=0):
        yield case(f"{opcode} {title}", [const([3, 1]), weights((6, 4), axis, dtype)], [result(2, 4)], opcode,
                   version=4)  # fmt: skip


def _dequantize() -> Iterator[Case]:
    opcode = "DEQUANTIZE"
    for title, dtype, axis in _kinds("int8", "int4", "int2", "uint8", axis=0):
        yield _added(
            case(f"{opcode} {title}", [weights((6, 4), axis, dtype)], [result(6, 4)], opcode, version=6)
        )
    half = const(RNG.normal(size=(6, 4)), None, "float16")
    yield _added(case(f"{opcode} float16", [half], [result(6, 4)], opcode, version=3))


def _added(given: Case) -> Case:
    """Return the case with its output added to an input: delegates reject a model without inputs."""
    graph, x = given.model.subgraphs[0], data((6, 4))
    n, y = len(graph.tensors), graph.outputs[0]
    ends = [Tensor(n + i, name, "float32", (6, 4)) for i, name in enumerate(("x", "sum"))]
    add = Operator(1, "ADD", (n, y), (n + 1,), options=options_table("ADD"))
    graph = replace(
        graph,
        tensors=(*graph.tensors, *ends),
        operators=(*graph.operators, add),
        inputs=(n,),
        outputs=(n + 1,),
    )
    assert x.values is not None
    return replace(given, model=replace(given.model, subgraphs=(graph,)), inputs=(x.values,))


def _recurrent() -> Iterator[Case]:
    """Yield sequences of two steps: before the second step a state has more than two values, in steps of 1/127."""
    for dtype in ("int8", "uint8"):
        yield from _plain(dtype)
        yield from _lstm(dtype)
        # x86 kernels give wrong results for -128 in rows of 16 or more elements.
        w, time = weights((4, 32), None, dtype), weights((4, 2), None, dtype)
        yield case(f"SVDF {dtype}", [data((2, 32)), w, time, reals((4,)), state((2, 8))], [result(2, 4)], "SVDF",
                   rank=1, version=2)  # fmt: skip


def _plain(dtype: str) -> Iterator[Case]:
    cell = [weights((4, 5), None, dtype), weights((4, 4), None, dtype), reals((4,)), state((2, 4))]
    act = {"fused_activation_function": "TANH"}
    yield case(f"RNN {dtype}", [data((2, 5)), *cell], [result(2, 4)], "RNN", version=2, **act)
    sequence = "UNIDIRECTIONAL_SEQUENCE_RNN"
    x = data((2, 2, 5))
    yield case(
        f"{sequence} {dtype}", [x, *cell], [result(2, 2, 4)], sequence, tolerance=200, version=2, **act
    )
    sequence = "BIDIRECTIONAL_SEQUENCE_RNN"
    back = [weights((4, 5), None, dtype), weights((4, 4), None, dtype), reals((4,)), state((2, 4))]
    yield case(f"{sequence} {dtype}", [x, *cell, *back, None, None, None], [result(2, 2, 4), result(2, 2, 4)],
               sequence, tolerance=200, version=2, **act)  # fmt: skip


def _gates(
    dtype: str, cells: int, wide: int, peephole: bool = True, projection: int = 0
) -> list[Part | None]:
    """Return the inputs of an LSTM from the input weights to the projection bias."""
    into = [weights((cells, wide), None, dtype) for _ in range(4)]
    again = [weights((cells, projection or cells), None, dtype) for _ in range(4)]
    looks = [weights((cells,), None, dtype) if peephole else None for _ in range(3)]
    ends = [weights((projection, cells), None, dtype), reals((projection,))] if projection else [None, None]
    return [*into, *again, *looks, *(reals((cells,)) for _ in range(4)), *ends]


def _lstm(dtype: str) -> Iterator[Case]:
    act = {"fused_activation_function": "TANH"}
    own = [state((2, 4)), state((2, 4))]
    yield case(
        f"LSTM {dtype}", [data((2, 5)), *_gates(dtype, 4, 5), *own], [result(2, 4)], "LSTM", version=3, **act
    )
    sequence = "UNIDIRECTIONAL_SEQUENCE_LSTM"
    x, norm = data((2, 2, 5)), [reals((4,)) for _ in range(4)]
    yield case(
        f"{sequence} {dtype}",
        [x, *_gates(dtype, 4, 5), *own],
        [result(2, 2, 4)],
        sequence,
        tolerance=200,
        version=3,
        **act,
    )
    # The output of a cell has more than two values: the projection gets it in steps of 1/127 of the largest.
    made = [x, *_gates(dtype, 4, 5, False, 3), state((2, 3)), state((2, 4)), *norm]
    yield case(
        f"{sequence} {dtype} projected", made, [result(2, 2, 3)], sequence, tolerance=200, version=3, **act
    )
    sequence = "BIDIRECTIONAL_SEQUENCE_LSTM"
    both = [*_gates(dtype, 4, 5), *_gates(dtype, 4, 5), *own, *own, *[None] * 9]
    yield case(f"{sequence} {dtype}", [x, *both], [result(2, 2, 4), result(2, 2, 4)], sequence, tolerance=200, version=3,
               time_major=False, **act)  # fmt: skip


__all__ = ["blockwise", "cases", "spoiled"]
