"""Inputs for LiteRT's QUANTIZE and DEQUANTIZE, with litecheck's outputs and wrong outputs, for every pair of types.

A ``rule`` is the semantics of the outputs: the formula, or the kernels of one of LiteRT's interpreters.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import qparams
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.quantizer import litert
from litecheck.quantizer.litert_resolvers import ResolverSemantics
from litecheck.quantizer.types import Parameters, Semantics
from litecheck.reference.kernels.quantize import requantize
from litecheck.reference.runtime_tensors import Operand, OutputSpec

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Case:
    """Operator and its input; ``controls`` are wrong outputs by name, which must differ from LiteRT's."""

    title: str
    x: Array
    source: tuple[str, Quantization | None]
    target: tuple[str, Quantization | None]
    expected: Array
    controls: dict[str, Array] = field(default_factory=dict)
    through: tuple[str, Quantization | None] | None = None
    """An intermediate type, for types that no Python caller can pass."""


def different(first: Array, second: Array) -> int:
    """Return the number of elements that differ; floats are compared by their bits."""
    if first.dtype.kind == "f":
        first, second = first.view(np.int32), second.view(np.int32)
    return int(np.count_nonzero(first != second))


def scales(random: np.random.Generator, shape: int | tuple[int, ...] = ()) -> Array:
    """Return powers of two, reciprocals as in real models, and arbitrary scales over many binades."""
    kind = random.integers(0, 3, shape)
    power = np.exp2(random.integers(-12, 4, shape))
    common = random.integers(1, 64, shape) / 255
    drawn: Array = np.where(
        kind == 0, power, np.where(kind == 1, common, np.exp(random.uniform(-12, 4, shape)))
    )
    return drawn.astype(np.float32)


def zero_point(random: np.random.Generator, dtype: str, shape: int | tuple[int, ...] = ()) -> Array:
    """Return the lower end of the type for 30 % of the elements, random integers of the type for the rest."""
    low, high = INTEGER_RANGES[dtype]
    return np.where(random.random(shape) < 0.3, low, random.integers(low, high + 1, shape))


def ties(scale: np.float32, zero: int, dtype: str, random: np.random.Generator, most: int) -> Array:
    """Return every tie of the type (or ``most`` of them), one step beyond both ends, and the float32 values around each."""
    low, high = INTEGER_RANGES[dtype]
    steps = np.arange(low - zero - 1, high - zero + 1, dtype=np.float64) + 0.5
    steps = steps if len(steps) <= most else random.choice(steps, most, replace=False)
    middle = (steps * np.float64(scale)).astype(np.float32)
    below, above = (np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf))
    further = np.nextafter(below, np.float32(-np.inf)), np.nextafter(above, np.float32(np.inf))
    return np.concatenate([middle, below, above, *further])


def reals(scale: np.float32, zero: int, dtype: str, random: np.random.Generator, count: int) -> Array:
    """Return ties and their neighbors, values inside and slightly beyond the type's range, zeros, denormals."""
    directed = ties(scale, zero, dtype, random, max(1, count // 20))
    low, high = (float(scale) * (end - zero) for end in INTEGER_RANGES[dtype])
    reach = (high - low) / 8
    drawn = random.uniform(low - reach, high + reach, count).astype(np.float32)
    special = np.array([0, -0.0, 1e-45, -1e-45, 1e-40, 1.1754944e-38, -3e-39], np.float32)
    mixed = random.permutation(np.concatenate([directed, special, drawn]))[:count]
    with np.errstate(all="ignore"):
        return mixed[np.abs(mixed / scale) < 2.0**31]


def quantize_case(random: np.random.Generator, count: int, dtype: str, rule: Semantics = litert) -> Case:
    """Return a case of float to integer, per tensor; int4 is read back as float."""
    scale, zero = np.float32(scales(random)), int(zero_point(random, dtype))
    x = reals(scale, zero, dtype, random, count)
    stated = qparams(scale, zero)
    expected, controls = _answers(x, Parameters.of(stated), dtype, rule)
    case = Case(
        f"QUANTIZE float32 {dtype} {scale} {zero}", x, ("float32", None), (dtype, stated), expected, controls
    )
    if dtype != "int4":
        return case

    def real(q: Array) -> Array:
        return rule.dequantize(q, Parameters.of(stated), stored=dtype)

    wrong = {name: real(q) for name, q in controls.items()}
    return replace(
        case, target=("float32", None), expected=real(expected), controls=wrong, through=(dtype, stated)
    )


def per_axis_case(random: np.random.Generator, count: int, dtype: str, rule: Semantics = litert) -> Case:
    """Return a case of float to integer with a scale and a zero point for each slice of any dimension."""
    axis, shape = _shape(random, count)
    scale, zero = scales(random, shape[axis]), zero_point(random, dtype, shape[axis])
    x = np.empty(shape, np.float32)
    for i, into in enumerate(np.moveaxis(x, axis, 0)):
        drawn = reals(scale[i], int(zero[i]), dtype, random, into.size)
        into[...] = np.resize(drawn if drawn.size else np.zeros(1, np.float32), into.shape)
    stated = qparams(scale, zero, axis)
    expected, controls = _answers(x, Parameters.of(stated), dtype, rule)
    title = f"QUANTIZE float32 {dtype} {shape} axis {axis}"
    return Case(title, x, ("float32", None), (dtype, stated), expected, controls)


def _answers(x: Array, parameters: Parameters, dtype: str, rule: Semantics) -> tuple[Array, dict[str, Array]]:
    """Return litecheck's outputs and those of similar wrong arithmetics; a control needs inputs that distinguish it."""
    scale, zero = parameters.broadcast_to(x.shape)
    assert zero is not None
    low, high = INTEGER_RANGES[dtype]
    storage = litert.STORAGE[dtype]
    quotient = (x / scale).astype(np.float64)

    def finish(rounded: Array) -> Array:
        return np.asarray((rounded + zero).clip(low, high), storage)

    product, places = (x * (np.float32(1) / scale)).astype(np.float64), np.arange(x.size).reshape(x.shape)
    moved = np.where(places < 8, np.rint(product), _away(x.astype(np.float64) / scale.astype(np.float64)))
    ours = rule.quantize(x, parameters, dtype)
    wrong = {
        "the formula": litert.quantize(x, parameters, dtype),
        "reciprocal, half to even": finish(np.rint(product)),
        "one vector only": finish(moved),
        "half to even": finish(np.rint(quotient)),
        "half up": finish(np.floor(quotient + 0.5)),
        "zero point + 1": finish(np.trunc(quotient + np.copysign(0.5, quotient)) + 1),
        "scale * 1.001": rule.quantize(
            x, replace(parameters, scale=parameters.scale * np.float32(1.001)), dtype
        ),
        "reciprocal": finish(_away(product)),
        "float64 quotient": finish(_away(x.astype(np.float64) / scale.astype(np.float64))),
    }
    return ours, {name: answer for name, answer in wrong.items() if different(ours, answer)}


def _away(x: Array) -> Array:
    return np.asarray(np.trunc(x + np.copysign(0.5, x)))


def dequantize_case(random: np.random.Generator, count: int, dtype: str, rule: Semantics = litert) -> Case:
    """Return a case of integer to float, per tensor; some scales are so small that outputs are denormal."""
    scale = np.float32(scales(random))
    zero = 0 if dtype == "int16" else int(zero_point(random, dtype))  # the kernel accepts no further value
    if random.random() < 0.2 and rule.name != "litert:xnnpack":
        scale = max(np.float32(scale * np.float32(1e-41)), np.float32(1e-45))  # denormal, as its outputs
    q = _stored(random, dtype, (count,))
    stated = qparams(scale, zero)
    return _dequantized(f"DEQUANTIZE {dtype} {scale} {zero}", q, dtype, stated, rule)


def per_axis_dequantize_case(
    random: np.random.Generator, count: int, dtype: str, rule: Semantics = litert
) -> Case:
    """Return a case of integer to float with parameters for each slice."""
    axis, shape = _shape(random, count)
    q = _stored(random, dtype, shape)
    stated = qparams(scales(random, shape[axis]), zero_point(random, dtype, shape[axis]), axis)
    return _dequantized(f"DEQUANTIZE {dtype} {shape} axis {axis}", q, dtype, stated, rule)


def _shape(random: np.random.Generator, count: int) -> tuple[int, tuple[int, ...]]:
    """Return a dimension to quantize, of length 2 to 40, and a shape of three dimensions with about ``count`` elements."""
    channels = int(random.integers(2, 41))
    rest = max(1, count // channels)
    first = int(random.integers(1, min(rest, 40) + 1))
    shape = [first, rest // first]
    axis = int(random.integers(0, 3))
    shape.insert(axis, channels)
    return axis, tuple(shape)


def _dequantized(title: str, q: Array, dtype: str, stated: Quantization, rule: Semantics) -> Case:
    expected = rule.dequantize(q, Parameters.of(stated), stored=dtype)
    axis = Parameters.of(stated).axis

    def real(scale: Array, zero: Array) -> Array:
        spread, zeros = (
            np.asarray(p.broadcast_to(q.shape)[0]) for p in (Parameters(v, axis=axis) for v in (scale, zero))
        )
        return np.asarray(spread * (q.astype(np.int64) - zeros).astype(np.float32), np.float32)

    wrong = {
        "zero point + 1": real(stated.scale, stated.zero_point + 1),
        "the formula": litert.products(q, Parameters.of(stated), dtype),
        "scale * 1.001": real(stated.scale * np.float32(1.001) + np.float32(1e-45), stated.zero_point),
    }
    wrong = {name: answer for name, answer in wrong.items() if different(answer, expected)}
    return Case(title, q, (dtype, stated), ("float32", None), expected, wrong)


#: Integer types that the QUANTIZE kernel converts, from -> to.
REQUANTIZED = {
    "int8": ("int8", "uint8"), "uint8": ("int8", "uint8"), "int16": ("int8", "int16", "int32"), "int32": ("int8", "int16"),
}  # fmt: skip


def requantized(q: Array, source: Quantization, target: Quantization, dtype: str) -> Array:
    """Return the output of the reference kernel's QUANTIZE from integers to integers."""
    given, wanted = Operand(q, q.dtype.name, source), OutputSpec(dtype, q.shape, target)
    return requantize(given, wanted, {"requantize": "double"})


def requantize_case(random: np.random.Generator, count: int, dtypes: tuple[str, str]) -> Case:
    """Return a case of integer to integer: all source values to a part of the target's range, or far beyond it."""
    source, target = dtypes
    zeros = [0 if source == target == "int16" else int(zero_point(random, dtype)) for dtype in dtypes]
    q = _stored(random, source, (count,))
    if source == "int32":  # the left-shifted value must fit 32 bits
        shift = int(random.integers(8, 24))
        q, zeros[0] = q >> np.int32(shift), zeros[0] >> shift
    scale = np.float32(scales(random))
    fitting = (INTEGER_RANGES[target][1] + 1) / (float(np.abs(q.astype(np.int64) - zeros[0]).max()) + 1)
    ratio = min(fitting, 64) * random.choice(
        [1, 2.0 ** random.integers(-3, 3), np.exp(random.uniform(-2, 4))]
    )
    scale_out = scale if random.random() < 0.15 else np.float32(scale / ratio)
    given, stated = qparams(scale, zeros[0]), qparams(scale_out, zeros[1])
    p, r = Parameters.of(given), Parameters.of(stated)
    expected = requantized(q, given, stated, target)
    return Case(
        f"QUANTIZE {source} {target} {scale}/{scale_out} {zeros}", q, (source, given), (target, stated), expected,
        {name: wrong for name, wrong in _requantized(q, p, r, target).items() if different(wrong, expected)},
    )  # fmt: skip


def _requantized(q: Array, source: Parameters, target: Parameters, dtype: str) -> dict[str, Array]:
    assert source.zero_point is not None
    assert target.zero_point is not None
    low, high = INTEGER_RANGES[dtype]
    ratio = float(source.scale[0]) / float(target.scale[0])
    exact = (q.astype(np.int64) - source.zero_point).astype(np.float64) * ratio

    def finish(rounded: Array) -> Array:
        return np.asarray((rounded + target.zero_point).clip(low, high), litert.STORAGE[dtype])

    return {
        "half to even": finish(np.rint(exact)),
        "half away": finish(_away(exact)),
        "zero point + 1": finish(_away(exact) + 1),
        "scale * 1.001": finish(_away(exact * 1.001)),
    }


def _stored(random: np.random.Generator, dtype: str, shape: tuple[int, ...]) -> Array:
    """Return every value of a small type in random order, or random values of a large type with its ends."""
    low, high = INTEGER_RANGES[dtype]
    q = random.integers(low, high + 1, shape).astype(litert.STORAGE[dtype])
    every = np.arange(low, high + 1) if high - low < 1 << 16 else np.array([low, high, 0, -1, 1])
    flat = q.reshape(-1)
    flat[: every.size] = random.permutation(every)[: flat.size]
    return q


#: Function that makes a case of about ``count`` elements.
Maker = Callable[[np.random.Generator, int], Case]


def makers(resolver: str = "") -> dict[str, Maker]:
    """Return every kind of case of LiteRT's two kernels, by name; ``resolver`` selects the interpreter.

    Conversions between integers exist only for the formula.
    """
    rule: Semantics = ResolverSemantics(resolver) if resolver else litert
    made: dict[str, Maker] = {}
    for dtype in ("int4", "int8", "uint8", "int16"):
        made[f"float32 to {dtype}"] = partial(quantize_case, dtype=dtype, rule=rule)
    for dtype in ("int8", "uint8", "int16"):
        made[f"float32 to {dtype} per axis"] = partial(per_axis_case, dtype=dtype, rule=rule)
    made["int16 to float32"] = partial(dequantize_case, dtype="int16", rule=rule)
    for dtype in ("int2", "int4", "uint4", "int8", "uint8"):
        made[f"{dtype} to float32"] = partial(dequantize_case, dtype=dtype, rule=rule)
        made[f"{dtype} to float32 per axis"] = partial(per_axis_dequantize_case, dtype=dtype, rule=rule)
    for source, targets in () if resolver else REQUANTIZED.items():
        for target in targets:
            made[f"{source} to {target}"] = partial(requantize_case, dtypes=(source, target))
    return made
