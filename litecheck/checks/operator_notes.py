"""Notes on operators without violations: information loss (``rules/notes.yaml``), and known faults of the runtime."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context, EstimatedRange, Form
from litecheck.checks.rule_findings import finding_for
from litecheck.finding import Finding
from litecheck.model.types import Operator
from litecheck.profile.known_faults import KnownFault, faults_by_type, has_faults
from litecheck.profile.load import STRUCTURE, load_profile
from litecheck.profile.measurements.estimates import ESTIMATES
from litecheck.profile.measurements.resolution import RESOLUTION
from litecheck.profile.notes import notes_of
from litecheck.profile.types import Profile, Range


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
        value = RESOLUTION[note.name](bound, note.operators[operator.opcode])
        if value is not None and not note.least <= value <= note.most:
            requirement = note.requirement(operator.opcode, profile.name)
            yield finding_for(subgraph, operator, requirement, note.found.format(value))
    runtime = profile.types.name if profile.types else ""
    for fault in _known_faults(bound, runtime):
        requirement = fault.requirement(operator.opcode, profile.name)
        yield finding_for(subgraph, operator, requirement, f"{fault.place}: it {fault.description}")


def _known_faults(bound: BoundOperator, runtime: str) -> Iterator[KnownFault]:
    """Yield the faults of a runtime that an operator meets with any inputs.

    Operators with the same form have the same possible faults. Estimates exclude most of them.
    """
    form = bound.form or Form()
    possible = form.faults.get(runtime)
    if possible is None:
        operands = bound.measurable()
        faults = faults_by_type(operands, runtime, on_values=False)
        possible = tuple([(fault, _estimated(fault)) for fault in faults if fault.possible(operands)])
        form.faults[runtime] = possible
    for fault, estimated in possible:
        if not (estimated and _is_far(bound, estimated)) and fault.holds(bound.measurable()):
            yield fault


def _estimated(fault: KnownFault) -> tuple[EstimatedRange, ...]:
    """Return a range with an estimate for each alternative condition of a fault, none if an alternative has none."""
    found = []
    for condition in fault.when:
        ranges = ((ESTIMATES.get(name), value) for name, value in condition if isinstance(value, Range))
        estimated = next(((e, float(value.low) / 2, float(value.high) * 2) for e, value in ranges if e), None)
        if estimated is None:
            return ()
        found.append(estimated)
    return tuple(found)


def _is_far(bound: BoundOperator, estimated: tuple[EstimatedRange, ...]) -> bool:
    """Return True if every estimate lies outside its range by more than a factor of 2."""
    for estimate, low, high in estimated:
        near = bound.estimate(estimate)
        if near is None or low <= near <= high:
            return False
    return True
