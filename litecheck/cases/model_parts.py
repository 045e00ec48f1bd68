"""Parts of a model that run on a device, each as a case with a stable name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from litecheck.checks.context import inferred_shapes, with_runtime_shape
from litecheck.errors import ConfigError
from litecheck.model.graph import graph_of, name_of
from litecheck.model.submodels import Submodel, cut_operators
from litecheck.model.types import Model, Operator, Subgraph

#: Types of handles: an operator with such an input cannot run without the operators before it.
_HANDLES = ("resource", "variant")


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """Part of a subgraph that runs on a device: ``submodel`` is the model of the part, ``operators`` are those of the whole
    model.

    ``name`` is unique in a plan and valid as a file name: ``0012-CONV_2D``, ``0004-0007``, ``whole_model``.
    """

    name: str
    subgraph: Subgraph
    operators: tuple[Operator, ...]
    submodel: Submodel

    @property
    def display_name(self) -> str:
        """Name of the case for people: the name of the last operator's first output."""
        return name_of(self.subgraph, self.operators[-1])

    @property
    def opcodes(self) -> tuple[str, ...]:
        """Kinds of the operators, in execution order; custom operators with their name."""
        return tuple(op.custom_code or op.opcode for op in self.operators)


def entries(model: Model, signature: str | None = None) -> tuple[Subgraph, ...]:
    """Return the subgraphs that are entry points: that of a signature, or the first and those of all signatures."""
    if signature is not None:
        found = [s.subgraph for s in model.signatures if s.key == signature]
        if not found:
            known = ", ".join(s.key for s in model.signatures) or "none"
            raise ConfigError(f"there is no signature {signature!r}; there are {known}")
        return (model.subgraphs[found[0]],)
    numbers = dict.fromkeys((0, *(s.subgraph for s in model.signatures)))
    return tuple(model.subgraphs[n] for n in numbers if n < len(model.subgraphs))


def operators(model: Model, subgraph: Subgraph) -> Iterator[Case]:
    """Return every operator as a case. Operators on resource handles are grouped: see :func:`single_operator`."""
    for operator in subgraph.operators:
        yield _case(model, subgraph, (operator,))


def segments(model: Model, subgraph: Subgraph, length: int) -> Iterator[Case]:
    """Return operators in execution order, ``length`` per case."""
    for start in range(0, len(subgraph.operators), length):
        yield _case(model, subgraph, subgraph.operators[start : start + length])


def subrange(model: Model, subgraph: Subgraph, first: str, last: str) -> Case:
    """Return the operators on every path between two tensors. Raise ConfigError if there is none."""
    start, end = (_find_tensor(subgraph, name) for name in (first, last))
    graph = graph_of(subgraph)
    behind = _reachable_tensors(
        {start}, lambda t: [o for c in graph.consumers[t] for o in subgraph.operators[c].outputs]
    )
    before = _reachable_tensors({end}, lambda t: _operands(subgraph, graph.producer[t]))
    chosen = tuple(
        op
        for op in subgraph.operators
        if behind.intersection(op.inputs) and before.intersection(op.outputs) and start not in op.outputs
    )
    if not chosen:
        raise ConfigError(f"no operator lies between {first!r} and {last!r}")
    return _case(model, subgraph, chosen, f"between-{start}-{end}", (end,))


def prefix(case: Case) -> tuple[Operator, ...]:
    """Return the operators that compute a case's inputs, and those that compute their inputs, in execution order."""
    graph = graph_of(case.subgraph)
    needed = _reachable_tensors(
        set(case.submodel.inputs), lambda t: _operands(case.subgraph, graph.producer[t])
    )
    return tuple(op for op in case.subgraph.operators if needed.intersection(op.outputs))


def whole_model(model: Model, subgraph: Subgraph) -> Case:
    """Return all operators as a single case; its outputs are the subgraph's."""
    return _case(model, subgraph, subgraph.operators, "whole", subgraph.outputs)


def single_operator(case: Case) -> str:
    """Return the reason if the case cannot run alone (it shares handles with other operators, or has no output with
    values), else ""."""
    inputs = [case.subgraph.tensors[i] for i in case.submodel.inputs]
    held = next((t for t in inputs if t.dtype in _HANDLES), None)
    if held is not None:
        return f"works on {held.dtype} '{held.name}', which other operators make; verify it in a segment"
    outputs = [case.subgraph.tensors[i] for i in case.submodel.outputs]
    made = next((t for t in outputs if t.dtype in (*_HANDLES, "string")), None)
    if made is not None:
        return f"makes {made.dtype} '{made.name}', which has no values to compare"
    return "" if outputs else "makes nothing that could be compared"


def _case(
    model: Model, subgraph: Subgraph, chosen: Sequence[Operator], name: str = "", outputs: Sequence[int] = ()
) -> Case:
    first, last = (chosen[0], chosen[-1]) if chosen else (None, None)
    if not name and first is not None and last is not None:
        name = f"{first.index:04d}-" + (first.opcode if first is last else f"{last.index:04d}")
    name = f"s{subgraph.index}-{name}" if subgraph.index else name
    name = "".join(c if c.isalnum() or c in "-_" else "_" for c in name)
    cut = cut_operators(model, subgraph, chosen, outputs)
    return Case(name, subgraph, tuple(chosen), _with_inferred_inputs(model, subgraph, cut))


def _with_inferred_inputs(model: Model, subgraph: Subgraph, cut: Submodel) -> Submodel:
    """Return the part with the inferred shapes of its inputs, which operators before it compute in the whole model.

    Example: TensorFlow stores the shape () for the output of a DEQUANTIZE of per-tensor weights.
    """
    inferred, main = inferred_shapes(model, subgraph), cut.model.subgraphs[0]
    computed = [subgraph.tensors[index] for index in cut.inputs if index not in subgraph.inputs]
    shapes = {
        cut.tensors[tensor.index]: new.shape
        for tensor in computed
        if (new := with_runtime_shape(tensor, inferred)) is not tensor
    }
    if not shapes:
        return cut
    tensors = tuple(replace(t, shape=shapes.get(t.index, t.shape)) for t in main.tensors)
    others = cut.model.subgraphs[1:]
    return replace(cut, model=replace(cut.model, subgraphs=(replace(main, tensors=tensors), *others)))


def _find_tensor(subgraph: Subgraph, name: str) -> int:
    """Return the index of a tensor by its name or number. Raise ConfigError if it does not exist."""
    found = [t.index for t in subgraph.tensors if t.name == name]
    if found:
        return found[0]
    if name.isdecimal() and int(name) < len(subgraph.tensors):
        return int(name)
    from litecheck.spelling import unknown_tensor

    raise ConfigError(unknown_tensor(name, [t.name for t in subgraph.tensors]))


def _reachable_tensors(start: set[int], onward: object) -> set[int]:
    found, left = set(start), list(start)
    while left:
        for index in onward(left.pop()):  # type: ignore[operator]
            if index >= 0 and index not in found:
                found.add(index)
                left.append(index)
    return found


def _operands(subgraph: Subgraph, operator: int) -> Sequence[int]:
    return subgraph.operators[operator].inputs if operator >= 0 else ()
