"""What ties places of a model together besides rules: calls of subgraphs, variables, and tensors themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from litecheck.convert.binding import BoundFloat, Port, operands_at
from litecheck.convert.request import REAL
from litecheck.model.links import ASSIGN, called, links_of
from litecheck.model.types import Model, Subgraph

#: The option that names a subgraph whose results are its next operands.
_LOOP = "body_subgraph_index"


@dataclass(slots=True)
class Wire:
    """One tensor of real values: the place that writes it, if one does, and the places that read it."""

    subgraph: int
    tensor: int
    writer: Port | None = None
    readers: list[Port] = field(default_factory=list)


def wires(subgraph: Subgraph) -> list[Wire]:
    """The tensors of real values of a subgraph, in the order in which they are first known."""
    found: dict[int, Wire] = {}

    def wire(index: int) -> Wire | None:
        if index < 0 or subgraph.tensors[index].dtype != REAL:
            return None
        return found.setdefault(index, Wire(subgraph.index, index))

    def written(index: int, port: Port) -> None:
        one = wire(index)
        if one is not None:
            one.writer = port

    def read(index: int, port: Port) -> None:
        one = wire(index)
        if one is not None:
            one.readers.append(port)

    for place, index in enumerate(subgraph.inputs):
        written(index, Port(subgraph.index, -1, "output", place))
    for operator in subgraph.operators:
        for place, index in enumerate(operator.inputs):
            read(index, Port(subgraph.index, operator.index, "input", place))
        for place, index in enumerate(operator.outputs):
            written(index, Port(subgraph.index, operator.index, "output", place))
    for place, index in enumerate(subgraph.outputs):
        read(index, Port(subgraph.index, -1, "input", place))
    return list(found.values())


def entered(model: Model) -> frozenset[int]:
    """The subgraphs that are run from outside: the first, and those of signatures."""
    return frozenset({0, *(signature.subgraph for signature in model.signatures)})


def handed_on(model: Model, bound: BoundFloat) -> Iterator[tuple[Port, Port]]:
    """Pairs of places between which a call hands values on as they are stored: the caller's and the subgraph's own."""
    operator, at = bound.operator, bound.subgraph.index
    for option, index in called(operator):
        callee = model.subgraphs[index]
        first = len(operator.inputs) - len(callee.inputs)
        for place, tensor in enumerate(callee.inputs):
            if _real(callee, tensor):
                yield Port(at, operator.index, "input", first + place), Port(index, -1, "output", place)
        if len(callee.outputs) != len(operator.outputs):
            continue
        for place, tensor in enumerate(callee.outputs):
            if _real(callee, tensor):
                yield Port(at, operator.index, "output", place), Port(index, -1, "input", place)
                if option == _LOOP:
                    yield Port(at, operator.index, "input", first + place), Port(index, -1, "input", place)


def variables(model: Model) -> dict[tuple[str, str], list[Port]]:
    """The places that read or assign each variable that has a name."""
    handles = links_of(model).handles
    found: dict[tuple[str, str], list[Port]] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            name = handles.get((subgraph.index, operator.inputs[0])) if operator.inputs else None
            if name is None:
                continue
            side, place = ("input", 1) if operator.opcode == ASSIGN else ("output", 0)
            if _real(subgraph, operands_at(operator, side)[place]):
                found.setdefault(name, []).append(Port(subgraph.index, operator.index, side, place))
    return found


def _real(subgraph: Subgraph, index: int) -> bool:
    return index >= 0 and subgraph.tensors[index].dtype == REAL
