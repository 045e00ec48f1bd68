"""Placement by a list of supported operators: every operator on its own, partitions in the order of the file."""

from __future__ import annotations

from litecheck.finding import Finding
from litecheck.model.types import Model, Subgraph
from litecheck.placement import Placement, TargetReport
from litecheck.profile.types import Profile
from litecheck.targets.cost import count_macs, peak_live_bytes
from litecheck.targets.declared_shapes import DeclaredShapes, with_batch_of_one
from litecheck.targets.placement import demote_superseded, operator_findings, place_of


def place_model(model: Model, profile: Profile) -> tuple[TargetReport, list[Finding]]:
    """Place every operator of a model and return the findings. Consecutive NPU operators of a subgraph are a partition."""
    operators, findings = list[Placement](), list[Finding]()
    partitions = peak = 0
    for declared in model.subgraphs:
        subgraph = with_batch_of_one(declared)
        placed = _place_subgraph(model, subgraph, profile, findings, partitions)
        partitions = max([partitions, *(one.partition for one in placed if one.partition)])
        operators += placed
        peak = max(peak, peak_live_bytes(subgraph))
    return TargetReport(profile.name, tuple(operators), partitions, peak), findings


def _place_subgraph(
    model: Model, subgraph: Subgraph, profile: Profile, findings: list[Finding], partitions: int
) -> list[Placement]:
    context, placed, before = DeclaredShapes(model, subgraph), list[Placement](), ""
    for operator in subgraph.operators:
        found = operator_findings(context, operator, profile)
        where = place_of(found)
        findings += found if where != "cpu" else map(demote_superseded, found)
        partitions += where == "npu" != before
        partition = partitions if where == "npu" else None
        macs = count_macs(subgraph, operator)
        placed.append(Placement(subgraph.index, operator.index, operator.opcode, where, macs, partition))
        before = where
    return placed
