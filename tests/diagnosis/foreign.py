"""Independent devices: int8 operators in plain numpy, without litecheck's kernels, with planted defects.

This module has the device, roundings and limits; operators are in foreign_sums.py and foreign_elements.py. Without a
defect, each function gives the outputs of LiteRT's reference. A defect is a different value of a parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.options import options_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Subgraph, Tensor

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Rescale = Callable[[Ints, Floats], Ints]
Clamp = Callable[[Ints, int, int, int], Ints]


class NotMadeError(Exception):
    """The device does not implement this operator."""


class Foreign:
    """Device that runs int8 models of operators with a function, and rejects all further operators."""

    def __init__(self, name: str, functions: Mapping[str, Callable[[Context], NDArray[Any]]]) -> None:
        self.name = self.described = name
        self.functions = functions

    def run(self, job: Job) -> Answer | Failure:
        try:
            return Answer(tuple(self._once(job.model.subgraphs[0], inputs) for inputs in job.runs))
        except NotMadeError as e:
            return Failure(Outcome.REFUSED, str(e))

    def _once(self, main: Subgraph, inputs: Arrays) -> Arrays:
        values = {t.index: v for t in main.tensors if (v := stored_integers(t)) is not None}
        values.update(zip(main.inputs, inputs, strict=True))
        for operator in main.operators:
            if operator.opcode not in self.functions:
                raise NotMadeError(f"no {operator.opcode}")
            context = Context(main, operator, values)
            values[operator.outputs[0]] = self.functions[operator.opcode](context)
        return tuple(values[i] for i in main.outputs)

    def close(self) -> None:
        pass


class Context:
    """An operator and the arrays that it reads."""

    def __init__(self, main: Subgraph, operator: Operator, values: dict[int, NDArray[Any]]) -> None:
        self.tensors = [main.tensors[i] if i >= 0 else None for i in operator.inputs]
        self.values = [values[i] if i >= 0 else None for i in operator.inputs]
        self.output = main.tensors[operator.outputs[0]]
        self.options = options_of(operator)

    def tensor(self, n: int, *dtypes: str) -> Tensor:
        tensor = self.tensors[n] if n < len(self.tensors) else None
        if tensor is None or tensor.dtype not in (dtypes or ("int8",)):
            raise NotMadeError(f"operand {n} is {tensor and tensor.dtype}")
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
            raise NotMadeError(f"output is {self.output.dtype}")
        return _scale(self.output), _zero(self.output)

    @property
    def limits(self) -> tuple[int, int]:
        """Return the limits of the fused activation, in stored values."""
        scale, zero = self.out
        low, high = LIMITS[self.options.get("fused_activation_function", "NONE")]
        stored_low = -128 if low is None else max(-128, zero + _quantized(low, scale))
        return stored_low, 127 if high is None else min(127, zero + _quantized(high, scale))


LIMITS: dict[str, tuple[float | None, float | None]] = {
    "NONE": (None, None), "RELU": (0.0, None), "RELU6": (0.0, 6.0), "RELU_N1_TO_1": (-1.0, 1.0),
}  # fmt: skip


def _scale(tensor: Tensor) -> np.float32:
    if tensor.quantization.scale is None or not len(tensor.quantization.scale):
        raise NotMadeError("no scale")
    first: np.float32 = np.float32(tensor.quantization.scale[0])
    return first


def _zero(tensor: Tensor) -> int:
    zeros = tensor.quantization.zero_point
    return int(zeros[0]) if zeros is not None and len(zeros) else 0


def _quantized(value: float, scale: np.float32) -> int:
    return int(away(np.asarray(np.float32(value) / scale, np.float64)))


# Roundings


def away(x: Floats) -> Ints:
    """Round to the nearest integer, half away from zero."""
    return (np.sign(x) * np.floor(np.abs(x) + 0.5)).astype(np.int64)


def wrapped(x: Ints, bits: int) -> Ints:
    half = 1 << (bits - 1)
    return (x + half) % (1 << bits) - half


def saturated(x: Ints, bits: int) -> Ints:
    return np.clip(x, -(1 << (bits - 1)), (1 << (bits - 1)) - 1)


def parts(real: Any, bits: int = 31) -> tuple[Ints, Ints]:
    """Return a multiplier as an integer of ``bits`` bits and an exponent."""
    fraction, exponent = np.frexp(np.asarray(real, np.float64))
    whole = away(fraction * 2.0**bits)
    over = whole == 1 << bits
    whole, exponent = np.where(over, whole // 2, whole), exponent.astype(np.int64) + over
    tiny = exponent < -31
    return np.where(tiny, 0, whole), np.where(tiny, 0, exponent)


def two_roundings(x: Ints, real: Any) -> Ints:
    """Rescale like the reference: a doubling high multiplication rounded half up, a shift rounded half away from
    zero."""
    whole, exponent = parts(real)
    left, right = np.maximum(exponent, 0), np.maximum(-exponent, 0)
    high = (wrapped(x << left, 32) * whole + (1 << 30)) >> 31
    half = np.where(right > 0, np.int64(1) << np.maximum(right - 1, 0), 0)
    return (high + half - ((high < 0) & (right > 0))) >> right


def one_rounding(x: Ints, real: Any, bits: int = 31) -> Ints:
    """Rescale with a multiplier of ``bits`` bits and a single shift rounded half up."""
    whole, exponent = parts(real, bits)
    shift = bits - exponent
    rounded: Ints = (x * whole + (np.int64(1) << (shift - 1))) >> shift
    return rounded


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
    """Return a rescaling that treats elements of the last dimension after its last full vector differently."""

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
