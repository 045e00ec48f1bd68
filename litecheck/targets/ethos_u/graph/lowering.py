"""Lowering: casts at the boundary of the graph, copies, and decomposed operators, which the compiler inserts."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph, graph_of, has_ends
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.placement import Place
from litecheck.profile.operators import traits_of
from litecheck.targets.ethos_u.decomposition import Decomposition, DecompositionStep


def insert_boundary_casts(subgraph: Subgraph, dtypes: Container[str]) -> Subgraph:
    """Return the subgraph with a cast for each input and output of these types, except scalars.

    Casts are operators after the existing operators. For example, ``{"bool"}`` casts the bool outputs of comparisons.
    """
    tensors = subgraph.tensors
    sides = dict.fromkeys((*subgraph.inputs, *subgraph.outputs))
    outer = [t for t in sides if t >= 0 and tensors[t].shape and tensors[t].dtype in dtypes]
    inner = {t: len(tensors) + n for n, t in enumerate(outer)}
    if not inner:
        return subgraph
    computed = {t for op in subgraph.operators for t in op.outputs}
    renamed_inputs = {t: own for t, own in inner.items() if t not in computed}
    operators = [
        replace(
            op, inputs=_rename_tensors(op.inputs, renamed_inputs), outputs=_rename_tensors(op.outputs, inner)
        )
        for op in subgraph.operators
    ]
    for t, own in inner.items():
        ends = (t, own) if t in renamed_inputs else (own, t)
        operators.append(Operator(len(operators), "CUSTOM", ends[:1], ends[1:]))
    further = (replace(tensors[t], index=own) for t, own in inner.items())
    return replace(subgraph, tensors=(*tensors, *further), operators=tuple(operators))


def insert_copies(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """Return the subgraph with the copies that the NPU makes, as operators after the existing operators.

    CONCATENATION and PACK copy each input as soon as it is computed, except an input that the NPU computes for them
    alone. A view of a tensor with further readers is a copy, which those readers read, too. The remaining views are
    detached.
    """
    graph, outputs = graph_of(subgraph), set(subgraph.outputs)
    editor, shared = _GraphEditor([*subgraph.tensors], [*subgraph.operators]), set[int]()
    for index, place in enumerate(places):
        op = editor.operators[index]
        facts = traits_of(op.kind) if place == "npu" else None
        if facts and facts.concatenates in ("axis", "stack"):
            own = [
                t
                for t in op.inputs
                if facts.concatenates == "axis" and _is_written_in_place(graph, t, places)
            ]
            editor.join(index, own)
        elif facts and facts.view and has_ends(op):
            input_index, output_index = subgraph.operators[index].inputs[0], op.outputs[0]
            beside, readers = graph.consumers[input_index], graph.consumers[output_index]
            if len(beside) > 1:
                if input_index not in shared:
                    editor.copy(beside, op.inputs[0])
                shared.add(input_index)
            elif output_index not in outputs and _all_on_npu(readers, places):
                editor.drop(index, readers)
    return replace(subgraph, tensors=tuple(editor.tensors), operators=tuple(editor.operators))


def decompose(
    subgraph: Subgraph, places: Sequence[Place], decompositions: Mapping[str, Decomposition]
) -> Subgraph:
    """Return the subgraph with the steps of decomposed operators.

    The last step takes the operator's index. The earlier steps are operators after the existing operators, since each
    step runs as soon as its inputs are computed. For example, SQUARED_DIFFERENCE rescales both inputs, then subtracts and
    multiplies.
    """
    made = zip(subgraph.operators, places, strict=False)
    several = [op for op, place in made if place == "npu" and op.outputs and op.opcode in decompositions]
    if not several:
        return subgraph
    graph, editor = graph_of(subgraph), _GraphEditor([*subgraph.tensors], [*subgraph.operators])
    for op in several:
        shared = {t for t in op.inputs if t >= 0 and len(graph.consumers[t]) > 1}
        editor.decompose(op, decompositions[op.opcode].steps, shared)
    return replace(subgraph, tensors=tuple(editor.tensors), operators=tuple(editor.operators))


def _is_written_in_place(graph: Graph, t: int, places: Sequence[Place]) -> bool:
    """Return True if the NPU computes a tensor for a single reader, and no view, slice or concatenation computes it."""
    if not 0 <= t < len(graph.producer) or t in graph.subgraph.outputs or len(graph.consumers[t]) != 1:
        return False
    if graph.producer[t] < 0 or not _all_on_npu((graph.producer[t],), places):
        return False
    facts = traits_of(graph.subgraph.operators[graph.producer[t]].kind)
    return not (facts.slices or facts.concatenates or facts.view)


def _all_on_npu(operators: Iterable[int], places: Sequence[Place]) -> bool:
    """Return True if all these operators are on the NPU; inserted operators are."""
    return all(index >= len(places) or places[index] == "npu" for index in operators)


@dataclass(frozen=True, slots=True)
class _GraphEditor:
    """The tensors and operators of a subgraph that a pass changes, operators by index."""

    tensors: list[Tensor]
    operators: list[Operator]

    def copy(self, readers: Iterable[int], *tensors: int) -> None:
        """Copy tensors for readers, operators by index."""
        names = dict[int, int]()
        for t in dict.fromkeys(t for t in tensors if t >= 0):
            names[t] = len(self.tensors)
            self.tensors.append(replace(self.tensors[t], index=names[t]))
            self.operators.append(Operator(len(self.operators), "CUSTOM", (t,), (names[t],)))
        self._rename(readers, names)

    def decompose(self, op: Operator, steps: Sequence[DecompositionStep], shared: Container[int]) -> None:
        """Replace an operator by steps. ``shared`` are the tensors with further readers."""
        result, made = self.tensors[op.outputs[0]], list[int]()
        for step in steps:
            reads = [made[~n] if n < 0 else op.inputs[n] for n in step.reads if n < len(op.inputs)]
            if step is steps[-1]:
                self.operators[op.index] = replace(op, inputs=tuple(reads))
            elif not step.is_needed(op, result.dtype, any(t in shared for t in reads)):
                made += reads or [-1]
            else:
                made.append(len(self.tensors))
                self.tensors.append(replace(result, index=made[-1]))
                self.operators.append(Operator(len(self.operators), "CUSTOM", tuple(reads), (made[-1],)))

    def join(self, index: int, own: Sequence[int]) -> None:
        """Let an operator read copies, except of its own inputs, which are computed first."""
        op = self.operators[index]
        others = tuple(t for t in op.inputs if t not in own)
        self.operators[index] = replace(op, inputs=(*others, *reversed(own)))
        self.copy((index,), *others)

    def drop(self, index: int, readers: Iterable[int]) -> None:
        """Detach an operator; its readers read its input."""
        op = self.operators[index]
        self.operators[index] = replace(op, inputs=(), outputs=())
        self._rename(readers, {op.outputs[0]: op.inputs[0]})

    def _rename(self, readers: Iterable[int], names: Mapping[int, int]) -> None:
        for index in readers:
            op = self.operators[index]
            self.operators[index] = replace(op, inputs=_rename_tensors(op.inputs, names))


def _rename_tensors(tensors: tuple[int, ...], names: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(names.get(t, t) for t in tensors)
