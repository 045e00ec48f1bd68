"""Notes on operators without violations: information loss (``rules/notes.yaml``), and known faults of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.rule_findings import finding_for
from litecheck.finding import Finding
from litecheck.profile.known_faults import faults_of
from litecheck.profile.measurements.resolution import RESOLUTION
from litecheck.profile.notes import notes_of
from litecheck.profile.types import Profile


def notes(bound: BoundOperator, profile: Profile) -> Iterator[Finding]:
    """Yield the notes of an operator for the runtime of a profile.

    Example: ``QUANTIZE/kept_range``, output range covers 15% of the input range.
    """
    subgraph, operator = bound.context.subgraph, bound.operator
    for note in notes_of(operator.opcode):
        value = RESOLUTION[note.name](bound.measurable(), note.operators[operator.opcode])
        if value is not None and not note.least <= value <= note.most:
            requirement = note.requirement(operator.opcode, profile.name)
            yield finding_for(subgraph, operator, requirement, note.found.format(value))
    runtime = profile.types.name if profile.types else ""
    for fault in faults_of(bound.measurable(), runtime):
        if not fault.on_values:
            requirement = fault.requirement(operator.opcode, profile.name)
            yield finding_for(subgraph, operator, requirement, f"{fault.place}: it {fault.does}")
