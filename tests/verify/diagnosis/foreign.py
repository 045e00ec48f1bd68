"""Devices of another maker: int8 operators in plain numpy, written apart from litecheck's kernels, with faults planted.

Without a fault, each function gives what LiteRT's reference gives. A fault is another value for one of its hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.options import options_of
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.model.values import stored
from litecheck.verify.devices.port import Answer, Arrays, Failure, Job
from litecheck.verify.outcome import Outcome

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rescale = Callable[[Ints, Floats], Ints]
Clamp = Callable[[Ints, int, int, int], Ints]


class NotMade(Exception):
    """An operator that this device does not run."""


class Foreign:
    """Runs models of operators it has a function for, int8; refuses the others."""

    def __init__(self, name: str, functions: Mapping[str, Callable[[Context], NDArray[Any]]]) -> None:
        self.name = self.described = name
        self.functions = {**CORRECT, **functions}

    def run(self, job: Job) -> Answer | Failure:
        try:
            return Answer(tuple(self._once(job.model.subgraphs[0], inputs) for inputs in job.runs))
        except NotMade as e:
            return Failure(Outcome.REFUSED, str(e))

    def _once(self, main: Subgraph, inputs: Arrays) -> Arrays:
        values = {t.index: v for t in main.tensors if (v := stored(t)) is not None}
        values.update(zip(main.inputs, inputs, strict=True))
        for operator in main.operators:
            if operator.opcode not in self.functions:
                raise NotMade(f"no {operator.opcode}")
            context = Context(main, operator, values)
            values[operator.outputs[0]] = self.functions[operator.opcode](context)
        return tuple(values[i] for i in main.outputs)

    def close(self) -> None:
        pass


class Context:
    """One operator with what it reads."""

    def __init__(self, main: Subgraph, operator: Operator, values: dict[int, NDArray[Any]]) -> None:
        self.tensors = [main.tensors[i] if i >= 0 else None for i in operator.inputs]
        self.values = [values[i] if i >= 0 else None for i in operator.inputs]
        self.output = main.tensors[operator.outputs[0]]
        self.options = options_of(operator)

    def tensor(self, n: int, *dtypes: str) -> Tensor:
        tensor = self.tensors[n] if n < len(self.tensors) else None
        if tensor is None or tensor.dtype not in (dtypes or ("int8",)):
            raise NotMade(f"operand {n} is {tensor and tensor.dtype}")
        return tensor

    def value(self, n: int, *dtypes: str) -> Ints:
        self.tensor(n, *dtypes)
        return np.asarray(self.values[n], np.int64)

    def scale(self, n: int) -> np.float32:
        return _scale(self.tensor(n))

    def zero(self, n: int) -> int:
        return _zero(self.tensor(n))

    @property
    def out(self) -> tuple[np.float32, int]:
        if self.output.dtype != "int8":
            raise NotMade(f"output is {self.output.dtype}")
        return _scale(self.output), _zero(self.output)

    @property
    def limits(self) -> tuple[int, int]:
        """What the fused activation leaves, in stored values."""
        scale, zero = self.out
        low, high = LIMITS[self.options.get("fused_activation_function", "NONE")]
        stored_low = -128 if low is None else max(-128, zero + _quantized(low, scale))
        return stored_low, 127 if high is None else min(127, zero + _quantized(high, scale))


LIMITS: dict[str, tuple[float | None, float | None]] = {
    "NONE": (None, None), "RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0),
}  # fmt: skip


def _scale(tensor: Tensor) -> np.float32:
    if tensor.quantization.scale is None or not len(tensor.quantization.scale):
        raise NotMade("no scale")
    return np.float32(tensor.quantization.scale[0])


def _zero(tensor: Tensor) -> int:
    zeros = tensor.quantization.zero_point
    return int(zeros[0]) if zeros is not None and len(zeros) else 0


def _quantized(value: float, scale: np.float32) -> int:
    return int(away(np.asarray(np.float32(value) / scale, np.float64)))


# Roundings


def away(x: Floats) -> Ints:
    """To the nearest, half away from zero."""
    return (np.sign(x) * np.floor(np.abs(x) + 0.5)).astype(np.int64)


def wrapped(x: Ints, bits: int) -> Ints:
    half = 1 << (bits - 1)
    return (x + half) % (1 << bits) - half


def saturated(x: Ints, bits: int) -> Ints:
    return np.clip(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def parts(real: Any, bits: int = 31) -> tuple[Ints, Ints]:
    """A multiplier as an integer of that many bits and an exponent."""
    fraction, exponent = np.frexp(np.asarray(real, np.float64))
    whole = away(fraction * 2.0**bits)
    over = whole == 1 << bits
    whole, exponent = np.where(over, whole // 2, whole), exponent.astype(np.int64) + over
    tiny = exponent < -31
    return np.where(tiny, 0, whole), np.where(tiny, 0, exponent)


def two_roundings(x: Ints, real: Any) -> Ints:
    """The reference's: a doubling high multiplication rounded half up, a shift rounded half away from zero."""
    whole, exponent = parts(real)
    left, right = np.maximum(exponent, 0), np.maximum(-exponent, 0)
    high = (wrapped(x << left, 32) * whole + (1 << 30)) >> 31
    half = np.where(right > 0, np.int64(1) << np.maximum(right - 1, 0), 0)
    return (high + half - ((high < 0) & (right > 0))) >> right


def one_rounding(x: Ints, real: Any, bits: int = 31) -> Ints:
    """A multiplier of that many bits, one shift rounded half up."""
    whole, exponent = parts(real, bits)
    shift = bits - exponent
    return (x * whole + (np.int64(1) << (shift - 1))) >> shift


def floored(x: Ints, real: Any) -> Ints:
    whole, exponent = parts(real)
    return (x * whole) >> (31 - exponent)


def toward_zero(x: Ints, real: Any) -> Ints:
    return np.sign(x) * floored(np.abs(x), real)


def to_even_float32(x: Ints, real: Any) -> Ints:
    return np.rint(x.astype(np.float32) * np.asarray(real, np.float32)).astype(np.int64)


def half_away_float64(x: Ints, real: Any) -> Ints:
    return away(x.astype(np.float64) * np.asarray(real, np.float64))


def tail(body: Rescale, rest: Rescale, lanes: int) -> Rescale:
    """Elements of the last dimension beyond its last full vector are rescaled another way."""

    def rescale(x: Ints, real: Any) -> Ints:
        full = x.shape[-1] // lanes * lanes
        real = np.broadcast_to(np.asarray(real, np.float64), x.shape[-1:])
        first, last = body(x[..., :full], real[:full]), rest(x[..., full:], real[full:])
        return np.concatenate([first, last], axis=-1)

    return rescale


# Ends


def usual_end(x: Ints, zero: int, low: int, high: int) -> Ints:
    return np.clip(x + zero, low, high)


def end_before_zero_point(x: Ints, zero: int, low: int, high: int) -> Ints:
    return np.clip(np.clip(x, -128, 127) + zero, low, high)


def symmetric_end(x: Ints, zero: int, low: int, high: int) -> Ints:
    return np.clip(x + zero, max(low, -127), high)


def wrapping_end(x: Ints, zero: int, low: int, high: int) -> Ints:
    return np.clip(wrapped(x + zero, 8), low, high)


def unclamped_end(x: Ints, zero: int, low: int, high: int) -> Ints:
    return np.clip(x + zero, -128, 127)


# Sums of products


@dataclass(frozen=True)
class Sums:
    """How CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED are computed."""

    weights: Callable[[Ints], Ints] = lambda w: w
    bias: Callable[[Ints], Ints] = lambda b: b
    step: Callable[[Ints], Ints] = lambda total: total
    "What becomes of the running sum after every product over all input channels of one place (FC: after all)."
    total: Callable[[Ints, Ints], Ints] = lambda products, bias: products + bias
    real: Callable[[Floats], Floats] = lambda real: real
    rescale: Rescale = two_roundings
    split_bias: bool = False
    end: Clamp = usual_end
    padding: int | None = None
    "The stored value in the padding; None is the zero point."
    odd_first: bool = False
    "The odd row of SAME padding is at the top and left."
    dilated: bool = True
    depth_major: bool = True
    "DEPTHWISE: output channel c*multiplier+m; otherwise m*channels+c."
    products: Callable[[Ints, Ints], Ints] = lambda x, w: x @ w.T
    "Of (n, k) inputs less the zero point and (o, k) weights."


def ended(c: Context, s: Sums, products: Ints, bias: Ints, real: Floats) -> NDArray[np.int8]:
    (_, zero), (low, high) = c.out, c.limits
    if s.split_bias:
        scaled = s.rescale(products, real) + s.rescale(np.broadcast_to(bias, products.shape), real)
    else:
        scaled = s.rescale(s.total(products, s.bias(bias)), s.real(real))
    return s.end(scaled, zero, low, high).astype(np.int8)


def _bias(c: Context, n: int, size: int) -> Ints:
    given = n < len(c.tensors) and c.tensors[n] is not None
    return c.value(n, "int32") if given else np.zeros(size, np.int64)


def _real(c: Context, outputs: int) -> Floats:
    """The multiplier of each output channel, in float64."""
    scales = c.tensor(1).quantization.scale
    assert scales is not None
    of_weights = np.asarray(scales, np.float32).astype(np.float64)
    if np.any(c.tensor(1).quantization.zero_point):
        raise NotMade("weights with zero points")
    return np.broadcast_to(np.float64(c.scale(0)) * of_weights / np.float64(c.out[0]), (outputs,))


def _padded(c: Context, s: Sums, x: Ints, kernel: tuple[int, int]) -> tuple[Ints, list[tuple[int, int]], list[int]]:
    """The input less its zero point and padded; per axis (stride, dilation); output sizes."""
    o = c.options
    axes, sizes, pads = [], [], []
    for axis, letter, k in ((1, "h", kernel[0]), (2, "w", kernel[1])):
        stride = o[f"stride_{letter}"]
        dilation = o.get(f"dilation_{letter}_factor", 1) if s.dilated else 1
        reach, size = (k - 1) * dilation + 1, x.shape[axis]
        out = c.output.shape[axis]
        missing = max((out - 1) * stride + reach - size, 0) if o["padding"] == "SAME" else 0
        before = (missing + 1) // 2 if s.odd_first else missing // 2
        axes.append((stride, dilation))
        sizes.append(out)
        pads.append((before, missing - before))
    fill = c.zero(0) if s.padding is None else s.padding
    wide = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    return wide - c.zero(0), axes, sizes


def _places(wide: Ints, kernel: tuple[int, int], axes: list[tuple[int, int]], sizes: list[int]) -> list[Ints]:
    """The input under each tap of the kernel, row by row."""
    (sy, dy), (sx, dx) = axes
    return [
        wide[:, y * dy : y * dy + (sizes[0] - 1) * sy + 1 : sy, x * dx : x * dx + (sizes[1] - 1) * sx + 1 : sx]
        for y in range(kernel[0])
        for x in range(kernel[1])
    ]


def conv(c: Context, s: Sums = Sums()) -> NDArray[Any]:
    x, w = c.value(0), s.weights(c.value(1))
    outputs, height, width, depth = w.shape
    if depth != x.shape[3]:
        raise NotMade("grouped")
    wide, axes, sizes = _padded(c, s, x, (height, width))
    total = np.zeros((x.shape[0], *sizes, outputs), np.int64)
    taps = w.reshape(outputs, -1, depth).transpose(1, 0, 2)
    for place, tap in zip(_places(wide, (height, width), axes, sizes), taps, strict=True):
        total = s.step(total + s.products(place.reshape(-1, depth), tap).reshape(total.shape))
    return ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))


def depthwise(c: Context, s: Sums = Sums()) -> NDArray[Any]:
    x, w = c.value(0), s.weights(c.value(1))
    _, height, width, outputs = w.shape
    depth = x.shape[3]
    wide, axes, sizes = _padded(c, s, x, (height, width))
    total = np.zeros((x.shape[0], *sizes, outputs), np.int64)
    channel = np.arange(outputs) // (outputs // depth) if s.depth_major else np.arange(outputs) % depth
    for place, tap in zip(_places(wide, (height, width), axes, sizes), w.reshape(-1, outputs), strict=True):
        total = s.step(total + place[..., channel] * tap)
    return ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))


def fully_connected(c: Context, s: Sums = Sums(rescale=half_away_float64)) -> NDArray[Any]:
    x, w = c.value(0) - c.zero(0), s.weights(c.value(1))
    outputs, depth = w.shape
    total = s.step(s.products(x.reshape(-1, depth), w))
    done = ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))
    return done.reshape(c.output.shape)


def pairs_saturate(x: Ints, w: Ints, zero: int = 0) -> Ints:
    """Bytes as uint8 (less the zero point is added back later) times int8, two products added in 16 bits."""
    total = np.zeros((len(x), len(w)), np.int64)
    for k in range(0, x.shape[1], 2):
        total += saturated(x[:, k : k + 2] @ w[:, k : k + 2].T, 16)
    return total


def blocks(x: Ints, w: Ints, length: int, drop: int) -> Ints:
    """Partial sums of so many inputs lose their last bits before they are added."""
    total = np.zeros((len(x), len(w)), np.int64)
    for k in range(0, x.shape[1], length):
        part = x[:, k : k + length] @ w[:, k : k + length].T
        total += ((part + (1 << drop >> 1)) >> drop) << drop
    return total


# Pairs of elements


def add(
    c: Context,
    shift: int = 20,
    rescale: Rescale = two_roundings,
    operand: Callable[[Ints], Ints] = lambda x: x,
    end: Clamp = usual_end,
    out_rescale: Rescale | None = None,
) -> NDArray[Any]:
    (out, zero), (low, high) = c.out, c.limits
    scales = [np.float64(c.scale(n)) for n in (0, 1)]
    twice = 2 * max(scales)
    terms = [operand(rescale((c.value(n) - c.zero(n)) << shift, scales[n] / twice)) for n in (0, 1)]
    total = terms[0] + terms[1]
    return end((out_rescale or rescale)(total, twice / ((1 << shift) * np.float64(out))), zero, low, high).astype(np.int8)


def add_in_output_steps(
    c: Context, rescale: Rescale = two_roundings, bits: int = 32, end: Clamp = usual_end
) -> NDArray[Any]:
    """Each operand rounded to the output's scale, then added."""
    (out, zero), (low, high) = c.out, c.limits
    terms = [rescale(c.value(n) - c.zero(n), np.float64(c.scale(n)) / np.float64(out)) for n in (0, 1)]
    return end(saturated(terms[0], bits) + saturated(terms[1], bits), zero, low, high).astype(np.int8)


def mul(c: Context, rescale: Rescale = two_roundings, bits: int = 32, end: Clamp = usual_end) -> NDArray[Any]:
    (out, zero), (low, high) = c.out, c.limits
    product = wrapped((c.value(0) - c.zero(0)) * (c.value(1) - c.zero(1)), bits)
    return end(rescale(product, c.scale(0) * c.scale(1) / out), zero, low, high).astype(np.int8)


# Windows and sums


def quotient(total: Ints, count: Ints) -> Ints:
    """Half away from zero."""
    half = count // 2
    return np.sign(total) * ((np.abs(total) + half) // count)


def average(
    c: Context,
    divide: Callable[[Ints, Ints], Ints] = quotient,
    whole: bool = False,
    end: Clamp = usual_end,
    padding: int = 0,
) -> NDArray[Any]:
    x, (low, high), o = c.value(0), c.limits, c.options
    kernel = (o["filter_height"], o["filter_width"])
    s = Sums(padding=padding)
    wide, axes, sizes = _padded(c, s, x, kernel)
    wide = wide + c.zero(0)
    ones, _, _ = _padded(c, Sums(padding=c.zero(0)), np.ones_like(x) + c.zero(0), kernel)
    total = sum(_places(wide, kernel, axes, sizes), np.int64(0))
    count = sum(_places(ones, kernel, axes, sizes), np.int64(0))
    if whole:
        count = np.full_like(count, kernel[0] * kernel[1])
    return end(divide(np.asarray(total), np.asarray(count)), 0, low, high).astype(np.int8)


def _axes(c: Context) -> tuple[int, ...]:
    return tuple(int(a) % c.value(0).ndim for a in c.value(1, "int32").reshape(-1))


def mean(
    c: Context, rescale: Rescale = two_roundings, bits: int = 32, first: Callable[[Ints, Ints], Ints] | None = None
) -> NDArray[Any]:
    """``first`` divides before rescaling; otherwise 1/n is folded into the multiplier."""
    x, axes, (out, zero) = c.value(0), _axes(c), c.out
    count = int(np.prod([x.shape[a] for a in axes], dtype=np.int64))
    total = wrapped(x.sum(axis=axes), bits) - count * c.zero(0)
    real = np.float64(c.scale(0)) / np.float64(out)
    if first == "pool":
        stored = quotient(total + count * c.zero(0), np.int64(count)) - c.zero(0)
        scaled = rescale(stored, real)
    elif first is not None:
        scaled = rescale(first(total, np.int64(count)), real)
    elif rescale is two_roundings:
        whole, exponent = (int(v) for v in parts(real))
        shift = min(count.bit_length() - 1, 32, 31 + exponent)
        scaled = _folded(total, (whole << shift) // count, exponent - shift)
    else:
        scaled = rescale(total, real / count)
    return np.clip(scaled + zero, -128, 127).astype(np.int8).reshape(c.output.shape)


def _folded(x: Ints, whole: int, exponent: int) -> Ints:
    left, right = max(exponent, 0), max(-exponent, 0)
    high = (wrapped(x << left, 32) * whole + (1 << 30)) >> 31
    return (high + ((1 << right) >> 1) - ((high < 0) & (right > 0))) >> right


# Functions of a byte


def quantize(
    c: Context,
    rescale: Rescale = two_roundings,
    from_float: Callable[[Any, np.float32], Ints] = lambda x, s: away((x / s).astype(np.float64)),
    end: Clamp = usual_end,
) -> NDArray[Any]:
    out, zero = c.out
    if c.tensor(0, "int8", "float32").dtype == "float32":
        x = np.asarray(c.values[0], np.float32)
        if np.any(~np.isfinite(x)) or np.any(np.abs(x) > 1e9 * out):
            raise NotMade("beyond what it is told about")
        return end(from_float(x, out), zero, -128, 127).astype(np.int8)
    scaled = rescale(c.value(0) - c.zero(0), np.float64(c.scale(0)) / np.float64(out))
    return end(scaled, zero, -128, 127).astype(np.int8)


def logistic(
    c: Context, curve: Callable[[Floats], Floats] = lambda x: 1 / (1 + np.exp(-x)), rounded: Callable[[Floats], Ints] = away
) -> NDArray[Any]:
    out, zero = c.out
    real = (c.value(0) - c.zero(0)) * np.float64(c.scale(0))
    return np.clip(rounded(curve(real) / np.float64(out)) + zero, -128, 127).astype(np.int8)


def interpolated(x: Floats, entries: int = 64, reach: float = 8.0) -> Floats:
    """A table of that many steps over [-reach, reach], straight lines between."""
    knots = np.linspace(-reach, reach, entries + 1)
    return np.interp(x, knots, 1 / (1 + np.exp(-knots)))


def leaky(
    c: Context,
    rescale: Rescale = two_roundings,
    negative: Rescale | None = None,
    alpha: Callable[[float], float] = lambda a: a,
    positive_raw: bool = False,
) -> NDArray[Any]:
    (out, zero), x = c.out, c.value(0) - c.zero(0)
    real = np.float64(c.scale(0) / out)
    slope = np.float64(np.float32(c.scale(0) * np.float32(alpha(c.options["alpha"])) / out))
    up = x if positive_raw else rescale(x, real)
    return np.clip(np.where(x >= 0, up, (negative or rescale)(x, slope)) + zero, -128, 127).astype(np.int8)


def softmax(
    c: Context,
    exp: Callable[[Floats], Floats] = np.exp,
    rounded: Callable[[Floats], Ints] = away,
    beta: Callable[[float], float] = lambda b: b,
    kind: type[Any] = np.float64,
) -> NDArray[Any]:
    """In floating point; not what the reference does, which is fixed point."""
    out, zero = c.out
    x = c.value(0)
    below = (x - x.max(axis=-1, keepdims=True)) * np.float64(c.scale(0)) * beta(c.options["beta"])
    powers = exp(below.astype(kind))
    shares = (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float64)
    return np.clip(rounded(shares / np.float64(out)) + zero, -128, 127).astype(np.int8)


# Resizing


def resize(c: Context, bits: int = 10, half_pixel: bool | None = None, floor: bool = False) -> NDArray[Any]:
    x, o = c.value(0), c.options
    centers = bool(o["half_pixel_centers"]) if half_pixel is None else half_pixel
    unit = 1 << bits
    (y, y0, y1), (z, z0, z1) = (
        _grid(x.shape[a], c.output.shape[a], unit, bool(o["align_corners"]), centers) for a in (1, 2)
    )
    fy, fz = (y - unit * y0)[:, None, None], (z - unit * z0)[None, :, None]
    total = (
        x[:, y0][:, :, z0] * (unit - fy) * (unit - fz)
        + x[:, y1][:, :, z0] * fy * (unit - fz)
        + x[:, y0][:, :, z1] * (unit - fy) * fz
        + x[:, y1][:, :, z1] * fy * fz
    )
    half = unit * unit // 2
    if floor:
        return (total >> (2 * bits)).astype(np.int8)
    return (np.sign(total) * ((np.abs(total) + half) // (unit * unit))).astype(np.int8)


def _grid(size: int, wanted: int, unit: int, corners: bool, centers: bool) -> tuple[Ints, Ints, Ints]:
    if corners and wanted > 1:
        step = (unit * (size - 1) + (wanted - 1) // 2) // (wanted - 1)
    else:
        step = (unit * size + wanted // 2) // wanted
    at = np.arange(wanted, dtype=np.int64) * step
    if centers:
        at = at + step // 2 - unit // 2
    low = np.maximum(np.where(at < 0, -(-at // unit), at // unit), 0)
    high = np.minimum(np.where(at + unit - 1 < 0, 0, (at + unit - 1) // unit), size - 1)
    return at, low, high


CORRECT: dict[str, Callable[[Context], NDArray[Any]]] = {
    "CONV_2D": conv,
    "DEPTHWISE_CONV_2D": depthwise,
    "FULLY_CONNECTED": fully_connected,
    "ADD": add,
    "MUL": mul,
    "AVERAGE_POOL_2D": average,
    "MEAN": mean,
    "QUANTIZE": quantize,
    "LOGISTIC": logistic,
    "LEAKY_RELU": leaky,
    "RESIZE_BILINEAR": resize,
}
"""SOFTMAX is missing: the floating-point one here is a variant, not the reference's."""
