"""What a target's compiler would refuse a whole model for: such operators stay as they are."""

from __future__ import annotations

from litecheck.checks.placement import AsStated, findings_of, place_of
from litecheck.convert.apply import AppliedPlan
from litecheck.convert.binding import BoundFloat
from litecheck.profile.types import Profile


def give_up(operators: list[BoundFloat], converted: AppliedPlan, accelerator: Profile) -> bool:
    """Leave as they are the quantized operators for which the target's compiler would refuse the model, or die of it;
    whether there were any. Only the first subgraph has a place."""
    subgraph = converted.model.subgraphs[0]
    context, changed = AsStated(converted.model, subgraph), False
    places = {b.operator.index: n for n, b in enumerate(operators) if b.subgraph.index == 0}
    for operator, origin in zip(subgraph.operators, converted.origins[0], strict=True):
        number = places.get(origin, -1)
        if number < 0 or not operators[number].storage:
            continue
        found = findings_of(context, operator, accelerator)
        if place_of(found) in ("refused", "crashes"):
            reasons = (f for f in found if place_of([f]) == place_of(found))
            why = next(f"{f.path}: {f.found}; in integers {f.effect}" for f in reasons)
            operators[number] = operators[number].staying(f"{accelerator.name}: {why}")
            changed = True
    return changed
