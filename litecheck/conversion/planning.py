"""Planning: operators are bound to rules, solved, and checked against every limit, until all limits are met."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from litecheck.conversion.apply import AppliedPlan, apply
from litecheck.conversion.binding import BoundFloatOperator, TensorUse, operands_of
from litecheck.conversion.clamp_infinities import clamp_infinities
from litecheck.conversion.conversion_plan import (
    UNTOUCHED,
    ConversionPlan,
    Decision,
    QuantParams,
    TensorQuantParams,
)
from litecheck.conversion.derived_constants import constant_forms, derive_parameters, product
from litecheck.conversion.edges import edges, entry_edges
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.operator_version import version_of
from litecheck.conversion.parameter_solver import ScaleQuestion, Solution, solve, tensor_at
from litecheck.conversion.quant_spec import quant_spec_of
from litecheck.conversion.recurrent_intermediates import Inside, intermediate_forms
from litecheck.conversion.request import REAL
from litecheck.conversion.rule_choice import RuleChoice, Targets, passed_rule_notes
from litecheck.conversion.scale_limits import DOUBLINGS, limit_violations, widening
from litecheck.conversion.scheme_binding import operator_type
from litecheck.conversion.selected_values import limit_selected_ranges, selection_notes
from litecheck.errors import ConfigError
from litecheck.model.graph import name_of
from litecheck.model.links import subgraph_calls
from litecheck.model.types import Model
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile

#: Maximum number of solutions. Each solution widens at least one range or gives up at least one operator.
ROUNDS = 200


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
    stated, ranges = ranges, limit_selected_ranges(model, ranges)
    selections = selection_notes(model, stated, ranges)
    choice = RuleChoice(model, profile, ranges, targets)
    operators = [choice.bind_operator(s, op) for s in model.subgraphs for op in s.operators]
    widened: dict[TensorUse, float] = {}
    for _ in range(ROUNDS):
        cuts = clamp_infinities(tuple(operators), ranges)
        question = ScaleQuestion(
            model, tuple(operators), cuts.ranges, targets.activation, targets.inputs, targets.outputs, widened,
            cuts.constants, inner or {}, targets.ties,
        )  # fmt: skip
        solution = solve(question)
        plan = _plan(question, profile, solution, targets, source, (*selections, *cuts.notes))
        converted = apply(model, plan)
        if not _mend(choice, operators, solution, converted, widened):
            return plan, converted
    raise ConfigError(
        f"{profile.name}: its limits were not kept by {ROUNDS} solutions; please report the model"
    )


def _mend(
    choice: RuleChoice,
    operators: list[BoundFloatOperator],
    solution: Solution,
    converted: AppliedPlan,
    widened: dict[TensorUse, float],
) -> bool:
    """Widen ranges, or take the next rule of operators or give them up, for violated limits. Return True if there were
    any."""
    places = {(b.subgraph.index, b.operator.index): n for n, b in enumerate(operators)}
    changed = False
    for subgraph in converted.model.subgraphs:
        for operator, origin in zip(subgraph.operators, converted.origins[subgraph.index], strict=True):
            number = places.get((subgraph.index, origin), -1)
            bound = operators[number] if number >= 0 else None
            if bound is None or not bound.storage or bound.rule is None:
                continue
            operands = operands_of(converted.model, subgraph, operator, bound.rule)
            for requirement in limit_violations(bound, operands):
                changed = True
                wider = widening(bound, requirement, operands, solution.partition)
                if wider is None or widened.get(wider[0], 1.0) * wider[1] > 2.0**DOUBLINGS:
                    why = f"no scales keep {requirement.path} ({requirement.demand})"
                    operators[number] = choice.instead(bound, why, requirement)
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
        forms[port] = targets.transferred.at(
            port, tensor_at(model, port), form, solution.partition[port].storage
        )
    decisions = []
    for bound in question.operators:
        forms.update(derive_parameters(bound, forms, targets.generation, targets.transferred))
        decisions.append(_decision(bound, forms, targets, question.inner))
        forms.update(constant_forms(bound, targets.generation))
    forms.update(_shift_forms(model, forms, targets))
    tensors = tuple(_tensors(model, forms))
    notes = (*notes, *passed_rule_notes(question.operators))
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
    calls = bool(tuple(subgraph_calls(operator)))
    quantized = bool(bound.storage or bound.constants) or (calls and not bound.float_reason)
    kind = operator_type(bound, targets.activation)
    becomes = kind if quantized else UNTOUCHED if bound.has_no_reals else REAL
    return Decision(
        subgraph.index,
        operator.index,
        operator.opcode,
        name_of(subgraph, operator),
        becomes,
        "" if bound.has_no_reals else bound.float_reason,
        dict(_added_biases(bound, forms)) if bound.storage else {},
        intermediate_forms(bound, forms, inner),
        version_of(bound),
    )


def _added_biases(
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


def _shift_forms(
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
