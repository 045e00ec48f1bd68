"""Cases of TFLM's rules beside ``rules_cases``: operators, types and forms that only TFLM has.

TFLM rejects or miscomputes some of them unchanged, which the profile must state.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from litecheck.model.build import qparams
from tests.differential import rules_cases
from tests.differential.rules_cases import RNG, SQ, Case, Part, S, act, bias, case, const, out, weights

POOL = {"padding": "SAME", "stride_w": 1, "stride_h": 1}


def cases(dtype: str) -> Iterator[Case]:
    """Yield every case of ``rules_cases`` for ``dtype`` (int8 or int16) and the cases of TFLM."""
    own = list(_own(dtype))
    names = {c.name for c in own}
    yield from (c for c in rules_cases.cases(dtype) if c.name not in names)
    yield from own


def _own(dtype: str) -> Iterator[Case]:
    yield from _affine(dtype)
    yield from _binary(dtype)
    yield from _unary(dtype)
    yield from _movers(dtype)
    yield from _states(dtype)
    if dtype == "int8":
        yield from _narrow()


def _a(dtype: str, shape: Sequence[int], scale: float = 0.05, zero: int = 3, low: int = -128) -> Part:
    wide = dtype == "int16"
    return act(shape, scale / 256 if wide else scale, 0 if wide else zero, dtype, low * 256 if wide else low)


def _o(dtype: str, shape: Sequence[int], scale: float = 0.05, zero: int = 3) -> Part:
    wide = dtype == "int16"
    return out(shape, qparams(scale / 256 if wide else scale, 0 if wide else zero), dtype)


def _affine(dtype: str) -> Iterator[Case]:
    wide = dtype == "int16"
    x, w = _a(dtype, S), weights((5, 3, 3, 3), 0)
    conv = {**POOL, "dilation_w_factor": 1, "dilation_h_factor": 1}
    y = _o(dtype, (1, 4, 6, 5), 0.4)
    yield case("CONV_2D without bias", [x, w], [y], "CONV_2D", **conv)
    yield case("CONV_2D absent bias", [x, w, None], [y], "CONV_2D", **conv)
    d = weights((1, 3, 3, 6), 3)
    yd = _o(dtype, (1, 4, 6, 6), 0.4)
    yield case(
        "DEPTHWISE_CONV_2D without bias", [x, d], [yd], "DEPTHWISE_CONV_2D", depth_multiplier=2, **conv
    )
    one = weights((1, 3, 3, 6), 3, per_axis=False)
    kind = "int64" if wide else "int32"
    many = const(RNG.integers(-12000, 12000, 6), bias(x, one, kind).quantization, kind)
    yield case(
        "DEPTHWISE_CONV_2D per-tensor", [x, one, many], [yd], "DEPTHWISE_CONV_2D", depth_multiplier=2, **conv
    )
    f, v = _a(dtype, (2, 12)), weights((5, 12), 0)
    yf = _o(dtype, (2, 5), 0.4)
    yield case("FULLY_CONNECTED without bias", [f, v], [yf], "FULLY_CONNECTED")
    yield case("FULLY_CONNECTED absent bias", [f, v, None], [yf], "FULLY_CONNECTED")
    t, u = _a(dtype, (1, 3, 4, 3)), weights((5, 2, 2, 3), 0)
    yt, shape = _o(dtype, (1, 6, 8, 5), 0.3), const([1, 6, 8, 5])
    twice = {"padding": "SAME", "stride_w": 2, "stride_h": 2, "version": 3}
    yield case("TRANSPOSE_CONV without bias", [shape, u, t], [yt], "TRANSPOSE_CONV", **twice)
    other = "int32" if wide else "int64"
    yield case(f"CONV_2D bias {other}", [x, w, bias(x, w, other)], [y], "CONV_2D", **conv)
    yield case(f"DEPTHWISE_CONV_2D bias {other}", [x, d, bias(x, d, other)], [yd], "DEPTHWISE_CONV_2D",
               depth_multiplier=2, **conv)  # fmt: skip
    yield case(f"FULLY_CONNECTED bias {other}", [f, v, bias(f, v, other)], [yf], "FULLY_CONNECTED")
    yield case(
        f"TRANSPOSE_CONV bias {other}", [shape, u, t, bias(t, u, other)], [yt], "TRANSPOSE_CONV", **twice
    )
    lhs, product = _a(dtype, (2, 3, 4)), _o(dtype, (2, 3, 5), 0.5)
    rhs = RNG.integers(-99, 99, (2, 4, 5))
    yield case("BATCH_MATMUL weights", [lhs, const(rhs, qparams(0.01), dtype)], [product], "BATCH_MATMUL")
    if wide:
        yield case(
            "BATCH_MATMUL int8 rhs", [lhs, const(rhs, qparams(0.01), "int8")], [product], "BATCH_MATMUL"
        )


def _four_bits(shape: tuple[int, ...], axis: int, per_axis: bool = True) -> Part:
    scale = 0.1 + 0.02 * np.arange(shape[axis] if per_axis else 1)
    values = RNG.integers(-7, 8, shape).astype(np.int8)
    return Part(shape, "int4", qparams(scale, 0, axis), values, constant=True)


def _narrow() -> Iterator[Case]:
    """Yield int8 activations with int4 weights, and conversions of width."""
    x, w = act(S), _four_bits((5, 3, 3, 3), 0)
    conv = {**POOL, "dilation_w_factor": 1, "dilation_h_factor": 1}
    yield case("CONV_2D int4", [x, w, bias(x, w)], [out((1, 4, 6, 5), qparams(0.4, 3))], "CONV_2D", **conv)
    w = _four_bits((1, 3, 3, 6), 3)
    yield case("DEPTHWISE_CONV_2D int4", [x, w, bias(x, w)], [out((1, 4, 6, 6), qparams(0.4, 3))],
               "DEPTHWISE_CONV_2D", depth_multiplier=2, **conv)  # fmt: skip
    x = act((2, 12))
    for name, per_axis in (("int4", True), ("int4 per-tensor", False)):
        w = _four_bits((5, 12), 0, per_axis)
        yield case(
            f"FULLY_CONNECTED {name}", [x, w, bias(x, w)], [out((2, 5), qparams(0.4, 3))], "FULLY_CONNECTED"
        )
    w = _four_bits((5, 2, 2, 3), 0)
    x = act((1, 3, 4, 3))
    yield case("TRANSPOSE_CONV int4", [const([1, 6, 8, 5]), w, x, bias(x, w)], [out((1, 6, 8, 5), qparams(0.3, 3))],
               "TRANSPOSE_CONV", padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip


def _binary(dtype: str) -> Iterator[Case]:
    s = (1, 4, 6)
    x, y = _a(dtype, s), _a(dtype, s, 0.03, -20)
    for part in (x, y):
        part.values[0, 0, :4] = int(part.quantization.zero_point[0])
    square = _o(dtype, s, 0.5, -100)
    # int16 inputs are halved and rounded before the subtraction: small squares are inaccurate
    yield case("SQUARED_DIFFERENCE", [x, y], [square], tolerance=1.6 if dtype == "int8" else 32)
    if dtype == "int8":
        for opcode in ("ADD", "SUB", "MUL"):
            c = const(RNG.integers(-128, 128, (6,)), qparams(0.03, -20), "int8")
            yield case(f"{opcode} constant", [x, c], [_o(dtype, s, 0.1)], opcode)
        z = [_a(dtype, s, 0.02, 0) for _ in range(3)]
        yield case("ADD_N", z, [_o(dtype, s)])
        yield case("ADD_N zero point", [x, x, x], [_o(dtype, s)], "ADD_N")
    else:
        yield case("DIV", [x, _a(dtype, s, 0.03, 0, low=1)], [_o(dtype, s, 0.02)])
        yield case("PRELU", [x, _a(dtype, (1, 1, 6), 0.02)], [_o(dtype, s, 0.1)])
        for opcode in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
            yield case(opcode, [x, y], [out(s, None, "bool")])
    yield case("FLOOR_DIV", [x, y], [_o(dtype, s)], real=False)
    yield case("FLOOR_MOD", [x, y], [_o(dtype, s)], real=False)


def _unary(dtype: str) -> Iterator[Case]:
    s, x = (1, 4, 6), _a(dtype, (1, 4, 6))
    wide = dtype == "int16"
    yield case("RELU6", [_a(dtype, s)], [_o(dtype, s)], tolerance=1.6)
    yield case("ZEROS_LIKE", [x], [_o(dtype, s, 0.05, 0)])
    yield case("CUMSUM", [_a(dtype, s, 0.02, 0), const(2)], [_o(dtype, s)])
    yield case("CUMSUM zero point", [x, const(2)], [_o(dtype, s)], "CUMSUM")
    yield case("NEG", [x], [_o(dtype, s, 0.05, -3)], tolerance=0.6)
    for opcode in ("FLOOR", "CEIL", "ROUND", "SIN", "COS", "SQUARE"):
        yield case(opcode, [x], [_o(dtype, s)])
    yield case("L2_POOL_2D", [_a(dtype, S)], [_o(dtype, S)], filter_width=1, filter_height=1, **POOL)
    if wide:
        for opcode in ("HARD_SWISH", "ELU"):
            yield case(opcode, [x], [_o(dtype, s, 0.05)], tolerance=2)
        yield case("LOG_SOFTMAX", [x], [_o(dtype, s, 1 / 16)], tolerance=16)
        yield case("L2_NORMALIZATION", [x], [_o(dtype, s, 1 / 128)], tolerance=2)
    for given, made in (("float32", dtype), ("uint8", dtype), ("int32", dtype), (dtype, "int32"), (dtype, "uint8"),
                        ("int8", "int16"), ("int16", "int8")):  # fmt: skip
        if dtype in (given, made):
            yield _quantize(given, made)
    if not wide:
        y = out(s, qparams(1 / 65536, -32768), "int16")
        yield case("SOFTMAX int16", [x], [y], "SOFTMAX", beta=1.0, tolerance=600)


#: Parameters by type for QUANTIZE and DEQUANTIZE, with similar real ranges.
STEPS = {"int8": (0.05, 3), "uint8": (0.05, 131), "int16": (0.05 / 256, 0), "int32": (0.05 / 2**10, 0)}


def _quantize(given: str, made: str) -> Case:
    s, target = (1, 4, 6), out((1, 4, 6), qparams(*STEPS[made]), made)
    if given == "float32":
        data = Part(s, given, None, RNG.uniform(-6, 6, s).astype(np.float32))
    else:
        low, high = (-(2**17), 2**17) if given == "int32" else (np.iinfo(given).min, np.iinfo(given).max)
        q = qparams(STEPS[given][0] * 1.3, STEPS[given][1])
        data = Part(s, given, q, RNG.integers(low, high, s, endpoint=True).astype(given))
    return case(f"QUANTIZE {given} to {made}", [data], [target], "QUANTIZE")


def _movers(dtype: str) -> Iterator[Case]:
    def a(*shape: int) -> Part:
        return _a(dtype, shape)

    def o(*shape: int) -> Part:
        return _o(dtype, shape)

    blocks = const([2, 2])
    yield case(
        "SPACE_TO_BATCH_ND padded",
        [a(*S), blocks, const([[1, 1], [0, 2]])],
        [o(4, 3, 4, 3)],
        "SPACE_TO_BATCH_ND",
    )
    yield case("BATCH_TO_SPACE_ND cropped", [a(4, 2, 3, 3), blocks, const([[1, 0], [0, 2]])], [o(1, 3, 4, 3)],
               "BATCH_TO_SPACE_ND")  # fmt: skip
    yield case("RESHAPE without shape", [a(*S)], [o(1, 12, 6)], "RESHAPE", new_shape=[1, 12, 6])
    yield case("RESHAPE absent shape", [a(*S), None], [o(1, 12, 6)], "RESHAPE", new_shape=[1, 12, 6])
    yield case("UNPACK 1", [a(2, 4, 3)], [o(2, 3)] * 4, "UNPACK", num=4, axis=1)
    yield case("FILL constant", [const([4, 3]), const(9, qparams(0.05, 3 if dtype == "int8" else 0), dtype)],
               [o(4, 3)], "FILL")  # fmt: skip
    if dtype == "int16":
        yield case("SPACE_TO_DEPTH", [a(*S)], [o(1, 2, 3, 12)], block_size=2)
        yield case("DEPTH_TO_SPACE", [a(1, 2, 3, 12)], [o(1, 4, 6, 3)], block_size=2)
        for opcode in ("ARG_MAX", "ARG_MIN"):
            yield case(opcode, [a(4, 8), const(1)], [out((4,), None, "int32")], output_type="int32")
        yield case("CAST", [act((4, 3), None, dtype=dtype)], [out((4, 3), None, "float32")], real=False,
                   in_data_type="int16", out_data_type="float32")  # fmt: skip
        table = const(RNG.integers(-32767, 32768, (6, 4)), qparams(0.01), "int16")
    else:
        table = weights((6, 4), 0, per_axis=False)
    yield case(
        "EMBEDDING_LOOKUP per-tensor",
        [const([3, 1]), table],
        [out((2, 4), None, "float32")],
        "EMBEDDING_LOOKUP",
    )
    same = Part(table.shape, table.dtype, table.quantization, table.values, constant=True)
    yield case("EMBEDDING_LOOKUP copied", [const([3, 1]), same], [out((2, 4), table.quantization, table.dtype)],
               "EMBEDDING_LOOKUP")  # fmt: skip


def _states(dtype: str) -> Iterator[Case]:
    if dtype == "int8":
        yield svdf("SVDF", "int16")
        yield svdf("SVDF int8", "int8")
        yield svdf("SVDF without bias", "int16", biased=False)
        yield svdf("SVDF int8 without bias", "int8", biased=False)
    yield lstm("UNIDIRECTIONAL_SEQUENCE_LSTM", dtype)


def svdf(name: str, state: str, biased: bool = True) -> Case:
    """Return SVDF with int16 or int8 state and time weights."""
    ss, st, so, most = (0.002, 0.0002, 0.1, 9000) if state == "int16" else (0.1, 0.012, 0.2, 100)
    x = act((2, 5))
    memory = Part((2, 8), state, qparams(ss), variable=True)
    feature = const(RNG.integers(-127, 128, (4, 5)), qparams(0.01), "int8")
    time = const(RNG.integers(-most, most, (4, 2)), qparams(st), state)
    step = np.float32(st) * np.float32(ss)
    b = const((RNG.uniform(-4, 4, 4) / step).astype(np.int32), qparams(step), "int32") if biased else None
    return case(name, [x, feature, time, b, memory], [out((2, 4), qparams(so, -128))], "SVDF", rank=1, tolerance=3,
                fused_activation_function="RELU", version=3)  # fmt: skip


def lstm(name: str, dtype: str) -> Case:
    """Return a plain LSTM of three steps, as converters write it."""
    wide = dtype == "int16"
    x, n, cells = _a(dtype, (1, 3, 5), 0.02), 5, 4
    h = qparams(1 / 32768 if wide else 1 / 128, 0)
    ws = [const(RNG.integers(-127, 128, (cells, n)), qparams(0.004 + 0.001 * g), "int8") for g in range(4)]
    rs = [
        const(RNG.integers(-127, 128, (cells, cells)), qparams(0.003 + 0.001 * g), "int8") for g in range(4)
    ]
    bs = [bias(x, w, "int64" if wide else "int32") for w in ws]
    bs = [const(np.asarray(b.values), b.quantization, b.dtype) for b in bs]
    state = Part((1, cells), dtype, h, variable=True)
    cell = Part((1, cells), "int16", qparams(2.0**-12), variable=True)
    parts = [x, *ws, *rs, None, None, None, *bs, None, None, state, cell, None, None, None, None]
    return case(name, parts, [out((1, 3, cells), h, dtype)], "UNIDIRECTIONAL_SEQUENCE_LSTM", version=2, real=True,
                tolerance=40 if wide else 3, fused_activation_function="TANH", time_major=False)  # fmt: skip


__all__ = ["SQ", "cases"]
