"""Random one-operator models for compilers: unusual ranks, types, parameters and options.

Each family draws a usual operator. Afterwards any of its tensors may lose its quantization, change its type, become
computed or constant, and so on (see ``vela_oddities``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from litecheck.cases.one_operator import one_operator
from litecheck.model.build import Option, qparams
from litecheck.model.types import Model
from litecheck.profile.operator_plan import TensorPlan
from litecheck.quantization import Quantization

Random = np.random.Generator
ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1", "TANH", "SIGN_BIT")
TYPES = ("int8", "int16", "uint8", "int32", "int64", "float32", "bool")
_WEIGHTS = (0.55, 0.2, 0.07, 0.07, 0.04, 0.04, 0.03)
_NUMPY = {"int4": "int8"}


@dataclass(frozen=True)
class Drawn:
    """Plan of an operator: inputs by position (None is absent), outputs, options."""

    opcode: str
    inputs: tuple[TensorPlan | None, ...]
    outputs: tuple[TensorPlan, ...]
    options: dict[str, Option] = field(default_factory=dict)
    version: int = 2
    intermediates: tuple[TensorPlan, ...] = ()

    def model(self) -> Model:
        """Return a model of this operator."""
        more = {"version": self.version, "intermediates": self.intermediates}
        return one_operator(self.opcode, self.inputs, self.outputs, self.options, **more)  # type: ignore[arg-type]

    def __str__(self) -> str:
        def described(t: TensorPlan | None) -> str:
            if t is None:
                return "-"
            q = ""
            if t.scale.size:
                q = f" {t.scale[0]:.4g}@{t.zero_point[0] if t.zero_point.size else '?'}" + (
                    "*" * (t.scale.size > 1)
                )
            held = "" if t.values is None else f"={t.values.reshape(-1)[:6].tolist()}"
            return f"{t.dtype}{list(t.shape)}{q}{held}"

        ins, outs = ", ".join(map(described, self.inputs)), ", ".join(map(described, self.outputs))
        return f"{self.opcode}({ins}) -> {outs} {self.options}"


class Dice:
    """Source of random numbers of the families."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    def pick(self, *choices: Any) -> Any:
        return choices[int(self.random.integers(len(choices)))]

    def dtype(self) -> str:
        return str(self.random.choice(TYPES, p=_WEIGHTS))

    def number(self, low: int, high: int) -> int:
        return int(self.random.integers(low, high + 1))

    def dim(self) -> int:
        return self.number(1, 9) if self.chance(0.85) else self.pick(1, 16, 17, 32, 64)

    def shape(self, rank: int | None = None) -> tuple[int, ...]:
        """Return a shape, mostly of usual rank with batch 1; in 3 % of the draws with one long dimension."""
        if rank is None:
            rank = self.number(1, 4) if self.chance(0.85) else self.number(0, 9)
        dims = [self.dim() if n < 5 else self.pick(1, 2) for n in range(rank)]
        if rank > 1 and self.chance(0.7):
            dims[0] = 1
        if rank and self.chance(0.03):
            dims = [1] * rank
            dims[self.number(0, rank - 1)] = self.pick(4095, 4096, 65535, 65536, 65537)
        return tuple(dims)

    def image(self) -> tuple[int, ...]:
        return self.shape(4) if self.chance(0.93) else self.shape()

    def scale(self) -> float:
        return float(np.float32(2.0 ** self.random.uniform(-9, 1)))

    def quantization(self, dtype: str) -> Quantization:
        if dtype in ("float32", "bool"):
            return Quantization()
        if dtype in ("int32", "int64") and self.chance(0.4):
            return Quantization()
        zero = {"int8": self.number(-128, 127), "uint8": self.number(0, 255)}.get(dtype, 0)
        return qparams(self.scale(), zero)

    def tensor(self, shape: tuple[int, ...], dtype: str, q: Quantization | None = None) -> TensorPlan:
        return TensorPlan(dtype, tuple(shape), self.quantization(dtype) if q is None else q)

    def constant(self, shape: tuple[int, ...], dtype: str, q: Quantization | None = None) -> TensorPlan:
        plan = self.tensor(shape, dtype, q)
        return plan.but(values=self.values(shape, dtype))

    def values(self, shape: tuple[int, ...], dtype: str) -> np.ndarray[Any, Any]:
        if dtype == "float32":
            return self.random.normal(size=shape).astype(np.float32)
        if dtype == "bool":
            return np.asarray(self.random.random(shape) < 0.5)
        low, high = {"uint8": (0, 255), "int8": (-127, 127), "int4": (-7, 7)}.get(dtype, (-1000, 1000))
        return np.asarray(self.random.integers(low, high + 1, size=shape)).astype(_NUMPY.get(dtype, dtype))

    def fused(self) -> str:
        return "NONE" if self.chance(0.6) else self.pick(*ACTIVATIONS)


def numbers(values: Any, dtype: str = "int32") -> TensorPlan:
    """Return a constant of plain integers."""
    array = np.asarray(values, dtype)
    return TensorPlan(dtype, array.shape, Quantization(), array)


def windowed(size: int, kernel: int, stride: int, padding: str, dilation: int = 1) -> int:
    """Return the output length of a window along a dimension."""
    reach = (kernel - 1) * dilation + 1
    return max(-(-size // stride) if padding == "SAME" else -(-(size - reach + 1) // stride), 0)


def _weighted(
    dice: Dice, x: TensorPlan, weight: tuple[int, ...], axis: int
) -> tuple[TensorPlan, TensorPlan | None]:
    """Return weights and, in 75 % of the draws, a bias that fit an input."""
    channels = weight[axis]
    per_axis = dice.chance(0.6)
    scales = [dice.scale() for _ in range(channels)] if per_axis else dice.scale()
    dtype = "uint8" if x.dtype == "uint8" else "float32" if x.dtype == "float32" else "int8"
    w = dice.constant(weight, dtype, qparams(scales, 0, axis) if dtype != "float32" else Quantization())
    if dice.chance(0.25):
        return w, None
    wide = {"int16": "int64", "float32": "float32"}.get(x.dtype, "int32")
    if wide != "float32" and dice.chance(0.05):
        wide = "int32" if wide == "int64" else "int64"
    bias = dice.constant((channels,), wide, Quantization() if wide == "float32" else qparams(scales, 0, 0))
    return w, bias


def _strides(dice: Dice) -> dict[str, Option]:
    return {
        "padding": dice.pick("SAME", "VALID"),
        "stride_w": dice.number(1, 3) if dice.chance(0.85) else dice.number(1, 9),
        "stride_h": dice.number(1, 3) if dice.chance(0.85) else dice.number(1, 9),
    }


def conv(dice: Dice, opcode: str) -> Drawn:
    n, h, w, c = shape = dice.shape(4)
    h, w = (max(h, dice.pick(1, 5)), max(w, dice.pick(1, 5)))
    x = dice.tensor((n, h, w, c), dice.dtype())
    options = _strides(dice) | {"fused_activation_function": dice.fused()}
    dilations = [1 if dice.chance(0.8) else dice.number(1, 3) for _ in "wh"]
    options |= {"dilation_w_factor": dilations[0], "dilation_h_factor": dilations[1]}
    kh, kw = (dice.number(1, min(h, 6)), dice.number(1, min(w, 6)))
    if dice.chance(0.03):
        kh, kw, h, w = *dice.pick((65, 1), (64, 1), (1, 65), (1, 4097), (9, 9)), max(h, 70), max(w, 5000 // h)
        x = x.but(shape=(1, h, w, 1))
        n, c = 1, 1
    if opcode == "CONV_2D":
        oc, ic = dice.dim(), c
        if c % 2 == 0 and dice.chance(0.1):
            oc, ic = 2 * dice.number(1, 4), c // 2
        weight, axis = (oc, kh, kw, ic), 0
    else:
        m = 1 if dice.chance(0.7) else dice.number(1, 4)
        weight, axis, oc = (1, kh, kw, c * m), 3, c * m
        options["depth_multiplier"] = m
    filters, bias = _weighted(dice, x, weight, axis)
    side = str(options["padding"])
    oh = windowed(h, kh, int(options["stride_h"]), side, dilations[1])  # type: ignore[arg-type]
    ow = windowed(w, kw, int(options["stride_w"]), side, dilations[0])  # type: ignore[arg-type]
    del shape
    return Drawn(
        opcode, (x, filters, bias), (dice.tensor((n, max(oh, 1), max(ow, 1), oc), x.dtype),), options
    )


def transpose_conv(dice: Dice, opcode: str) -> Drawn:
    n, h, w, c = dice.shape(4)
    h, w = min(h, 20), min(w, 20)
    x = dice.tensor((n, h, w, c), dice.dtype())
    options = _strides(dice)
    if dice.chance(0.6):
        options["stride_w"] = options["stride_h"] = dice.pick(1, 2)
    kh, kw, oc = dice.number(1, 5), dice.number(1, 5), dice.dim()
    filters, bias = _weighted(dice, x, (oc, kh, kw, c), 0)
    sh, sw = int(options["stride_h"]), int(options["stride_w"])  # type: ignore[arg-type]
    same = options["padding"] == "SAME"
    oh, ow = (h * sh, w * sw) if same else (h * sh + max(kh - sh, 0), w * sw + max(kw - sw, 0))
    if dice.chance(0.1):
        oh += dice.pick(-1, 1)
    out = dice.tensor((n, max(oh, 1), max(ow, 1), oc), x.dtype)
    return Drawn(opcode, (numbers(out.shape), filters, x, bias), (out,), options)


def fully_connected(dice: Dice, opcode: str) -> Drawn:
    x = dice.tensor(dice.shape(2) if dice.chance(0.6) else dice.shape(dice.number(1, 6)), dice.dtype())
    keep = dice.chance(0.3)
    depth, out = x.shape[-1], dice.dim()
    flat = int(np.prod(x.shape)) // depth
    weights, bias = _weighted(dice, x, (out, depth), 0)
    if dice.chance(0.1):
        weights = weights.but(values=None)
    shape = (*x.shape[:-1], out) if keep else (flat, out)
    options: dict[str, Option] = {"keep_num_dims": keep, "fused_activation_function": dice.fused()}
    return Drawn(opcode, (x, weights, bias), (dice.tensor(shape, x.dtype),), options)


def batch_matmul(dice: Dice, opcode: str) -> Drawn:
    rank = dice.number(2, 4) if dice.chance(0.9) else dice.number(2, 6)
    batch = dice.shape(rank - 2)
    m, k, n = dice.dim(), dice.dim(), dice.dim()
    if dice.chance(0.05):
        k = dice.pick(65536, 65537)
        batch, m, n = (1,) * (rank - 2), 1, 2
    adj_x, adj_y = dice.chance(0.2), dice.chance(0.2)
    lhs = dice.tensor((*batch, *((k, m) if adj_x else (m, k))), dice.dtype())
    shared = batch if dice.chance(0.8) else tuple(1 for _ in batch)
    rhs = dice.tensor((*shared, *((n, k) if adj_y else (k, n))), lhs.dtype)
    if dice.chance(0.2):
        rhs = rhs.but(values=dice.values(rhs.shape, rhs.dtype))
    out = dice.tensor((*batch, m, n), lhs.dtype)
    return Drawn(opcode, (lhs, rhs), (out,), {"adj_x": adj_x, "adj_y": adj_y})


def pool(dice: Dice, opcode: str) -> Drawn:
    n, h, w, c = dice.shape(4)
    x = dice.tensor((n, h, w, c), dice.dtype())
    options = _strides(dice) | {"fused_activation_function": dice.fused()}
    if dice.chance(0.9):
        kh, kw = dice.number(1, min(h, 9)), dice.number(1, min(w, 9))
    else:
        kh, kw = dice.pick(1, 8, 9, 256, 257), dice.pick(1, 8, 9, 256, 257)
        h, w = max(h, kh), max(w, kw)
        x = x.but(shape=(n, h, w, min(c, 8)))
    options |= {"filter_height": kh, "filter_width": kw}
    side = str(options["padding"])
    oh = windowed(h, kh, int(options["stride_h"]), side)  # type: ignore[arg-type]
    ow = windowed(w, kw, int(options["stride_w"]), side)  # type: ignore[arg-type]
    out = dice.tensor(
        (n, max(oh, 1), max(ow, 1), x.shape[3]), x.dtype, x.quantization if dice.chance(0.5) else None
    )
    return Drawn(opcode, (x,), (out,), options)


def unary(dice: Dice, opcode: str) -> Drawn:
    x = dice.tensor(dice.shape(), dice.dtype())
    dtype = dice.dtype() if opcode in ("QUANTIZE", "CAST", "DEQUANTIZE") and dice.chance(0.7) else x.dtype
    if opcode == "DEQUANTIZE":
        dtype = "float32"
    q = None
    if opcode in ("LOGISTIC", "SOFTMAX", "TANH") and dice.chance(0.7):
        q = qparams(
            1 / (32768 if dtype == "int16" else 128 if opcode == "TANH" else 256),
            0 if dtype != "int8" else -128,
        )
    options: dict[str, Option] = {}
    if opcode == "SOFTMAX":
        options = {"beta": dice.pick(1.0, 1.0, 1.0, 0.5, -1.0, 0.0)}
    if opcode == "LEAKY_RELU":
        options = {"alpha": float(dice.pick(0.1, 0.01, 0.0, -0.3, 1.7))}
    if opcode == "GELU":
        options = {"approximate": dice.chance(0.5)}
    if opcode == "CAST":
        kinds = {"bool": "BOOL"}
        options = {"in_data_type": kinds.get(x.dtype, x.dtype), "out_data_type": kinds.get(dtype, dtype)}
    return Drawn(opcode, (x,), (dice.tensor(x.shape, dtype, q),), options)


def binary(dice: Dice, opcode: str) -> Drawn:
    shape = dice.shape()
    other = shape
    if dice.chance(0.4):
        cut = dice.number(0, len(shape))
        other = tuple(1 if dice.chance(0.4) else d for d in shape[cut:])
    dtype = dice.dtype()
    if opcode.startswith("LOGICAL") and dice.chance(0.8):
        dtype = "bool"
    sides = [dice.tensor(shape, dtype), dice.tensor(other, dtype)]
    if opcode in ("MINIMUM", "MAXIMUM") and dice.chance(0.8):
        sides[1] = sides[1].but(quantization=sides[0].quantization)
    if dice.chance(0.3):
        sides[1] = sides[1].but(values=dice.values(other, dtype))
    if dice.chance(0.3):
        sides.reverse()
    truth = opcode in ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
    kind = "bool" if truth else dtype if dice.chance(0.92) else dice.dtype()
    q = sides[0].quantization if opcode in ("MINIMUM", "MAXIMUM") and dice.chance(0.85) else None
    out = dice.tensor(np.broadcast_shapes(shape, other), kind, q)
    options: dict[str, Option] = {}
    if opcode in ("ADD", "SUB", "MUL", "DIV"):
        options = {"fused_activation_function": dice.fused()}
    return Drawn(opcode, tuple(sides), (out,), options)


def prelu(dice: Dice, opcode: str) -> Drawn:
    x = dice.tensor(dice.shape(), dice.dtype())
    alpha = dice.tensor(
        tuple(x.shape[-1:]) if dice.chance(0.5) else (1,) * max(len(x.shape) - 2, 0) + x.shape[-1:], x.dtype
    )
    if dice.chance(0.85):
        alpha = alpha.but(values=dice.values(alpha.shape, alpha.dtype))
    return Drawn(opcode, (x, alpha), (dice.tensor(x.shape, x.dtype),), {})


def reduction(dice: Dice, opcode: str) -> Drawn:
    shape = dice.shape()
    dtype = "bool" if opcode in ("REDUCE_ANY", "REDUCE_ALL") and dice.chance(0.8) else dice.dtype()
    x = dice.tensor(shape, dtype)
    rank = len(shape)
    axes = sorted({dice.number(0, max(rank - 1, 0)) for _ in range(dice.number(1, 3))})
    keep = dice.chance(0.5)
    out = [1 if n in axes else d for n, d in enumerate(shape)]
    if not keep:
        out = [d for n, d in enumerate(shape) if n not in axes]
    stated = [a - rank if dice.chance(0.25) else a for a in axes]
    axis = numbers(stated if len(stated) > 1 or dice.chance(0.7) else stated[0])
    if dice.chance(0.08):
        axis = axis.but(values=None)
    q = x.quantization if opcode in ("REDUCE_MAX", "REDUCE_MIN", "SUM") and dice.chance(0.6) else None
    return Drawn(opcode, (x, axis), (dice.tensor(tuple(out), dtype, q),), {"keep_dims": keep})


def arg_max(dice: Dice, opcode: str) -> Drawn:
    shape = dice.shape()
    rank = max(len(shape), 1)
    axis = rank - 1 if dice.chance(0.7) else dice.number(0, rank - 1)
    if len(shape) and axis == rank - 1 and dice.chance(0.2):
        shape = (*shape[:-1], dice.pick(126, 127, 128, 129))
    kind = dice.pick("int32", "int64") if dice.chance(0.9) else dice.dtype()
    out = tuple(d for n, d in enumerate(shape) if n != axis)
    x = dice.tensor(shape, dice.dtype())
    stated = axis - rank if dice.chance(0.3) else axis
    options: dict[str, Option] = {"output_type": kind}
    return Drawn(
        opcode, (x, numbers([stated] if dice.chance(0.6) else stated)), (TensorPlan(kind, out),), options
    )


def softmax(dice: Dice, opcode: str) -> Drawn:
    drawn = unary(dice, opcode)
    if dice.chance(0.05):
        shape = dice.pick((1, 256, 255, 2), (1, 256, 256, 2), (65535, 2), (65536, 3))
        x, y = drawn.inputs[0], drawn.outputs[0]
        assert x is not None
        return replace(drawn, inputs=(x.but(shape=shape),), outputs=(y.but(shape=shape),))
    return drawn


def resize(dice: Dice, opcode: str) -> Drawn:
    n, h, w, c = dice.shape(4)
    h, w, c = min(h, 64), min(w, 64), min(c, 64)
    factor = dice.pick(1, 2, 4, 8, 2, 3, 16)
    other = factor if dice.chance(0.85) else dice.pick(1, 2, 4, 8, 3)
    align, half = dice.chance(0.3), dice.chance(0.3)
    sizes = [(d - 1) * f + 1 if align and dice.chance(0.8) else d * f for d, f in ((h, factor), (w, other))]
    if dice.chance(0.1):
        sizes[0] += 1
    x = dice.tensor((n, h, w, c), dice.dtype())
    q = x.quantization if dice.chance(0.8) else None
    out = dice.tensor((n, *sizes, c), x.dtype, q)
    return Drawn(opcode, (x, numbers(sizes)), (out,), {"align_corners": align, "half_pixel_centers": half})


def concatenation(dice: Dice, opcode: str) -> Drawn:
    shape = dice.shape(None if dice.chance(0.5) else 4)
    if not shape:
        shape = (3,)
    axis = dice.number(0, len(shape) - 1)
    parts, dtype = dice.number(1, 4), dice.dtype()
    lengths = [dice.number(1, 6) for _ in range(parts)]
    q = dice.quantization(dtype)
    values = [
        dice.tensor((*shape[:axis], n, *shape[axis + 1 :]), dtype, q if dice.chance(0.7) else None)
        for n in lengths
    ]
    if dice.chance(0.1):
        values[-1] = values[-1].but(values=dice.values(values[-1].shape, dtype))
    out = dice.tensor(
        (*shape[:axis], sum(lengths), *shape[axis + 1 :]), dtype, q if dice.chance(0.7) else None
    )
    stated = axis - len(shape) if dice.chance(0.25) else axis
    return Drawn(opcode, tuple(values), (out,), {"axis": stated, "fused_activation_function": dice.fused()})


def pack(dice: Dice, opcode: str) -> Drawn:
    shape, count, dtype = dice.shape(), dice.number(1, 4), dice.dtype()
    axis, q = dice.number(0, len(shape)), dice.quantization(dtype)
    whole = (*shape[:axis], count, *shape[axis:])
    stated = axis - len(whole) if dice.chance(0.25) else axis
    parts = tuple(dice.tensor(shape, dtype, q if dice.chance(0.85) else None) for _ in range(count))
    one = dice.tensor(whole, dtype, q if dice.chance(0.85) else None)
    if opcode == "PACK":
        return Drawn(opcode, parts, (one,), {"axis": stated, "values_count": count})
    return Drawn(opcode, (one,), parts, {"axis": stated, "num": count})


def split(dice: Dice, opcode: str) -> Drawn:
    shape = list(dice.shape() or (4,))
    axis, parts, dtype = dice.number(0, len(shape) - 1), dice.number(1, 4), dice.dtype()
    q = dice.quantization(dtype)
    sizes = [dice.number(1, 5) for _ in range(parts)] if opcode == "SPLIT_V" else [dice.number(1, 5)] * parts
    shape[axis] = sum(sizes)
    x = dice.tensor(tuple(shape), dtype, q)
    outs = tuple(
        dice.tensor((*shape[:axis], n, *shape[axis + 1 :]), dtype, q if dice.chance(0.85) else None)
        for n in sizes
    )
    stated = numbers(axis - len(shape) if dice.chance(0.25) else axis)
    if opcode == "SPLIT":
        return Drawn(opcode, (stated, x), outs, {"num_splits": parts})
    if dice.chance(0.2):
        sizes[-1] = -1
    return Drawn(opcode, (x, numbers(sizes), stated), outs, {"num_splits": parts})


def sliced(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape() or (3,), dice.dtype()
    begin = [dice.number(0, d - 1) for d in shape]
    size = [dice.number(1, d - b) for d, b in zip(shape, begin, strict=True)]
    x = dice.tensor(shape, dtype)
    q = x.quantization if dice.chance(0.85) else None
    kind = "int64" if dice.chance(0.1) else "int32"
    if opcode == "SLICE":
        stated = [
            -1 if b + s == d and dice.chance(0.2) else s for b, s, d in zip(begin, size, shape, strict=True)
        ]
        return Drawn(
            opcode, (x, numbers(begin, kind), numbers(stated, kind)), (dice.tensor(tuple(size), dtype, q),)
        )
    strides = [1 if dice.chance(0.8) else dice.pick(1, 2, 3, -1, -2) for _ in shape]
    ends, out = [], []
    for b, s, step in zip(begin, size, strides, strict=True):
        ends.append(b + s if step > 0 else b - 1 - dice.number(0, b))
        out.append(len(range(b, ends[-1], step)))
    masks: dict[str, Option] = {}
    for name in ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"):
        masks[name] = dice.number(1, 2 ** min(len(shape), 3)) if dice.chance(0.05) else 0
    masks["offset"] = dice.chance(0.1)
    picked = [d for n, d in enumerate(out) if not int(masks["shrink_axis_mask"]) >> n & 1]  # type: ignore[arg-type]
    places = tuple(numbers(v, kind) for v in (begin, ends, strides))
    return Drawn(opcode, (x, *places), (dice.tensor(tuple(max(d, 1) for d in picked), dtype, q),), masks)


def padded(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape() or (3,), dice.dtype()
    if len(shape) > 4 and dice.chance(0.5):
        shape = shape[:4]
    most = 3 if opcode != "MIRROR_PAD" else 1
    margins = [[dice.number(0, min(most, d)) if dice.chance(0.6) else 0 for _ in "ab"] for d in shape]
    x = dice.tensor(shape, dtype)
    q = x.quantization if dice.chance(0.85) else None
    out = dice.tensor(tuple(d + sum(m) for d, m in zip(shape, margins, strict=True)), dtype, q)
    inputs: list[TensorPlan] = [x, numbers(margins, "int64" if dice.chance(0.15) else "int32")]
    if opcode == "PADV2":
        inputs.append(dice.constant(dice.pick((), (1,)), dtype, q))
    options: dict[str, Option] = {"mode": dice.pick("REFLECT", "SYMMETRIC")} if opcode == "MIRROR_PAD" else {}
    return Drawn(opcode, tuple(inputs), (out,), options)


def reshaped(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape(), dice.dtype()
    x = dice.tensor(shape, dtype)
    q = x.quantization if dice.chance(0.85) else None
    if opcode == "SQUEEZE":
        ones = [n for n, d in enumerate(shape) if d == 1]
        dropped = [n for n in ones if dice.chance(0.6)] or ones
        out = tuple(d for n, d in enumerate(shape) if n not in dropped)
        return Drawn(opcode, (x,), (dice.tensor(out, dtype, q),), {"squeeze_dims": dropped})
    if opcode == "EXPAND_DIMS":
        at = dice.number(0, len(shape))
        out = (*shape[:at], 1, *shape[at:])
        stated = at - len(out) if dice.chance(0.3) else at
        return Drawn(opcode, (x, numbers(stated)), (dice.tensor(out, dtype, q),))
    whole = int(np.prod(shape))
    divisors = [d for d in range(1, min(whole, 64) + 1) if whole % d == 0]
    first = dice.pick(*divisors)
    out = dice.pick(
        (whole,), (1, whole), (first, whole // first), (1, first, 1, whole // first), (whole, 1, 1, 1, 1)
    )
    stated = list(out)
    if dice.chance(0.3):
        stated[stated.index(max(stated))] = -1
    inputs = (x, numbers(stated)) if dice.chance(0.8) else (x,)
    return Drawn(opcode, inputs, (dice.tensor(out, dtype, q),), {"new_shape": stated})


def transpose(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape(), dice.dtype()
    perm = dice.random.permutation(len(shape)).tolist()
    x = dice.tensor(shape, dtype)
    out = dice.tensor(tuple(shape[p] for p in perm), dtype, x.quantization if dice.chance(0.85) else None)
    kind = "int64" if dice.chance(0.07) else "int32"
    return Drawn(opcode, (x, numbers(perm, kind)), (out,))


def tile(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape(), dice.dtype()
    shape = shape if np.prod(shape) < 5000 else shape[:1]
    times = [dice.number(1, 3) if dice.chance(0.5) else 1 for _ in shape]
    x = dice.tensor(shape, dtype)
    q = x.quantization if dice.chance(0.85) else None
    out = dice.tensor(tuple(d * t for d, t in zip(shape, times, strict=True)), dtype, q)
    return Drawn(opcode, (x, numbers(times, "int64" if dice.chance(0.1) else "int32")), (out,))


def reverse(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape() or (3,), dice.dtype()
    x = dice.tensor(shape, dtype)
    axis = dice.number(0, len(shape) - 1)
    stated = axis - len(shape) if dice.chance(0.2) else axis
    q = x.quantization if dice.chance(0.85) else None
    return Drawn(opcode, (x, numbers([stated])), (dice.tensor(shape, dtype, q),))


def gather(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape() or (3,), dice.dtype()
    x = dice.tensor(shape, dtype)
    batch = 0 if dice.chance(0.7) else dice.number(0, len(shape) - 1)
    axis = batch if dice.chance(0.7) else dice.number(batch, len(shape) - 1)
    picked = (*shape[:batch], dice.number(1, 4))
    values = dice.random.integers(0, shape[axis], picked)
    indices = numbers(values, dice.pick("int32", "int32", "int64", "int16"))
    if dice.chance(0.5):
        indices = indices.but(values=None)
    out = dice.tensor(
        (*shape[:axis], *picked[batch:], *shape[axis + 1 :]),
        dtype,
        x.quantization if dice.chance(0.85) else None,
    )
    return Drawn(opcode, (x, indices), (out,), {"axis": axis, "batch_dims": batch})


def scatter_nd(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape(dice.number(1, 4)), dice.dtype()
    depth = 1 if dice.chance(0.7) else dice.number(1, len(shape))
    count = dice.number(1, 4)
    places = np.stack([dice.random.integers(0, d, count) for d in shape[:depth]], axis=-1)
    indices = numbers(places)
    if dice.chance(0.1):
        indices = indices.but(values=None)
    updates = dice.tensor((count, *shape[depth:]), dtype)
    q = updates.quantization if dice.chance(0.85) else None
    return Drawn(opcode, (indices, updates, numbers(shape)), (dice.tensor(shape, dtype, q),))


def select(dice: Dice, opcode: str) -> Drawn:
    shape, dtype = dice.shape(), dice.dtype()
    q = dice.quantization(dtype)
    condition = TensorPlan("bool" if dice.chance(0.95) else "int8", shape if dice.chance(0.8) else shape[:1])
    sides = [dice.tensor(shape, dtype, q if dice.chance(0.85) else None) for _ in "ab"]
    return Drawn(opcode, (condition, *sides), (dice.tensor(shape, dtype, q if dice.chance(0.85) else None),))


def lstm(dice: Dice, opcode: str) -> Drawn:
    batch, time, features, units = dice.number(1, 3), dice.number(1, 4), dice.number(1, 6), dice.number(1, 6)
    x = dice.tensor((batch, time, features), dice.dtype())
    wide = "int32"

    def weight(rows: int, columns: int) -> TensorPlan:
        return dice.constant((rows, columns), "int8", qparams(dice.scale(), 0))

    gates = [weight(units, features) for _ in range(4)] + [weight(units, units) for _ in range(4)]
    inputs: list[TensorPlan | None] = [x, *gates, None, None, None]
    inputs += [dice.constant((units,), wide, qparams(dice.scale())) for _ in range(4)] + [None, None]
    inputs.append(dice.tensor((batch, units), x.dtype).but(variable=True))
    inputs.append(dice.tensor((batch, units), "int16", qparams(1 / 2048)).but(variable=True))
    inputs += [None] * 4
    if dice.chance(0.15):
        inputs[dice.pick(1, 5, 9, 10, 11, 16, 20)] = (
            None if dice.chance(0.4) else dice.constant((units,), "int16")
        )
    out = dice.tensor((batch, time, units), x.dtype)
    options: dict[str, Option] = {"fused_activation_function": "TANH", "time_major": dice.chance(0.2)}
    inner = tuple(TensorPlan("int16", (0,), qparams(dice.scale())) for _ in range(5))
    return Drawn(opcode, tuple(inputs), (out,), options, 2, () if dice.chance(0.05) else inner)


Family = Callable[[Dice, str], Drawn]


def _each(family: Family, *opcodes: str) -> dict[str, Family]:
    return dict.fromkeys(opcodes, family)


FAMILIES: dict[str, Family] = {
    **_each(conv, "CONV_2D", "DEPTHWISE_CONV_2D"),
    **_each(transpose_conv, "TRANSPOSE_CONV"),
    **_each(fully_connected, "FULLY_CONNECTED"),
    **_each(batch_matmul, "BATCH_MATMUL"),
    **_each(pool, "AVERAGE_POOL_2D", "MAX_POOL_2D"),
    **_each(
        unary, "RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1", "LEAKY_RELU", "LOGISTIC", "TANH", "HARD_SWISH", "ELU",
        "GELU", "ABS", "EXP", "LOG", "RSQRT", "NEG", "QUANTIZE", "CAST", "SQRT", "DEQUANTIZE", "LOGICAL_NOT", "FLOOR",
    ),
    **_each(softmax, "SOFTMAX"),
    **_each(
        binary, "ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM", "EQUAL", "NOT_EQUAL", "LESS",
        "LESS_EQUAL", "GREATER", "GREATER_EQUAL", "LOGICAL_AND", "LOGICAL_OR", "FLOOR_DIV",
    ),
    **_each(prelu, "PRELU"),
    **_each(reduction, "MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_ANY", "REDUCE_ALL", "REDUCE_PROD"),
    **_each(arg_max, "ARG_MAX"),
    **_each(resize, "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"),
    **_each(concatenation, "CONCATENATION"),
    **_each(pack, "PACK", "UNPACK"),
    **_each(split, "SPLIT", "SPLIT_V"),
    **_each(sliced, "SLICE", "STRIDED_SLICE"),
    **_each(padded, "PAD", "PADV2", "MIRROR_PAD"),
    **_each(reshaped, "RESHAPE", "SQUEEZE", "EXPAND_DIMS"),
    **_each(transpose, "TRANSPOSE"),
    **_each(tile, "TILE"),
    **_each(reverse, "REVERSE_V2"),
    **_each(gather, "GATHER"),
    **_each(scatter_nd, "SCATTER_ND"),
    **_each(select, "SELECT", "SELECT_V2"),
    **_each(lstm, "UNIDIRECTIONAL_SEQUENCE_LSTM"),
}  # fmt: skip
