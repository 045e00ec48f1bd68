"""Links between ports of a model besides rules: calls of subgraphs, variables, and tensors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, operands_at
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.model.links import ASSIGN, links_of, subgraph_calls
from litecheck.model.types import Model, Subgraph
from litecheck.spelling import suggestion

#: Option that names a subgraph whose outputs are its inputs in the next turn.
_LOOP = "body_subgraph_index"


@dataclass(slots=True)
class Edge:
    """A tensor of real values: the port that writes it, or None, and the ports that read it."""

    subgraph: int
    tensor: int
    writer: TensorUse | None = None
    readers: list[TensorUse] = field(default_factory=list)


def edges(subgraph: Subgraph) -> list[Edge]:
    """Return the tensors of real values of a subgraph, in order of first use."""
    found: dict[int, Edge] = {}

    def wire(index: int) -> Edge | None:
        if index < 0 or subgraph.tensors[index].dtype != REAL:
            return None
        return found.setdefault(index, Edge(subgraph.index, index))

    def written(index: int, port: TensorUse) -> None:
        one = wire(index)
        if one is not None:
            one.writer = port

    def read(index: int, port: TensorUse) -> None:
        one = wire(index)
        if one is not None:
            one.readers.append(port)

    for place, index in enumerate(subgraph.inputs):
        written(index, TensorUse(subgraph.index, -1, "output", place))
    for operator in subgraph.operators:
        for place, index in enumerate(operator.inputs):
            read(index, TensorUse(subgraph.index, operator.index, "input", place))
        for place, index in enumerate(operator.outputs):
            written(index, TensorUse(subgraph.index, operator.index, "output", place))
    for place, index in enumerate(subgraph.outputs):
        read(index, TensorUse(subgraph.index, -1, "input", place))
    return list(found.values())


def entry_edges(model: Model) -> frozenset[int]:
    """Return the subgraphs that can be run from outside: the first subgraph, and those of signatures."""
    return frozenset({0, *(signature.subgraph for signature in model.signatures)})


def call_edges(model: Model, bound: BoundFloatOperator) -> Iterator[tuple[TensorUse, TensorUse]]:
    """Yield pairs of ports between which a call passes stored values unchanged: the caller's port and the subgraph's."""
    operator, at = bound.operator, bound.subgraph.index
    for option, index in subgraph_calls(operator):
        callee = model.subgraphs[index]
        first = len(operator.inputs) - len(callee.inputs)
        for place, tensor in enumerate(callee.inputs):
            if _is_real(callee, tensor):
                yield (
                    TensorUse(at, operator.index, "input", first + place),
                    TensorUse(index, -1, "output", place),
                )
        if len(callee.outputs) != len(operator.outputs):
            continue
        for place, tensor in enumerate(callee.outputs):
            if _is_real(callee, tensor):
                yield TensorUse(at, operator.index, "output", place), TensorUse(index, -1, "input", place)
                if option == _LOOP:
                    yield (
                        TensorUse(at, operator.index, "input", first + place),
                        TensorUse(index, -1, "input", place),
                    )


def variables(model: Model) -> dict[tuple[str, str], list[TensorUse]]:
    """Return the ports that read or assign each named variable."""
    handles = links_of(model).handles
    found: dict[tuple[str, str], list[TensorUse]] = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            name = handles.get((subgraph.index, operator.inputs[0])) if operator.inputs else None
            if name is None:
                continue
            side, place = ("input", 1) if operator.opcode == ASSIGN else ("output", 0)
            if _is_real(subgraph, operands_at(operator, side)[place]):
                found.setdefault(name, []).append(TensorUse(subgraph.index, operator.index, side, place))
    return found


def exchange_ports(model: Model, ties: Sequence[tuple[str, str]] = ()) -> dict[str, list[TensorUse]]:
    """Return the ports of inputs and outputs that signatures exchange, by name.

    Two inputs or outputs with one name and one shape, of one signature or of several, hand stored values on. Example: the
    cache ``kv_cache_k_0`` of ``prefill`` and ``decode``. Names in ``ties`` are names of one state: ``state_in`` and
    ``state_out``. Raises ConfigError for ties that name nothing or tensors of different shapes.
    """
    ends = list(_ends(model, bool(ties)))
    given, ties = ties, _end_names(ties, ends)
    names = _states(ties)
    found: dict[tuple[str, tuple[int, ...]], list[TensorUse]] = {}
    known: dict[str, tuple[int, ...]] = {}
    for name, subgraph, index, port in ends:
        known.setdefault(name, subgraph.tensors[index].shape)
        found.setdefault((names.get(name, name), subgraph.tensors[index].shape), []).append(port)
    for text, pair in zip(given, ties, strict=True):
        _check_tie("=".join(text), pair, known)
    return {name: ports for (name, _), ports in found.items() if len(set(ports)) > 1}


def _states(ties: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    """Return one name for all names of a state: (a, b) and (b, c) give c for a, b and c."""
    names: dict[str, str] = {}
    for one, other in ties:
        old, new = names.get(one, one), names.get(other, other)
        names = {
            name: new if state == old else state for name, state in {**names, one: old, other: new}.items()
        }
    return names


def _ends(model: Model, unsigned: bool) -> Iterator[tuple[str, Subgraph, int, TensorUse]]:
    """Yield float inputs and outputs by name: of all signatures, or of the first subgraph if ``unsigned`` and there is
    no signature."""
    main = model.subgraphs[0]
    inputs, outputs = (tuple((main.tensors[i].name, i) for i in side) for side in (main.inputs, main.outputs))
    entries = [(s.subgraph, s.inputs, s.outputs) for s in model.signatures]
    entries = entries or [(0, inputs, outputs)] * unsigned
    for number, inputs, outputs in entries:
        subgraph = model.subgraphs[number]
        for side, ends, tensors in (
            ("output", subgraph.inputs, inputs),
            ("input", subgraph.outputs, outputs),
        ):
            for name, index in tensors:
                if index in ends and _is_real(subgraph, index):
                    yield name, subgraph, index, TensorUse(number, -1, side, ends.index(index))


def _end_names(
    ties: Sequence[tuple[str, str]], ends: Iterable[tuple[str, Subgraph, int, TensorUse]]
) -> tuple[tuple[str, str], ...]:
    """Return ties with names of inputs and outputs in place of the names of their tensors, which reports print."""
    names = [name for name, _, _, _ in ends]
    tensors = {subgraph.tensors[index].name: name for name, subgraph, index, _ in ends}
    pairs = [[name if name in names else tensors.get(name, name) for name in pair] for pair in ties]
    return tuple((one, other) for one, other in pairs)


def _check_tie(text: str, pair: tuple[str, str], known: Mapping[str, tuple[int, ...]]) -> None:
    for name in pair:
        if name not in known:
            hint = suggestion(name, known)
            raise ConfigError(f"--tie {text}: no float input or output {name!r}{hint}")
    if pair[0] == pair[1]:
        raise ConfigError(f"--tie {text}: got {pair[0]!r} twice, expected two names")
    one, other = (list(known[name]) for name in pair)
    if one != other:
        raise ConfigError(f"--tie {text}: got shapes {one} and {other}, expected equal shapes")


def _is_real(subgraph: Subgraph, index: int) -> bool:
    return index >= 0 and subgraph.tensors[index].dtype == REAL
