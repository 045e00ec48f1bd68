"""Pooling, reductions and selections: random configurations."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from litecheck.model.build import qparams
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.affine import tied
from tests.differential.one_operator import Far, Tensor, Trial, trial, within
from tests.differential.operands import varied
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
ACTIVATIONS = ("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1")
POOLING = ("AVERAGE_POOL_2D", "MAX_POOL_2D", "L2_POOL_2D")
REDUCTIONS = ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL")
_INTEGERS = ("int8", "uint8", "int16")
_ALL = (*_INTEGERS, "float32", "int32", "int64")
#: Operator -> types that LiteRT accepts.
TYPES = {
    "AVERAGE_POOL_2D": (*_INTEGERS, "float32"), "MAX_POOL_2D": (*_INTEGERS, "float32"), "L2_POOL_2D": ("float32",),
    "MEAN": _ALL, "SUM": _ALL, "REDUCE_MAX": _ALL, "REDUCE_MIN": _ALL,
    "REDUCE_PROD": ("int8", "int16", "float32", "int32", "int64"), "REDUCE_ANY": ("bool",), "REDUCE_ALL": ("bool",),
    "ARG_MAX": ("int8", "uint8", "int32", "float32", "bool"), "ARG_MIN": ("int8", "uint8", "int32", "float32", "bool"),
    "CUMSUM": ("float32", "int32", "int64"), "ADD_N": ("float32", "int32"),
    "SELECT": _ALL, "SELECT_V2": (*_ALL, "bool"), "WHERE": ("bool", "float32", "int32", "int64", "int8", "uint8"),
}  # fmt: skip
VERSIONS = {"L2_POOL_2D": 1, "MAX_POOL_2D": 3, "AVERAGE_POOL_2D": 3, "CUMSUM": 1, "ADD_N": 1, "SELECT": 1,
            "SELECT_V2": 1, "WHERE": 1, "REDUCE_ANY": 1, "REDUCE_ALL": 1}  # fmt: skip


def stored(rng: Random, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return random values over the type's whole range; floats around 0; int32, int64 and 30 % of the rest near 0."""
    if dtype == "bool":
        return rng.random(shape) < rng.random()
    if dtype == "float32":
        return rng.normal(0, 3, shape).astype(np.float32)
    low, high = INTEGER_RANGES[dtype]
    if rng.random() < 0.3 or dtype in ("int32", "int64"):
        low, high = max(low, -1000), min(high, 1000)
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def parameters(rng: Random, dtype: str) -> Quantization | None:
    if dtype not in _INTEGERS:
        return None
    low, high = INTEGER_RANGES[dtype]
    zero = 0 if dtype == "int16" else int(rng.integers(low, high, endpoint=True))
    scale = tied(rng, float(np.exp(rng.normal(-3, 1.5))))
    return qparams(2.0 ** np.round(np.log2(scale)) if rng.random() < 0.2 else scale, zero)


def pooling(rng: Random, opcode: str, dtype: str) -> Trial:
    """Return a trial with any window, stride, padding and activation; channels fill vector loops and a tail."""
    height, width = (int(n) for n in rng.integers(1, 12, 2))
    shape = (int(rng.integers(1, 3)), height, width, int(rng.choice([1, 3, 8, 16, 17, 35, 64, 300])))
    same = rng.random() < 0.5
    beyond = 2 if same and (opcode, dtype) != ("AVERAGE_POOL_2D", "float32") else 0  # see known-faults.yaml
    tall, wide = (int(rng.integers(1, 1 + n + beyond)) for n in (height, width))
    down, across = (int(n) for n in rng.integers(1, 4, 2))
    options = {"padding": "SAME" if same else "VALID", "filter_height": tall, "filter_width": wide,
               "stride_h": down, "stride_w": across}  # fmt: skip
    out = (
        (-(-height // down), -(-width // across))
        if same
        else ((height - tall) // down + 1, (width - wide) // across + 1)
    )
    quantization = parameters(rng, dtype)
    activation = str(rng.choice(ACTIVATIONS))
    x = stored(rng, dtype, shape)
    if opcode == "AVERAGE_POOL_2D" and dtype == "float32":
        x = np.abs(x)
    return trial(
        f"{opcode} {dtype} {shape} {options} {activation}", opcode, [Tensor(x, quantization)],
        dtype, quantization, (shape[0], *out, shape[3]), version=VERSIONS[opcode],
        fused_activation_function=activation, **options,
    )  # fmt: skip


def reduction(rng: Random, opcode: str, dtype: str) -> Trial:
    """Return a trial with any axes, negative, repeated or scalar, and keep_dims; in some cases over height and width."""
    rank = int(rng.integers(0, 6))
    shape = tuple(int(n) for n in rng.integers(1, 9, rank))
    if rank and rng.random() < 0.3:
        shape = (*shape[:-1], int(rng.choice([16, 17, 40, 100])))
    axes: list[int] = (
        [int(a) for a in rng.permutation(rank)[: int(rng.integers(0, rank + 1))]] if rank else []
    )
    keep = bool(rng.random() < 0.5)
    if rng.random() < 0.3:
        shape, axes, rank = (
            (*(int(n) for n in rng.integers(1, 15, 3)), int(rng.choice([1, 8, 16, 37, 64]))),
            [1, 2],
            4,
        )
    named = [a - rank if rng.random() < 0.3 else a for a in axes]
    if named and rng.random() < 0.1:
        named.append(axes[0])
    axis = np.asarray(named[0] if len(named) == 1 and rng.random() < 0.3 else named, np.int32)
    out = tuple(1 if i in axes else n for i, n in enumerate(shape) if keep or i not in axes)
    quantization = result = parameters(rng, dtype)
    if quantization is not None and opcode in ("MEAN", "SUM", "REDUCE_PROD"):
        result = _output(rng, opcode, dtype, quantization, int(np.prod([shape[a] for a in axes])))
    x = stored(rng, dtype, shape)
    if dtype == "float32":
        x = np.abs(x)
    return trial(
        f"{opcode} {dtype} {shape} axes {axis.tolist()} keep_dims {keep}", opcode,
        [Tensor(x, quantization), Tensor(axis, constant=True)], dtype, result, out,
        version=VERSIONS.get(opcode, 2), keep_dims=keep,
    )  # fmt: skip


def _output(rng: Random, opcode: str, dtype: str, given: Quantization, count: int) -> Quantization:
    scale = float(given.scale[0])
    spread = float(np.exp(rng.uniform(-1.5, 0.7)))
    if opcode == "SUM":
        spread *= max(1.0, float(np.sqrt(count)))
    if opcode == "REDUCE_PROD":
        low, high = INTEGER_RANGES[dtype]
        log = max(1, count) * np.log(scale * (high - low) / 4) - np.log((high - low) / 2)
        spread = float(np.exp(np.clip(log, -50, 50))) / scale
    elif rng.random() < 0.4:
        spread = 2.0 ** int(rng.integers(-2, 3)) * (1 if opcode == "SUM" else 2 / count)
    zero = 0 if dtype == "int16" else int(rng.integers(*INTEGER_RANGES[dtype], endpoint=True))
    return qparams(scale * spread, zero)


def index_of(rng: Random, opcode: str, dtype: str) -> Trial:
    shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 5))))
    shape = (*shape[:-1], int(rng.choice([1, 5, 33, 200])))
    axis = int(rng.integers(-len(shape), len(shape)))
    out = tuple(n for i, n in enumerate(shape) if i != axis % len(shape))
    wide = rng.random() < 0.5
    x = stored(rng, dtype, shape)
    return trial(
        f"{opcode} {dtype} {shape} axis {axis}", opcode,
        [Tensor(x, parameters(rng, dtype)), Tensor(np.asarray(axis, np.int32), constant=True)],
        "int64" if wide else "int32", None, out, version=2, output_type="int64" if wide else "int32",
    )  # fmt: skip


def running_sum(rng: Random, opcode: str, dtype: str) -> Trial:
    shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 5))))
    axis = int(rng.integers(-len(shape), len(shape)))
    options = {"exclusive": bool(rng.random() < 0.5), "reverse": bool(rng.random() < 0.5)}
    operands = [Tensor(stored(rng, dtype, shape)), Tensor(np.asarray(axis, np.int32), constant=True)]
    return trial(
        f"{opcode} {dtype} {shape} {axis} {options}", opcode, operands, dtype, None, shape, 1, **options
    )


def sum_of_many(rng: Random, opcode: str, dtype: str) -> Trial:
    shape = tuple(int(n) for n in rng.integers(1, 9, int(rng.integers(1, 5))))
    operands = [Tensor(stored(rng, dtype, shape)) for _ in range(int(rng.integers(2, 7)))]
    return trial(f"{opcode} {dtype} {shape} {len(operands)}", opcode, operands, dtype, None, shape, 1)


def choice(rng: Random, opcode: str, dtype: str) -> Trial:
    shape = tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(1, 5))))
    quantization = parameters(rng, dtype)

    def some(of: tuple[int, ...]) -> tuple[int, ...]:
        lean = tuple(1 if rng.random() < 0.3 else n for n in of)
        return lean[int(rng.integers(0, len(lean))) :]

    condition, yes, no = shape, shape, shape
    if opcode == "SELECT_V2" and rng.random() < 0.7:
        condition, yes, no = some(shape), some(shape), some(shape)
    elif opcode == "SELECT" and rng.random() < 0.5:
        condition = shape[:1] if rng.random() < 0.5 else ()
    out = np.broadcast_shapes(condition, yes, no) if opcode == "SELECT_V2" else shape
    operands = [
        Tensor(rng.random(condition) < 0.5),
        *(Tensor(stored(rng, dtype, s), quantization) for s in (yes, no)),
    ]
    return trial(
        f"{opcode} {dtype} {condition} {yes} {no}",
        opcode,
        operands,
        dtype,
        quantization,
        out,
        VERSIONS[opcode],
    )


def where(rng: Random, opcode: str, dtype: str) -> Trial:
    shape = tuple(int(n) for n in rng.integers(1, 6, int(rng.integers(1, 5))))
    x = stored(rng, dtype, shape) * (rng.random(shape) < 0.6)
    return trial(
        f"{opcode} {dtype} {shape}", opcode, [Tensor(x.astype(dtype))], "int64", None, (1, len(shape)), 1
    )


MAKERS: dict[str, Callable[[Random, str, str], Trial]] = {
    **dict.fromkeys(POOLING, pooling), **dict.fromkeys(REDUCTIONS, reduction), "ARG_MAX": index_of, "ARG_MIN": index_of,
    "CUMSUM": running_sum, "ADD_N": sum_of_many, "SELECT": choice, "SELECT_V2": choice, "WHERE": where,
}  # fmt: skip


def _made(opcode: str, dtype: str) -> Make:
    """Return trials in which the axis may be computed."""
    return varied(lambda rng: MAKERS[opcode](rng, opcode, dtype), ("axis",))


#: Operators that add floats; only BUILTIN_REF adds in the order of the elements.
SUMS = ("MEAN", "SUM", "AVERAGE_POOL_2D", "L2_POOL_2D")


def _far(kind: str, resolver: str, trial: Trial) -> Far:
    """Return the tolerance of sums of n floats of one sign in two orders.

    Each order rounds n - 1 times, by at most half a step of the output. A mean divides by n or multiplies by the
    rounded 1 / n. The distance is at most 2 n + 1 steps. For many values the roundings cancel out: the bound is 8 times
    the root of n, plus 3.
    """
    if resolver == "reference" or kind.split()[0] not in SUMS:
        return within(0)
    n = _terms(trial)
    return within(min(2 * n + 1, 8 * math.isqrt(n) + 3))


def _terms(trial: Trial) -> int:
    """Return the largest number of input elements of one output element."""
    graph = trial.model.subgraphs[0]
    operator = graph.operators[0]
    if operator.opcode in POOLING:
        options = operator.options
        assert options is not None
        return int(options.get("filter_height", 1)) * int(options.get("filter_width", 1))
    return trial.inputs[0].size // max(1, math.prod(graph.tensors[operator.outputs[0]].shape))


#: Kinds and resolvers with known faults in rules/arithmetic/known-faults.yaml.
FAULTY = frozenset({("SUM int8", "reference"), ("SUM int16", "reference")})
FAMILY = Family(
    {f"{opcode} {dtype}": _made(opcode, dtype) for opcode, types in TYPES.items() for dtype in types},
    _far,
    faulty=FAULTY,
)
