"""Random valid models of a single operator for the shape functions, by operator."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.model.build import qparams
from litecheck.quantization import Quantization
from tests.differential.shapes_draws import (
    FIRST,
    Draw,
    Make,
    Part,
    Q,
    Random,
    broadcastable,
    dims,
    index,
    out,
    size,
    x,
)
from tests.differential.shapes_layers import (
    basic_lstm,
    batch_matmul,
    both_lstm,
    both_rnn,
    conv,
    conv_3d,
    depthwise,
    fully_connected,
    lstm,
    pool,
    rnn,
    sequence_rnn,
    svdf,
    transposed,
)
from tests.differential.shapes_movers import (
    batch_to_space,
    bitcast,
    broadcast_args,
    broadcast_to,
    concatenation,
    diag,
    dilate,
    embedding,
    gather,
    gather_hlo,
    gather_nd,
    hashtable_lookup,
    one_hot,
    pack,
    pad,
    reduce_window,
    reshape,
    resize,
    reverse,
    reverse_sequence,
    scatter_nd,
    segment_sum,
    set_diag,
    slice_,
    space_to_batch,
    sparse_to_dense,
    split,
    split_v,
    squeeze,
    stablehlo_pad,
    strided_slice,
    tile,
    to_depth,
    to_space,
    top_k,
    transpose,
    unpack,
    unsorted,
    update,
)


def unary(opcode: str, ranks: tuple[int, int] = (0, 6), fixed: Quantization = Q, **options: Any) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        version = 1 if opcode in FIRST else 2
        return Draw(opcode, (x(rng, dims(rng, *ranks), dtype),), (out(dtype, fixed),), options, version)

    return make


def binary(opcode: str, result: str = "", alike: bool = False) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        left, right = broadcastable(rng)
        parts = [x(rng, left, dtype), x(rng, left if alike else right, dtype, rng.random() < 0.3)]
        return Draw(opcode, tuple(parts), (out(result or dtype),), {}, 1 if opcode in FIRST else 2)

    return make


def reduce(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        shape = dims(rng, 1, 5)
        axes = rng.choice(np.arange(-len(shape), len(shape)), size(rng, 0, 3))
        parts = (x(rng, shape, dtype), index(rng, axes if len(axes) != 1 or rng.random() < 0.5 else axes[0]))
        return Draw(
            opcode, parts, (out(dtype),), {"keep_dims": bool(rng.random() < 0.5)}, 1 if opcode in FIRST else 2
        )

    return make


def extreme(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        shape = dims(rng, 1, 5)
        parts = (
            x(rng, shape, dtype),
            index(rng, rng.integers(-len(shape), len(shape), None if rng.random() < 0.5 else (1,))),
        )
        return Draw(opcode, parts, (out("int32"),), {"output_type": "int32"}, 2)

    return make


def along(opcode: str, extra: int = 0, **options: Any) -> Make:
    """Return draws of an operator with an axis as an input."""

    def make(rng: Random, dtype: str) -> Draw:
        shape = dims(rng, 1, 4)
        axis = int(rng.integers(-len(shape) - extra, len(shape) + extra))
        return Draw(
            opcode,
            (x(rng, shape, dtype), index(rng, axis if rng.random() < 0.5 else [axis])),
            (out(dtype),),
            options,
        )

    return make


def fill(rng: Random, dtype: str) -> Draw:
    return Draw(
        "FILL",
        (index(rng, dims(rng, 0, 4), str(rng.choice(["int32", "int64"]))), x(rng, (), dtype)),
        (out(dtype),),
        {},
        3,
    )


def random(opcode: str) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        return Draw(opcode, (index(rng, dims(rng, 0, 4)),), (("float32", None),))

    return make


def multinomial(rng: Random, dtype: str) -> Draw:
    return Draw("MULTINOMIAL", (x(rng, dims(rng, 2, 2), dtype), index(rng, size(rng))), (("int64", None),))


def range_(rng: Random, dtype: str) -> Draw:
    numbers = [int(rng.integers(-5, 6)), int(rng.integers(-5, 6)), size(rng, 1, 3)]
    numbers[2] *= 1 if numbers[1] >= numbers[0] else -1
    step = 0.37 if dtype == "float32" else 1
    return Draw("RANGE", tuple(index(rng, n * step, dtype) for n in numbers), ((dtype, None),))


def where(rng: Random, dtype: str) -> Draw:
    return Draw("WHERE", (x(rng, dims(rng, 1, 4), dtype),), (("int64", None),))


def unique(rng: Random, dtype: str) -> Draw:
    return Draw("UNIQUE", (x(rng, dims(rng, 1, 1), dtype),), (out(dtype), ("int32", None)))


def rfft(rng: Random, dtype: str) -> Draw:
    lengths = 2 ** rng.integers(0, 3, 2)
    return Draw("RFFT2D", (x(rng, dims(rng, 2, 4), dtype), index(rng, lengths)), (("complex64", None),))


def suppression(rng: Random, dtype: str) -> Draw:
    number, soft = size(rng), bool(rng.random() < 0.5)
    singles = [Part(np.asarray(0.5, np.float32), None, rng.random() < 0.5) for _ in range(3 if soft else 2)]
    parts = (x(rng, (number, 4), dtype), x(rng, (number,), dtype), index(rng, size(rng)), *singles)
    kinds = [("int32", None), *([("float32", None)] if soft else []), ("int32", None)]
    return Draw(f"NON_MAX_SUPPRESSION_V{5 if soft else 4}", parts, tuple(kinds))


def prelu(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 1, 4)
    alpha = [1 if rng.random() < 0.3 else dim for dim in shape][
        size(rng, 0, len(shape)) if rng.random() < 0.3 else 0 :
    ]
    return Draw("PRELU", (x(rng, shape, dtype), x(rng, alpha, dtype, rng.random() < 0.7)), (out(dtype),))


def add_n(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 0, 6)
    return Draw("ADD_N", tuple(x(rng, shape, dtype) for _ in range(size(rng, 1, 4))), (out(dtype),))


def select(rng: Random, dtype: str) -> Draw:
    shape = dims(rng, 0, 6)
    kinds = [shape, (), (1,), shape[:1]]
    condition = kinds[size(rng, 0, 3)]
    return Draw(
        "SELECT",
        (x(rng, condition, "bool"), x(rng, shape, dtype), x(rng, shape, dtype)),
        (out(dtype),),
        {},
        2,
    )


def select_v2(rng: Random, dtype: str) -> Draw:
    shapes = broadcastable(rng, 3, 6)
    kinds = ("bool", dtype, dtype)
    return Draw("SELECT_V2", tuple(x(rng, s, k) for s, k in zip(shapes, kinds, strict=True)), (out(dtype),))


def counted(opcode: str, result: str, **options: Any) -> Make:
    def make(rng: Random, dtype: str) -> Draw:
        return Draw(opcode, (x(rng, dims(rng, 0, 6), dtype),), ((result, None),), options)

    return make


F, I8, BOTH = ("float32",), ("int8",), ("float32", "int8")


#: Operators with the types drawn.
CASES: dict[str, tuple[Make, tuple[str, ...]]] = {
    **{op: (unary(op), F) for op in "SIN COS SQUARE FLOOR CEIL ROUND SIGN ZEROS_LIKE RELU_N1_TO_1".split()},
    **{op: (unary(op), BOTH) for op in "LOG SQRT RSQRT RELU RELU6 RELU_0_TO_1 ELU GELU HARD_SWISH EXP".split()},
    "ABS": (unary("ABS"), BOTH), "NEG": (unary("NEG"), BOTH), "LOGICAL_NOT": (unary("LOGICAL_NOT"), ("bool",)),
    "LEAKY_RELU": (unary("LEAKY_RELU", alpha=0.1), BOTH),
    "LOGISTIC": (unary("LOGISTIC", fixed=qparams(1 / 256, -128)), BOTH),
    "TANH": (unary("TANH", fixed=qparams(1 / 128, 0)), BOTH),
    "SOFTMAX": (unary("SOFTMAX", fixed=qparams(1 / 256, -128), beta=1.0), BOTH),
    "LOG_SOFTMAX": (unary("LOG_SOFTMAX", fixed=qparams(1 / 16, 127)), BOTH),
    "L2_NORMALIZATION": (unary("L2_NORMALIZATION", fixed=qparams(1 / 128, 0)), BOTH),
    "LOCAL_RESPONSE_NORMALIZATION": (
        unary("LOCAL_RESPONSE_NORMALIZATION", (4, 4), radius=1, bias=1.0, alpha=1.0, beta=0.5), F
    ),
    "FAKE_QUANT": (unary("FAKE_QUANT", min=-1.0, max=1.0, num_bits=8), F),
    "BUCKETIZE": (counted("BUCKETIZE", "int32", boundaries=np.float32([0, 1])), F),
    "COMPLEX_ABS": (counted("COMPLEX_ABS", "float32"), ("complex64",)),
    "REAL": (counted("REAL", "float32"), ("complex64",)), "IMAG": (counted("IMAG", "float32"), ("complex64",)),
    "CAST": (counted("CAST", "int32", in_data_type="float32", out_data_type="int32"), F),
    "QUANTIZE": (unary("QUANTIZE"), I8), "DEQUANTIZE": (counted("DEQUANTIZE", "float32"), I8),
    "CUMSUM": (along("CUMSUM"), F), "EXPAND_DIMS": (along("EXPAND_DIMS", 1), BOTH),
    **{op: (binary(op), BOTH) for op in "ADD SUB MUL DIV MAXIMUM MINIMUM SQUARED_DIFFERENCE FLOOR_DIV FLOOR_MOD".split()},
    **{op: (binary(op), F) for op in ("POW", "ATAN2")},
    **{op: (binary(op, "bool"), BOTH) for op in "EQUAL NOT_EQUAL LESS LESS_EQUAL GREATER GREATER_EQUAL".split()},
    **{op: (binary(op), ("bool",)) for op in ("LOGICAL_OR", "LOGICAL_AND")},
    **{op: (binary(op), ("int8", "int32")) for op in ("BITWISE_XOR", "RIGHT_SHIFT")},
    "STABLEHLO_SHIFT_LEFT": (binary("STABLEHLO_SHIFT_LEFT"), ("int8", "int32")),
    **{f"STABLEHLO_{op}": (binary(f"STABLEHLO_{op}", alike=True), F) for op in "ADD MULTIPLY MAXIMUM MINIMUM".split()},
    "STABLEHLO_AND": (binary("STABLEHLO_AND", alike=True), ("bool",)),
    "ADD_N": (add_n, F), "PRELU": (prelu, BOTH), "SELECT": (select, BOTH), "SELECT_V2": (select_v2, BOTH),
    "CONV_2D": (conv, BOTH), "DEPTHWISE_CONV_2D": (depthwise, BOTH), "TRANSPOSE_CONV": (transposed, BOTH),
    "CONV_3D": (conv_3d, F), "CONV_3D_TRANSPOSE": (lambda rng, dtype: transposed(rng, dtype, "CONV_3D_TRANSPOSE"), F),
    "AVERAGE_POOL_2D": (pool("AVERAGE_POOL_2D"), BOTH), "MAX_POOL_2D": (pool("MAX_POOL_2D"), BOTH),
    "L2_POOL_2D": (pool("L2_POOL_2D"), F), "FULLY_CONNECTED": (fully_connected, BOTH),
    "BATCH_MATMUL": (batch_matmul, BOTH),
    **{op: (reduce(op), BOTH) for op in "MEAN SUM REDUCE_PROD REDUCE_MAX REDUCE_MIN".split()},
    **{op: (reduce(op), ("bool",)) for op in ("REDUCE_ANY", "REDUCE_ALL")},
    "ARG_MAX": (extreme("ARG_MAX"), BOTH), "ARG_MIN": (extreme("ARG_MIN"), BOTH),
    "SHAPE": (counted("SHAPE", "int32", out_type="int32"), BOTH), "RANK": (counted("RANK", "int32"), BOTH),
    "RESHAPE": (reshape, BOTH), "SQUEEZE": (squeeze, BOTH), "TRANSPOSE": (transpose, BOTH), "REVERSE_V2": (reverse, BOTH),
    "REVERSE_SEQUENCE": (reverse_sequence, F), "SPACE_TO_DEPTH": (to_depth, BOTH), "DEPTH_TO_SPACE": (to_space, BOTH),
    "SPACE_TO_BATCH_ND": (space_to_batch, BOTH), "BATCH_TO_SPACE_ND": (batch_to_space, BOTH),
    "MATRIX_DIAG": (diag, BOTH), "MATRIX_SET_DIAG": (set_diag, BOTH), "BITCAST": (bitcast, BOTH),
    "SLICE": (slice_, BOTH), "STRIDED_SLICE": (strided_slice, BOTH), "SPLIT": (split, BOTH), "SPLIT_V": (split_v, BOTH),
    "DYNAMIC_UPDATE_SLICE": (update, BOTH), "TOPK_V2": (top_k, BOTH), "CONCATENATION": (concatenation, BOTH),
    "PACK": (pack, BOTH), "UNPACK": (unpack, BOTH), "TILE": (tile, BOTH), "BROADCAST_TO": (broadcast_to, BOTH),
    "BROADCAST_ARGS": (broadcast_args, ("int32", "int64")), "PAD": (pad("PAD"), BOTH), "PADV2": (pad("PADV2"), BOTH),
    "MIRROR_PAD": (pad("MIRROR_PAD"), BOTH), "RESIZE_BILINEAR": (resize("RESIZE_BILINEAR"), BOTH),
    "RESIZE_NEAREST_NEIGHBOR": (resize("RESIZE_NEAREST_NEIGHBOR"), BOTH), "GATHER": (gather, BOTH),
    "GATHER_ND": (gather_nd, BOTH), "SCATTER_ND": (scatter_nd, BOTH), "EMBEDDING_LOOKUP": (embedding, BOTH),
    "HASHTABLE_LOOKUP": (hashtable_lookup, F), "ONE_HOT": (one_hot, BOTH), "SPARSE_TO_DENSE": (sparse_to_dense, BOTH),
    "SEGMENT_SUM": (segment_sum, F),
    **{f"UNSORTED_SEGMENT_{op}": (unsorted(f"UNSORTED_SEGMENT_{op}"), F) for op in ("SUM", "PROD", "MAX", "MIN")},
    "FILL": (fill, BOTH), "RANDOM_UNIFORM": (random("RANDOM_UNIFORM"), F), "MULTINOMIAL": (multinomial, F),
    "RANDOM_STANDARD_NORMAL": (random("RANDOM_STANDARD_NORMAL"), F), "RANGE": (range_, ("int32", "float32")),
    "WHERE": (where, ("bool", "float32")), "UNIQUE": (unique, BOTH), "RFFT2D": (rfft, F),
    "NON_MAX_SUPPRESSION_V4": (suppression, F), "STABLEHLO_PAD": (stablehlo_pad, BOTH), "DILATE": (dilate, BOTH),
    "REDUCE_WINDOW": (reduce_window, F), "STABLEHLO_GATHER": (gather_hlo, BOTH), "SVDF": (svdf, BOTH), "RNN": (rnn, F),
    "UNIDIRECTIONAL_SEQUENCE_RNN": (sequence_rnn, F), "BIDIRECTIONAL_SEQUENCE_RNN": (both_rnn, F),
    "LSTM": (lstm("LSTM"), F), "LSTM BASIC": (basic_lstm, F),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (lstm("UNIDIRECTIONAL_SEQUENCE_LSTM"), F),
    "BIDIRECTIONAL_SEQUENCE_LSTM": (both_lstm, F),
}  # fmt: skip
