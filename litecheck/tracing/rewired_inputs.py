"""Inputs of a quantized operator that correspond to another tensor than the float operator reads."""

from __future__ import annotations

from litecheck.model.graph import wiring_of
from litecheck.model.matching import SubgraphMatch
from litecheck.model.tensor_matching import before_operators
from litecheck.model.types import Subgraph
from litecheck.profile.operators import traits_of
from litecheck.tracing.isolated_operators import IsolatedOperator


def rewiring_text(part: SubgraphMatch, fed: IsolatedOperator) -> str:
    """Return a text on the input that corresponds to another tensor than the float operator reads, or "".

    Example: an ADD is lost, and the next layer reads the output of the convolution before the ADD.
    """
    mine, homes = part.first.operators[fed.one], dict(fed.feeds)
    for place, (old, new) in enumerate(zip(mine.inputs, fed.operator.inputs, strict=False)):
        home = homes.get(new, -1)
        read = fed.reads.get(home, home)
        if min(home, old) < 0 or _before_views(part.first, read) == _before_views(part.first, old):
            continue
        lost = {one.operator for one in part.unmatched if one.side == 0}
        writer = wiring_of(part.first).last_writer.get(old, -1)
        tail = ", which the quantized model lacks" if writer in lost else ""
        return (
            f"its {traits_of(mine.kind).role(place)} is {_describe_source(part.second, new)}, and the float operator's is "
            f"{_describe_source(part.first, old)} of the float model{tail}"
        )
    return ""


def _before_views(subgraph: Subgraph, index: int) -> int:
    """Return the tensor before operators that only change a shape, for example before RESHAPE."""
    return before_operators(subgraph, index, lambda operator: traits_of(operator.kind).view)


def _describe_source(subgraph: Subgraph, index: int) -> str:
    """Return ``the output of ADD #5``, or the name of an input of the model."""
    writer = wiring_of(subgraph).last_writer.get(index, -1)
    if writer < 0:
        return f"'{subgraph.tensors[index].name}'"
    return f"the output of {subgraph.operators[writer].kind} #{writer}"
