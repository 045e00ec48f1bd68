"""A conforming model of every operator that LiteRT registers, in float, int32 or bool: only the structure is checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tests.differential.rules_cases import RNG, Case, Part, case, const, out

SHAPE = (1, 4, 6, 3)
WINDOW = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
DILATED = {**WINDOW, "dilation_w_factor": 1, "dilation_h_factor": 1}
UNARY = (
    "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "ABS", "NEG", "EXP", "SIN", "COS", "FLOOR", "CEIL", "ROUND",
    "SIGN", "SQUARE", "LOGISTIC", "TANH", "ELU", "GELU", "HARD_SWISH", "ZEROS_LIKE", "LOG_SOFTMAX",
    "L2_NORMALIZATION",
)  # fmt: skip
BINARY = ("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE", "POW", "FLOOR_DIV", "FLOOR_MOD",
          "ATAN2", "STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_MAXIMUM", "STABLEHLO_MINIMUM")  # fmt: skip
COMPARISONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")


def real(shape: Sequence[int], low: float = 0.1, high: float = 4.0) -> Part:
    """Return a computed float input."""
    return Part(tuple(shape), "float32", None, RNG.uniform(low, high, tuple(shape)).astype(np.float32))


def whole(values: object, dtype: str = "int32") -> Part:
    """Return a computed integer or bool input with these values."""
    array = np.asarray(values, dtype)
    return Part(array.shape, dtype, None, array)


def result(shape: Sequence[int], dtype: str = "float32") -> Part:
    """Return an output, float32 by default."""
    return out(shape, None, dtype)


def weight(*shape: int) -> Part:
    """Return float weights."""
    return const(RNG.uniform(-1, 1, shape), None, "float32")


def structures() -> Iterator[Case]:
    """Yield every operator with the inputs and options that converters give it."""
    yield from _arithmetic()
    yield from _windows()
    yield from _movement()
    yield from _indexing()
    yield from _reductions()
    yield from _sequences()
    yield from _generators()
    yield from _plain_integers()


def _arithmetic() -> Iterator[Case]:
    s, f = (2, 4, 6), {"real": False}
    for opcode in UNARY:
        yield case(opcode, [real(s)], [result(s)], **f)
    for opcode in ("LOG", "SQRT", "RSQRT"):
        yield case(opcode, [real(s)], [result(s)], **f)
    yield case("SOFTMAX", [real(s)], [result(s)], beta=1.0)
    yield case("LEAKY_RELU", [real(s)], [result(s)], alpha=0.1)
    for opcode in BINARY:
        yield case(opcode, [real(s), real(s)], [result(s)], **f)
    for opcode in COMPARISONS:
        yield case(opcode, [real(s), real(s)], [result(s, "bool")], **f)
    yield case("PRELU", [real(s), weight(1, 1, 6)], [result(s)])
    yield case("ADD_N", [real(s), real(s), real(s)], [result(s)])
    truth = whole(RNG.random(s) > 0.5, "bool")
    for opcode in ("LOGICAL_AND", "LOGICAL_OR", "STABLEHLO_AND"):
        yield case(opcode, [truth, truth], [result(s, "bool")], **f)
    yield case("LOGICAL_NOT", [truth], [result(s, "bool")])
    small = RNG.integers(1, 5, s)
    for opcode in ("BITWISE_XOR", "RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"):
        yield case(opcode, [whole(small), whole(small)], [result(s, "int32")], **f)
    yield case("CAST", [real(s)], [result(s, "int32")], in_data_type="float32", out_data_type="int32")
    yield case("BITCAST", [real(s)], [result(s, "int32")])
    yield case("DEQUANTIZE", [Part(s, "float16", None, real(s).values.astype("float16"))], [result(s)])
    yield case("FAKE_QUANT", [real(s)], [result(s)], min=-6.0, max=6.0, num_bits=8)
    yield case("BATCH_MATMUL", [real((2, 3, 4)), real((2, 4, 5))], [result((2, 3, 5))])
    yield case("FULLY_CONNECTED", [real((2, 12)), weight(5, 12), weight(5)], [result((2, 5))])
    yield case(
        "LOCAL_RESPONSE_NORMALIZATION",
        [real(SHAPE)],
        [result(SHAPE)],
        radius=2,
        bias=1.0,
        alpha=0.1,
        beta=0.5,
    )
    z = Part((4,), "complex64", None, (np.arange(4) + 1j).astype("complex64"))
    for opcode in ("REAL", "IMAG", "COMPLEX_ABS"):
        yield case(opcode, [z], [result((4,))], **f)
    yield case("RFFT2D", [real((4, 8)), const([4, 8])], [result((4, 5), "complex64")])
    yield case(
        "BUCKETIZE", [real((4, 3))], [result((4, 3), "int32")], boundaries=np.array([1, 2], np.float32)
    )


def _windows() -> Iterator[Case]:
    x = real(SHAPE)
    yield case("CONV_2D", [x, weight(5, 3, 3, 3), weight(5)], [result((1, 4, 6, 5))], **DILATED)
    yield case("DEPTHWISE_CONV_2D", [x, weight(1, 3, 3, 6), weight(6)], [result((1, 4, 6, 6))], **DILATED,
               depth_multiplier=2)  # fmt: skip
    yield case("TRANSPOSE_CONV", [const([1, 8, 12, 5]), weight(5, 2, 2, 3), x, weight(5)], [result((1, 8, 12, 5))],
               padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip
    pool = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}
    for opcode in ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D"):
        yield case(opcode, [x], [result((1, 2, 3, 3))], **pool)
    deep = {"padding": "SAME", "stride_d": 1, "stride_w": 1, "stride_h": 1}
    d = {**deep, "dilation_d_factor": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
    volume = real((1, 3, 4, 5, 2))
    yield case("CONV_3D", [volume, weight(2, 2, 2, 2, 3), weight(3)], [result((1, 3, 4, 5, 3))], **d)
    yield case("CONV_3D_TRANSPOSE", [const([1, 3, 4, 5, 3]), weight(2, 2, 2, 3, 2), volume, weight(3)],
               [result((1, 3, 4, 5, 3))], **d)  # fmt: skip
    for opcode in ("RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"):
        yield case(opcode, [x, const([8, 12])], [result((1, 8, 12, 3))])
    yield case("DILATE", [real((3, 4)), const([2, 2]), const(0.0, None, "float32")], [result((5, 7))])
    ones = const([1, 1], None, "int64")
    yield case("REDUCE_WINDOW", [real((4, 6)), const(0.0, None, "float32"), const([2, 2], None, "int64"), ones, ones],
               [result((3, 5))], reduce_function="ADD")  # fmt: skip
    yield case("STABLEHLO_PAD", [real((4, 3)), const(0.0, None, "float32")], [result((6, 3))],
               edge_padding_low=[1, 0], edge_padding_high=[1, 0], interior_padding=[0, 0])  # fmt: skip


def _movement() -> Iterator[Case]:
    x, s, k = real(SHAPE), SHAPE, {"real": False}
    pads = const([[0, 0], [1, 1], [1, 1], [0, 0]])
    yield case("CONCATENATION", [x, real(s)], [result((1, 4, 6, 6))], axis=3)
    yield case("RESHAPE", [x, const([1, 12, 6])], [result((1, 12, 6))], new_shape=[1, 12, 6])
    yield case("SQUEEZE", [x], [result(s[1:])], squeeze_dims=[0])
    yield case("EXPAND_DIMS", [real((4, 3)), const(0)], [result((1, 4, 3))])
    yield case("SPACE_TO_DEPTH", [x], [result((1, 2, 3, 12))], block_size=2)
    yield case("DEPTH_TO_SPACE", [real((1, 2, 3, 12))], [result((1, 4, 6, 3))], block_size=2)
    yield case("BATCH_TO_SPACE_ND", [real((4, 2, 3, 3)), const([2, 2]), const([[0, 0], [0, 0]])], [result(s)])
    yield case("SPACE_TO_BATCH_ND", [x, const([2, 2]), const([[0, 0], [0, 0]])], [result((4, 2, 3, 3))])
    yield case("TRANSPOSE", [x, const([0, 2, 1, 3])], [result((1, 6, 4, 3))])
    yield case("PAD", [x, pads], [result((1, 6, 8, 3))])
    yield case("PADV2", [x, pads, const([0.5], None, "float32")], [result((1, 6, 8, 3))])
    yield case("MIRROR_PAD", [x, pads], [result((1, 6, 8, 3))], mode="REFLECT")
    yield case("SLICE", [x, const([0, 1, 1, 0]), const([1, 2, 3, 3])], [result((1, 2, 3, 3))])
    ends = [const([0, 0, 0, 0]), const([1, 4, 6, 3]), const([1, 2, 2, 1])]
    yield case("STRIDED_SLICE", [x, *ends], [result((1, 2, 3, 3))])
    yield case("SPLIT", [const(2), x], [result((1, 4, 3, 3))] * 2, num_splits=2)
    yield case(
        "SPLIT_V", [x, const([2, 4]), const(2)], [result((1, 4, 2, 3)), result((1, 4, 4, 3))], num_splits=2
    )
    yield case("PACK", [real((4, 3)), real((4, 3))], [result((2, 4, 3))], values_count=2)
    yield case("UNPACK", [real((2, 4, 3))], [result((4, 3))] * 2, num=2)
    yield case("TILE", [real((4, 3)), const([2, 2])], [result((8, 6))])
    yield case("BROADCAST_TO", [real((1, 3)), const([4, 3])], [result((4, 3))], version=2)
    yield case("BROADCAST_ARGS", [whole([1, 3]), whole([4, 1])], [result((2,), "int32")])
    yield case("REVERSE_V2", [real((4, 3)), const([0])], [result((4, 3))])
    yield case(
        "REVERSE_SEQUENCE", [real((4, 3)), const([1, 2, 3, 2])], [result((4, 3))], seq_dim=1, batch_dim=0
    )
    choice = whole(RNG.random((4, 3)) > 0.5, "bool")
    for opcode in ("SELECT", "SELECT_V2"):
        yield case(opcode, [choice, real((4, 3)), real((4, 3))], [result((4, 3))], **k)
    yield case("DYNAMIC_UPDATE_SLICE", [real((4, 3)), real((2, 3)), const([1, 0])], [result((4, 3))])
    yield case("MATRIX_DIAG", [real((3,))], [result((3, 3))])
    yield case("MATRIX_SET_DIAG", [real((3, 3)), real((3,))], [result((3, 3))])


def _indexing() -> Iterator[Case]:
    yield case("GATHER", [real(SHAPE), const([2, 0])], [result((1, 2, 6, 3))], axis=1)
    yield case("GATHER_ND", [real((4, 6)), const([[1, 2], [3, 0]])], [result((2,))])
    yield case("SCATTER_ND", [const([[0], [1], [2], [3]]), real((4, 3)), const([4, 3])], [result((4, 3))])
    yield case("EMBEDDING_LOOKUP", [const([3, 1]), weight(6, 4)], [result((2, 4))])
    yield case("HASHTABLE_LOOKUP", [const([3, 1]), const([1, 2, 3]), weight(3, 4)],
               [result((2, 4)), result((2,), "uint8")])  # fmt: skip
    yield case("TOPK_V2", [real((4, 8)), const(3)], [result((4, 3)), result((4, 3), "int32")])
    yield case("ONE_HOT", [const([1, 0, 2]), const(4), const(1.0, None, "float32"), const(0.0, None, "float32")],
               [result((3, 4))], axis=-1)  # fmt: skip
    yield case(
        "SPARSE_TO_DENSE",
        [const([1, 3]), const([5]), real((2,)), const(0.0, None, "float32")],
        [result((5,))],
    )
    yield case("UNIQUE", [real((5,))], [result((5,)), result((5,), "int32")], idx_out_type="int32")
    yield case("WHERE", [whole([True, False, True], "bool")], [result((2, 1), "int64")])
    yield case("SEGMENT_SUM", [real((4, 3)), const([0, 0, 1, 1])], [result((2, 3))])
    for function in ("SUM", "PROD", "MAX", "MIN"):
        yield case(
            f"UNSORTED_SEGMENT_{function}", [real((4, 3)), const([0, 2, 1, 1]), const(3)], [result((3, 3))]
        )
    table = {"offset_dims": [1], "collapsed_slice_dims": [0], "start_index_map": [0], "index_vector_dim": 1}
    long = {k: np.asarray(v, np.int64) if isinstance(v, list) else v for k, v in table.items()}
    yield case("STABLEHLO_GATHER", [real((4, 3)), const([[2], [0]], None, "int64")], [result((2, 3))], **long,
               slice_sizes=np.array([1, 3], np.int64))  # fmt: skip
    boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [2, 2, 3, 3]], np.float32)
    scores = np.array([0.9, 0.8, 0.7], np.float32)
    parts = [whole(boxes, "float32"), whole(scores, "float32"), const(2), const(0.5, None, "float32"),
             const(0.1, None, "float32")]  # fmt: skip
    yield case("NON_MAX_SUPPRESSION_V4", parts, [result((2,), "int32"), result((), "int32")])
    yield case("NON_MAX_SUPPRESSION_V5", [*parts, const(0.0, None, "float32")],
               [result((2,), "int32"), result((2,)), result((), "int32")])  # fmt: skip


def _reductions() -> Iterator[Case]:
    x, axis = real(SHAPE), const([1, 2])
    for opcode in ("MEAN", "SUM", "REDUCE_PROD", "REDUCE_MAX", "REDUCE_MIN"):
        yield case(opcode, [x, axis], [result((1, 3))])
    truth = whole(RNG.random(SHAPE) > 0.5, "bool")
    for opcode in ("REDUCE_ANY", "REDUCE_ALL"):
        yield case(opcode, [truth, axis], [result((1, 3), "bool")])
    for opcode in ("ARG_MAX", "ARG_MIN"):
        yield case(opcode, [real((4, 8)), const(1)], [result((4,), "int32")], output_type="int32")
    yield case("CUMSUM", [real((4, 3)), const(1)], [result((4, 3))])


def _sequences() -> Iterator[Case]:
    def state(*shape: int) -> Part:
        return Part(shape, "float32", None, variable=True)

    tanh = {"fused_activation_function": "TANH"}
    cell = [weight(4, 3), weight(4, 4), weight(4), state(2, 4)]
    yield case("RNN", [real((2, 3)), *cell], [result((2, 4))], **tanh)
    yield case("UNIDIRECTIONAL_SEQUENCE_RNN", [real((2, 5, 3)), *cell], [result((2, 5, 4))], **tanh)
    yield case("BIDIRECTIONAL_SEQUENCE_RNN", [real((2, 5, 3)), *cell, weight(4, 3), weight(4, 4), weight(4), state(2, 4),
               None, None, None], [result((2, 5, 4)), result((2, 5, 4))], **tanh)  # fmt: skip
    gates = [*(weight(4, 3) for _ in range(4)), *(weight(4, 4) for _ in range(4)), None, None, None]
    biases = [weight(4) for _ in range(4)]
    one = [*gates, *biases, None, None]
    norms = [None] * 4
    yield case("LSTM", [real((2, 3)), *one, state(2, 4), state(2, 4), *norms], [result((2, 4))], **tanh)
    yield case("UNIDIRECTIONAL_SEQUENCE_LSTM", [real((2, 5, 3)), *one, state(2, 4), state(2, 4), *norms],
               [result((2, 5, 4))], **tanh)  # fmt: skip
    states = [state(2, 4) for _ in range(4)]
    yield case("BIDIRECTIONAL_SEQUENCE_LSTM", [real((2, 5, 3)), *one, *one, *states, *([None] * 9)],
               [result((2, 5, 4)), result((2, 5, 4))], time_major=False, **tanh)  # fmt: skip
    yield case(
        "SVDF", [real((2, 5)), weight(4, 5), weight(4, 2), weight(4), state(2, 8)], [result((2, 4))], rank=1
    )


def _generators() -> Iterator[Case]:
    yield case("SHAPE", [real((4, 3))], [result((2,), "int32")], out_type="int32")
    yield case("RANK", [real((4, 3))], [result((), "int32")])
    yield case("FILL", [const([4, 3]), real(())], [result((4, 3))])
    yield case("RANGE", [const(0), const(5), const(1)], [result((5,), "int32")])
    for opcode in ("RANDOM_UNIFORM", "RANDOM_STANDARD_NORMAL"):
        yield case(opcode, [const([2, 3])], [result((2, 3))], seed=1, seed2=2)
    yield case("MULTINOMIAL", [real((2, 3)), const(4)], [result((2, 4), "int32")], seed=1, seed2=2)
    state = const([1, 2], None, "uint64")
    yield case("STABLEHLO_RNG_BIT_GENERATOR", [state], [result((2,), "uint64"), result((4,), "int32")],
               algorithm="THREEFRY")  # fmt: skip
    hashed = [
        const(RNG.uniform(-99, 99, (2, 16)), None, "float32"),
        whole(np.arange(48).reshape(3, 16) % 37 - 9),
    ]
    yield case("LSH_PROJECTION", hashed, [result((2,), "int32")], type="SPARSE")
    yield case(
        "LSH_PROJECTION weighted",
        [*hashed, weight(3)],
        [result((2,), "int32")],
        "LSH_PROJECTION",
        type="SPARSE",
    )
    yield case("EMBEDDING_LOOKUP_SPARSE", [const([1, 2, 0]), const([[0, 0], [0, 1], [1, 0]]), const([2, 2]),
               const([1, 2, 0.5], None, "float32"), weight(4, 3)], [result((2, 3))], combiner="SUM")  # fmt: skip


def _plain_integers() -> Iterator[Case]:
    """Yield the movers that converters use most on int32: shape arithmetic."""
    yield case("GATHER int32", [whole([3, 5, 7]), const([2, 0])], [result((2,), "int32")], "GATHER")
    ends = [const([0]), const([2]), const([1])]
    yield case("STRIDED_SLICE int32", [whole([3, 5, 7]), *ends], [result((2,), "int32")], "STRIDED_SLICE")
    yield case("CONCATENATION int32", [whole([3]), whole([4, 5])], [result((3,), "int32")], "CONCATENATION")
    yield case("PACK int32", [whole(3), whole(4)], [result((2,), "int32")], "PACK", values_count=2)


__all__ = ["real", "result", "structures", "weight", "whole"]
