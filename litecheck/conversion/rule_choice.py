"""The choice of the rule that applies to each operator, or of the reason why an operator stays unquantized."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.conversion.binding import BoundFloatOperator, bind, real_ports
from litecheck.conversion.formulas import Generation
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.parameter_solver import is_derived
from litecheck.conversion.parameter_transfer import TransferredParams
from litecheck.conversion.recipe import RecipeRule
from litecheck.conversion.recurrent_intermediates import to_be_made
from litecheck.conversion.request import REAL
from litecheck.conversion.runtime_faults import runtime_fault
from litecheck.conversion.scheme_binding import bind_rule, operator_type
from litecheck.model.links import subgraph_calls
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile, Requirement

#: A function that returns the reason why an operator shall stay unquantized, or "".
Keeps = Callable[[Subgraph, Operator], str]


@dataclass(frozen=True, slots=True)
class Targets:
    """The requested types of activations, inputs and outputs, the operators that stay float, and parameters to copy."""

    activation: str = "int8"
    inputs: str = REAL
    outputs: str = REAL
    generation: Generation = "new"
    keeps: Keeps = field(default=lambda subgraph, operator: "")
    transferred: TransferredParams = field(default_factory=TransferredParams)
    rules: Mapping[Key, tuple[RecipeRule, ...]] = field(default_factory=dict)
    """The rules of a recipe that select an operator, by (subgraph, number), the rule with the highest priority first.
    Operators without rules are bound to the profile of the whole model."""
    ties: tuple[tuple[str, str], ...] = ()
    runtimes: tuple[str, ...] = ()
    """Runtimes whose known faults are avoided."""

    @property
    def matches_old_weights(self) -> bool:
        """True if int8 weights with float activations are those of TensorFlow's old converter."""
        return self.activation == REAL and self.generation == "old"


@dataclass(frozen=True, slots=True)
class RuleChoice:
    """The choice of rules for the operators of a model. ``profile`` is the profile of the whole model."""

    model: Model
    profile: Profile
    ranges: Mapping[Key, Interval]
    targets: Targets

    def bind_operator(self, subgraph: Subgraph, operator: Operator) -> BoundFloatOperator:
        """Return an operator with its rule, or with the reason why it stays unquantized."""
        why = self.targets.keeps(subgraph, operator)
        if why and not tuple(subgraph_calls(operator)):
            ports = {"operands": tuple(real_ports(subgraph, operator))}
            return BoundFloatOperator(subgraph, operator, None, ports, {}, float_reason=why)
        rules = self.targets.rules.get((subgraph.index, operator.index), ())
        if rules:
            return self._first_applicable(subgraph, operator, rules)
        return self._check_allowed(bind(self.model, subgraph, operator, self.profile))

    def instead(
        self, bound: BoundFloatOperator, why: str, by: Requirement | None = None
    ) -> BoundFloatOperator:
        """Return an operator, for which a rule does not apply, with its next rule, or unquantized if there is none."""
        stays = bound.staying(why, by)
        return (
            self._first_applicable(bound.subgraph, bound.operator, bound.rules[1:], stays)
            if bound.rules[1:]
            else stays
        )

    def _first_applicable(
        self,
        subgraph: Subgraph,
        operator: Operator,
        rules: Sequence[RecipeRule],
        refused: BoundFloatOperator | None = None,
    ) -> BoundFloatOperator:
        """Return an operator with the first rule that applies, or with the reason of the first that does not."""
        passed = _passed_notes(refused, refused.rules[0]) if refused else ()
        for number, rule in enumerate(rules):
            found = bind_rule(self.model, subgraph, operator, self.profile, self.targets.activation, rule)
            bound = self._check_allowed(found)
            if not bound.float_reason:
                return replace(
                    bound, rules=tuple(rules[number:]), unused_rules=(*passed, *bound.unused_rules)
                )
            refused, passed = refused or bound, (*passed, *_passed_notes(bound, rule))
            if rule.scheme.to == REAL:
                break
        assert refused is not None
        return refused

    def _check_allowed(self, bound: BoundFloatOperator) -> BoundFloatOperator:
        """Return a bound operator, unquantized if the model or the request prevents the quantization."""
        if bound.float_reason or bound.has_no_reals or not (bound.storage or bound.constants):
            return bound
        dtype = operator_type(bound, self.targets.activation)
        fault = runtime_fault(bound.operator.opcode, dtype, self.targets.runtimes)
        if why := fault or _obstacle(bound, self.ranges):
            return bound.staying(why)
        if self.targets.matches_old_weights:
            return _copy_old_granularity(bound)
        return _copy_granularity(bound, self.targets.transferred)


def _passed_notes(bound: BoundFloatOperator, rule: RecipeRule) -> tuple[str, ...]:
    return (*bound.unused_rules, f"{rule.place} does not apply: {bound.float_reason}")


def passed_rule_notes(operators: Iterable[BoundFloatOperator]) -> tuple[str, ...]:
    """Return a note for each opcode and reason for which a rule of a recipe gave way to the rule before it."""
    found: dict[tuple[str, str], list[str]] = {}
    for bound in operators:
        for why in bound.unused_rules if not bound.has_no_reals else ():
            found.setdefault((bound.operator.opcode, why), []).append(f"#{bound.operator.index}")
    return tuple(f"{opcode} {', '.join(places)}: {why}" for (opcode, why), places in found.items())


def _copy_granularity(bound: BoundFloatOperator, borrowed: TransferredParams) -> BoundFloatOperator:
    """Return an operator with per-tensor scales for constants that are per-tensor in the copied form."""
    storage = dict(bound.storage)
    for role, one in bound.storage.items():
        for port in bound.ports[role] if one.per_axis else ():
            own = borrowed.per_axis.get((port.subgraph, bound.tensor(port).index), True)
            storage[role] = replace(one, per_axis=own)
    return replace(bound, storage=storage)


def _copy_old_granularity(bound: BoundFloatOperator) -> BoundFloatOperator:
    """Return an operator with one scale per constant, except weights of convolutions.

    TensorFlow's old converter has these scales for int8 weights with float activations.
    """
    if bound.operator.opcode in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        return bound
    storage = {role: replace(one, per_axis=False) for role, one in bound.storage.items()}
    return replace(bound, storage=storage)


def _obstacle(bound: BoundFloatOperator, ranges: Mapping[Key, Interval]) -> str:
    facts = traits_of(bound.operator.kind)
    for role, storage in bound.storage.items():
        for port in bound.ports[role]:
            if to_be_made(bound, port):
                continue
            tensor = bound.tensor(port)
            known = ranges.get((port.subgraph, tensor.index))
            if known is None and port.side == "intermediate":  # kernels do not read it
                continue
            if tensor.is_constant and not tensor.is_variable:
                if is_derived(bound, port, role) and _has_infinity(tensor):
                    return f"its {role} holds an infinity, which no scale reaches"
                continue
            if storage.per_axis or facts.inputs.get(role) in ("weight", "bias"):
                return f"its {role} is computed: in 8 bits that loses more than the operator gains"
            if known is None:
                return f"no range of its {role} is known: no sample computes it; give --data that does"
            low, high = known
            if not high - low <= float(np.finfo(np.float32).max):
                return f"its {role} ranges from {low:g} to {high:g}, further than float32 says"
    return ""


def _has_infinity(tensor: Tensor) -> bool:
    values = stored_integers(tensor)
    return values is not None and bool(np.isinf(values).any())
