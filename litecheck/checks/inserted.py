"""What a target's compiler puts into a graph before it orders the operators: conversions at its ends, copies, and several
operators in the place of one."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from litecheck.model.graph import Graph, graph_of, has_ends
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.placement import Place
from litecheck.profile.operators import facts_of
from litecheck.profile.unfolding import UnfoldedStep, Unfolding


def converted(subgraph: Subgraph, dtypes: Container[str]) -> Subgraph:
    """A subgraph with what a compiler puts behind inputs and in front of outputs of types that it converts, scalars
    apart: operators behind the others, each from one tensor to another."""
    tensors = subgraph.tensors
    sides = dict.fromkeys((*subgraph.inputs, *subgraph.outputs))
    outer = [t for t in sides if t >= 0 and tensors[t].shape and tensors[t].dtype in dtypes]
    inner = {t: len(tensors) + n for n, t in enumerate(outer)}
    if not inner:
        return subgraph
    made = {t for op in subgraph.operators for t in op.outputs}
    given = {t: own for t, own in inner.items() if t not in made}
    operators = [
        replace(op, inputs=_renamed(op.inputs, given), outputs=_renamed(op.outputs, inner))
        for op in subgraph.operators
    ]
    for t, own in inner.items():
        ends = (t, own) if t in given else (own, t)
        operators.append(Operator(len(operators), "CUSTOM", ends[:1], ends[1:]))
    further = (replace(tensors[t], index=own) for t, own in inner.items())
    return replace(subgraph, tensors=(*tensors, *further), operators=tuple(operators))


def copied(subgraph: Subgraph, places: Sequence[Place]) -> Subgraph:
    """A subgraph with the copies that the accelerator makes, operators behind the others: of each operand of what joins
    them, as soon as it is there, and of what is reshaped and read by others, too, which then read the copy."""
    graph, outputs = graph_of(subgraph), set(subgraph.outputs)
    copier, shared = _Copier([*subgraph.tensors], [*subgraph.operators]), set[int]()
    for index, place in enumerate(places):
        op = copier.operators[index]
        facts = facts_of(op.kind) if place == "npu" else None
        if facts and facts.joins in ("axis", "stack"):
            own = [t for t in op.inputs if facts.joins == "axis" and _is_own(graph, t, places)]
            copier.join(index, own)
        elif facts and facts.reshapes and has_ends(op):
            given, made = subgraph.operators[index].inputs[0], op.outputs[0]
            beside, behind = graph.consumers[given], graph.consumers[made]
            if len(beside) > 1:
                if given not in shared:
                    copier.copy(beside, op.inputs[0])
                shared.add(given)
            elif made not in outputs and _on_the_accelerator(behind, places):
                copier.drop(index, behind)
    return replace(subgraph, tensors=tuple(copier.tensors), operators=tuple(copier.operators))


def unfolded(subgraph: Subgraph, places: Sequence[Place], unfoldings: Mapping[str, Unfolding]) -> Subgraph:
    """A subgraph with the steps that the accelerator makes of operators, behind the others: only the last one is in its
    operator's place, as each step runs as soon as it can, and reads of the processor what it needs."""
    made = zip(subgraph.operators, places, strict=False)
    several = [op for op, place in made if place == "npu" and op.outputs and op.opcode in unfoldings]
    if not several:
        return subgraph
    graph, copier = graph_of(subgraph), _Copier([*subgraph.tensors], [*subgraph.operators])
    for op in several:
        shared = {t for t in op.inputs if t >= 0 and len(graph.consumers[t]) > 1}
        copier.unfold(op, unfoldings[op.opcode].steps, shared)
    return replace(subgraph, tensors=tuple(copier.tensors), operators=tuple(copier.operators))


def _is_own(graph: Graph, t: int, places: Sequence[Place]) -> bool:
    """Whether the accelerator computes a tensor for one reader alone: it is then written to where that one has it. What is
    a copy already others read, too."""
    if not 0 <= t < len(graph.producer) or t in graph.subgraph.outputs or len(graph.consumers[t]) != 1:
        return False
    if graph.producer[t] < 0 or not _on_the_accelerator((graph.producer[t],), places):
        return False
    facts = facts_of(graph.subgraph.operators[graph.producer[t]].kind)
    return not (facts.cuts or facts.joins or facts.reshapes)


def _on_the_accelerator(operators: Iterable[int], places: Sequence[Place]) -> bool:
    """What is put in is the accelerator's own."""
    return all(index >= len(places) or places[index] == "npu" for index in operators)


@dataclass(frozen=True, slots=True)
class _Copier:
    """A subgraph's tensors and operators in the making, the operators by their indices."""

    tensors: list[Tensor]
    operators: list[Operator]

    def copy(self, readers: Iterable[int], *tensors: int) -> None:
        """These operators read copies of these tensors."""
        names = dict[int, int]()
        for t in dict.fromkeys(t for t in tensors if t >= 0):
            names[t] = len(self.tensors)
            self.tensors.append(replace(self.tensors[t], index=names[t]))
            self.operators.append(Operator(len(self.operators), "CUSTOM", (t,), (names[t],)))
        self._rename(readers, names)

    def unfold(self, op: Operator, steps: Sequence[UnfoldedStep], shared: Container[int]) -> None:
        """These steps stand for an operator, the last one in its place; others read what is shared, too."""
        result, made = self.tensors[op.outputs[0]], list[int]()
        for step in steps:
            reads = [made[~n] if n < 0 else op.inputs[n] for n in step.reads if n < len(op.inputs)]
            if step is steps[-1]:
                self.operators[op.index] = replace(op, inputs=tuple(reads))
            elif not step.made(op, result.dtype, any(t in shared for t in reads)):
                made += reads or [-1]
            else:
                made.append(len(self.tensors))
                self.tensors.append(replace(result, index=made[-1]))
                self.operators.append(Operator(len(self.operators), "CUSTOM", tuple(reads), (made[-1],)))

    def join(self, index: int, own: Sequence[int]) -> None:
        """This operator reads its own operands before all others, the first one first, and copies of those."""
        op = self.operators[index]
        others = tuple(t for t in op.inputs if t not in own)
        self.operators[index] = replace(op, inputs=(*others, *reversed(own)))
        self.copy((index,), *others)

    def drop(self, index: int, readers: Iterable[int]) -> None:
        """These operators read what this one reads, which is no more."""
        op = self.operators[index]
        self.operators[index] = replace(op, inputs=(), outputs=())
        self._rename(readers, {op.outputs[0]: op.inputs[0]})

    def _rename(self, readers: Iterable[int], names: Mapping[int, int]) -> None:
        for index in readers:
            op = self.operators[index]
            self.operators[index] = replace(op, inputs=_renamed(op.inputs, names))


def _renamed(tensors: tuple[int, ...], names: Mapping[int, int]) -> tuple[int, ...]:
    return tuple(names.get(t, t) for t in tensors)
