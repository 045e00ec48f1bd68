"""Functions of one value in a row, which XNNPACK computes as one table of 256 entries.

Each step of such a row is read by the next one alone. The table is made by running the row on all bytes before XNNPACK
rewrites any of it: there a tensor times itself is still a product. Source: xnnpack/src/subgraph.c.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from litecheck.model.options import options_of
from litecheck.model.types import Operator, Subgraph

#: Whether an operator computes a function of one value, given that its other operands are single constants.
IsFunction = Callable[[Operator], bool]
#: As many steps make one table; the next one begins another.
LONGEST = 10


def in_table(subgraph: Subgraph, operator: Operator, is_function: IsFunction, clamps: IsFunction) -> bool:
    """Whether an operator that reads one tensor twice stands in a table, behind others.

    ``clamps`` says of an operator with a fused activation that this is a step of its own, whatever it belongs to.
    """
    row = list(_before(subgraph, operator, is_function, clamps))
    begins = max((at for at, can_begin in enumerate(row) if can_begin), default=None)
    return begins is not None and (begins + 1) % LONGEST > 0


def _before(
    subgraph: Subgraph, operator: Operator, is_function: IsFunction, clamps: IsFunction
) -> Iterator[bool]:
    """The steps in front of an operator, the nearest first: of each whether a table can begin with it."""
    made = {index: one for one in subgraph.operators for index in one.outputs}
    index = _value(subgraph, operator)
    while index is not None and index in made and _read_once(subgraph, index):
        one = made[index]
        if clamps(one) and options_of(one).get("fused_activation_function", "NONE") != "NONE":
            yield _of_bytes(subgraph, index)
        index = _value(subgraph, one)
        if index is None or not is_function(one):
            return
        doubled = len(one.inputs) > len(set(one.inputs))
        yield not doubled and _of_bytes(subgraph, index)


def _value(subgraph: Subgraph, operator: Operator) -> int | None:
    """The one tensor an operator computes a function of: all its other operands are constants of one element."""
    read = set(operator.inputs) - {-1}
    constants = {i for i in read if subgraph.tensors[i].is_constant and subgraph.tensors[i].size == 1}
    (*values,) = read - constants
    return values[0] if len(values) == 1 else None


def _read_once(subgraph: Subgraph, index: int) -> bool:
    readers = sum(index in one.inputs for one in subgraph.operators)
    return readers == 1 and index not in subgraph.outputs


def _of_bytes(subgraph: Subgraph, index: int) -> bool:
    return subgraph.tensors[index].dtype in ("int8", "uint8")
