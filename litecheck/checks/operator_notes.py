"""Notes on operators without violations: information loss (``rules/notes.yaml``), and known faults of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.rule_findings import finding_for
from litecheck.finding import Finding
from litecheck.model.types import Operator
from litecheck.profile.known_faults import faults_of, has_faults
from litecheck.profile.load import STRUCTURE, load_profile
from litecheck.profile.measurements.resolution import RESOLUTION
from litecheck.profile.notes import notes_of
from litecheck.profile.types import Profile


def notes(
    context: Context, operator: Operator, profile: Profile, bound: BoundOperator | None = None
) -> list[Finding]:
    """Return the notes of an operator for the runtime of a profile. ``bound`` is the operator, if it has a rule."""
    if not notes_of(operator.opcode) and not has_faults(operator.kind):
        return []
    rule = None if bound else load_profile(STRUCTURE).operators.get(operator.opcode)
    bound = BoundOperator(context, operator, rule) if rule else bound
    return list(_notes(bound, profile)) if bound else []


def _notes(bound: BoundOperator, profile: Profile) -> Iterator[Finding]:
    """Yield the notes of an operator.

    Example: ``QUANTIZE/kept_range``, output range covers 15% of the input range.
    """
    subgraph, operator = bound.context.subgraph, bound.operator
    for note in notes_of(operator.opcode):
        value = RESOLUTION[note.name](bound.measurable(), note.operators[operator.opcode])
        if value is not None and not note.least <= value <= note.most:
            requirement = note.requirement(operator.opcode, profile.name)
            yield finding_for(subgraph, operator, requirement, note.found.format(value))
    runtime = profile.types.name if profile.types else ""
    for fault in faults_of(bound.measurable(), runtime, on_values=False):
        requirement = fault.requirement(operator.opcode, profile.name)
        yield finding_for(subgraph, operator, requirement, f"{fault.place}: it {fault.does}")
