"""What a case is fed: the reference's own tensors, values drawn so that they are valid, and values aimed at edges."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.types import Operator, Tensor
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.dispatch import signature
from litecheck.reference.entry import drawable
from litecheck.reference.registry import kernels
from litecheck.reference.values import HELD
from litecheck.verify.devices.port import Arrays
from litecheck.verify.plan import Case

PROPAGATED, RANDOM, DIRECTED = "propagated", "random", "directed"
KINDS = (PROPAGATED, RANDOM, DIRECTED)

#: Operands that say where and how much, not what: they are kept as the reference has them.
STEERING = frozenset(
    "axis begin block_shape condition crops delta depth dims end indices k limit multiples output_shape paddings perm"
    " resource seq_lengths shape shape1 shape2 size size_splits start start_indices strides".split()
)
#: Operators whose operands all steer: what they run depends on them.
_CONTROL = ("IF", "WHILE", "CALL_ONCE")
#: Operands that must be positive, and those that must not be negative.
_POSITIVE = {("LOG", "input"), ("RSQRT", "input"), ("DIV", "rhs"), ("FLOOR_DIV", "rhs"), ("FLOOR_MOD", "rhs")}
_POSITIVE |= {("POW", "lhs")}
_NOT_NEGATIVE = {("SQRT", "input")}
#: Operators that treat each element by itself: their outputs on a sweep over all codes are all they can ever give.
UNARY = frozenset(
    "ABS CAST CEIL COS DEQUANTIZE ELU EXP FLOOR GELU HARD_SWISH LEAKY_RELU LOG LOGICAL_NOT LOGISTIC NEG QUANTIZE RELU"
    " RELU6 RELU_0_TO_1 RELU_N1_TO_1 ROUND RSQRT SIGN SIN SQRT SQUARE TANH".split()
)
BINARY = frozenset(
    "ADD DIV EQUAL FLOOR_DIV FLOOR_MOD GREATER GREATER_EQUAL LESS LESS_EQUAL MAXIMUM MINIMUM MUL NOT_EQUAL"
    " SQUARED_DIFFERENCE SUB".split()
)
#: Unquantized integers are drawn below this.
_SMALL = 10


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """One inference's inputs in the order of the case's, and of which kind they are."""

    kind: str
    arrays: Arrays


def propagated(case: Case, tensors: Mapping[int, NDArray[Any]]) -> Feed | None:
    """The reference's own tensors, None where one was not computed."""
    if any(i not in tensors for i in case.cut.inputs):
        return None
    return Feed(PROPAGATED, tuple(tensors[i] for i in case.cut.inputs))


def drawn(case: Case, tensors: Mapping[int, NDArray[Any]], seed: int) -> Feed | None:
    """Every stored value alike where the operator allows it; None where an operand that steers is not known.

    The same seed gives the same values for the same case, whatever else is verified.
    """
    name = sum(b * 257**n for n, b in enumerate(case.name.encode()))
    rng = np.random.default_rng([seed, name % 2**63])
    made = []
    for index in case.cut.inputs:
        use = _use(case, index)
        if index not in tensors and (use.steers or not drawable(use.tensor)):
            return None
        made.append(tensors[index] if use.steers else _random(use, _like(tensors, use.tensor), rng))
    return Feed(RANDOM, tuple(made)) if made else None


def directed(case: Case, tensors: Mapping[int, NDArray[Any]]) -> Iterator[Feed]:
    """Both rails, rails in turn, zero points, and a sweep over all codes (all pairs of codes for two operands).

    Nothing for a case no operand of which holds few codes.
    """
    uses = [_use(case, i) for i in case.cut.inputs]
    unknown = [use for use in uses if use.tensor.index not in tensors]
    if any(u.steers or not drawable(u.tensor) for u in unknown) or not any(map(_has_codes, uses)):
        return
    for pattern in (_lowest, _highest, _alternating, _zero, _sweep):
        place, arrays = 0, []
        for use in uses:
            like = _like(tensors, use.tensor)
            if use.steers or not _has_codes(use):
                arrays.append(
                    tensors[use.tensor.index] if use.tensor.index in tensors else np.ones_like(like)
                )
                continue
            codes = pattern(use, like.size, place).astype(like.dtype)
            arrays.append(np.clip(codes, *_bounds(use)).astype(like.dtype).reshape(like.shape))
            place += 1
        yield Feed(DIRECTED, tuple(arrays))


def exhaustive(case: Case, feeds: tuple[Feed, ...]) -> str:
    """Which inputs were tried completely, or nothing: only for single operators on elements."""
    if len(case.operators) != 1 or not any(f.kind == DIRECTED for f in feeds):
        return ""
    operator, uses = case.operators[0], [_use(case, i) for i in case.cut.inputs]
    if any(BITS.get(u.tensor.dtype, 64) != 8 or not _has_codes(u) for u in uses):
        return ""
    sizes = [array.size for array in feeds[-1].arrays]
    if operator.opcode in UNARY and len(uses) == 1 and sizes[0] >= 1 << 8:
        return "all 256 values"
    whole = operator.opcode in BINARY and len(uses) == 2 and len({a.shape for a in feeds[-1].arrays}) == 1
    return "all 65,536 pairs" if whole and sizes[0] >= 1 << 16 else ""


@dataclass(frozen=True, slots=True, eq=False)
class _Use:
    """How a case uses one of its inputs."""

    tensor: Tensor
    steers: bool
    positive: bool
    not_negative: bool


def _use(case: Case, index: int) -> _Use:
    roles = {role for op in case.operators for role in _roles(op, index)}
    return _Use(
        case.subgraph.tensors[index],
        any(role in STEERING or opcode in _CONTROL for opcode, role in roles),
        bool(roles & _POSITIVE),
        bool(roles & _NOT_NEGATIVE),
    )


def _roles(operator: Operator, index: int) -> Iterator[tuple[str, str]]:
    found = kernels().get(operator.opcode, ())
    names = signature(found[0].function).inputs if found else ()
    for at, operand in enumerate(operator.inputs):
        if operand == index:
            yield operator.opcode, names[min(at, len(names) - 1)] if names else ""


def _has_codes(use: _Use) -> bool:
    tensor = use.tensor
    return tensor.dtype in INTEGER_RANGES and BITS[tensor.dtype] <= 16 and tensor.quantization.is_set


def _like(tensors: Mapping[int, NDArray[Any]], tensor: Tensor) -> NDArray[Any]:
    known = tensors.get(tensor.index)
    return np.empty(tensor.shape, HELD[tensor.dtype]) if known is None else known


def _zero_point(use: _Use) -> int:
    zero_points = use.tensor.quantization.zero_point
    return int(zero_points[0]) if zero_points.size else 0


def _bounds(use: _Use) -> tuple[int, int]:
    low, high = INTEGER_RANGES[use.tensor.dtype]
    if use.positive or use.not_negative:
        low = min(high, max(low, _zero_point(use) + (1 if use.positive else 0)))
    return low, high


def _random(use: _Use, like: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    if like.dtype.kind == "f":
        values = rng.normal(size=like.shape)
        bounded = np.abs(values) + (0.1 if use.positive else 0.0)
        return (bounded if use.positive or use.not_negative else values).astype(like.dtype)
    if like.dtype.kind == "b":
        return rng.integers(0, 2, like.shape).astype(like.dtype)
    low, high = _bounds(use) if _has_codes(use) else (1 if use.positive else 0, _SMALL - 1)
    return rng.integers(low, high, like.shape, endpoint=True).astype(like.dtype)


def _lowest(use: _Use, size: int, place: int) -> NDArray[Any]:
    return np.full(size, _bounds(use)[0])


def _highest(use: _Use, size: int, place: int) -> NDArray[Any]:
    return np.full(size, _bounds(use)[1])


def _zero(use: _Use, size: int, place: int) -> NDArray[Any]:
    return np.full(size, _zero_point(use))


def _alternating(use: _Use, size: int, place: int) -> NDArray[Any]:
    """Low and high in turn, in a rhythm that does not divide usual channel counts."""
    return np.where((np.arange(size) // 3 + place) % 2, *_bounds(use))


def _sweep(use: _Use, size: int, place: int) -> NDArray[Any]:
    """Codes counted up; a second operand counts up once the first has been through all of them."""
    low, high = INTEGER_RANGES[use.tensor.dtype]
    codes = high - low + 1
    counted: NDArray[Any] = np.arange(size) // codes**place % codes
    return low + counted
