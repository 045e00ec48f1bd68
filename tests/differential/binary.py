"""Operators of two inputs: all pairs of 8-bit values, and wider types in shapes that broadcast."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.model.build import qparams
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.affine import tied
from tests.differential.one_operator import Tensor, Trial, trial, within
from tests.differential.operands import only, twice, varied
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
ACTIVATIONS = ("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1")
FUSED = ("ADD", "SUB", "MUL", "DIV")
COMPARISONS = ("EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
EIGHT_BITS = (*FUSED, "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM", *COMPARISONS)
#: Operators on stored values, with the types that LiteRT accepts.
STORED = {
    "FLOOR_DIV": ("int8", "int16", "int32", "float32"),
    "FLOOR_MOD": ("int8", "int16", "int32", "int64", "float32"),
    "POW": ("int32", "float32"),
    "LOGICAL_AND": ("bool",),
    "LOGICAL_OR": ("bool",),
    "BITWISE_XOR": ("int8", "uint8", "int16", "uint16", "int32", "uint32"),
    "RIGHT_SHIFT": ("int8", "uint8", "int16", "uint16", "int32", "uint32"),
    "ATAN2": ("float32",),
}
LIBM = ("POW", "ATAN2")
#: Real numbers for inputs with many equal pairs: both zeros, infinities and NaN among them.
FEW = np.array([-1.5, -1, -0.0, 0.0, 0.5, 1, 2, np.inf, -np.inf, np.nan], np.float32)
#: Operator versions different from 2: the newest types need the newest version.
VERSIONS = {
    "ADD": 5, "SUB": 5, "MUL": 5, "POW": 1, "LOGICAL_AND": 1, "LOGICAL_OR": 1, "BITWISE_XOR": 1, "RIGHT_SHIFT": 1,
    "ATAN2": 1, "FLOOR_DIV": 3,
}  # fmt: skip
#: Types beyond 8 bits of the arithmetic operators.
WIDE = {
    **dict.fromkeys(("ADD", "SUB", "MUL", "MAXIMUM", "MINIMUM"), ("int16", "float32", "int32", "int64")),
    **dict.fromkeys(COMPARISONS, ("int16", "float32", "int32", "int64")),
    "DIV": ("int16", "float32", "int32"),
    "SQUARED_DIFFERENCE": ("float32", "int32"),
    **STORED,
}


def parameters(rng: Random, opcode: str, dtype: str) -> tuple[Quantization, Quantization, Quantization]:
    """Return scales that a converter would choose, or in some cases very different scales, with all zero points."""
    low, high = INTEGER_RANGES[dtype]
    zeros = [0, 0, 0] if dtype == "int16" else [int(z) for z in rng.integers(low, high + 1, 3)]
    left, right = (float(s) for s in np.exp(rng.normal(-4, 1.5, 2)))
    if rng.random() < 0.2:
        right = left
    span = high - low
    largest = {
        "ADD": (left + right) * span, "SUB": (left + right) * span, "MUL": left * right * span**2 / 4,
        "DIV": left / right * span / 4, "SQUARED_DIFFERENCE": (max(left, right) * span) ** 2,
    }.get(opcode, left * span)  # fmt: skip
    out = largest / span * float(np.exp(rng.uniform(-2.5, 0.7)))
    if rng.random() < 0.3:
        left, right, out = ties(rng, opcode, left)
    if opcode in FUSED:
        out = tied(rng, out)
    if opcode in ("MAXIMUM", "MINIMUM"):
        return (qparams(left, zeros[0]),) * 3
    if opcode in COMPARISONS:
        left, right = min(left, 0.9), min(right, 0.9)
    if dtype == "int16" and rng.random() < 0.4:
        power = int(rng.integers(-12, -3))
        left = right = out = 2.0**power
        left = 2.0 ** (power - int(rng.integers(0, 4)))
        if rng.random() < 0.5:  # near powers of two, inside and outside the tolerance of LiteRT
            left, right, out = (s * 2.0 ** float(rng.uniform(-1.1e-3, 1.1e-3)) for s in (left, right, out))
    return qparams(left, zeros[0]), qparams(right, zeros[1]), qparams(out, zeros[2])


def ties(rng: Random, opcode: str, left: float) -> tuple[float, float, float]:
    """Return scales with which many outputs are near half a step, where roundings differ."""
    over = int(rng.integers(2, 12))
    half = 2 * left / over * int(rng.integers(1, 4)) / int(rng.integers(1, 4))
    if opcode == "MUL":
        return left, left / over, 2 * left * left / over * 2.0 ** int(rng.integers(0, 8))
    if opcode == "SQUARED_DIFFERENCE":
        return left, left, left * left * 2.0 ** int(rng.integers(1, 9))
    return left, left / over, half


def pairs(rng: Random, dtype: str, divisor_not: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return all pairs of 8-bit values in a random order, and seven pairs again, so that every vector loop has a tail."""
    low, high = INTEGER_RANGES[dtype]
    values = np.arange(low, high + 1).astype(dtype)
    right = values if divisor_not is None else values[values != divisor_not]
    x, y = np.repeat(values, right.size), np.tile(right, values.size)
    order = rng.permutation(x.size)
    order = np.concatenate([order, order[:7]])
    return x[order], y[order]


def eight_bits(rng: Random, opcode: str, dtype: str = "int8") -> Trial:
    """Return a trial of all 65,536 pairs with one random parameter set, elementwise or broadcast."""
    left, right, out = parameters(rng, opcode, dtype)
    zero = int(right.zero_point[0]) if opcode == "DIV" else None
    if rng.random() < 0.25:
        low, high = INTEGER_RANGES[dtype]
        x = np.arange(low, high + 1).astype(dtype)
        y = x if zero is None else x[x != zero]
        y = np.concatenate([y, y[:5]])
        x, y = (
            (x[:, None], y) if rng.random() < 0.5 else (x[:, None, None], np.repeat(y[:, None], 11, axis=1))
        )
        if opcode != "DIV" and rng.random() < 0.5:
            x, y = y, x
    else:
        x, y = pairs(rng, dtype, zero)
    options = {"fused_activation_function": str(rng.choice(ACTIVATIONS))} if opcode in FUSED else {}
    operands = [Tensor(x, left), Tensor(y, right)]
    truth = opcode in COMPARISONS
    title = f"{opcode} {dtype} {[(float(q.scale[0]), int(q.zero_point[0])) for q in (left, right, out)]} {options}"
    return trial(
        title, opcode, operands, "bool" if truth else dtype, None if truth else out,
        np.broadcast_shapes(x.shape, y.shape), **options,
    )  # fmt: skip


def shapes(rng: Random) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return two shapes that broadcast, of different ranks, with lengths of 1, 0 or up to 1,000.

    In some cases they differ by leading dimensions of length 1 only, which each kernel treats differently.
    """
    rank = int(rng.integers(0, 5))
    whole = [int(n) for n in rng.integers(1, 8, rank)]
    if rank and rng.random() < 0.3:
        whole[-1] = int(rng.integers(16, 1000))
    one = [1 if rng.random() < 0.25 else n for n in whole]
    other = [1 if rng.random() < 0.25 else n for n in whole][int(rng.integers(0, rank + 1)) if rank else 0 :]
    made = (tuple(one), tuple(other))
    if rank and rng.random() < 0.15:
        made = ((1,) * int(rng.integers(1, 3)) + tuple(whole), tuple(whole))
    return made if rng.random() < 0.5 else (made[1], made[0])


def values(
    rng: Random, opcode: str, dtype: str, shape: tuple[int, ...], right: bool, scalar: bool = False
) -> np.ndarray:
    """Return stored values with the limits of the type among them, without values that the operator rejects.

    ``scalar``: the right input is a single value.
    """
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype == "float32" and opcode in COMPARISONS and rng.random() < 0.5:
        return rng.choice(FEW, shape)
    if dtype == "float32":
        x = (rng.normal(size=shape) * np.exp(rng.normal(0, 2, shape))).astype(np.float32)
        return np.abs(x) if opcode == "POW" else x
    low, high = INTEGER_RANGES[dtype]
    if opcode == "POW":
        # A single exponent wraps around; elementwise powers pass through float64, which leaves large powers undefined.
        most = (40, 100) if scalar else (5, 30)
        return rng.integers(0, most[not right], shape).astype(dtype)
    narrow = rng.random() < 0.5
    x = (
        rng.integers(-20 if low else 0, 21, shape)
        if narrow
        else rng.integers(low, high, shape, endpoint=True)
    )
    if opcode in ("DIV", "FLOOR_DIV", "FLOOR_MOD") and right:
        x = np.where((x == 0) | (x == -1), 3, x)
    return x.astype(dtype)


def random_shapes(rng: Random, opcode: str, dtype: str) -> Trial:
    """Return a trial of random values in random shapes: broadcasting of all ranks, wider types."""
    shape_x, shape_y = shapes(rng)
    if opcode == "ATAN2":
        shape_y = shape_x
    quantizing = dtype in ("int8", "uint8", "int16") and opcode not in STORED
    left, right, out = parameters(rng, opcode, dtype) if quantizing else (None, None, None)
    scalar = not shape_y
    x, y = (values(rng, opcode, dtype, s, s is shape_y, scalar) for s in (shape_x, shape_y))
    if quantizing and opcode == "DIV":
        assert right is not None
        y = np.where(y == right.zero_point[0], y + 1 if right.zero_point[0] < 100 else y - 1, y).astype(dtype)
    options: dict[str, str | bool] = {}
    if opcode in FUSED:
        options["fused_activation_function"] = str(rng.choice(ACTIVATIONS))
    if opcode in ("ADD", "SUB") and dtype == "int16":
        options["pot_scale_int16"] = bool(rng.random() < 0.5)
    truth = opcode in COMPARISONS
    return trial(
        f"{opcode} {dtype} {shape_x} {shape_y} {options}", opcode, [Tensor(x, left), Tensor(y, right)],
        "bool" if truth else dtype, None if truth else out, np.broadcast_shapes(shape_x, shape_y),
        version=VERSIONS.get(opcode, 2), **options,
    )  # fmt: skip


def _made(make: Callable[[Random, str, str], Trial], opcode: str, dtype: str) -> Make:
    """Return trials in which an input may be a constant, or both inputs are one tensor."""

    def drawn(rng: Random) -> Trial:
        trial = make(rng, opcode, dtype)
        if opcode not in ("DIV", "FLOOR_DIV", "FLOOR_MOD", "RIGHT_SHIFT") and rng.random() < 0.1:
            trial = twice(trial)
        return trial

    return only(varied(drawn, held=("lhs", "rhs")), _of_known_shape)


def _of_known_shape(trial: Trial) -> bool:
    """Return True if XNNPACK does not lose the output's shape: see known-faults.yaml."""
    graph = trial.model.subgraphs[0]
    op = graph.operators[0]
    if op.options is None or not op.options.get("fused_activation_function", 0) or len(op.inputs) != 2:
        return True
    pair = [graph.tensors[i] for i in op.inputs]
    return not any(
        a.is_constant and a.size == 1 and len(a.shape) > len(b.shape)
        for a, b in zip(pair, pair[::-1], strict=True)
    )


#: ``pairs`` are all pairs of 8-bit values with a random set of parameters, in a random order.
KINDS: dict[str, Make] = {
    **{f"{op} {t} pairs": _made(eight_bits, op, t) for t in ("int8", "uint8") for op in EIGHT_BITS
       if (op, t) != ("SQUARED_DIFFERENCE", "uint8")},
    **{f"{op} int8": _made(random_shapes, op, "int8") for op in EIGHT_BITS},
    **{f"{op} {t}": _made(random_shapes, op, t) for op, types in WIDE.items() for t in types},
}  # fmt: skip
FAMILY = Family(
    KINDS,
    # outputs of mathematics libraries may differ by 4 ULPs
    lambda kind, resolver, trial: within(4 if kind.split()[0] in LIBM else 0),
    faults={"DIV": {"shift": "word"}},
)
