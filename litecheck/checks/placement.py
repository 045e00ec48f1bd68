"""Where each operator runs on a target: what its compiler does with it, by the effects of what the profile demands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.judge import placed, unplaced
from litecheck.checks.workload import largest_live_set, multiply_accumulates
from litecheck.finding import CPU, Effect, Finding
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
    count = partitions([op.place for op in operators])
    return TargetReport(profile.name, tuple(operators), count, largest_live_set(subgraph)), every


def partitions(places: Sequence[Place]) -> int:
    """How many stretches of operators run on the accelerator one after the other, the processor between them."""
    return sum(place == "npu" and (n == 0 or places[n - 1] != "npu") for n, place in enumerate(places))
