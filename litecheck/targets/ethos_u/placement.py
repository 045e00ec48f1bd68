"""Placement of a model on an Ethos-U, with the passes of the compiler in their order."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.checks.context import Context, inferred_shapes
from litecheck.checks.rule_findings import finding_for
from litecheck.finding import Finding
from litecheck.model.graph import graph_of
from litecheck.model.types import Model, Subgraph
from litecheck.placement import Placement, TargetReport
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile
from litecheck.targets.cost import count_macs, peak_live_bytes
from litecheck.targets.declared_shapes import DeclaredShapes, with_batch_of_one
from litecheck.targets.ethos_u.domain import unverified_reason
from litecheck.targets.ethos_u.graph.dead_operators import detach_dead_operators
from litecheck.targets.ethos_u.graph.fusion import FusedOperator, fusion_candidates
from litecheck.targets.ethos_u.graph.inverse_pairs import detach_inverse_pairs
from litecheck.targets.ethos_u.graph.lowering import decompose, insert_boundary_casts, insert_copies
from litecheck.targets.ethos_u.graph.partitions import count_partitions
from litecheck.targets.ethos_u.graph.resident_variables import stranded_variables
from litecheck.targets.ethos_u.requirements import constant_block_shape, variable_on_npu
from litecheck.targets.ethos_u.rewrites import rewrites_of
from litecheck.targets.placement import (
    AFTER_PLACEMENT,
    AT_LOAD,
    OF_DEAD_OPERATORS,
    demote_superseded,
    operator_findings,
    place_of,
)

#: Findings of a subgraph, a list for each operator.
_Found = list[list[Finding]]


def place_model(model: Model, profile: Profile) -> tuple[TargetReport, list[Finding]]:
    """Place every operator of a model and return the findings. The compiler takes subgraphs individually."""
    operators, findings = list[Placement](), list[Finding]()
    partitions = peak = 0
    for subgraph in model.subgraphs:
        placed, count = _place_subgraph(model, subgraph, profile, findings, partitions)
        operators += placed
        partitions += count
        peak = max(peak, peak_live_bytes(subgraph))
    return TargetReport(profile.name, tuple(operators), partitions, peak), findings


def _place_subgraph(
    model: Model, declared: Subgraph, profile: Profile, findings: list[Finding], before: int
) -> tuple[list[Placement], int]:
    """Return the placement of a subgraph's operators and their number of partitions, and add the findings."""
    subgraph, rewrites = with_batch_of_one(declared), rewrites_of(profile)
    context = DeclaredShapes(model, subgraph)
    found = _check_operators(context, profile)
    if subgraph is not declared:
        found = _keep_load_findings(_check_operators(DeclaredShapes(model, declared), profile), found)
    candidates = fusion_candidates(model, subgraph, profile)
    fused = {one.operator.index: one for one in candidates if _apply_fusion(one, found, context, profile)}
    _recheck_after_fallback(found, fused, context, profile)
    live = detach_dead_operators(subgraph, [place_of(own) for own in found])
    for op, own in zip(subgraph.operators, live.operators, strict=True):
        if op.outputs and not own.outputs:
            found[op.index] = [f for f in found[op.index] if f.effect in OF_DEAD_OPERATORS]
    places = [place_of(own) for own in found]
    for maker, variables in rewrites.variables.items():
        for op, why in stranded_variables(subgraph, live, places, maker):
            found[op.index].append(finding_for(subgraph, op, variable_on_npu(variables, op.opcode), why))
            places[op.index] = "crashes"
    lowered = insert_boundary_casts(detach_inverse_pairs(live, places), rewrites.casts)
    lowered = decompose(insert_copies(lowered, places), places, rewrites.decompositions)
    count, partitions = count_partitions(graph_of(lowered), places)
    for where, these in zip(places, found, strict=True):
        findings += these if where != "cpu" else map(demote_superseded, these)
    inferred = inferred_shapes(model, declared)
    placed = [
        Placement(
            subgraph.index, op.index, op.opcode, where, count_macs(subgraph, op),
            before + partitions[op.index] if op.index in partitions else None,
            unverified_reason(declared, inferred, op) if where == "npu" and op.index in partitions else "",
        )
        for op, where in zip(subgraph.operators, places, strict=True)
    ]  # fmt: skip
    return placed, count


def _check_operators(context: Context, profile: Profile) -> _Found:
    return [operator_findings(context, op, profile) for op in context.subgraph.operators]


def _keep_load_findings(declared: _Found, found: _Found) -> _Found:
    """Combine findings: the compiler loads a model with its dynamic batch, and places it with batch 1."""
    return [
        [f for f in first if f.effect in AT_LOAD] + [f for f in second if f.effect not in AT_LOAD]
        for first, second in zip(declared, found, strict=True)
    ]


def _recheck_after_fallback(
    found: _Found, fused: Mapping[int, FusedOperator], context: DeclaredShapes, profile: Profile
) -> None:
    """Check operators that fail on the NPU again, once it is known which of their neighbors are on the CPU."""
    on_cpu = {n for n, own in enumerate(found) if place_of(own) == "cpu"}
    failing = {n for n, own in enumerate(found) if place_of(own) in ("refused", "crashes")} if on_cpu else ()
    context = context.with_cpu_operators(on_cpu)
    for n in failing:
        one = fused.get(n)
        if one is None:
            again = operator_findings(context, context.subgraph.operators[n], profile)
        elif one.block_shape is None:
            continue
        else:
            again = operator_findings(context.with_tensors(one.tensors), one.operator, profile)
        still = {(finding.path, finding.where) for finding in again}
        found[n] = [f for f in found[n] if f.effect not in AFTER_PLACEMENT or (f.path, f.where) in still]


def _apply_fusion(one: FusedOperator, found: _Found, context: DeclaredShapes, profile: Profile) -> bool:
    """Replace the findings of fused operators by those of the resulting operator, and return True.

    If the resulting operator would be on the CPU, the compiler does not fuse. Findings at load stay those of each
    operator.
    """
    whole = operator_findings(context.with_tensors(one.tensors), one.operator, profile)
    if one.block_shape is None:
        first = context.subgraph.operators[one.outer[0]]
        role = tuple(traits_of(first.kind).inputs)[one.fusion.dilation]
        requirement = constant_block_shape(one.fusion)
        whole.append(finding_for(context.subgraph, first, requirement, f"{role} is computed"))
    elif place_of(whole) == "cpu":
        return False
    for index in one.outer:
        found[index] = [finding for finding in found[index] if finding.effect in AT_LOAD]
    found[one.operator.index] = whole
    return True
