"""What a case is fed: the reference's own tensors, values drawn so that they are valid, and values aimed at edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.parts import Case
from litecheck.model.types import Operator, Tensor
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.dispatch import signature
from litecheck.reference.engine.entry import drawable
from litecheck.reference.engine.registry import kernels
from litecheck.reference.engine.values import HELD
from litecheck.reference.kernels import indexing, movement

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
#: The families of kernels that move values, where they have no stage that computes.
_MOVING = (movement.__name__, indexing.__name__)
#: Unquantized integers are drawn below this.
_SMALL = 10
#: Drawn at most so often, for so many outputs and so many inputs.
_DRAWS, _OUTPUTS, _INPUTS = 256, 1 << 13, 1 << 18
#: Swept at most so often.
_SWEEPS = 64
_Pattern = Callable[["_Use", int, int], NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """One inference's inputs in the order of the case's, and of which kind they are.

    One that ``follows`` goes on from the state that the feed before it left; others begin anew, or from the contents
    that ``start`` has for variable tensors of the case's model.
    """

    kind: str
    arrays: Arrays
    follows: bool = False
    start: Mapping[int, NDArray[Any]] = field(default_factory=dict)


def series(several: Sequence[Feed]) -> tuple[range, ...]:
    """The numbers of feeds that go together: each that begins anew, with those that follow it."""
    ends = [*(n for n, feed in enumerate(several) if not feed.follows), len(several)]
    return tuple(range(a, b) for a, b in pairwise(ends))


def propagated(case: Case, tensors: Mapping[int, NDArray[Any]]) -> Feed | None:
    """The reference's own tensors, None where one was not computed."""
    if any(i not in tensors for i in case.cut.inputs):
        return None
    return Feed(PROPAGATED, tuple(tensors[i] for i in case.cut.inputs))


def drawn(case: Case, tensors: Mapping[int, NDArray[Any]], seed: int) -> Feed | None:
    """Every stored value alike where the operator allows it; None where an operand that steers is not known.

    The same seed gives the same values for the same case, whatever else is verified.
    """
    return next(tried(case, tensors, seed, 1), None)


def redrawn(case: Case, tensors: Mapping[int, NDArray[Any]], seed: int) -> Iterator[Feed]:
    """More of the kind for a case of few outputs, in ever other parts of the range."""
    yield from islice(tried(case, tensors, seed, draws(case)), 1, None)


def draws(case: Case) -> int:
    """How often values are drawn for a case, at most: once where they are only moved, whatever they are."""
    if not any(_has_codes(_use(case, i)) for i in case.cut.inputs) or not any(map(computes, case.operators)):
        return 1
    made = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.cut.outputs)
    fed = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.cut.inputs)
    return max(1, min(_DRAWS, _OUTPUTS // max(made, 1), _INPUTS // max(fed, 1)))


def about(case: Case, kinds: Sequence[str], samples: int) -> int:
    """About how many feeds a case has, from its shapes alone: a few more or less are aimed at what it computes."""
    uses = [_use(case, i) for i in case.cut.inputs]
    count = samples if PROPAGATED in kinds else 0
    if RANDOM in kinds:
        count += draws(case)
    if DIRECTED in kinds and any(map(_has_codes, uses)):
        count += 4 + len(list(_sweeps(case, uses)))
    return max(count, 1)


def tried(case: Case, tensors: Mapping[int, NDArray[Any]], seed: int, count: int) -> Iterator[Feed]:
    """So many drawn feeds: the first over the whole range, the others over parts of it."""
    name = sum(b * 257**n for n, b in enumerate(case.name.encode()))
    uses = [_use(case, i) for i in case.cut.inputs]
    if not uses or not _known(uses, tensors):
        return
    for number in range(count):
        rng = np.random.default_rng([seed, name % 2**63, *([number] if number else [])])
        made = [
            tensors[use.tensor.index] if use.steers else _random(use, _like(tensors, use.tensor), rng, number)
            for use in uses
        ]
        yield Feed(RANDOM, tuple(made))


def _known(uses: Sequence[_Use], tensors: Mapping[int, NDArray[Any]]) -> bool:
    """Whether everything that steers is, and values can be made up for the rest."""
    return all(u.tensor.index in tensors or (not u.steers and drawable(u.tensor)) for u in uses)


def directed(case: Case, tensors: Mapping[int, NDArray[Any]]) -> Iterator[Feed]:
    """Both rails, rails in turn, zero points, and sweeps over all codes (all pairs of codes for two operands).

    Nothing for a case no operand of which holds few codes.
    """
    uses = [_use(case, i) for i in case.cut.inputs]
    if not _known(uses, tensors) or not any(map(_has_codes, uses)):
        return
    for pattern in (_lowest, _highest, _alternating, _zero, *_sweeps(case, uses)):
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
    bits = {BITS.get(u.tensor.dtype, 64) if _has_codes(u) else 64 for u in uses}
    if operator.opcode in UNARY and len(uses) == 1 and bits <= {8, 16}:
        codes = 1 << bits.pop()
        swept = len(np.unique(np.concatenate([feed.arrays[0].reshape(-1) for feed in feeds]))) == codes
        return f"all {codes:,} values" if swept else ""
    if (
        operator.opcode in BINARY
        and len(uses) == 2
        and bits == {8}
        and len({u.tensor.shape for u in uses}) == 1
    ):
        swept = any(
            len(np.unique(_pairs(*feed.arrays))) == 1 << 16
            for feed in feeds
            if feed.arrays[0].size >= 1 << 16
        )
        return "all 65,536 pairs" if swept else ""
    return ""


def _pairs(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.int64]:
    """A number for each pair of codes of 8 bits."""
    pairs: NDArray[np.int64] = a.reshape(-1).astype(np.int64) * 256 + b.reshape(-1)
    return pairs


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
    found = kernels().get(operator.kind, ())
    names = signature(found[0].function).inputs if found else ()
    for at, operand in enumerate(operator.inputs):
        if operand == index:
            yield operator.opcode, names[min(at, len(names) - 1)] if names else ""


def computes(operator: Operator) -> bool:
    """Whether an operator's kernels do more than move values: then other values may come out otherwise."""
    found = kernels().get(operator.opcode, ())
    return not found or any(k.stages or k.function.__module__ not in _MOVING for k in found)


def has_codes(tensor: Tensor) -> bool:
    """Whether a tensor is quantized to few enough codes to count: up to 16 bits."""
    return tensor.dtype in INTEGER_RANGES and BITS[tensor.dtype] <= 16 and tensor.quantization.is_set


def _has_codes(use: _Use) -> bool:
    return has_codes(use.tensor)


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


def _random(use: _Use, like: NDArray[Any], rng: np.random.Generator, number: int = 0) -> NDArray[Any]:
    if like.dtype.kind == "f":
        values = rng.normal(size=like.shape)
        bounded = np.abs(values) + (0.1 if use.positive else 0.0)
        return (bounded if use.positive or use.not_negative else values).astype(like.dtype)
    if like.dtype.kind == "b":
        return rng.integers(0, 2, like.shape).astype(like.dtype)
    low, high = _bounds(use) if _has_codes(use) else (1 if use.positive else 0, _SMALL - 1)
    if number and _has_codes(use):
        # A part of the range, mostly around the zero point: sums of products then do not all saturate.
        zero = min(max(_zero_point(use), low), high)
        if number % 4 == 3:
            return rng.choice([low, zero, high], like.shape).astype(like.dtype)
        middle = zero if number % 3 else int(rng.integers(low, high, endpoint=True))
        reach = (high - low) >> int(rng.integers(0, BITS[use.tensor.dtype] - 1))
        low, high = max(low, middle - reach), min(high, middle + reach)
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


#: Steps of about the golden section of a turn come near every place soon.
_STRIDE, _TURN = 40503, 1 << 16


def _sweeps(case: Case, uses: Sequence[_Use]) -> Iterator[_Pattern]:
    """One sweep, or as many as it takes for every code to come where there is one operand."""
    count = 1
    if len(uses) == 1 and len(case.operators) == 1 and case.operators[0].opcode in UNARY:
        size = math.prod(uses[0].tensor.shape)
        count = min(_SWEEPS, -(-(1 << BITS[uses[0].tensor.dtype]) // max(size, 1)))
    yield from (partial(_sweep, number=number) for number in range(count))


def _sweep(use: _Use, size: int, place: int, number: int = 0) -> NDArray[Any]:
    """Codes counted up from where the sweep before ended; a second operand counts up once the first has been through
    all of them. Where there are too few elements for that, second codes come in another order."""
    low, high = INTEGER_RANGES[use.tensor.dtype]
    codes = high - low + 1
    at = np.arange(number * size, (number + 1) * size)
    enough = not place or size >= codes * codes
    return np.add(low, at // codes**place % codes if enough else at * _STRIDE % _TURN * codes // _TURN)
