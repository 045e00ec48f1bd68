"""Where each operator runs on a target: what its compiler does with it, by the effects of what the profile demands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.fusion import Fused, fused
from litecheck.checks.inserted import converted, copied, unfolded
from litecheck.checks.judge import apart, placed, undilated, unplaced
from litecheck.checks.kept import astray
from litecheck.checks.needed import needed
from litecheck.checks.partitions import stretches
from litecheck.checks.stated import AsStated, closed
from litecheck.checks.undone import undone
from litecheck.checks.workload import largest_live_set, multiply_accumulates
from litecheck.finding import CPU, MOOT, Effect, Finding
from litecheck.model.graph import graph_of
from litecheck.model.types import Model, Operator, Subgraph
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
_EFFECTS = [effect for effect, _ in _STAGES]
#: What a compiler does before it looks at operators together.
_AT_LOAD = {*_EFFECTS[:2]}
#: What it finds of operators, too, that no output needs.
_OF_ALL = {*_EFFECTS[:3]}
#: What comes behind the decision that leaves an operator to the CPU.
_BEHIND = {*_EFFECTS[_EFFECTS.index(CPU) + 1 :]}


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
    """Where every operator of a model runs on a target, and all that was found; a compiler takes subgraphs one by one."""
    operators, found = list[Placement](), list[Finding]()
    partitions = live = 0
    for subgraph in model.subgraphs:
        own, count = _placed(model, subgraph, profile, found, partitions)
        operators += own
        partitions += count
        live = max(live, largest_live_set(subgraph))
    return TargetReport(profile.name, tuple(operators), partitions, live), found


def _placed(
    model: Model, subgraph: Subgraph, profile: Profile, every: list[Finding], before: int
) -> tuple[Iterator[Placement], int]:
    """The operators of one subgraph and how many partitions they fall into; what is found of them goes to all others."""
    stated, subgraph = subgraph, closed(subgraph)
    context = AsStated(model, subgraph)
    found = _found(AsStated(model, stated) if stated is not subgraph else context, context, profile)
    every_one = fused(model, subgraph, profile)
    ones = {one.operator.index: one for one in every_one if _take_for_one(one, found, context, profile)}
    _look_again(found, ones, context, profile)
    left = needed(subgraph, [place_of(own) for own in found])
    for op, own in zip(subgraph.operators, left.operators, strict=True):
        if op.outputs and not own.outputs:
            found[op.index] = [finding for finding in found[op.index] if finding.effect in _OF_ALL]
    places, made = [place_of(own) for own in found], profile.rewrites
    for maker, keeping in made.keepings.items():
        for op, why in astray(subgraph, left, places, maker):
            found[op.index].append(apart(subgraph, op, keeping, why))
            places[op.index] = "crashes"
    whole = unfolded(
        copied(converted(undone(left, places), made.conversions), places), places, made.unfoldings
    )
    count, turns = stretches(graph_of(whole), places)
    for place, told in zip(places, found, strict=True):
        every += told if place != "cpu" else [_moot(finding) for finding in told]
    placed = (
        Placement(
            subgraph.index, op.index, op.opcode, place, multiply_accumulates(subgraph, op),
            before + turns[op.index] if op.index in turns else None,
        )
        for op, place in zip(subgraph.operators, places, strict=True)
    )  # fmt: skip
    return placed, count


def _found(stated: Context, one: Context, profile: Profile) -> list[list[Finding]]:
    """What is found of each operator: by the shapes that the file states what a compiler finds at load, the rest with one
    image where batches are open."""
    found = _found_in(stated, profile)
    if one is stated:
        return found
    later = _found_in(one, profile)
    return [
        [f for f in first if f.effect in _AT_LOAD] + [f for f in second if f.effect not in _AT_LOAD]
        for first, second in zip(found, later, strict=True)
    ]


def _found_in(context: Context, profile: Profile) -> list[list[Finding]]:
    return [findings_of(context, op, profile) for op in context.subgraph.operators]


def _moot(finding: Finding) -> Finding:
    """What a compiler would find later than what leaves an operator to the CPU comes to nothing: it is told as a note."""
    if finding.effect not in _BEHIND or finding.waiver is not None:
        return finding
    because = "; ".join(filter(None, (finding.because, f"else {finding.effect}")))
    return replace(finding, level="note", because=because, effect=MOOT)


def _look_again(
    found: list[list[Finding]], ones: Mapping[int, Fused], context: AsStated, profile: Profile
) -> None:
    """What would fail for what stands around it is asked again when it is known what of that stays on the CPU."""
    aside = {n for n, own in enumerate(found) if place_of(own) == "cpu"}
    failing = {n for n, own in enumerate(found) if place_of(own) in ("refused", "crashes")} if aside else ()
    context = context.beside(aside)
    for n in failing:
        one = ones.get(n)
        if one is None:
            again = findings_of(context, context.subgraph.operators[n], profile)
        elif one.block is None:
            continue
        else:
            again = findings_of(context.but(one.tensors), one.operator, profile)
        still = {(finding.path, finding.where) for finding in again}
        found[n] = [f for f in found[n] if f.effect not in _BEHIND or (f.path, f.where) in still]


def _take_for_one(one: Fused, found: list[list[Finding]], context: AsStated, profile: Profile) -> bool:
    """What is found of three operators is what is found of the one, unless that would stay on the CPU: then they are
    three. What a compiler finds when it loads a model it finds of each. Whether they are one."""
    whole, subgraph = findings_of(context.but(one.tensors), one.operator, profile), context.subgraph
    if one.block is None:
        whole.append(undilated(subgraph, subgraph.operators[one.ends[0]], one.fusion))
    elif place_of(whole) == "cpu":
        return False
    for index in one.ends:
        found[index] = [finding for finding in found[index] if finding.effect in _AT_LOAD]
    found[one.operator.index] = whole
    return True
