"""Planning: operators are bound to rules, solved, and checked against every limit, until all limits are met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.conversion.apply import AppliedPlan, apply
from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind, operands_of
from litecheck.conversion.clamp_infinities import clamp_infinities
from litecheck.conversion.conversion_plan import (
    UNTOUCHED,
    ConversionPlan,
    Decision,
    QuantParams,
    TensorQuantParams,
)
from litecheck.conversion.derived_constants import derived_parameters, product
from litecheck.conversion.edges import edges, entry_edges
from litecheck.conversion.formulas import Generation
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.operator_version import version_of
from litecheck.conversion.parameter_solver import ScaleQuestion, Solution, is_derived, solve, tensor_at
from litecheck.conversion.quant_spec import quant_spec_of
from litecheck.conversion.recurrent_intermediates import Inside, intermediate_forms, to_be_made
from litecheck.conversion.request import KINDS, REAL
from litecheck.conversion.scale_limits import DOUBLINGS, broken, widening
from litecheck.conversion.transferred import TransferredParams
from litecheck.errors import ConfigError
from litecheck.model.graph import name_of
from litecheck.model.links import called
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile

#: Maximum number of solutions. Each solution widens at least one range or gives up at least one operator.
ROUNDS = 200

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
    borrowed: TransferredParams = field(default_factory=TransferredParams)
    others: Mapping[Key, Profile] = field(default_factory=dict)
    """Operators, by (subgraph, number), that are bound to another profile than the rest."""
    ties: tuple[tuple[str, str], ...] = ()

    @property
    def matches_old_weights(self) -> bool:
        """True if int8 weights beside float activations are those of TensorFlow's old converter."""
        return self.activation == REAL and self.generation == "old"


def make_plan(
    model: Model,
    profile: Profile,
    ranges: Mapping[Key, Interval],
    targets: Targets,
    source: str = "",
    inner: Mapping[Inside, Interval] | None = None,
) -> tuple[ConversionPlan, AppliedPlan]:
    """Return the plan for a float model, and its model.

    ``ranges`` are those of tensors, ``inner`` those of values inside recurrent operators. Raises ConfigError if no
    parameters meet the rules.
    """
    operators = [
        _judged(model, s, op, profile, ranges, targets) for s in model.subgraphs for op in s.operators
    ]
    widened: dict[TensorUse, float] = {}
    for _ in range(ROUNDS):
        cuts = clamp_infinities(tuple(operators), ranges)
        question = ScaleQuestion(
            model, tuple(operators), cuts.ranges, targets.activation, targets.inputs, targets.outputs, widened,
            cuts.constants, inner or {}, targets.ties,
        )  # fmt: skip
        solution = solve(question)
        plan = _plan(question, profile, solution, targets, source, tuple(cuts.notes))
        converted = apply(model, plan)
        if not _mend(model, operators, solution, converted, widened):
            return plan, converted
    raise ConfigError(
        f"{profile.name}: its limits were not kept by {ROUNDS} solutions; please report the model"
    )


def _judged(
    model: Model, subgraph: Subgraph, operator: Operator, profile: Profile,
    ranges: Mapping[Key, Interval], targets: Targets,
) -> BoundFloatOperator:  # fmt: skip
    """Return an operator with its rule, or with the reason why it stays unquantized."""
    other = targets.others.get((subgraph.index, operator.index))
    activation = KINDS["int16x8"][0] if other else targets.activation
    bound = bind(model, subgraph, operator, other or profile, activation)
    if bound.stays or bound.untouched or not bound.storage:
        return bound
    why = targets.keeps(subgraph, operator) or _obstacle(bound, ranges)
    if why:
        return bound.staying(why)
    return _like_old_weights(bound) if targets.matches_old_weights else _like(bound, targets.borrowed)


def _like(bound: BoundFloatOperator, borrowed: TransferredParams) -> BoundFloatOperator:
    """Return an operator with per-tensor scales for constants that are per-tensor in the copied form."""
    storage = dict(bound.storage)
    for role, one in bound.storage.items():
        for port in bound.ports[role] if one.per_axis else ():
            own = borrowed.per_axis.get((port.subgraph, bound.tensor(port).index), True)
            storage[role] = replace(one, per_axis=own)
    return replace(bound, storage=storage)


def _like_old_weights(bound: BoundFloatOperator) -> BoundFloatOperator:
    """Return an operator with one scale per constant, except weights of convolutions, as TensorFlow's old converter has
    it for int8 weights beside float activations."""
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
            if tensor.is_constant and not tensor.is_variable:
                if is_derived(bound, port, role) and _has_infinity(tensor):
                    return f"its {role} holds an infinity, which no scale reaches"
                continue
            if storage.per_axis or facts.inputs.get(role) in ("weight", "bias"):
                return f"its {role} is computed: in 8 bits that loses more than the operator gains"
            if (port.subgraph, tensor.index) not in ranges:
                return f"no range of its {role} is known: no sample computes it; give --data that does"
            low, high = ranges[port.subgraph, tensor.index]
            if not high - low <= float(np.finfo(np.float32).max):
                return f"its {role} ranges from {low:g} to {high:g}, further than float32 says"
    return ""


def _has_infinity(tensor: Tensor) -> bool:
    values = stored_integers(tensor)
    return values is not None and bool(np.isinf(values).any())


def _mend(
    model: Model,
    operators: list[BoundFloatOperator],
    solution: Solution,
    converted: AppliedPlan,
    widened: dict[TensorUse, float],
) -> bool:
    """Widen ranges or give up operators for violated limits. Return True if there were any."""
    places = {(b.subgraph.index, b.operator.index): n for n, b in enumerate(operators)}
    changed = False
    for subgraph in converted.model.subgraphs:
        for operator, origin in zip(subgraph.operators, converted.origins[subgraph.index], strict=True):
            number = places.get((subgraph.index, origin), -1)
            bound = operators[number] if number >= 0 else None
            if bound is None or not bound.storage or bound.rule is None:
                continue
            operands = operands_of(converted.model, subgraph, operator, bound.rule)
            for requirement in broken(bound, operands):
                changed = True
                wider = widening(bound, requirement, operands, solution.partition)
                if wider is None or widened.get(wider[0], 1.0) * wider[1] > 2.0**DOUBLINGS:
                    why = f"no scales keep {requirement.path} ({requirement.demand})"
                    operators[number] = bound.staying(why, requirement)
                    break
                for port in solution.partition[wider[0]].ports:
                    widened[port] = widened.get(port, 1.0) * wider[1]
    return changed


def _plan(
    question: ScaleQuestion,
    profile: Profile,
    solution: Solution,
    targets: Targets,
    source: str,
    notes: tuple[str, ...],
) -> ConversionPlan:
    model = question.model
    forms = dict(solution.forms)
    for port, form in solution.forms.items():
        forms[port] = targets.borrowed.at(
            port, tensor_at(model, port), form, solution.partition[port].storage
        )
    decisions = []
    for bound in question.operators:
        forms.update(derived_parameters(bound, forms, targets.generation, targets.borrowed))
        decisions.append(_decision(bound, forms, targets, question.inner))
    forms.update(_shifted(model, forms, targets))
    tensors = tuple(_tensors(model, forms))
    return ConversionPlan(
        source, profile.name, targets.activation, tensors, tuple(decisions), targets.generation, notes
    )


def _decision(
    bound: BoundFloatOperator,
    forms: Mapping[TensorUse, QuantParams],
    targets: Targets,
    inner: Mapping[Inside, Interval],
) -> Decision:
    operator, subgraph = bound.operator, bound.subgraph
    calls = bool(tuple(called(operator)))
    quantized = bool(bound.storage) or (calls and not bound.stays)
    becomes = _kind(bound, targets.activation) if quantized else UNTOUCHED if bound.untouched else REAL
    return Decision(
        subgraph.index,
        operator.index,
        operator.opcode,
        name_of(subgraph, operator),
        becomes,
        "" if bound.untouched else bound.stays,
        dict(_added(bound, forms)) if bound.storage else {},
        intermediate_forms(bound, forms, inner),
        version_of(bound),
    )


def _kind(bound: BoundFloatOperator, activation: str) -> str:
    """Return the type of an operator's activations: the wanted type if it is one of them, else the first of them."""
    if activation == REAL:
        return "hybrid"
    roles = bound.rule.activations if bound.rule else ()
    types = [bound.storage[role].dtype for role in roles if role in bound.storage]
    return activation if activation in types or not types else types[0]


def _added(
    bound: BoundFloatOperator, forms: Mapping[TensorUse, QuantParams]
) -> Iterator[tuple[int, QuantParams]]:
    """Yield the biases that the rule requires and the operator lacks."""
    rule, kinds = bound.rule, traits_of(bound.operator.kind).inputs
    for place, role in enumerate(rule.inputs if rule else ()):
        absent = place >= len(bound.operator.inputs) or bound.operator.inputs[place] < 0
        if absent and rule and role not in rule.optional and kinds.get(role) == "bias":
            storage = quant_spec_of((r for r in bound.requirements if r.role == role), "")
            if storage is not None and storage.product is not None:
                scales = product(bound, storage, forms)
                zeros = np.zeros(len(scales), np.int64)
                yield (
                    place,
                    QuantParams(storage.dtype, scales, zeros, because="the kernel wants a bias: zeros"),
                )


def _tensors(model: Model, forms: Mapping[TensorUse, QuantParams]) -> Iterator[TensorQuantParams]:
    """Yield every tensor of real values that has another form at any port."""
    for subgraph in model.subgraphs:
        for wire in edges(subgraph):
            tensor = subgraph.tensors[wire.tensor]
            read: dict[TensorUse, QuantParams | None] = {port: forms.get(port) for port in wire.readers}
            written = forms.get(wire.writer) if wire.writer else None
            if tensor.is_variable and written is None:
                written = next((form for form in read.values() if form is not None), None)
            if written is not None or any(form is not None for form in read.values()):
                yield TensorQuantParams(subgraph.index, wire.tensor, tensor.name, written, read)


def _shifted(
    model: Model, forms: Mapping[TensorUse, QuantParams], targets: Targets
) -> Iterator[tuple[TensorUse, QuantParams]]:
    """Yield the forms of uint8 inputs and outputs: the same real values, stored 128 higher."""
    for number in entry_edges(model):
        subgraph = model.subgraphs[number]
        for side, dtype, ends in (
            ("output", targets.inputs, subgraph.inputs),
            ("input", targets.outputs, subgraph.outputs),
        ):
            for place in range(len(ends)) if dtype == "uint8" else ():
                port = TensorUse(number, -1, side, place)
                if port in forms and forms[port].dtype == "int8":
                    yield port, replace(forms[port], dtype="uint8", zero_point=forms[port].zero_point + 128)


__all__ = ["Targets", "make_plan"]
