"""Conforming cases: every form of every operator under parameter sets, with inputs that distinguish variants."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from litecheck.cases.expectation import Expectation
from litecheck.cases.inputs import draw_stimuli
from litecheck.checks.validate import validate
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError
from litecheck.profile.operator_plan import Plan
from litecheck.profile.types import OperatorRule, Profile
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.case_templates import CaseTemplate, templates_of
from litecheck.suite.drafts import Draft, draft_form
from litecheck.suite.fitted_forms import forms_for
from litecheck.suite.fixed_parameters import fixed_sets
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.option_combinations import Choice, choices
from litecheck.suite.parameter_sets import SETS, ParameterSet
from litecheck.suite.probe_cases import designed_cases
from litecheck.suite.stimuli import ARITHMETIC, case_of, inputs_by_inference, known_inputs, stimuli

#: Bytes of inputs of smoke cases, of cases with plain parameters, and of all further cases.
_SMOKE, _PLAIN, _OTHERS = 1 << 14, 300_000, 1 << 15
#: Parameter sets for chosen types, in addition to the sets for every type.
_OF_CHOSEN_TYPES = ("powers-of-two", "bias-near-ties")
#: Default reason for a type without a case.
_SILENT = "the rule does not speak of this type"


class _Plans(NamedTuple):
    """Settings of an operator's cases."""

    profile: Profile
    rule: OperatorRule
    level: str
    seed: int


def accept_cases(profile: Profile, opcode: str, level: str, seed: int) -> Iterator[SuiteCase | MissingCase]:
    """Yield the cases of an operator up to a level, in a fixed order, and gaps."""
    rule = profile.operators[opcode]
    forms = templates_of(opcode)
    if rule.unsupported or forms.none:
        yield MissingCase(opcode, "", "", rule.unsupported.because if rule.unsupported else forms.none)
        return
    plans = _Plans(profile, rule, level, seed)
    for kind in profile.activations:
        if not any(True for _ in choices(profile, rule, kind)):
            continue
        lacking: list[MissingCase] = []
        found = False
        fitting = forms_for(profile, rule, kind)
        for form in fitting:
            told: dict[str, None] = {}
            there = False
            for made in _form_cases(plans, form, kind, form is fitting[0]):
                if isinstance(made, SuiteCase):
                    there = True
                    yield made
                elif made:
                    told[made] = None
            found = found or there
            if not there and _level_index(form.level) <= _level_index(level):
                silent = _SILENT if _level_index(level) else "no case at level smoke"
                lacking.append(MissingCase(opcode, kind, form.name, "; ".join(told) or silent))
        yield from lacking if found else _missing_type(lacking)
        if _level_index(level) >= _level_index("standard"):
            yield from designed_cases(plans.profile, opcode, kind, plans.seed)


def _missing_type(lacking: Sequence[MissingCase]) -> Iterator[MissingCase]:
    """Yield a gap for a type without any form, with the reason of the first form."""
    yield from (MissingCase(gap.opcode, gap.kind, "", gap.reason) for gap in lacking[:1])


def _level_index(level: str) -> int:
    return LEVELS.index(level)


def _form_cases(plans: _Plans, form: CaseTemplate, kind: str, first: bool) -> Iterator[SuiteCase | str]:
    """Yield the cases of a form, and reasons for missing cases."""
    for choice in choices(plans.profile, plans.rule, kind):
        try:
            draft = draft_form(plans.profile, plans.rule, form, choice)
        except UnsolvableError as error:
            yield str(error)
            continue
        for parameters in (*SETS, *_fixed_parameters(form, choice)):
            if not _is_applicable(plans, draft, parameters, first):
                continue
            made = _case(plans, draft, parameters)
            yield made
            if isinstance(made, str) and parameters.name == "plain":
                break


def case_under(
    profile: Profile, form: CaseTemplate, kind: str, parameters: ParameterSet, seed: int
) -> SuiteCase | str:
    """Return the case of a form under a parameter set, with the first types of the rule; or the reason for no case."""
    plans = _Plans(profile, profile.operators[form.opcode], "standard", seed)
    choice = next(choices(profile, plans.rule, kind))
    return _case(plans, draft_form(profile, plans.rule, form, choice), parameters)


def _fixed_parameters(form: CaseTemplate, choice: Choice) -> Iterator[ParameterSet]:
    """Return the parameters stated for a form, with the first types of its rule."""
    usual = not (choice.types or choice.single or choice.several)
    return fixed_sets(form.opcode, choice.kind, form.name) if usual else iter(())


def _is_applicable(plans: _Plans, draft: Draft, parameters: ParameterSet, first: bool) -> bool:
    """Return True if a set applies to a form: every set to the first form, unless the operator only moves values."""
    if _level(draft, parameters) > _level_index(plans.level):
        return False
    if draft.facts.result == "moved" and not parameters.moves:
        return False
    if draft.choice.types and not (parameters.everywhere or parameters.name in _OF_CHOSEN_TYPES):
        return False
    return parameters.everywhere or first or plans.level == "exhaustive"


def _level(draft: Draft, parameters: ParameterSet) -> int:
    """Return the level of a case: the highest of form and parameters, at least standard for chosen types."""
    choice = draft.choice
    chosen = choice.types or choice.alternative or choice.single or choice.several
    return max(
        _level_index(parameters.level),
        _level_index(draft.form.level),
        _level_index("standard") if chosen else 0,
    )


def _case(plans: _Plans, draft: Draft, parameters: ParameterSet) -> SuiteCase | str:
    kind = kind_of(draft)
    stored = () if kind == draft.choice.kind else (f"{draft.choice.kind}-weights",)
    name = "-".join((draft.form.name, *stored, *draft.choice.words(plans.rule), parameters.name))
    name = f"{draft.form.opcode}/{kind}/{name}"
    seed = int(np.random.default_rng([plans.seed, *name.encode()]).integers(1 << 32))
    freedom = FreeParameters(draft)
    try:
        plan = parameters.make(freedom, np.random.default_rng(seed), seed)
        mended = None if plan is None else freedom.repair_plan(plan)
        if plan is None or mended is None:
            return "" if plan is None else f"breaks {', '.join(draft.violated_limits(plan))}"
        model = assemble(computed_shapes(draft, mended, name), name)
        level = LEVELS[_level(draft, parameters)]
        given = _feeds(plans, draft, model, name, level, parameters)
    except RunError as error:
        return str(error).partition(": ")[2]
    if (broken := nonconformity(model, plans.profile)) is not None:
        return broken
    return _suite_case(draft, model, name, level, f"form {draft.form.name}, {parameters.title}", given)


def _suite_case(
    draft: Draft, model: Model, name: str, level: str, title: str, given: Expectation
) -> SuiteCase:
    lengths = tuple(map(len, given.stimuli.series)) if given.stimuli.follows else ()
    runs = given.stimuli.runs
    return SuiteCase(
        name,
        draft.form.opcode,
        kind_of(draft),
        granularity_of(draft, model),
        title,
        level,
        model,
        runs,
        lengths,
        expected=given(reference()) or (),
    )


def kind_of(draft: Draft) -> str:
    """Return the type of the computation: float32 if only weights are integers."""
    data = (role for role, kind in draft.facts.inputs.items() if kind == "data")
    types = [t.dtype for role in data for t in draft.plan.operands.get(role, ())]
    return "float32" if draft.choice.kind not in types and "float32" in types else draft.choice.kind


def granularity_of(draft: Draft, model: Model) -> str:
    """Return ``per-axis`` or ``per-tensor`` by the scales of the weights; "" without weights."""
    weights = [role for role, kind in draft.facts.inputs.items() if kind == "weight"]
    names = {t.name for role in weights for t in draft.plan.operands.get(role, ())}
    counts = {t.quantization.scale.size for t in model.subgraphs[0].tensors if t.name in names}
    counts.discard(0)
    return ("per-axis" if max(counts) > 1 else "per-tensor") if counts else ""


def computed_shapes(draft: Draft, plan: Plan, name: str) -> Plan:
    """Return the plan with the output shapes that the reference computes. Raise RunError if it cannot."""
    model = assemble(plan, name)
    main = model.subgraphs[0]
    stimulus = next(draw_stimuli(case_of(model, name), known_inputs(model, draft.inputs), 0, 1), None)
    if stimulus is None:
        raise RunError("values: no values for the inputs that determine the shape")
    made = ReferenceInterpreter(model).run(main, stimulus.arrays)
    shapes = {main.tensors[index].name: made[index].shape for index in main.outputs}
    return plan.edit_all(lambda t: t.but(shape=shapes[t.name]), plan.outputs)


def _feeds(
    plans: _Plans, draft: Draft, model: Model, name: str, level: str, parameters: ParameterSet
) -> Expectation:
    usual = _SMOKE if level == "smoke" else _PLAIN if parameters.name == "plain" else _OTHERS
    case = case_of(model, name)
    known, several = known_inputs(model, draft.inputs), inputs_by_inference(model, draft.by_inference)
    return stimuli(case, known, plans.seed, parameters.size or usual, reference(), parameters.sharp, several)


def reference() -> Arithmetic:
    """Return the arithmetic that decides if a case can be computed."""
    return load_arithmetic(ARITHMETIC)


def nonconformity(model: Model, profile: Profile) -> str | None:
    """Return the reason that a model does not conform to the profile; None if it conforms."""
    report = validate(model, [profile])
    paths = [f.path for f in report.findings if f.level in ("violation", "warning") and not f.waiver]
    if paths:
        return f"breaks {', '.join(paths)}"
    if report.coverage["not covered"]:
        return report.operators[0].reason or _SILENT
    return None
