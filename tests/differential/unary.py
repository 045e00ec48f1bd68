"""Operators of one input, with random parameters.

8-bit operators receive each of the 256 values twice: in the body of a vector and in its tail. A tensor of 7 elements has
only a tail. 16-bit operators receive all 65,536 values.
"""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.one_operator import Far, Trial, within
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Array = NDArray[Any]
TAIL = 7


@dataclass(frozen=True)
class Case:
    """Operator: types and parameters of input and output, options, and its inputs, one array for each inference."""

    opcode: str
    source: tuple[str, Quantization | None]
    target: tuple[str, Quantization | None]
    runs: tuple[Array, ...]
    options: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    alpha: tuple[Array, Quantization | None] | None = None

    def model(self) -> Model:
        """Return a model of the operator."""
        builder = ModelBuilder()
        main = builder.subgraph()
        shape = self.runs[0].shape
        x, y = main.tensor("x", shape, *self.source), main.tensor("y", shape, *self.target)
        inputs = [x] if self.alpha is None else [x, main.constant("alpha", *self.alpha)]
        main.add(self.opcode, inputs, [y], version=self.version, **self.options)
        main.inputs(x)
        main.outputs(y)
        return builder.finish()

    def trial(self) -> Trial:
        """Return the operator with its inputs."""
        ends = [(d, q and (q.scale.tolist(), q.zero_point.tolist())) for d, q in (self.source, self.target)]
        return Trial(f"{self.opcode} {ends} {self.options}", self.model(), tuple((x,) for x in self.runs))


def values(dtype: str, random: np.random.Generator) -> list[tuple[Array, ...]]:
    """Return inputs that prove a function of one value: all values in the body, and all in the tail."""
    low, high = INTEGER_RANGES[dtype]
    if dtype == "int32":
        drawn = random.integers(-(2**20), 2**20, 65536) >> random.integers(0, 20, 65536)
        return [(drawn.astype(np.int32),)]
    every = random.permutation(np.arange(low, high + 1)).astype(dtype)
    padded = np.append(every, every[: -every.size % TAIL])
    tails = tuple(padded.reshape(-1, TAIL)) if every.size == 256 else (padded[:TAIL],)
    return [(every,), tails]


def scale(random: np.random.Generator, low: float = 1e-4, high: float = 4.0) -> float:
    """Return a power of two, a fraction of 255, or a logarithmically uniform number between the ends."""
    kind = random.integers(0, 4)
    if kind == 0:
        return float(2.0 ** random.integers(np.ceil(np.log2(low)), np.floor(np.log2(high)) + 1))
    if kind == 1:
        return float(np.clip(random.integers(1, 255) / 255, low, high))
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def zero(random: np.random.Generator, dtype: str) -> int:
    """Return an end of the type, its middle, or a random integer; 0 for 16 bits and more."""
    low, high = INTEGER_RANGES[dtype]
    if high > 255:
        return 0
    return int(random.choice([(low + high + 1) // 2, low, high, random.integers(low, high + 1)]))


def any_quantization(
    random: np.random.Generator, dtype: str, low: float = 1e-4, high: float = 4.0
) -> Quantization:
    """Return per-tensor parameters."""
    return qparams(scale(random, low, high), zero(random, dtype))


#: Output parameters that a kernel requires, by operator and type: scale and zero point.
FIXED: dict[tuple[str, str], tuple[float, int]] = {
    ("LOGISTIC", "int8"): (1 / 256, -128), ("LOGISTIC", "uint8"): (1 / 256, 0), ("LOGISTIC", "int16"): (1 / 32768, 0),
    ("TANH", "int16"): (1 / 32768, 0),
    ("SOFTMAX", "int8"): (1 / 256, -128), ("SOFTMAX", "uint8"): (1 / 256, 0), ("SOFTMAX", "int16"): (1 / 32768, 0),
    ("LOG_SOFTMAX", "int8"): (16 / 256, 127), ("LOG_SOFTMAX", "uint8"): (16 / 256, 255),
    ("L2_NORMALIZATION", "int8"): (1 / 128, 0), ("L2_NORMALIZATION", "uint8"): (1 / 128, 128),
}  # fmt: skip

#: Compared operators: operator, input type, output type.
ENTRIES: tuple[tuple[str, str, str], ...] = (
    *((op, t, t) for op in ("LOGISTIC", "TANH") for t in ("int8", "uint8", "int16", "float32")),
    *(("EXP", t, t) for t in ("int8", "int16", "float32")),
    *(("LOG", t, t) for t in ("int8", "int16", "float32")),
    *(("ELU", t, t) for t in ("int8", "float32")),
    *(("GELU", t, t) for t in ("int8", "uint8", "int16", "float32")),
    *((op, t, t) for op in ("RELU", "RELU6") for t in ("int8", "uint8", "int16", "float32")),
    *((op, t, t) for op in ("RELU_N1_TO_1", "RELU_0_TO_1") for t in ("int8", "uint8", "float32")),
    *(("LEAKY_RELU", t, t) for t in ("int8", "uint8", "int16", "float32")),
    *(("PRELU", t, t) for t in ("int8", "uint8", "float32")),
    *(("HARD_SWISH", t, t) for t in ("int8", "uint8", "float32")),
    *(("SOFTMAX", t, u) for t, u in (("int8", "int8"), ("int8", "int16"), ("uint8", "uint8"), ("uint8", "int16"),
                                     ("int16", "int16"), ("float32", "float32"))),
    *((op, t, t) for op in ("LOG_SOFTMAX", "L2_NORMALIZATION") for t in ("int8", "uint8", "float32")),
    *(("RSQRT", t, t) for t in ("int8", "int16", "float32")),
    *(("ABS", t, t) for t in ("int8", "int16", "float32", "int32")),
    *(("QUANTIZE", "float32", t) for t in ("int8", "uint8", "int16")),
    *(("QUANTIZE", *pair) for pair in (("int8", "int8"), ("int8", "uint8"), ("uint8", "int8"), ("uint8", "uint8"),
                                       ("int16", "int8"), ("int16", "int16"), ("int16", "int32"), ("int32", "int8"),
                                       ("int32", "int16"))),
    *(("DEQUANTIZE", t, "float32") for t in ("int8", "uint8", "int16", "float16")),
    *((op, "float32", "float32") for op in ("SQRT", "NEG", "SIN", "COS", "FLOOR", "CEIL", "ROUND", "SIGN", "SQUARE",
                                            "ZEROS_LIKE")),
    *((op, t, t) for op, t in (("NEG", "int32"), ("NEG", "int64"), ("SIGN", "int32"), ("ZEROS_LIKE", "int32"),
                               ("ZEROS_LIKE", "int64"), ("LOGICAL_NOT", "bool"))),
    *(("CAST", t, u) for t in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool")
      for u in ("float32", "int8", "uint8", "int16", "int32", "int64", "bool") if t != u),
)  # fmt: skip

_ROWS = ("SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION")


def cases(opcode: str, source: str, target: str, random: np.random.Generator) -> Iterator[Case]:
    """Yield the cases of one draw: an operator with one set of parameters on every value of its input type."""
    plain = opcode in ("CAST", "NEG", "SIGN", "ZEROS_LIKE", "LOGICAL_NOT")
    high = 30.0 / INTEGER_RANGES[source][1] if opcode in ("EXP", "ELU") and source in INTEGER_RANGES else 4.0
    stated = [_stated(opcode, dtype, random, end, high) for end, dtype in enumerate((source, target))]
    if plain or (opcode == "ABS" and source == "int32"):
        stated = [None, None]
    ends = [(dtype, q) for dtype, q in zip((source, target), stated, strict=True)]
    options = _options(opcode, source, target, random)
    if faulty(opcode, stated):
        return
    for runs in _inputs(opcode, source, stated, random):
        alpha = _alpha(source, random, runs[0].shape) if opcode == "PRELU" else None
        yield Case(opcode, ends[0], ends[1], runs, options, _version(opcode, source), alpha)


def faulty(opcode: str, stated: list[Quantization | None]) -> bool:
    """Return True for parameters with a known fault of LiteRT: see rules/arithmetic/known-faults.yaml."""
    if opcode != "HARD_SWISH" or not (stated[0] and stated[1]):
        return False
    return float(stated[0].scale[0] / stated[1].scale[0]) / 128 < 2.0**-16


def _stated(
    opcode: str, dtype: str, random: np.random.Generator, end: int, high: float
) -> Quantization | None:
    if dtype not in INTEGER_RANGES:
        return None
    if end and (opcode, dtype) in FIXED:
        return qparams(*FIXED[opcode, dtype])
    if dtype == "int16" and opcode == "SOFTMAX":
        return (
            qparams(float(random.choice([1 / 32768, 1 / 65536])), -32768)
            if end
            else any_quantization(random, dtype, 1e-5, 1e-2)
        )
    if (
        opcode == "GELU" and dtype == "int16"
    ):  # the range of real layers, in which entries are not all 0 or saturated
        return qparams(float(np.exp(random.uniform(np.log(1e-5), np.log(1e-3)))))
    if opcode in ("LOGISTIC", "TANH") and dtype == "int16":
        return qparams(float(random.choice([2.0**-12, 2.0**-11, 2.0**-13, scale(random, 1e-6, 1e-2)])))
    return any_quantization(random, dtype, 1e-4 if dtype != "int16" else 1e-6, high)


def _options(opcode: str, source: str, target: str, random: np.random.Generator) -> dict[str, Any]:
    if opcode == "SOFTMAX":
        return {"beta": float(random.choice([1.0, 1.0, 0.5, 2.0, random.uniform(0.01, 10)]))}
    if opcode == "LEAKY_RELU":
        # Powers of two and the quotients of scales make ties; kernels multiply negative slopes differently.
        slope = float(random.choice([0.1, 0.2, 0.5, 0.01, 0.3, 1.0, 1.5, random.uniform(0, 2)]))
        return {"alpha": -slope if random.integers(3) == 0 else slope}
    if opcode == "GELU":
        return {"approximate": bool(random.integers(2))}
    if opcode == "CAST":
        return {"in_data_type": source, "out_data_type": target}
    return {}


def _version(opcode: str, source: str) -> int:
    if opcode in ("RELU", "RELU6", "DEQUANTIZE") and source == "int16":
        return 2
    return 2 if opcode == "QUANTIZE" else 1


def _alpha(
    dtype: str, random: np.random.Generator, shape: tuple[int, ...]
) -> tuple[Array, Quantization | None]:
    size = shape if random.integers(2) else (1,)
    if dtype == "float32":
        return random.normal(size=size).astype(np.float32), None
    low, high = INTEGER_RANGES[dtype]
    return random.integers(low, high + 1, size).astype(dtype), any_quantization(random, dtype, 1e-4, 0.1)


def _inputs(
    opcode: str, dtype: str, stated: list[Quantization | None], random: np.random.Generator
) -> list[tuple[Array, ...]]:
    if opcode in _ROWS:
        depth, rows = int(random.integers(1, 300)), int(random.integers(1, 9))
        return [(_rows(dtype, (rows, depth), random),), (_rows(dtype, (2, rows, TAIL), random),)]
    if dtype == "bool":
        return [(random.integers(0, 2, 263).astype(np.bool_),)]
    if dtype == "int64":
        return [(random.integers(-(2**40), 2**40, 263) >> random.integers(0, 40, 263),)]
    if opcode == "QUANTIZE" and dtype == "float32" and stated[1]:
        reals = _ties(stated[1], random)
        return [(reals,), tuple(reals[: 40 * TAIL].reshape(-1, TAIL))]
    if dtype not in INTEGER_RANGES:
        positive = opcode in ("LOG", "SQRT", "RSQRT")
        reals = random.normal(size=263).astype(np.float32) * np.float32(random.choice([0.1, 1, 5, 100]))
        return [((np.abs(reals) if positive else reals).astype(dtype),)]
    runs = values(dtype, random)
    if opcode == "RSQRT":  # rejects values below the zero point
        least = int(stated[0].zero_point[0]) if stated[0] else 0
        return [tuple(np.maximum(x, x.dtype.type(least)) for x in run) for run in runs]
    return runs


def _ties(stated: Quantization, random: np.random.Generator) -> Array:
    """Return values at which rounding and saturation decide: ties, the float32 values around them, and values between."""
    middle = ((random.integers(-300, 300, 500) + 0.5) * float(stated.scale[0])).astype(np.float32)
    around = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
    drawn = (random.uniform(-300, 300, 500) * float(stated.scale[0])).astype(np.float32)
    return random.permutation(np.concatenate([middle, *around, drawn]))


def _rows(dtype: str, shape: tuple[int, ...], random: np.random.Generator) -> Array:
    if dtype == "float32":
        return random.normal(size=shape).astype(np.float32) * np.float32(3)
    low, high = INTEGER_RANGES[dtype]
    reach = int(random.choice([4, 32, high - low + 1]))
    first = int(random.integers(low, high - reach + 2))
    return random.integers(first, first + reach, shape).astype(dtype)


def _halves(opcode: str, source: str) -> tuple[str, ...]:
    """Return the kinds of a single entry: body and tail, if all values are a proof."""
    bytes_ = source in ("int8", "uint8", "int16")
    return (
        ("body", "tail")
        if bytes_ or opcode in _ROWS or (opcode, source) == ("QUANTIZE", "float32")
        else ("",)
    )


def _made(opcode: str, source: str, target: str, at: int) -> Make:
    def make(random: np.random.Generator) -> Trial:
        while not (made := list(cases(opcode, source, target, random))):
            pass
        return made[at].trial()

    return make


#: Functions whose vectors are approximate near 0 and for denormals: a distance in float32 values proves nothing.
APPROXIMATE = ("LOGISTIC", "EXP", "LOG", "GELU", "SIN", "COS", "LOG_SOFTMAX")


def _far(kind: str, resolver: str, trial: Trial) -> Far:
    """Return the tolerance: LiteRT's own kernels call functions of the C library or of Eigen."""
    if (
        kind.split()[0] in APPROXIMATE
    ):  # XNNPACK's EXP is infinite from 88.4 on, further kernels' from 88.7 on
        return lambda ours, theirs: (
            ~np.isclose(
                *(np.clip(v, -1e38, 1e38) for v in (ours, theirs)), rtol=1e-5, atol=1e-6, equal_nan=True
            )
        )
    return within(4 if resolver == "reference" else 4096)


KINDS: dict[str, Make] = {
    f"{opcode} {source} to {target} {half}".strip(): _made(opcode, source, target, at)
    for opcode, source, target in ENTRIES
    for at, half in enumerate(_halves(opcode, source))
}
#: Operators that BuiltinRefOpResolver does not list.
ABSENT = ("ELU", "CEIL", "ROUND")
#: From glibc 2.41 on, erfcf and tanhf of the C library are correctly rounded.
LIBRARY = {"GELU": {"functions": "rounded"}} if platform.libc_ver() >= ("glibc", "2.41") else {}
FAMILY = Family(
    KINDS, _far, LIBRARY, faulty=frozenset((k, "reference") for k in KINDS if k.split()[0] in ABSENT)
)
