"""Where each operator runs on a target: what its compiler does with it, by the effects of what the profile demands."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.fusion import Fused, fused
from litecheck.checks.inserted import converted, copied
from litecheck.checks.judge import placed, undilated, unplaced
from litecheck.checks.partitions import partitions
from litecheck.checks.workload import largest_live_set, multiply_accumulates
from litecheck.finding import CPU, Effect, Finding
from litecheck.model.graph import graph_of
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
#: What a compiler does before it looks at operators together.
_AT_LOAD = {effect for effect, _ in _STAGES[:2]}


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
    found = [findings_of(context, op, profile) for op in subgraph.operators]
    for one in fused(model, subgraph, profile):
        _take_for_one(one, found, model, profile)
    operators = [
        Placement(0, op.index, op.opcode, place_of(own), multiply_accumulates(subgraph, op))
        for op, own in zip(subgraph.operators, found, strict=True)
    ]
    every = [finding for own in found for finding in own]
    places = [op.place for op in operators]
    whole = copied(converted(subgraph, profile.rewrites.conversions), places)
    count = partitions(graph_of(whole), places)
    return TargetReport(profile.name, tuple(operators), count, largest_live_set(subgraph)), every


def _take_for_one(one: Fused, found: list[list[Finding]], model: Model, profile: Profile) -> None:
    """What is found of three operators is what is found of the one, unless that would stay on the CPU: then they are
    three. What a compiler finds when it loads a model it finds of each."""
    context = AsStated(model, one.subgraph)
    whole = findings_of(context, one.operator, profile)
    if one.block is None:
        whole.append(undilated(one.subgraph, one.subgraph.operators[one.ends[0]], one.fusion))
    elif place_of(whole) == "cpu":
        return
    for index in one.ends:
        found[index] = [finding for finding in found[index] if finding.effect in _AT_LOAD]
    found[one.operator.index] = whole
