"""Geometric cases: the covering design of an operator's shapes, each with plain parameters and few inputs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import numpy as np

from litecheck.cases.expectation import Expectation
from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.design import STRENGTHS, design_of
from litecheck.cases.geometry.layout import Layout
from litecheck.cases.inputs import draw_stimuli, inputs_of
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimulus
from litecheck.model.submodels import cut_operators
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError
from litecheck.profile.types import Profile
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.accept_cases import (
    computed_shapes,
    granularity_of,
    kind_of,
    nonconformity,
    reference,
)
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.case_templates import CaseTemplate, templates_of
from litecheck.suite.drafts import draft_form
from litecheck.suite.fitted_forms import fitted_rows, form_of
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.option_combinations import choices
from litecheck.suite.parameter_sets import SETS
from litecheck.suite.small_sums import sparse_inputs, tune_small_sums
from litecheck.suite.stimuli import case_of, inputs_by_inference, known_inputs, set_values

#: Numbers of the drawn inputs of each case. Those of comparisons include limits and zero points, which are often equal.
_DRAWN, _COMPARED = (0, 1), (0, 3)
#: A case with more input and output elements than this has one inference, except comparisons: of 438 planted faults, the
#: second inference of such a case shows none.
_LARGE = 1 << 15
#: Number of inputs with few values beside the zero point in cases of small sums.
_SPARSE = 2
_PLAIN = next(s for s in SETS if s.name == "plain")


def geometric(profile: Profile, opcode: str, level: str, seed: int) -> Iterator[SuiteCase]:
    """Yield the cases of an operator's covering design up to a level, with values that the rule allows."""
    rule, design, forms = profile.operators[opcode], design_of(opcode), templates_of(opcode).forms
    if design is None or not forms or rule.unsupported:
        return
    for kind in profile.activations:
        choice = next(choices(profile, rule, kind), None)
        for name, strength in STRENGTHS.items():
            if choice is not None and LEVELS.index(name) <= LEVELS.index(level):
                for number, row in fitted_rows(profile, rule, choice, strength).items():
                    if layout := design.layout_of(row):
                        form = form_of(forms[0], layout, f"geometry-{strength}-{number}")
                        yield from _cases(profile, form, layout, kind, row, name, seed)


def _alias_inputs(model: Model) -> Model:
    """Return a model of one operator with its first tensor as every operand of the same shape."""
    main = model.subgraphs[0]
    operator, first = main.operators[0], main.operators[0].inputs[0]
    inputs = tuple(
        first if main.tensors[i].shape == main.tensors[first].shape else i for i in operator.inputs
    )
    operator = replace(operator, inputs=inputs)
    return cut_operators(model, replace(main, operators=(operator,)), (operator,)).model


def _with_equal_values(stimulus: Stimulus, case: Case) -> Stimulus:
    """Return inputs of a comparison with single elements at the zero point, which the further input often has."""
    uses = inputs_of(case)
    arrays = (
        np.full_like(array, use.zero_point) if use.is_quantized and array.size == 1 else array
        for use, array in zip(uses, stimulus.arrays, strict=True)
    )
    return replace(stimulus, arrays=tuple(arrays))


def _cases(
    profile: Profile, form: CaseTemplate, layout: Layout, kind: str, row: Row, level: str, seed: int
) -> Iterator[SuiteCase]:
    """Yield the case of a row; none if no parameters conform, or the reference kernels do not compute it."""
    with suppress(UnsolvableError, RunError):
        if case := _case(profile, form, layout, kind, row, level, seed):
            yield case


def _case(
    profile: Profile, form: CaseTemplate, layout: Layout, kind: str, row: Row, level: str, seed: int
) -> SuiteCase | None:
    rule = profile.operators[form.opcode]
    draft = draft_form(profile, rule, form, next(choices(profile, rule, kind)))
    stored = "" if kind_of(draft) == kind else f"-{kind}-weights"
    name = f"{form.opcode}/{kind_of(draft)}/{form.name}{stored}"
    drawn = int(np.random.default_rng([seed, *name.encode()]).integers(1 << 32))
    freedom, rng = FreeParameters(draft), np.random.default_rng(drawn)
    plan = _PLAIN.make(freedom, rng, drawn)
    if plan is not None and layout.small_sums:
        plan = tune_small_sums(freedom, plan, rng)
    mended = None if plan is None else freedom.repair_plan(plan)
    if mended is None:
        return None
    model = assemble(computed_shapes(draft, mended, name), name)
    model = _alias_inputs(model) if layout.aliased else model
    case = case_of(model, name)
    main = model.subgraphs[0]
    numbers = _COMPARED if main.tensors[main.outputs[0]].dtype == "bool" else _DRAWN
    known = known_inputs(model, draft.inputs)
    made = list(draw_stimuli(case, known, seed, max(numbers) + 1))
    elements = sum(math.prod(main.tensors[i].shape) for i in (*main.inputs, *main.outputs))
    single = elements > _LARGE and numbers != _COMPARED
    several = [made[number] for number in numbers[: 1 if single else 2] if number < len(made)]
    if layout.small_sums:
        several = [*sparse_inputs(case, known, freedom, seed, _SPARSE), *several[:1]]
    if numbers == _COMPARED:
        several[1:] = [_with_equal_values(stimulus, case) for stimulus in several[1:]]
    stimuli = set_values(several, inputs_by_inference(model, draft.by_inference))
    expectation = Expectation(case, list(stimuli))
    expectation.usable(reference())
    if not expectation.stimuli or nonconformity(model, profile) is not None:
        return None
    return SuiteCase(
        name,
        form.opcode,
        kind_of(draft),
        granularity_of(draft, model),
        "geometry: " + ", ".join(f"{factor.replace('_', ' ')} {value}" for factor, value in row.items()),
        level,
        model,
        tuple(expectation.stimuli.runs),
        expected=tuple(expectation(reference()) or ()),
        factors=dict(row),
    )
