"""Decision between NPU and CPU for an operator, from the findings of the target's rule for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.context import Context
from litecheck.checks.rule_findings import check_each_requirement, finding_for_missing_rule
from litecheck.finding import CPU, SUPERSEDED, Effect, Finding
from litecheck.model.types import Operator
from litecheck.placement import Place
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import Profile

#: Effects and their places, in the order in which a compiler decides.
_STAGES: tuple[tuple[Effect, Place], ...] = (
    ("crashes the compiler at load", "crashes"),
    ("the compiler rejects the model at load", "refused"),
    ("crashes the compiler at placement", "crashes"),
    ("the compiler rejects any model with it", "refused"),
    (CPU, "cpu"),
    ("the compiler rejects the model", "refused"),
    ("crashes the compiler", "crashes"),
)
_EFFECTS = [effect for effect, _ in _STAGES]
#: Effects while the compiler loads a model, before it combines operators.
AT_LOAD = frozenset(_EFFECTS[:2])
#: Effects that dead operators also have.
OF_DEAD_OPERATORS = frozenset(_EFFECTS[:3])
#: Effects of the passes after the decision between NPU and CPU.
AFTER_PLACEMENT = frozenset(_EFFECTS[_EFFECTS.index(CPU) + 1 :])


def place_of(findings: Iterable[Finding]) -> Place:
    """Return the place of an operator with these findings. Example: without findings it is ``npu``."""
    effects = {finding.effect for finding in findings if finding.waiver is None}
    if not effects:
        return "npu"
    return next((place for effect, place in _STAGES if effect in effects), "npu")


def operator_findings(context: Context, operator: Operator, profile: Profile) -> list[Finding]:
    """Check an operator against its rule, or, where the profile has none, against the rule of every operator."""
    rule = profile.operators.get(operator.opcode)
    if rule is not None:
        return check_each_requirement(BoundOperator(context, operator, rule))
    every = profile.operators.get(ANY_OPERATOR)
    found = [] if every is None else check_each_requirement(BoundOperator(context, operator, every))
    return [*found, finding_for_missing_rule(context.subgraph, operator, profile)]


def demote_superseded(finding: Finding) -> Finding:
    """Return the finding of a CPU operator as a note if its effect belongs to a pass that CPU operators do not reach."""
    if finding.effect not in AFTER_PLACEMENT or finding.waiver is not None:
        return finding
    because = "; ".join(filter(None, (finding.because, f"else {finding.effect}")))
    return replace(finding, level="note", because=because, effect=SUPERSEDED)
