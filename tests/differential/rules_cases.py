"""A realistic model for each operator of the LiteRT profiles, with inputs, for tests of the rules.

An input is computed (:func:`act`), constant (:func:`const`) or absent; all scales fit the data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import Option, qparams
from litecheck.model.types import Model
from litecheck.profile.operator_plan import TensorPlan
from litecheck.quantization import Quantization

RNG = np.random.default_rng(7)


@dataclass(frozen=True)
class Part:
    """Part of a case: shape, type and quantization of an input or output, and its values if it has any."""

    shape: tuple[int, ...]
    dtype: str
    quantization: Quantization | None = None
    values: np.ndarray | None = None
    constant: bool = False
    variable: bool = False

    def planned(self, at: int) -> TensorPlan:
        """Return the tensor of the part."""
        if self.constant:
            assert self.values is not None
            return constant(f"c{at}", self.values, self.quantization, self.dtype)
        return run_time(f"x{at}", self.shape, self.dtype, self.quantization, self.variable)


@dataclass(frozen=True)
class Case:
    """Model of a single operator and its inputs. ``real`` is True if a float model has the same real values."""

    name: str
    opcode: str
    model: Model
    inputs: tuple[np.ndarray, ...]
    real: bool = True
    tolerance: float = 1.6
    """Tolerance of the kernel's distance from the real output, in output steps."""


def act(
    shape: Sequence[int], scale: float | None = 0.05, zero: int = 3, dtype: str = "int8", low: int = -128
) -> Part:
    """Return a computed input with random values from ``low`` on."""
    info = np.iinfo(dtype)
    values = RNG.integers(max(low, info.min), info.max + 1, tuple(shape)).astype(dtype)
    q = None if scale is None else qparams(scale, zero if dtype == "int8" else 0)
    return Part(tuple(shape), dtype, q, values)


def const(values: object, q: Quantization | None = None, dtype: str = "int32") -> Part:
    """Return a constant input."""
    array = np.asarray(values, dtype)
    return Part(array.shape, dtype, q, array, constant=True)


def out(shape: Sequence[int], q: Quantization | None = None, dtype: str = "int8") -> Part:
    """Return an output."""
    return Part(tuple(shape), dtype, q)


def weights(shape: Sequence[int], axis: int, per_axis: bool = True) -> Part:
    """Return symmetric int8 weights, by default with a scale for each slice."""
    count = shape[axis] if per_axis else 1
    values = RNG.integers(-127, 128, tuple(shape))
    return const(values, qparams(0.01 + 0.002 * np.arange(count), 0, axis), "int8")


def bias(data: Part, weight: Part, dtype: str = "int32") -> Part:
    """Return a bias in steps of input scale times weight scale."""
    assert data.quantization
    assert weight.quantization
    scale = (data.quantization.scale[0].astype(np.float64) * weight.quantization.scale).astype(np.float32)
    channels = weight.shape[weight.quantization.axis] if len(scale) > 1 else weight.shape[0]
    return const(RNG.integers(-12000, 12000, channels), qparams(scale), dtype)


def case(
    name: str, parts: Sequence[Part | None], outs: Sequence[Part], opcode: str = "", real: bool = True,
    tolerance: float = 1.6, version: int = 1, intermediates: int = 0, **options: Option,
) -> Case:  # fmt: skip
    """Return a case of these parts."""
    operands = [None if part is None else part.planned(at) for at, part in enumerate(parts)]
    results = [run_time(f"y{at}", p.shape, p.dtype, p.quantization) for at, p in enumerate(outs)]
    steps = [run_time(f"i{n}", (), "int16", qparams(2.0**-12)) for n in range(intermediates)]
    model = one_operator(
        opcode or name, operands, results, options, version=version, intermediates=steps, description=name
    )
    given = tuple(p.values for p in parts if p and not p.constant and not p.variable and p.values is not None)
    return Case(name, opcode or name, model, given, real, tolerance)


S = (1, 4, 6, 3)
SQ = (1, 4, 4, 4)


def cases(dtype: str) -> Iterator[Case]:
    """Yield every operator of the profile for ``dtype`` (int8 or int16) that a small model can represent."""
    wide = dtype == "int16"
    unit = 1 / 256 if wide else 1.0
    zero = (lambda z: 0) if wide else (lambda z: z)

    def a(shape: Sequence[int], scale: float = 0.05, z: int = 3, low: int = -128) -> Part:
        return act(shape, scale * unit, z, dtype, 0 if wide and low > -128 else low * (256 if wide else 1))

    def o(shape: Sequence[int], scale: float = 0.05, z: int = 3) -> Part:
        return out(shape, qparams(scale * unit, zero(z)), dtype)

    yield from _affine(a, o, "int64" if wide else "int32", wide)
    yield from _binary(a, o, wide)
    yield from _unary(a, o, wide)
    yield from _same(a, o, dtype, wide)
    yield from _reductions(a, o, wide)
    yield from _indexes(a, wide)
    if not wide:
        yield from _plain(dtype)


def _affine(a, o, kind, wide):
    x, w = a(S), weights((5, 3, 3, 3), 0)
    shape = {"padding": "SAME", "stride_w": 1, "stride_h": 1}
    yield case("CONV_2D", [x, w, bias(x, w, kind)], [o((1, 4, 6, 5), 0.4)], **shape,
               dilation_w_factor=1, dilation_h_factor=1)  # fmt: skip
    w = weights((5, 3, 3, 3), 0, per_axis=False)
    yield case("CONV_2D per-tensor", [x, w, bias(x, w, kind)], [o((1, 4, 6, 5), 0.4)], "CONV_2D", **shape,
               dilation_w_factor=1, dilation_h_factor=1)  # fmt: skip
    w = weights((1, 3, 3, 6), 3)
    yield case("DEPTHWISE_CONV_2D", [x, w, bias(x, w, kind)], [o((1, 4, 6, 6), 0.4)], **shape,
               depth_multiplier=2, dilation_w_factor=1, dilation_h_factor=1)  # fmt: skip
    x, w = a((2, 12)), weights((5, 12), 0)
    yield case("FULLY_CONNECTED", [x, w, bias(x, w, kind)], [o((2, 5), 0.4)])
    w = weights((5, 12), 0, per_axis=False)
    yield case("FULLY_CONNECTED per-tensor", [x, w, bias(x, w, kind)], [o((2, 5), 0.4)], "FULLY_CONNECTED")
    x, w = a((1, 3, 4, 3)), weights((5, 2, 2, 3), 0)
    yield case("TRANSPOSE_CONV", [const([1, 6, 8, 5]), w, x, bias(x, w, kind)], [o((1, 6, 8, 5), 0.3)],
               padding="SAME", stride_w=2, stride_h=2, version=3)  # fmt: skip
    yield case("BATCH_MATMUL", [a((2, 3, 4)), a((2, 4, 5), 0.04, -7)], [o((2, 3, 5), 0.5)])


def _binary(a, o, wide):
    x, y = a((1, 4, 6)), a((1, 4, 6), 0.03, -20)
    for part in (x, y):  # zeros on both sides: the only equality for all scales
        part.values[0, 0, :4] = int(part.quantization.zero_point[0])
    for opcode, scale in (("ADD", 0.07), ("SUB", 0.07), ("MUL", 0.15), ("SQUARED_DIFFERENCE", 0.5)):
        yield case(opcode, [x, y], [o((1, 4, 6), scale, -100 if scale == 0.5 else 5)])
    if not wide:
        yield case("DIV", [x, a((1, 4, 6), 0.03, -128, low=-90)], [o((1, 4, 6), 0.02)])
        yield case("PRELU", [x, a((1, 1, 6), 0.02, 9)], [o((1, 4, 6), 0.1)])
        for opcode in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
            yield case(opcode, [x, y], [out((1, 4, 6), None, "bool")])
    else:
        near = a((1, 4, 6))
        near.values[:] = (x.values * np.resize([0.8, 0.9, 1 / 0.9, 1 / 0.8], x.values.shape)).clip(
            -32768, 32767
        )
        for opcode in ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"):
            yield case(opcode, [x, near], [out((1, 4, 6), None, "bool")])
    for opcode in ("MAXIMUM", "MINIMUM"):
        yield case(opcode, [x, a((1, 4, 6))], [o((1, 4, 6))])


def _unary(a, o, wide):
    s, x = (1, 4, 6), a((1, 4, 6))
    for opcode in ("RELU", "RELU6", "GELU", "ABS"):
        table = opcode == "GELU"
        yield case(opcode, [x], [o(s, 0.03, -100 if table else -128)], tolerance=8 if table and wide else 1.6)
    yield case("LEAKY_RELU", [x], [o(s)], alpha=0.1)
    yield case("EXP", [a(s, 0.01)], [o(s, 0.015, -128)])
    # int16 tables are linear between 513 points, which is inaccurate near 0
    large = act(s, 0.05 / 256, 0, "int16", 8192) if wide else a(s, 0.05, -128, low=-120)
    yield case("LOG", [large], [o(s, 0.02, -20)], tolerance=64 if wide else 2.5)
    yield case("SQRT", [large], [o(s, 0.02, -20)], tolerance=8 if wide else 2.5)
    yield case("RSQRT", [large], [o(s, 0.01, -128)], tolerance=8 if wide else 2.5)
    fixed = {"LOGISTIC": 1 / 256, "TANH": 1 / 128, "SOFTMAX": 1 / 256}
    for opcode, scale in fixed.items():
        z = {"TANH": 0}.get(opcode, -128)
        options = {"beta": 1.0} if opcode == "SOFTMAX" else {}
        yield case(opcode, [x], [o(s, 2**-7 if wide else scale, z)], tolerance=16 if wide else 2, **options)
    yield case("QUANTIZE", [x], [o(s, 0.07, -9)])
    yield case("DEQUANTIZE", [x], [out(s, None, "float32")])
    if wide:
        return
    for opcode in ("RELU_N1_TO_1", "RELU_0_TO_1", "HARD_SWISH", "ELU"):
        yield case(opcode, [x], [o(s, 0.05, -10)], tolerance=2)
    yield case("LOG_SOFTMAX", [x], [o(s, 1 / 16, 127)], tolerance=2)
    yield case("L2_NORMALIZATION", [x], [o(s, 1 / 128, 0)], tolerance=2)
    yield case("NEG", [x], [o(s, 0.05, -3)], tolerance=0.6)
    yield case("RANK", [x], [out((), None, "int32")])


def _same(a, o, dtype, wide):
    s = S
    pool = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}
    yield case("AVERAGE_POOL_2D", [a(s)], [o((1, 2, 3, 3))], **pool)
    yield case("MAX_POOL_2D", [a(s)], [o((1, 2, 3, 3))], **pool)
    yield case("CONCATENATION", [a(s), a(s)], [o((1, 4, 6, 6))], axis=3)
    yield case("RESHAPE", [a(s), const([1, 12, 6])], [o((1, 12, 6))], new_shape=[1, 12, 6])
    yield case("SQUEEZE", [a(s)], [o(s[1:])], squeeze_dims=[0])
    yield case("RESIZE_BILINEAR", [a(s), const([8, 12])], [o((1, 8, 12, 3))], half_pixel_centers=True)
    yield case("RESIZE_NEAREST_NEIGHBOR", [a(s), const([8, 12])], [o((1, 8, 12, 3))])
    yield case(
        "BATCH_TO_SPACE_ND", [a((4, 2, 3, 3)), const([2, 2]), const([[0, 0], [0, 0]])], [o((1, 4, 6, 3))]
    )
    yield case("SPACE_TO_BATCH_ND", [a(s), const([2, 2]), const([[0, 0], [0, 0]])], [o((4, 2, 3, 3))])
    yield case("TRANSPOSE", [a(s), const([0, 2, 1, 3])], [o((1, 6, 4, 3))])
    pads = const([[0, 0], [1, 1], [1, 1], [0, 0]])
    yield case("PAD", [a(s), pads], [o((1, 6, 8, 3))])
    value = const([17], qparams(0.05 / (256 if wide else 1), 0 if wide else 3), dtype)
    yield case("PADV2", [a(s), pads, value], [o((1, 6, 8, 3))])
    yield case("MIRROR_PAD", [a(s), pads], [o((1, 6, 8, 3))], mode="REFLECT")
    yield case("GATHER", [a(s), const([2, 0])], [o((1, 2, 6, 3))], axis=1)
    yield case("GATHER_ND", [a((4, 6)), const([[1, 2], [3, 0]])], [o((2,))])
    yield case("SCATTER_ND", [const([[0], [1], [2], [3]]), a((4, 3), z=0), const([4, 3])], [o((4, 3), z=0)])
    yield case("SLICE", [a(s), const([0, 1, 1, 0]), const([1, 2, 3, 3])], [o((1, 2, 3, 3))])
    ends = [const([0, 0, 0, 0]), const([1, 4, 6, 3]), const([1, 2, 2, 1])]
    yield case("STRIDED_SLICE", [a(s), *ends], [o((1, 2, 3, 3))])
    yield case("SPLIT", [const(2), a(s)], [o((1, 4, 3, 3))] * 2, num_splits=2)
    yield case("SPLIT_V", [a(s), const([2, 4]), const(2)], [o((1, 4, 2, 3)), o((1, 4, 4, 3))], num_splits=2)
    yield case("PACK", [a((4, 3)), a((4, 3))], [o((2, 4, 3))], values_count=2)
    yield case("UNPACK", [a((2, 4, 3))], [o((4, 3))] * 2, num=2)
    yield case("TILE", [a((4, 3)), const([2, 2])], [o((8, 6))])
    yield case("BROADCAST_TO", [a((1, 3)), const([4, 3])], [o((4, 3))], version=2)
    yield case("FILL", [const([4, 3]), a(())], [o((4, 3))])
    yield case("EXPAND_DIMS", [a((4, 3)), const(0)], [o((1, 4, 3))])
    yield case("REVERSE_V2", [a((4, 3)), const([0])], [o((4, 3))])
    choice = Part((4, 3), "bool", None, RNG.random((4, 3)) > 0.5)
    yield case("SELECT", [choice, a((4, 3)), a((4, 3))], [o((4, 3))])
    yield case("SELECT_V2", [choice, a((4, 3)), a((4, 3))], [o((4, 3))])
    yield case("DYNAMIC_UPDATE_SLICE", [a((4, 3)), a((2, 3)), const([1, 0])], [o((4, 3))])
    if wide:
        return
    yield case("SPACE_TO_DEPTH", [a(s)], [o((1, 2, 3, 12))], block_size=2)
    yield case("DEPTH_TO_SPACE", [a((1, 2, 3, 12))], [o((1, 4, 6, 3))], block_size=2)
    yield case("TOPK_V2", [a((4, 8)), const(3)], [o((4, 3)), out((4, 3), None, "int32")])
    q = qparams(0.05, 3)
    ons = [const(100, q, "int8"), const(-40, q, "int8")]
    yield case("ONE_HOT", [const([1, 0, 2]), const(4), *ons], [o((3, 4))], axis=-1)


def _reductions(a, o, wide):
    x, axis = a((1, 4, 6, 3)), const([1, 2])
    yield case("MEAN", [x, axis], [o((1, 3), 0.02)])
    yield case("SUM", [x, axis], [o((1, 3), 0.5)])
    yield case("REDUCE_PROD", [a((1, 3, 3), 0.01), const([1])], [o((1, 3), 0.02)], tolerance=3)
    yield case("REDUCE_MAX", [x, axis], [o((1, 3))])
    yield case("REDUCE_MIN", [x, axis], [o((1, 3))])


def _indexes(a, wide):
    yield case("SHAPE", [a((4, 3))], [out((2,), None, "int32")], out_type="int32")
    if not wide:
        for opcode in ("ARG_MAX", "ARG_MIN"):
            yield case(opcode, [a((4, 8)), const(1)], [out((4,), None, "int32")], output_type="int32")
        table = weights((6, 4), 0)
        yield case("EMBEDDING_LOOKUP", [const([3, 1]), table], [out((2, 4), None, "float32")])


def _plain(dtype):
    q, x = qparams(0.05, 3), act((4, 3))
    rest = const(-40, q, "int8")
    yield case("MATRIX_DIAG", [act((3,), zero=0)], [out((3, 3), qparams(0.05, 0))])
    yield case("MATRIX_SET_DIAG", [act((3, 3)), act((3,))], [out((3, 3), q)])
    yield case("SPARSE_TO_DENSE", [const([1, 3]), const([5]), act((2,)), rest], [out((5,), q)])
    yield case("UNIQUE", [act((5,))], [out((5,), q), out((5,), None, "int32")], idx_out_type="int32")
    yield case("STABLEHLO_MAXIMUM", [x, act((4, 3))], [out((4, 3), q)])
    yield case("STABLEHLO_MINIMUM", [x, act((4, 3))], [out((4, 3), q)])
    yield case("STABLEHLO_PAD", [x, rest], [out((6, 3), q)], edge_padding_low=[1, 0], edge_padding_high=[1, 0],
               interior_padding=[0, 0])  # fmt: skip
    for opcode in ("FLOOR_DIV", "FLOOR_MOD", "BITWISE_XOR", "STABLEHLO_ADD", "STABLEHLO_MULTIPLY", "STABLEHLO_AND",
                   "RIGHT_SHIFT", "STABLEHLO_SHIFT_LEFT"):  # fmt: skip
        y = Part((4, 3), "int8", None, RNG.integers(1, 6, (4, 3)).astype(np.int8))
        yield case(opcode, [act((4, 3), None), y], [out((4, 3))], real=False)
    yield case("CAST", [act((4, 3), None)], [out((4, 3), None, "float32")], real=False, in_data_type="int8",
               out_data_type="float32")  # fmt: skip
    yield case("BITCAST", [act((4, 3), None)], [out((4, 3), None, "uint8")], real=False)
    yield case("WHERE", [act((4, 3), None)], [out((12, 2), None, "int64")], real=False)
    x = act((2, 5))
    state = Part((2, 8), "int16", qparams(0.002), variable=True)
    feature = const(RNG.integers(-127, 128, (4, 5)), qparams(0.01), "int8")
    time = const(RNG.integers(-9000, 9000, (4, 2)), qparams(0.0002), "int16")
    b = const(RNG.integers(-500, 500, 4), qparams(np.float32(0.0002) * np.float32(0.002)), "int32")
    yield case("SVDF", [x, feature, time, b, state], [out((2, 4), qparams(0.02, -128))], real=False, rank=1,
               fused_activation_function="RELU", version=3)  # fmt: skip


__all__ = ["Case", "cases"]
