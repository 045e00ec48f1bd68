"""Inputs drawn at random so that they are valid: the first over the whole range, more of them over parts of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import islice

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.inputs import RANDOM, Feed, Input, inputs_of, known
from litecheck.cases.parts import Case
from litecheck.profile.operators import facts_of
from litecheck.quantization import BITS

#: Unquantized integers are drawn below this.
_SMALL = 10
#: Drawn at most so often, for so many outputs and so many inputs.
_DRAWS, _OUTPUTS, _INPUTS = 256, 1 << 13, 1 << 18


def drawn(case: Case, tensors: Mapping[int, Array], seed: int) -> Feed | None:
    """Every stored value alike where the operator allows it; None where an operand that steers is not known.

    The same seed gives the same values for the same case, whatever else is verified.
    """
    return next(tried(case, tensors, seed, 1), None)


def redrawn(case: Case, tensors: Mapping[int, Array], seed: int) -> Iterator[Feed]:
    """More of the kind for a case of few outputs, in ever other parts of the range."""
    yield from islice(tried(case, tensors, seed, draws(case)), 1, None)


def draws(case: Case) -> int:
    """How often values are drawn for a case, at most: once where they are only moved, whatever they are."""
    moved = all(facts_of(operator.kind).result == "moved" for operator in case.operators)
    if moved or not any(use.coded for use in inputs_of(case)):
        return 1
    made = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.cut.outputs)
    fed = sum(math.prod(case.subgraph.tensors[i].shape) for i in case.cut.inputs)
    return max(1, min(_DRAWS, _OUTPUTS // max(made, 1), _INPUTS // max(fed, 1)))


def tried(case: Case, tensors: Mapping[int, Array], seed: int, count: int) -> Iterator[Feed]:
    """So many drawn feeds: the first over the whole range, the others over parts of it."""
    name = sum(b * 257**n for n, b in enumerate(case.name.encode()))
    uses = inputs_of(case)
    if not uses or not known(uses, tensors):
        return
    for number in range(count):
        rng = np.random.default_rng([seed, name % 2**63, *([number] if number else [])])
        made = [
            tensors[use.tensor.index] if use.steers else _random(use, use.like(tensors), rng, number)
            for use in uses
        ]
        yield Feed(RANDOM, tuple(made))


def _random(use: Input, like: Array, rng: np.random.Generator, number: int = 0) -> Array:
    if like.dtype.kind == "f":
        values = rng.normal(size=like.shape)
        bounded = np.abs(values) + (0.1 if use.positive else 0.0)
        return (bounded if use.positive or use.non_negative else values).astype(like.dtype)
    if like.dtype.kind == "b":
        return rng.integers(0, 2, like.shape).astype(like.dtype)
    low, high = use.bounds if use.coded else (1 if use.positive else 0, _SMALL - 1)
    if number and use.coded:
        # A part of the range, mostly around the zero point: sums of products then do not all saturate.
        zero = min(max(use.zero_point, low), high)
        if number % 4 == 3:
            return rng.choice([low, zero, high], like.shape).astype(like.dtype)
        middle = zero if number % 3 else int(rng.integers(low, high, endpoint=True))
        reach = (high - low) >> int(rng.integers(0, BITS[use.tensor.dtype] - 1))
        low, high = max(low, middle - reach), min(high, middle + reach)
    return rng.integers(low, high, like.shape, endpoint=True).astype(like.dtype)
