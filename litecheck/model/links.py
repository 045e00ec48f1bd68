"""Links between the subgraphs of a model: named variables and calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache
from weakref import WeakKeyDictionary

from litecheck.flatbuffer.schema import load_schema
from litecheck.model.types import Model, Operator, Subgraph, Tensor

#: Operators that name a variable, assign it and read it.
HANDLE, ASSIGN, READ = "VAR_HANDLE", "ASSIGN_VARIABLE", "READ_VARIABLE"
#: Option with a subgraph that runs once, when the model runs first.
_INITIALIZES = "init_subgraph_index"
#: (container, shared name) of a variable. Handles with equal names refer to the same variable, in all subgraphs.
Name = tuple[str, str]
Parameters = tuple[bytes, bytes]


@dataclass(slots=True)
class Assignments:
    """Assignments to a variable: their number, quantization parameters, types and sizes."""

    count: int = 0
    parameters: Counter[Parameters] = field(default_factory=Counter)
    dtypes: Counter[str] = field(default_factory=Counter)
    sizes: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Links:
    """Variables by handle, their assignments, and calls between subgraphs.

    ``handles`` maps (subgraph, tensor) to the name of a variable. Subgraphs with equal ``circle`` are mutually
    recursive; a subgraph outside a circle has its own number. ``own_callers`` are the subgraphs that call themselves.
    """

    handles: Mapping[tuple[int, int], Name]
    assignments: Mapping[Name, Assignments]
    elsewhere: frozenset[Name]
    """Variables that may be assigned before subgraph 0 starts: by signatures whose subgraphs do not call subgraph 0."""
    first_assignments: Mapping[Name, int]
    """First operator of subgraph 0 that assigns each variable, itself or by a call."""
    called_subgraphs: frozenset[int]
    """Subgraphs that an operator calls."""
    circle: tuple[int, ...]
    own_callers: frozenset[int]
    initializers: frozenset[int]
    """Subgraphs that only initialize variables: operators that run once call them, and no others."""

    def assignments_of(self, subgraph: Subgraph, operator: Operator) -> Assignments | None:
        """Return the assignments to the variable of the operator's first input; None for an unknown handle."""
        first = operator.inputs[0] if operator.inputs else -1
        name = self.handles.get((subgraph.index, first))
        return None if name is None else self.assignments.get(name, Assignments())

    def is_recursive_call(self, subgraph: int, called: int) -> bool:
        """Return True if a call between two subgraphs leads back to the caller, at any depth."""
        if not 0 <= called < len(self.circle):
            return False
        return (
            subgraph in self.own_callers
            if called == subgraph
            else self.circle[subgraph] == self.circle[called]
        )


_LINKS: WeakKeyDictionary[Model, Links] = WeakKeyDictionary()


def links_of(model: Model) -> Links:
    """Return the links of a model, cached for the model's lifetime."""
    links = _LINKS.get(model)
    if links is None:
        links = _LINKS[model] = _find_links(model)
    return links


def subgraph_calls(operator: Operator) -> Iterator[tuple[str, int]]:
    """Yield (option, subgraph) of every subgraph in an operator's options, existing or not. An absent option is 0."""
    options = operator.options
    if options is None:
        return
    for name in dict.fromkeys((*subgraph_options().get(options.type, ()), *options.fields)):
        if name.endswith("subgraph_index"):
            yield name, int(options.get(name, 0))
        elif name.endswith("subgraph_indices"):
            yield from ((name, int(index)) for index in options.get(name))


@cache
def subgraph_options() -> Mapping[str, tuple[str, ...]]:
    """Return the options that name a single subgraph, by options table."""
    schema = load_schema("tflite")
    tables = (*schema.unions["BuiltinOptions"], *schema.unions["BuiltinOptions2"])
    named = {t: tuple(f.name for f in schema.tables[t] if f.name.endswith("subgraph_index")) for t in tables}
    return {table: names for table, names in named.items() if names}


def parameters_of(tensor: Tensor) -> Parameters:
    """Return the bytes of a tensor's scales and zero points."""
    q = tensor.quantization
    return q.scale.tobytes(), q.zero_point.tobytes()


def _find_links(model: Model) -> Links:
    handles = {
        (subgraph.index, output): (
            str(op.options.get("container", "")) if op.options else "",
            str(op.options.get("shared_name", "")) if op.options else "",
        )
        for subgraph in model.subgraphs
        for op in reversed(subgraph.operators)
        if op.opcode == HANDLE
        for output in op.outputs
    }
    assignments: dict[Name, Assignments] = {}
    for subgraph in model.subgraphs:
        for op in subgraph.operators:
            if op.opcode != ASSIGN or len(op.inputs) < 2 or op.inputs[1] < 0:
                continue
            name = handles.get((subgraph.index, op.inputs[0]))
            if name is not None:
                _count_assignment(assignments.setdefault(name, Assignments()), subgraph.tensors[op.inputs[1]])
    calls = [
        sorted({i for op in s.operators for _, i in subgraph_calls(op) if 0 <= i < len(model.subgraphs)})
        for s in model.subgraphs
    ]
    own = frozenset(n for n, targets in enumerate(calls) if n in targets)
    assigned = _find_assigned(model, handles)
    entries = {signature.subgraph for signature in model.signatures} - _find_callers(0, calls)
    elsewhere = frozenset(name for n in _follow_calls(entries, calls, set()) for name in assigned[n])
    first = _first_assignments(model, handles, calls, assigned)
    targets = frozenset(n for several in calls for n in several)
    circles = tuple(_find_components(calls))
    return Links(handles, assignments, elsewhere, first, targets, circles, own, _find_initializers(model))


def _find_initializers(model: Model) -> frozenset[int]:
    """Return the subgraphs that are only called by an option of an initialization, and are no entry of the model."""
    named = [pair for s in model.subgraphs for op in s.operators for pair in subgraph_calls(op)]
    used = {number for name, number in named if name != _INITIALIZES}
    entries = {0, *(signature.subgraph for signature in model.signatures)}
    return frozenset(number for name, number in named if name == _INITIALIZES) - used - entries


def _find_callers(target: int, calls: Sequence[Sequence[int]]) -> set[int]:
    """Return the subgraphs that call ``target``, at any depth, and ``target``."""
    callers: list[list[int]] = [[] for _ in calls]
    for caller, targets in enumerate(calls):
        for called_one in targets:
            callers[called_one].append(caller)
    return set(_follow_calls({target}, callers, set()))


def _follow_calls(start: Iterable[int], calls: Sequence[Sequence[int]], seen: set[int]) -> Iterator[int]:
    """Yield ``start`` and the subgraphs that these call, at any depth, except those in ``seen``, and add them to
    ``seen``."""
    left = [n for n in start if n < len(calls) and n not in seen]
    seen.update(left)
    while left:
        node = left.pop()
        yield node
        new = [n for n in calls[node] if n not in seen]
        seen.update(new)
        left += new


def _find_assigned(model: Model, handles: Mapping[tuple[int, int], Name]) -> list[set[Name]]:
    """Return the variables that each subgraph assigns without calls."""
    return [
        {
            handles[s.index, op.inputs[0]]
            for op in s.operators
            if op.opcode == ASSIGN and op.inputs and (s.index, op.inputs[0]) in handles
        }
        for s in model.subgraphs
    ]


def _first_assignments(
    model: Model,
    handles: Mapping[tuple[int, int], Name],
    calls: Sequence[Sequence[int]],
    assigned: Sequence[Set[Name]],
) -> dict[Name, int]:
    """Return ``Links.first_assignments``. Each subgraph is visited once, so the time is linear in the model's size."""
    first: dict[Name, int] = {}
    seen: set[int] = set()
    for op in model.subgraphs[0].operators if model.subgraphs else ():
        if op.opcode == ASSIGN and op.inputs and (0, op.inputs[0]) in handles:
            first.setdefault(handles[0, op.inputs[0]], op.index)
        targets = [n for _, n in subgraph_calls(op) if 0 <= n < len(calls)]
        for node in _follow_calls(targets, calls, seen):
            for name in assigned[node]:
                first.setdefault(name, op.index)
    return first


def _count_assignment(to: Assignments, value: Tensor) -> None:
    to.count += 1
    to.dtypes[value.dtype] += 1
    if value.quantization.is_set:
        to.parameters[parameters_of(value)] += 1
    if -1 not in (value.shape_signature or ()):
        to.sizes[value.size] += 1


def _find_components(calls: Sequence[Sequence[int]]) -> list[int]:
    """Return the strongly connected component of every node, by Tarjan's algorithm without recursion."""
    count = len(calls)
    found, low, component = [-1] * count, [0] * count, [-1] * count
    open_nodes: list[int] = []
    clock = 0
    for start in range(count):
        if found[start] >= 0:
            continue
        path = [(start, 0)]
        while path:
            node, at = path.pop()
            if at == 0:
                found[node] = low[node] = clock
                clock += 1
                open_nodes.append(node)
            elif component[calls[node][at - 1]] < 0:
                low[node] = min(low[node], low[calls[node][at - 1]])
            if at < len(calls[node]):
                path.append((node, at + 1))
                target = calls[node][at]
                if found[target] < 0:
                    path.append((target, 0))
                continue
            if low[node] == found[node]:
                while component[node] < 0:
                    component[open_nodes.pop()] = node
    return component
