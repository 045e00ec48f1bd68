"""Inputs of a case: the use of each input by its operators, and valid random values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array, StackedRuns, count_elements
from litecheck.cases.model_parts import Case
from litecheck.cases.random_streams import OneStream, SeededStreams, Streams
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import OperatorTraits, traits_of
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.quantizer.litert import quantize
from litecheck.quantizer.types import Parameters
from litecheck.reference.compute_limits import limits_in_force
from litecheck.reference.engine.entry_point import affordable
from litecheck.reference.runtime_tensors import NUMPY_TYPES

#: Inputs of a case, and its outputs, use at most 1/16 of the memory, because devices and comparisons make copies.
_SHARE = 16
#: Bytes per element: a device gets two copies of the inputs, and returns outputs.
_WIDE = 4
PROPAGATED, RANDOM, DIRECTED = "propagated", "random", "directed"
KINDS = (PROPAGATED, RANDOM, DIRECTED)


def limit_memory(parts: Iterable[Stimuli]) -> Iterator[Stimuli]:
    """Yield inferences until their arrays exceed a sixteenth of the memory, at 4 bytes per element; at least one.

    For example, four inferences with inputs of 20 million elements under the default of 4.3 GB.
    """
    left = _share()
    for part in parts:
        if left < (needed := count_elements(part.runs)):
            sums = accumulate(map(count_elements, ([arrays] for arrays in part.runs)))
            yield part[: 1 + sum(found <= left for found in sums)]
            return
        left -= needed
        yield part


def exceeds_share(elements: int) -> bool:
    """Return True if arrays of ``elements`` elements are too many for the inputs or the outputs of a case.

    For example, 67,108,864 elements fit under the default of 4 GiB, 67,108,865 do not.
    """
    return elements > _share()


def _share() -> int:
    return limits_in_force().memory // _SHARE // _WIDE


def propagated_inputs(case: Case, tensors: Mapping[int, Array]) -> Stimulus | None:
    """Return the tensors that the reference computed as inputs of the case; None if any of them was not computed."""
    if any(i not in tensors for i in case.submodel.inputs):
        return None
    return Stimulus(PROPAGATED, tuple(tensors[i] for i in case.submodel.inputs))


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """Use of an input by a case: if ``steers`` is True, it keeps the reference's values; other flags bound its values.

    ``permutation_unit`` is the part of such values that random inputs reorder: ``elements``, ``rows``, or "" for none.
    """

    tensor: Tensor
    steers: bool
    positive: bool
    non_negative: bool
    permutation_unit: str = ""

    @property
    def is_quantized(self) -> bool:
        """Return True if the input is quantized with at most 16 bits."""
        return has_codes(self.tensor)

    @property
    def zero_point(self) -> int:
        """Zero point of the input, 0 if it has none."""
        zero_points = self.tensor.quantization.zero_point
        return int(zero_points[0]) if zero_points.size else 0

    @property
    def bounds(self) -> tuple[int, int]:
        """Return the smallest and largest stored value for which its operators are defined."""
        low, high = INTEGER_RANGES[self.tensor.dtype]
        if self.positive or self.non_negative:
            low = min(high, max(low, self.zero_point + (1 if self.positive else 0)))
        return low, high

    def like(self, tensors: Mapping[int, Array]) -> Array:
        """Return an array of its shape and type: the known array, or an empty array."""
        known = tensors.get(self.tensor.index)
        return np.empty(self.tensor.shape, NUMPY_TYPES[self.tensor.dtype]) if known is None else known


def inputs_of(case: Case) -> list[Input]:
    """Return the inputs of a case in its order."""
    return inputs_among(case.subgraph, case.operators, case.submodel.inputs)


def inputs_among(subgraph: Subgraph, operators: Sequence[Operator], indexes: Sequence[int]) -> list[Input]:
    """Return the use of tensors by operators of a subgraph, in the order of the indexes."""
    uses: dict[int, set[tuple[str, bool, str]]] = {index: set() for index in indexes}
    for operator in operators:
        facts = traits_of(operator.kind)
        for at, index in enumerate(operator.inputs):
            if index in uses:
                role = facts.role(at)
                uses[index].add(
                    (facts.inputs.get(role, ""), facts.steers(role), facts.valid_reordering(role))
                )
    return [_input(subgraph.tensors[index], uses[index]) for index in indexes]


def _input(tensor: Tensor, uses: Set[tuple[str, bool, str]]) -> Input:
    kinds = {kind for kind, *_ in uses}
    steers = any(steering for _, steering, _ in uses)
    orders = {reordered for *_, reordered in uses}
    reordered = orders.pop() if len(orders) == 1 else ""
    if math.prod(tensor.shape) < 2 or (reordered == "rows" and len(tensor.shape) < 2):
        reordered = ""
    return Input(tensor, steers, "positive" in kinds, "non-negative" in kinds, reordered)


def has_steering_values(inputs: Sequence[Input], tensors: Mapping[int, Array]) -> bool:
    """Return True if the values of all inputs that steer are known, and the remaining inputs are small enough to draw."""
    return all(u.tensor.index in tensors or (not u.steers and affordable(u.tensor)) for u in inputs)


def has_codes(tensor: Tensor) -> bool:
    """Return True if a tensor is quantized with at most 16 bits."""
    return tensor.dtype in INTEGER_RANGES and BITS[tensor.dtype] <= 16 and tensor.quantization.is_set


def only(case: Case) -> OperatorTraits:
    """Return the facts about a case's operator; empty facts if there are several operators."""
    return traits_of(case.operators[0].kind if len(case.operators) == 1 else "")


#: Exclusive upper bound of unquantized random integers.
_SMALL = 10
#: Limits of the draws of a case: their number, their output elements, their input elements.
_DRAWS, _OUTPUTS, _INPUTS = 256, 1 << 13, 1 << 18
#: Number of draws of indices and predicates, including the known values.
_ORDERS = 3
#: Number of elements drawn at once; fewer inferences than ``_FEW`` are drawn one by one, which is then faster.
_BLOCK, _FEW = 1 << 16, 16


def draw_inputs(case: Case, tensors: Mapping[int, Array], seed: int) -> Stimulus | None:
    """Return uniform random stored values that the operator allows; None if an input that steers is unknown.

    The values depend on the seed and the case only, not on other cases of the run.
    """
    return next(draw_stimuli(case, tensors, seed, 1), None)


def draws(case: Case) -> int:
    """Return the largest number of draws for a case: 1 if its operators only move values, 3 if inputs are reordered."""
    uses = inputs_of(case)
    moved = all(traits_of(operator.kind).result == "moved" for operator in case.operators)
    if moved or not any(use.is_quantized for use in uses):
        return _ORDERS if any(use.permutation_unit for use in uses) else 1
    made = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.submodel.outputs)
    fed = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.submodel.inputs)
    return max(1, min(_DRAWS, _OUTPUTS // max(made, 1), _INPUTS // max(fed, 1)))


def draw_stimuli(case: Case, tensors: Mapping[int, Array], seed: int, count: int) -> Iterator[Stimulus]:
    """Return the given number of drawn inputs: the first over the whole range, the rest over parts of it."""
    return chain.from_iterable(DrawnInputs(case, tensors, seed).first(count))


class DrawnInputs:
    """Drawn inputs of a case, as in :func:`tried`: each is drawn once, on first use. None without the values of an
    input that steers."""

    def __init__(self, case: Case, tensors: Mapping[int, Array], seed: int) -> None:
        name = sum(b * 257**n for n, b in enumerate(case.name.encode()))
        uses = inputs_of(case)
        self._key = seed, name % 2**63
        self._uses = [(use, use.like(tensors)) for use in uses] if has_steering_values(uses, tensors) else []
        self._together = all((use.steers or use.is_quantized) and not use.permutation_unit for use in uses)
        self._made: list[Stimuli] = []

    def first(self, count: int) -> Iterator[Stimuli]:
        """Yield the first ``count`` drawn inputs, in parts."""
        number = at = 0
        while self._uses and number < count:
            if at == len(self._made):
                self._made.append(self._draw_more(number, count - number))
            part = self._made[at]
            yield part if len(part) <= count - number else part[: count - number]
            number, at = number + len(part), at + 1

    def _draw_more(self, first: int, count: int) -> Stimuli:
        """Draw inputs from number ``first`` on, at most ``count``: one, or several small ones together."""
        count = min(count, _BLOCK // max(1, sum(like.size for _, like in self._uses)))
        if first and self._together and count >= _FEW:
            numbers = np.arange(first, first + count)
            expected = sum(like.size + 2 for use, like in self._uses if not use.steers)
            streams = SeededStreams(self._key, numbers, expected)
            columns = (
                np.broadcast_to(like, (count, *like.shape))
                if use.steers
                else _draw_stored(use, like, streams, numbers)
                for use, like in self._uses
            )
            return Stimuli((RANDOM,) * count, StackedRuns(tuple(columns)))
        rng = np.random.default_rng([*self._key, *([first] if first else [])])
        return Stimuli((RANDOM,), [tuple(_draw_input(use, like, rng, first) for use, like in self._uses)])


def _reordered(use: Input, like: Array, rng: np.random.Generator) -> Array:
    """Return elements or rows in a random order. Example: the indices 0, 3, 1 of GATHER become 1, 0, 3."""
    return rng.permutation(like if use.permutation_unit == "rows" else like.reshape(-1)).reshape(like.shape)


def _draw_input(use: Input, like: Array, rng: np.random.Generator, number: int) -> Array:
    if use.steers:
        return _reordered(use, like, rng) if number and use.permutation_unit else like
    if like.dtype.kind == "f":
        values = rng.normal(size=like.shape)
        bounded = np.abs(values) + (0.1 if use.positive else 0.0)
        return (bounded if use.positive or use.non_negative else values).astype(like.dtype)
    if like.dtype.kind == "b":
        return rng.integers(0, 2, like.shape).astype(like.dtype)
    if use.is_quantized:
        codes: Array = _draw_stored(use, like, OneStream(rng), np.array([number]))[0]
        return codes
    return rng.integers(1 if use.positive else 0, _SMALL, like.shape).astype(like.dtype)


def _draw_stored(use: Input, like: Array, streams: Streams, numbers: NDArray[np.int64]) -> Array:
    """Return stored values for each number, (numbers, *shape).

    Number 0 has the whole range. The rest have a part of it, mostly around the zero point: sums of products then do not
    all saturate. Every fourth has the limits and the zero point alone.
    """
    low, high = use.bounds
    zero = min(max(use.zero_point, low), high)
    ends = numbers % 4 == 3
    anywhere = (numbers % 3 == 0) & (numbers > 0) & ~ends
    middle = np.where(anywhere, low + streams.integers(np.where(anywhere, high - low + 1, 1))[:, 0], zero)
    narrowed = np.where((numbers > 0) & ~ends, BITS[use.tensor.dtype] - 1, 1)
    reach = (high - low) >> streams.integers(narrowed)[:, 0]
    first = np.maximum(low, middle - reach)
    counts = np.where(ends, 3, np.minimum(high, middle + reach) - first + 1)
    codes = streams.integers(counts, like.size)
    codes[~ends] += first[~ends, None]
    codes[ends] = np.array([low, zero, high])[codes[ends]]
    return codes.astype(like.dtype).reshape((len(numbers), *like.shape))


def quantize_input(tensor: Tensor, array: Array) -> Array:
    """Return the array, quantized with the tensor's scale and zero point if it is float and the tensor is not.

    Float64 is returned unchanged: a float tensor of a model does not have this type.

    For example, 1.0 and -1.0 with scale 0.5 and zero point 3 give 5 and 1.
    """
    quantized = tensor.dtype in INTEGER_RANGES and bool(tensor.quantization.scale.size)
    if array.dtype.name not in ("float32", "float16") or not quantized:
        return array
    return quantize(array, Parameters.of(tensor.quantization), tensor.dtype).astype(
        NUMPY_TYPES[tensor.dtype], copy=False
    )
