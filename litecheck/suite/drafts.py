"""Drafts: plans from a form and a rule, with types of inputs and shapes of outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.template_operand import TemplateOperand
from litecheck.errors import ProfileError
from litecheck.model.shapes import Shape
from litecheck.model.shapes.infer import infer
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import (
    UnsolvableError,
    conforming_plan,
    first_word,
    following,
    initial_plan,
    requirements_of,
    violated_limits,
)
from litecheck.profile.load import law_of
from litecheck.profile.operator_plan import Callee, Plan, TensorPlan
from litecheck.profile.operators import STEERING, OperatorTraits, traits_of
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.reference.runtime_tensors import NUMPY_TYPES
from litecheck.suite.case_templates import FILE, CaseTemplate
from litecheck.suite.option_combinations import Choice, listed_types
from litecheck.suite.run_time_values import run_time_values, tensor_name

#: Type of steering inputs (shapes, axes) without a stated type.
_STEERS = "int32"


@dataclass(frozen=True, eq=False)
class Draft:
    """A form under a rule: a conforming plan, without the values of weights and further constants.

    ``blank`` names the constants whose values are to be drawn, ``inputs`` has the run-time values of steering inputs, by
    tensor name. ``by_inference`` has those that differ between inferences, which repeat them in order.
    """

    profile: Profile
    rule: OperatorRule
    form: CaseTemplate
    choice: Choice
    plan: Plan
    blank: frozenset[str]
    inputs: Mapping[str, Array] = field(default_factory=dict)
    by_inference: Mapping[str, tuple[Array, ...]] = field(default_factory=dict)

    @cached_property
    def requirements(self) -> tuple[Requirement, ...]:
        """Requirements that the plan satisfies."""
        return requirements_of(self.rule, self.choice.alternative)

    @cached_property
    def facts(self) -> OperatorTraits:
        """Facts about the operator."""
        return traits_of(self.form.opcode)

    @cached_property
    def equal_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a role without requirements and the activation with the same type and parameters."""
        return tuple(_alike(self.rule, self.form, self.choice))

    def violated_limits(self, plan: Plan) -> tuple[str, ...]:
        """Return the paths of the limits that a plan violates."""
        return tuple(r.path for r in violated_limits(plan, self.requirements))


def draft_form(profile: Profile, rule: OperatorRule, form: CaseTemplate, choice: Choice) -> Draft:
    """Return the draft of a form. Raise UnsolvableError if the rule does not accept the form, and ProfileError with
    the form's line if its inputs do not match."""
    chosen = {role for role, _ in choice.types} | {r for r in (choice.single, choice.several) if r}
    if absent := chosen & set(rule.inputs) - form.operands.keys():
        raise UnsolvableError(f"without {', '.join(sorted(absent))}")
    start = _start_plan(rule, form, choice)
    plan = conforming_plan(profile, rule, choice.alternative, start)
    if not _has_same_form(plan, start):
        limits = ", ".join(broken_limits(profile, rule, form, choice))
        raise UnsolvableError(f"breaks {limits}" if limits else "the rule requires other shapes or options")
    if choice.single:
        plan = plan.edit_all(lambda t: t.with_scale(t.scale[:1]) if t.scale.size else t, (choice.single,))
        plan = following(plan, requirements_of(rule, choice.alternative))
    if choice.several:
        plan = _along_channels(plan, choice.several, requirements_of(rule, choice.alternative))
    for role, other in _alike(rule, form, choice):
        model = plan.operands[other][0]
        plan = plan.edit_all(lambda t, m=model: t.but(quantization=m.quantization), (role,))  # type: ignore[misc]
    unusual = {option: role for option, role in form.unusual.items() if role in dict(choice.types)}
    typed = {
        option: made.dtype
        for option, role in {**form.type_options, **unusual}.items()
        if (made := plan.one(role))
    }
    plan = plan.option(**typed) if typed else plan
    inputs, by_inference = run_time_values(form, plan)
    return Draft(profile, rule, form, choice, plan, frozenset(_blank(form, plan)), inputs, by_inference)


def broken_limits(
    profile: Profile, rule: OperatorRule, form: CaseTemplate, choice: Choice
) -> tuple[str, ...]:
    """Return the paths of the limits that the shapes and options of a form violate."""
    plan = initial_plan(profile, rule, choice.alternative, _start_plan(rule, form, choice))
    return tuple(r.path for r in violated_limits(plan, requirements_of(rule, choice.alternative)))


def _start_plan(rule: OperatorRule, form: CaseTemplate, choice: Choice) -> Plan:
    """Return the plan with the shapes and options of a form, and the types that are fixed before solving."""
    types = _types(rule, form, choice)
    start = _add_output_shapes(_start(rule, form, types), form)
    demands = {
        r.role: first_word(r.value) for r in requirements_of(rule, choice.alternative) if r.verb == "dtype"
    }
    stated = {option: types.get(role) or demands.get(role) for option, role in form.type_options.items()}
    return start.option(**{option: dtype for option, dtype in stated.items() if dtype})


def _blank(form: CaseTemplate, plan: Plan) -> Iterator[str]:
    """Yield the names of constants without stated values: of the form, and data that the rule makes constant."""
    for role, parts in form.operands.items():
        steers = traits_of(form.opcode).inputs[role] in STEERING
        for at, (part, made) in enumerate(zip(parts, plan.operands[role], strict=True)):
            if part.values is None and (part.constant or (made.values is not None and not steers)):
                yield tensor_name(role, at)


def _along_channels(plan: Plan, role: str, requirements: tuple[Requirement, ...]) -> Plan:
    """Return the plan with a scale per channel of a role, along the rule's dimension, and zero points of 0."""
    axis = next((int(first_word(r.value)) for r in requirements if r.role == role and r.verb == "axis"), 0)
    plan = plan.edit_all(
        lambda t: t.with_axis(axis).with_scale(np.resize(t.scale, t.shape[axis]), 0), (role,)
    )
    return following(plan, requirements)


def _has_same_form(plan: Plan, start: Plan) -> bool:
    """Return True if a plan has the same inputs, shapes, steering values and options as its start."""
    kinds = traits_of(start.opcode).inputs
    for role, tensors in start.operands.items():
        if len(tensors) != len(plan.operands[role]):
            return False
        for before, after in zip(tensors, plan.operands[role], strict=True):
            stated = before.values is not None and kinds.get(role) != "weight"
            if before.shape != after.shape or (stated and not _equal(before, after)):
                return False
    return str(plan.options) == str(start.options)


def _equal(one: TensorPlan, other: TensorPlan) -> bool:
    return one.values is not None and other.values is not None and np.array_equal(one.values, other.values)


def _types(rule: OperatorRule, form: CaseTemplate, choice: Choice) -> dict[str, str]:
    """Return the types that are fixed before solving, by role."""
    demands = {r.role: r for r in requirements_of(rule, choice.alternative) if r.verb == "dtype" and r.role}
    types = {
        role: dtype for role, dtype in form.types.items() if role not in demands and dtype not in rule.roles
    }
    types |= dict.fromkeys((role for role, _ in _alike(rule, form, choice)), choice.kind)
    for role in rule.activations:
        if role not in demands or choice.kind in listed_types(demands[role]):
            types[role] = choice.kind
    return types | dict(choice.types)


def _alike(rule: OperatorRule, form: CaseTemplate, choice: Choice) -> Iterator[tuple[str, str]]:
    """Yield roles without requirements, with the activation whose type they share."""
    spoken = {r.role for r in requirements_of(rule, choice.alternative) if r.verb != "operands"}
    for role, other in form.types.items():
        if other in rule.activations and role not in spoken and form.operands.get(role):
            yield role, other


def _start(rule: OperatorRule, form: CaseTemplate, types: Mapping[str, str]) -> Plan:
    """Return the plan with the shapes of inputs, and outputs without shapes."""
    demands = {r.role: r for r in rule.requirements if r.verb == "dtype"}
    operands: dict[str, tuple[TensorPlan, ...]] = {}
    facts = traits_of(form.opcode)
    for role in rule.roles:
        parts = form.operands.get(role, ())
        kind = facts.inputs.get(role, "")
        stated = types.get(role, "")
        if kind in STEERING and not stated:
            stated = first_word(demands[role].value) if role in demands else _STEERS
        if kind == "weight" and not stated and role in demands:
            stated = first_word(demands[role].value)
        operands[role] = tuple(
            _tensor(part, tensor_name(role, at), stated, kind) for at, part in enumerate(parts)
        )
    for role in rule.outputs:
        count = form.results if role in rule.repeated else 1
        dtype = types.get(role, "")
        operands[role] = tuple(TensorPlan(dtype, (), name=tensor_name(role, at)) for at in range(count))
    for role in rule.intermediates:
        operands[role] = (TensorPlan("", (0,), name=role),)
    plan = Plan(
        form.opcode, rule.inputs, rule.outputs, operands, rule.intermediates, rule.optional,
        dict(form.options), form.version,
    )  # fmt: skip
    calls = tuple(_callees(plan, form))
    if calls:
        # The last called subgraph returns the outputs of the operator: a branch, or the body of a loop.
        (role,) = rule.outputs
        typed = zip(plan.operands[role], calls[-1].outputs, strict=True)
        plan = plan.with_role(role, [made.but(dtype=inner.dtype) for made, inner in typed])
    return plan.but(calls=calls)


def _callees(plan: Plan, form: CaseTemplate) -> Iterator[Callee]:
    """Yield subgraphs that return their inputs in another order."""
    for option, places in form.calls.items():
        passed = [t for role in plan.inputs if traits_of(form.opcode).inputs.get(role) in ("forwarded", "data")
                  for t in plan.operands[role]]  # fmt: skip
        inner = tuple(replace(t, name=f"inner {at}") for at, t in enumerate(passed))
        yield Callee(option, inner, tuple(inner[at] for at in places))


def _tensor(part: TemplateOperand, name: str, dtype: str, kind: str) -> TensorPlan:
    if part.values is not None and part.values.dtype == np.bool_:
        dtype = "bool"
    tensor = TensorPlan(dtype, part.shape, variable=kind == "state", name=name)
    if kind == "weight" and part.constant and part.values is None and dtype in NUMPY_TYPES:
        # Rules differ for weights that are not constant; the values are drawn later.
        return tensor.holding(np.zeros(part.shape, NUMPY_TYPES[dtype]), dtype)
    if part.values is None or part.is_runtime_input:
        return tensor
    return tensor.holding(part.values, dtype or part.values.dtype.name)


def _add_output_shapes(plan: Plan, form: CaseTemplate) -> Plan:
    """Return the plan with the outputs' shapes from the operator's shape rule."""
    known = plan.edit_all(lambda t: t if t.dtype else t.but(dtype="int8"))
    model = assemble(known)
    main = model.subgraphs[0]
    inferred = infer(model, main, law_of)
    for misfit in inferred.misfits.values():
        raise ProfileError(FILE, form.line, f"{form.opcode}, form {form.name}: {misfit.found}")
    shapes = iter([inferred.shapes[index] for index in main.operators[0].outputs])
    for role in plan.outputs:
        tensors = [t.but(shape=_fill_unknown(next(shapes))) for t in plan.operands[role]]
        plan = plan.with_role(role, tensors)
    return plan


def _fill_unknown(shape: Shape | None) -> tuple[int, ...]:
    return tuple(n if n is not None else 1 for n in shape or ())
