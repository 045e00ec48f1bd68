"""What a case is fed, and what each input of a case is to its operators: data to be made up, or an operand that steers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from litecheck.arrays import Array, Arrays
from litecheck.cases.parts import Case
from litecheck.model.types import Operator, Tensor
from litecheck.profile.operators import OperatorFacts, facts_of
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.entry import drawable
from litecheck.reference.operands import NUMPY_TYPES

PROPAGATED, RANDOM, DIRECTED = "propagated", "random", "directed"
KINDS = (PROPAGATED, RANDOM, DIRECTED)


@dataclass(frozen=True, slots=True, eq=False)
class Feed:
    """One inference's inputs in the order of the case's, and of which kind they are.

    One that ``follows`` goes on from the state that the feed before it left; others begin anew, or from the contents
    that ``start`` has for variable tensors of the case's model.
    """

    kind: str
    arrays: Arrays
    follows: bool = False
    start: Mapping[int, Array] = field(default_factory=dict)


def series(several: Sequence[Feed]) -> tuple[range, ...]:
    """The numbers of feeds that go together: each that begins anew, with those that follow it."""
    ends = [*(n for n, feed in enumerate(several) if not feed.follows), len(several)]
    return tuple(range(a, b) for a, b in pairwise(ends))


def propagated(case: Case, tensors: Mapping[int, Array]) -> Feed | None:
    """The reference's own tensors, None where one was not computed."""
    if any(i not in tensors for i in case.cut.inputs):
        return None
    return Feed(PROPAGATED, tuple(tensors[i] for i in case.cut.inputs))


@dataclass(frozen=True, slots=True, eq=False)
class Input:
    """How a case uses one of its inputs: ``steers`` keeps it as the reference has it, the others bound its values."""

    tensor: Tensor
    steers: bool
    positive: bool
    non_negative: bool

    @property
    def coded(self) -> bool:
        """Whether it is quantized to few enough codes to count."""
        return has_codes(self.tensor)

    @property
    def zero_point(self) -> int:
        """Its zero point, 0 where it has none."""
        zero_points = self.tensor.quantization.zero_point
        return int(zero_points[0]) if zero_points.size else 0

    @property
    def bounds(self) -> tuple[int, int]:
        """The least and the largest code its operators are defined for."""
        low, high = INTEGER_RANGES[self.tensor.dtype]
        if self.positive or self.non_negative:
            low = min(high, max(low, self.zero_point + (1 if self.positive else 0)))
        return low, high

    def like(self, tensors: Mapping[int, Array]) -> Array:
        """An array of its shape and type: the one that is known, or an empty one."""
        known = tensors.get(self.tensor.index)
        return np.empty(self.tensor.shape, NUMPY_TYPES[self.tensor.dtype]) if known is None else known


def inputs_of(case: Case) -> list[Input]:
    """The inputs of a case in its order."""
    return [_input(case, index) for index in case.cut.inputs]


def _input(case: Case, index: int) -> Input:
    uses = [use for operator in case.operators for use in _uses(operator, index)]
    kinds = {facts.inputs.get(role, "") for facts, role in uses}
    steers = any(facts.steers(role) for facts, role in uses)
    return Input(case.subgraph.tensors[index], steers, "positive" in kinds, "non-negative" in kinds)


def _uses(operator: Operator, index: int) -> Iterator[tuple[OperatorFacts, str]]:
    facts = facts_of(operator.kind)
    yield from ((facts, facts.role(at)) for at, operand in enumerate(operator.inputs) if operand == index)


def known(inputs: Sequence[Input], tensors: Mapping[int, Array]) -> bool:
    """Whether everything that steers is, and values can be made up for the rest."""
    return all(u.tensor.index in tensors or (not u.steers and drawable(u.tensor)) for u in inputs)


def has_codes(tensor: Tensor) -> bool:
    """Whether a tensor is quantized to few enough codes to count: up to 16 bits."""
    return tensor.dtype in INTEGER_RANGES and BITS[tensor.dtype] <= 16 and tensor.quantization.is_set


def only(case: Case) -> OperatorFacts:
    """What is true of a case's operator; nothing is where there are several."""
    return facts_of(case.operators[0].kind if len(case.operators) == 1 else "")
