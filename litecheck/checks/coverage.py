"""Coverage of operators by a profile, and the reason for an operator that is not covered."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from litecheck.checks.bound_operator import BoundOperator
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.custom_operators import compiler_of
from litecheck.profile.types import OperatorRule, Profile, Roles
from litecheck.quantization import Custom

#: Types of a profile that covers operators of every type.
ANY = "any"
FLOATS = frozenset(("float32", "float16", "bfloat16", "float64", "float8_e4m3fn", "float8_e5m2"))
_SMALL = frozenset(("int8", "int4", "uint4", "int2"))


@dataclass(frozen=True, slots=True)
class NotCovered:
    """Reason for an operator that is not covered. The lower ``rank``, the closer the profile is to covering the
    operator."""

    reason: str
    rank: int


def opaque_reason(operator: Operator) -> NotCovered | None:
    """Return the reason if no profile can cover an operator (custom, delegate or newer than the schema), else None."""
    if operator.opcode == "CUSTOM":
        made = compiler_of(operator.custom_code)
        if made:
            return NotCovered(f"'{operator.custom_code}', compiled for {made.target} by {made.compiler}", 3)
        name = f"'{operator.custom_code}'" if operator.custom_code else "without a name"
        return NotCovered(f"custom operator {name}", 3)
    if operator.opcode == "DELEGATE":
        return NotCovered("an opaque delegate: its computation is not in the file", 3)
    if operator.opcode.startswith("BUILTIN "):
        return NotCovered(f"{operator.opcode.lower()} is newer than litecheck's schema", 3)
    return None


def is_compiled(model: Model) -> bool:
    """Return True if a compiler wrote an operator of the model. Example: ``ethos-u`` by Vela."""
    operators = (operator for subgraph in model.subgraphs for operator in subgraph.operators)
    return any(op.opcode == "CUSTOM" and compiler_of(op.custom_code) for op in operators)


def unlisted_reason(subgraph: Subgraph, operator: Operator, profile: Profile) -> NotCovered | None:
    """Return the reason if a profile without a rule for an operator does not cover it; None if the profile forbids
    operators that it does not list."""
    tensors = [subgraph.tensors[i] for i in (*operator.inputs, *operator.outputs) if i >= 0]
    types = {t.dtype for t in tensors if not t.is_constant}
    if not types & set(profile.activations) and ANY not in profile.activations:
        return NotCovered(_kind_of(types, tensors), 2)
    if profile.unlisted == "violation":
        return None
    return NotCovered(f"{profile.name} has no rule for it", 0)


def not_covered_reason(bound: BoundOperator, profile: Profile) -> NotCovered | None:
    """Return None if the profile covers the operator, else the reason."""
    rule, wanted = bound.rule, profile.activations
    if ANY not in wanted and rule.activations:
        scope = [o for role in rule.activations for o in bound.roles[role]]
        counted = scope if rule.constants_count else [o for o in scope if o.tensor.data is None]
        if scope and not any(o.facts.dtype in wanted for o in counted):
            everything = [o.tensor for operands in bound.roles.values() for o in operands]
            return NotCovered(_kind_of({o.facts.dtype for o in counted}, everything), 2)
        moved = _shared_scope_roles(rule)
        if scope and moved and not any(o.facts.has_quantization for role in moved for o in bound.roles[role]):
            return NotCovered(f"{scope[0].facts.dtype} data without quantization", 1)
    for exemption in rule.exemptions:
        if any(o.facts.dtype in exemption.dtypes for o in bound.roles.get(exemption.role, ())):
            return NotCovered(exemption.because, 1)
    for role, operands in bound.roles.items() if bound.context.has_details else ():
        for o in operands:
            if o.facts.details is not None and isinstance(o.facts.details, Custom):
                return NotCovered(f"custom quantization of {role}, which only its maker can read", 1)
    return None


@lru_cache(maxsize=1024)
def _shared_scope_roles(rule: OperatorRule) -> frozenset[str]:
    """Return the roles with one shared quantization, if these alone decide the rule's scope.

    Such an operator moves or compares stored integers, and is also correct for integers without a real value.
    """
    shared = (frozenset(r.value.roles) for r in rule.requirements if isinstance(r.value, Roles))
    return next((roles for roles in shared if roles.issuperset(rule.activations)), frozenset())


def _kind_of(types: set[str], tensors: list[Tensor]) -> str:
    """Return the arithmetic of an operator that is not int8 or int16. Example: "hybrid: float32 activations with int8
    weights"."""
    floats = sorted(types & FLOATS)
    if floats:
        narrow = sorted({t.dtype for t in tensors if t.is_constant and t.dtype in _SMALL})
        if narrow:
            return f"hybrid: {floats[0]} activations with {narrow[0]} weights"
        return f"{floats[0]} activations"
    if not types:
        return "only constants go in"
    if "uint8" in types:
        return "uint8 activations: the legacy scheme, outside the int8 specification"
    return f"{', '.join(sorted(types))} arithmetic"
