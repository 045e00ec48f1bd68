"""Where each operator runs on a target: what its compiler does with it, by the effects of what the profile demands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.judge import placed, unplaced
from litecheck.checks.workload import largest_live_set, multiply_accumulates
from litecheck.finding import CPU, Effect, Finding
from litecheck.model.graph import Graph, graph_of
from litecheck.model.types import Model, Operator, Tensor
from litecheck.placement import Place, Placement, TargetReport
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import Profile

#: What becomes of an operator, what a compiler decides first in front.
_STAGES: tuple[tuple[Effect, Place], ...] = (
    ("crashes the compiler at load", "crashes"),
    ("the compiler refuses to load the model", "refused"),
    ("crashes the compiler at placement", "crashes"),
    ("the compiler refuses any model with it", "refused"),
    (CPU, "cpu"),
    ("the compiler refuses the model", "refused"),
    ("crashes the compiler", "crashes"),
)


class AsStated(Context):
    """A subgraph whose shapes are those the file states: a compiler goes by them."""

    @cached_property
    def reshaped(self) -> dict[int, Tensor]:
        """None."""
        return {}


def place_of(findings: Iterable[Finding]) -> Place:
    """Where an operator runs against which these were found."""
    effects = {f.effect for f in findings if f.waiver is None}
    return next((place for effect, place in _STAGES if effect in effects), "npu")


def findings_of(context: Context, operator: Operator, profile: Profile) -> list[Finding]:
    """What a target's profile demands of an operator that it does not keep; of an unlisted one, what it demands of all."""
    rule = profile.operators.get(operator.opcode)
    every = profile.operators.get(ANY_OPERATOR)
    if rule is not None:
        return placed(BoundOperator(context, operator, rule))
    found = [] if every is None else placed(BoundOperator(context, operator, every))
    return [*found, unplaced(context.subgraph, operator, profile)]


def placement(model: Model, profile: Profile) -> tuple[TargetReport, list[Finding]]:
    """Where every operator of a model's first subgraph runs on a target, and all that was found."""
    subgraph = model.subgraphs[0]
    context = AsStated(model, subgraph)
    every: list[Finding] = []
    operators = []
    for op in subgraph.operators:
        found = findings_of(context, op, profile)
        macs = multiply_accumulates(subgraph, op)
        operators.append(Placement(0, op.index, op.opcode, place_of(found), macs))
        every += found
    count = partitions(graph_of(subgraph), [op.place for op in operators])
    return TargetReport(profile.name, tuple(operators), count, largest_live_set(subgraph)), every


def partitions(graph: Graph, places: Sequence[Place]) -> int:
    """How many stretches of operators run on the accelerator one after the other, the processor between them.

    The order is Vela's, not the file's: as `depth_first` has it, and then the processor's operators move. Those that need
    nothing of the accelerator go to the front, those that make only outputs, read by nothing, to the end, and each other one
    to right before the accelerator's first reader of its results, or the processor's next operator. What no output needs
    does not run.
    """
    outputs = set(graph.subgraph.outputs)
    turns, early, between = dict[int, int](), set[int](), list[Operator]()
    for op in depth_first(graph):
        if places[op.index] == "npu":
            turns[op.index] = len(turns)
        elif all(producer in early for producer in _writers(graph, op.inputs)):
            early.add(op.index)
        elif _readers(graph, op) or not outputs.issuperset(op.outputs):
            between.append(op)
    cut, cuts = len(turns), set[int]()
    for op in reversed(between):
        cut = min([cut, *(turns[reader] for reader in _readers(graph, op) if reader in turns)])
        cuts.add(cut)
    return bool(turns) + len(cuts - {0, len(turns)})


def depth_first(graph: Graph) -> list[Operator]:
    """The operators that some output needs, each behind those that it needs, the last operand's first."""
    operators, ordered, seen = graph.subgraph.operators, list[Operator](), set[int]()
    waiting = _writers(graph, graph.subgraph.outputs)
    while waiting:
        index = waiting.pop()
        if index < 0:
            ordered.append(operators[~index])
        elif index not in seen:
            seen.add(index)
            waiting += [~index, *_writers(graph, operators[index].inputs)]
    return ordered


def _writers(graph: Graph, tensors: Iterable[int]) -> list[int]:
    found = (graph.producer[tensor] for tensor in tensors if tensor >= 0)
    return [index for index in found if index >= 0]


def _readers(graph: Graph, operator: Operator) -> list[int]:
    return [reader for tensor in operator.outputs if tensor >= 0 for reader in graph.consumers[tensor]]
