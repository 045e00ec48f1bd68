"""Operators bound to their rules: tensors by role, constraints of a role, and the data that checks read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from litecheck.checks.context import Context, Form, TensorFacts
from litecheck.finding import Effect, Level
from litecheck.model.types import Operator, Tensor
from litecheck.profile.measurements.estimates import Estimate
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.types import Constraint, Exactly, OneOf, OperatorRule, Requirement


def words(value: Constraint) -> frozenset[str]:
    """Return the words that a constraint allows."""
    parts = value.values if isinstance(value, OneOf) else (value,)
    return frozenset(p.value for p in parts if isinstance(p, Exactly) and isinstance(p.value, str))


def dimension(value: Constraint) -> int | None:
    """Return the dimension that an ``axis`` constraint names."""
    return int(value.value) if isinstance(value, Exactly) and isinstance(value.value, Fraction) else None


def requirement_of(rule: OperatorRule, role: str, verb: str) -> Requirement | None:
    """Return the last requirement of a rule for this role and check."""
    path = f"{rule.opcode}/{role}/{verb}"
    return next((r for r in reversed(rule.requirements) if r.path == path), None)


# Rules hash by identity.
@lru_cache(maxsize=1024)
def types(rule: OperatorRule, role: str) -> frozenset[str] | None:
    """Return the types that a rule allows for a role, relaxed types included; None if it allows every type."""
    requirement = requirement_of(rule, role, "dtype")
    if requirement is None:
        return None
    allowed = words(requirement.value)
    return allowed | words(requirement.relaxation.value) if requirement.relaxation else allowed


@lru_cache(maxsize=1024)
def axis(rule: OperatorRule, role: str) -> int | None:
    """Return the quantized dimension that the rule requires of a role, or None."""
    requirement = requirement_of(rule, role, "axis")
    return None if requirement is None else dimension(requirement.value)


@lru_cache(maxsize=1024)
def may_lack_quantization(rule: OperatorRule, role: str) -> bool:
    """Return True if the rule allows a role without quantization."""
    requirement = requirement_of(rule, role, "granularity")
    return requirement is None or bool(words(requirement.value) & {"none", "any"})


class BoundOperand:
    """A tensor in a role; ``position`` counts within a repeated role."""

    __slots__ = ("facts", "position", "role", "tensor")

    def __init__(self, role: str, position: int | None, facts: TensorFacts) -> None:
        self.role = role
        self.position = position
        self.facts = facts
        self.tensor = facts.tensor


@dataclass(frozen=True, slots=True)
class Fault:
    """Fault that a check found.

    ``level`` is set if the fault is milder than the requirement, or always a violation. ``required``, ``because`` and
    ``effect`` are set if the fault is more basic than the requirement.
    """

    found: str
    role: str | None = None
    operand: BoundOperand | None = None
    channels: int | None = None
    level: Level | None = None
    required: str | None = None
    because: str | None = None
    effect: Effect | None = None
    kind: str = ""
    """Name of the fault in ``litecheck.profile.paths``, if the requirement may have a text for this fault."""


def at(
    operand: BoundOperand,
    found: str,
    channels: int | None = None,
    level: Level | None = None,
    required: str | None = None,
    because: str | None = None,
    effect: Effect | None = None,
    kind: str = "",
) -> Fault:
    """Return a fault of one tensor."""
    many = channels if operand.facts.scales > 1 else None
    return Fault(found, operand.role, operand, many, level, required, because, effect, kind)


class BoundOperator:
    """Operator with its tensors by role, and the checks that found a fault in each tensor."""

    __slots__ = (
        "_estimates", "_faults", "_operands", "any_fault", "complete", "context", "form", "gaps", "operator", "read",
        "roles", "rule", "surplus", "written",
    )  # fmt: skip

    def __init__(self, context: Context, operator: Operator, rule: OperatorRule) -> None:
        self.context = context
        self.operator = operator
        self.rule = rule
        self.roles: dict[str, tuple[BoundOperand, ...]] = {}
        self.gaps: set[str] = set()
        self.read = context.facts if rule.stored_shapes else context.runtime_facts
        """Facts about the tensors as the runtime reads them."""
        self.written = context.facts if rule.stored_shapes else context.written_facts
        """Facts about the tensors as the runtime writes them."""
        if not {*operator.outputs}.isdisjoint(operator.inputs):
            # The operator writes the type of its output after the check of its inputs.
            own = {index for index in operator.outputs if index >= 0}
            self.read = [
                w if i in own else r for i, (r, w) in enumerate(zip(self.read, self.written, strict=True))
            ]
        surplus = self._bind(operator.inputs, rule.inputs, self.read)
        self.surplus = self._bind(operator.outputs, rule.outputs, self.written) or surplus
        if rule.intermediates:
            self._bind(operator.intermediates, rule.intermediates, context.facts)
        self.complete = not (self.surplus or self.gaps) and all(self.roles.values())
        """True if every tensor of the rule is present, and no other tensor."""
        self.any_fault = False
        """True if any check has found a fault in any tensor."""
        self.form: Form | None = None
        """Results of the operators with the same structure, None until a rule with structure limits was checked."""
        self._faults: dict[int, set[str]] | None = None
        self._operands: Operands | None = None
        self._estimates: dict[Estimate, float | None] = {}

    def _bind(self, indexes: tuple[int, ...], roles: tuple[str, ...], facts: Sequence[TensorFacts]) -> bool:
        """Assign each tensor to its role; return True if there are more tensors than roles."""
        count = len(indexes)
        for number, role in enumerate(roles):
            if role in self.rule.repeated:
                rest = [i for i in indexes[number:] if i >= 0]
                if len(rest) < count - number:
                    self.gaps.add(role)
                self.roles[role] = tuple(BoundOperand(role, n, facts[i]) for n, i in enumerate(rest))
                return False
            index = indexes[number] if number < count else -1
            self.roles[role] = (BoundOperand(role, None, facts[index]),) if index >= 0 else ()
        return count > len(roles)

    def one(self, role: str) -> Tensor | None:
        """Return the first tensor of a role."""
        operands = self.roles.get(role)
        return operands[0].tensor if operands else None

    def facts(self, role: str) -> TensorFacts | None:
        """Return the facts about the first tensor of a role."""
        operands = self.roles.get(role)
        return operands[0].facts if operands else None

    def add_fault(self, verb: str, faults: Iterable[Fault]) -> None:
        """Store the violations that a check found, so that later checks skip faults that follow from them."""
        for fault in faults:
            if fault.operand:
                self.any_fault = True
                self._faults = self._faults or {}
                self._faults.setdefault(fault.operand.tensor.index, set()).add(verb)

    def estimate(self, estimate: Estimate) -> float | None:
        """Return an estimate of a measurement, computed once for all requirements and known faults."""
        known = self._estimates
        if estimate not in known:
            known[estimate] = estimate(self.operator.opcode, self.roles)
        return known[estimate]

    def is_valid(self, tensor: Tensor, *verbs: str) -> bool:
        """Return True if none of these checks (default: no check at all) has found a fault in a tensor."""
        found = self._faults.get(tensor.index) if self._faults else None
        return not found or not (found & set(verbs) if verbs else found)

    @property
    def reads_neighbors(self) -> bool:
        """Return True if a measurement has read more than the operator and its tensors."""
        return self._operands is not None and self._operands.reads_neighbors

    def measurable(self) -> Operands:
        """Return the operator as measurements see it: inputs have their shapes at run time."""
        if self._operands is None:
            reshaped = self.context.reshaped_tensors
            tensors = {role: tuple([o.tensor for o in operands]) for role, operands in self.roles.items()}
            if reshaped and not reshaped.keys().isdisjoint(self.operator.inputs):
                for role in self.rule.inputs:
                    tensors[role] = tuple(
                        replace(t, shape=reshaped[t.index].shape) if t.index in reshaped else t
                        for t in tensors[role]
                    )
            context = self.context
            self._operands = Operands(self.operator, tensors, context.subgraph, context.model, context.on_cpu)
        return self._operands


#: Check of one requirement: returns the faults of an operator, none if the requirement is satisfied.
Check = Callable[[BoundOperator], Sequence[Fault]]
#: Builder of a check. ``value`` is the requirement's, or the value of its relaxation.
Verb = Callable[[OperatorRule, Requirement, Constraint], Check]
NONE: Sequence[Fault] = ()


def channel(at: int, bad: NDArray[np.bool_]) -> str:
    """Return the channel and the number of bad channels; "" for a tensor with one channel.

    For example, channel 2 and 2 bad channels of 4 give `` at channel 2 (2 of 4 channels)``.
    """
    if len(bad) == 1:
        return ""
    count = int(bad.sum())
    return f" at channel {at}" + (f" ({count} of {len(bad)} channels)" if count > 1 else f" of {len(bad)}")
