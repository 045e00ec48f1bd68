"""Invalid models: each violates a single requirement of an otherwise conforming form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import UnsolvableError, requirements_of
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.generate.violating_plan import ViolatingPlan
from litecheck.profile.operator_plan import Plan
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.accept_cases import computed_shapes, granularity_of, kind_of
from litecheck.suite.case import LEVELS, SuiteCase
from litecheck.suite.case_templates import templates_of
from litecheck.suite.draft_constants import fill_constants
from litecheck.suite.drafts import Draft, draft_form
from litecheck.suite.fitted_forms import forms_for
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.option_combinations import choices
from litecheck.suite.parameter_sets import SETS

#: Number of cases per requirement, and largest number of violating plans that are tried.
_CASES, _WAYS = 2, 12
#: Largest number of requirements named as reasons for a gap.
_TOLD = 3
#: Parameter set of the models before their violation.
_PLAIN = next(s for s in SETS if s.name == "plain")
Whole = tuple[Draft, Plan]


def reject_cases(
    profile: Profile, opcode: str, level: str, seed: int, chosen: Callable[[str], bool]
) -> Iterator[SuiteCase | MissingCase]:
    """Yield models that violate a single requirement each, in the order of the rule, and gaps for requirements without
    such a model.

    Requirements are skipped if no case of theirs can have a ``chosen`` name. Cases above ``level`` are omitted.
    """
    rule = profile.operators[opcode]
    if templates_of(opcode).none:
        return
    wholes: list[Whole] = []
    requirements = [r for r in rule.all_requirements() if r.level == "violation"]
    alternatives = Counter(r.path for r in requirements)  # a path can occur in several alternatives
    numbers: Counter[tuple[str, str]] = Counter()
    for requirement in requirements:
        most = _CASES * alternatives[requirement.path]
        if not any(chosen(name) for name in _names(requirement, profile.activations, most)):
            continue
        wholes = wholes or [w for kind in profile.activations for w in _wholes(profile, rule, kind, seed)]
        beside: dict[str, None] = {}
        made = list(_requirement_cases(requirement, wholes, beside, level, numbers))
        yield from (case for case in made if LEVELS.index(case.level) <= LEVELS.index(level))
        if not made:
            yield MissingCase(opcode, "", requirement.path, _why_none(tuple(beside)))


def _why_none(beside: Sequence[str]) -> str:
    """Return the reason that no model violates a requirement alone: further requirements that forbid the same models."""
    if not beside:
        return "no generated model violates it"
    told, more = ", ".join(beside[:_TOLD]), len(beside) - _TOLD
    others = f" and {more} more" if more > 0 else ""
    return f"every generated model that violates it also violates {told}{others}"


def _wholes(profile: Profile, rule: OperatorRule, kind: str, seed: int) -> Iterator[Whole]:
    """Yield every form that the profile accepts, under plain parameters."""
    for form in forms_for(profile, rule, kind):
        for choice in choices(profile, rule, kind):
            try:
                draft = draft_form(profile, rule, form, choice)
            except UnsolvableError:
                continue
            rng = np.random.default_rng([seed, *f"{rule.opcode}/{kind}/{form.name}/whole".encode()])
            plan = _plan(draft, rng, seed)
            if plan is not None:
                yield draft, plan


def _plan(draft: Draft, rng: np.random.Generator, seed: int) -> Plan | None:
    """Return the draft's plan under plain parameters; under any conforming parameters if the reference has no kernel."""
    freedom = FreeParameters(draft)
    try:
        plan = _PLAIN.make(freedom, rng, seed)
        mended = None if plan is None else freedom.repair_plan(plan)
        return None if mended is None else computed_shapes(draft, mended, draft.form.name)
    except RunError:
        return freedom.repair_plan(fill_constants(draft, draft.plan, rng))


def _names(requirement: Requirement, kinds: Sequence[str], most: int) -> Iterator[str]:
    """Yield the possible names of a requirement's cases."""
    for kind in kinds:
        yield from (_name(requirement, kind, number) for number in range(1, most + 1))


def _name(requirement: Requirement, kind: str, number: int) -> str:
    opcode, _, rest = requirement.path.partition("/")
    return f"{opcode}/{kind}/refuse-{rest.replace('/', '-')}-{number}"


def _requirement_cases(
    requirement: Requirement,
    wholes: Sequence[Whole],
    beside: dict[str, None],
    level: str,
    numbers: Counter[tuple[str, str]],
) -> Iterator[SuiteCase]:
    """Yield the cases of a requirement, from the first form whose model can violate it alone.

    Paths violated together with the requirement are added to ``beside``; ``numbers`` counts the cases of a path and
    type.
    """
    for draft, plan in wholes:
        kept = requirements_of(draft.rule, draft.choice.alternative)
        if requirement not in kept and requirement is not draft.rule.unsupported:
            continue
        found = _violating_models(requirement, draft, plan, beside, first_only=level == LEVELS[0])
        for model, finding in _first_and_last(found):
            counted = requirement.path, draft.choice.kind
            numbers[counted] += 1
            yield _case(requirement, draft, model, finding, numbers[counted])
        if found:
            return


def _first_and_last(found: list[tuple[Model, Finding]]) -> list[tuple[Model, Finding]]:
    """Return the first and the last violation: those in between are similar."""
    return found[:1] + found[-1:] if len(found) >= _CASES else found


def _violating_models(
    requirement: Requirement, draft: Draft, plan: Plan, beside: dict[str, None], first_only: bool
) -> list[tuple[Model, Finding]]:
    """Return models that violate the requirement alone, with the finding.

    Shape violations that necessarily accompany the requirement are accepted if nothing else works. With
    ``first_only``, the search ends at the first model.
    """
    ways = violating_plans(draft.profile, draft.rule, requirement, plan, draft.choice.alternative)
    alone: list[tuple[Model, Finding]] = []
    joint: list[tuple[Model, Finding]] = []
    for way in islice(ways, _WAYS):
        model = _assemble(way) if way.kind != "near" else None
        found = _violations(model, draft.profile) if model else {}
        finding = found.pop(requirement.path, None)
        goes_with = all(_goes_with(requirement.path, path) for path in found)
        if model is None or finding is None or not goes_with:
            beside.update(dict.fromkeys(found))
        else:
            (joint if found else alone).append((model, finding))
        if first_only and alone:
            break
    return alone or joint


def _goes_with(path: str, other: str) -> bool:
    """Return True if a violation always includes another path: limits also measure shapes that do not match."""
    opcode, _, rest = path.partition("/")
    limits = rest == "shapes" or rest.endswith("operands")
    return other == f"{opcode}/shapes" or (limits and other.startswith(f"{opcode}/limits/"))


def _assemble(way: ViolatingPlan) -> Model | None:
    """Return the model of a plan; None if no file can hold it."""
    try:
        model = assemble(way.plan)
        model_bytes(model)
    except (ValueError, KeyError, OverflowError, TypeError):
        return None
    return model


def _violations(model: Model, profile: Profile) -> dict[str, Finding]:
    """Return the first violation of each path."""
    found = (f for f in validate(model, [profile]).findings if f.level == "violation" and not f.waiver)
    return {f.path: f for f in reversed(list(found))}


def _case(requirement: Requirement, draft: Draft, model: Model, finding: Finding, number: int) -> SuiteCase:
    name = _name(requirement, draft.choice.kind, number)
    opcode = draft.rule.opcode
    level = "smoke" if number == 1 and draft.form.level == "smoke" else "standard"
    return SuiteCase(
        name, opcode, kind_of(draft), granularity_of(draft, model), f"must be rejected: {finding.found}", level,
        model, (), (), requirement.path, finding.effect,
    )  # fmt: skip
