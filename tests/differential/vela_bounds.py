"""Models at the bounds of a target's profile: each requirement met, and violated alone, in every form of every operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.assemble import measurable
from litecheck.profile.generate.plan_solver import UnsolvableError, conforming_plan
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.load import load_profile
from litecheck.profile.operator_plan import Plan
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.suite.case_templates import templates_of
from litecheck.suite.draft_constants import fill_constants
from litecheck.suite.drafts import draft_form
from litecheck.suite.option_combinations import choices

#: Profiles with the rules for models of each type of activations.
_JUDGES = {"int8": "litert-runtime", "int16": "litert-int16x8", "uint8": "litert-uint8"}
#: Largest number of elements of a tensor.
_LARGEST = 1 << 22
#: Errors of models that no file can hold or no plan can have.
_NO_PLAN = (ValueError, KeyError, OverflowError, TypeError, IndexError)


def sound_plans(opcode: str, seed: int = 1) -> Iterator[Plan]:
    """Yield every form of an operator with activations of every type, by LiteRT's rules."""
    for kind, name in _JUDGES.items():
        profile = load_profile(name)
        rule = profile.operators.get(opcode)
        if rule is None or kind not in profile.activations or rule.unsupported:
            continue
        for form in templates_of(opcode).forms:
            for choice in choices(profile, rule, kind):
                try:
                    draft = draft_form(profile, rule, form, choice)
                    yield fill_constants(draft, draft.plan, np.random.default_rng(seed))
                except UnsolvableError:
                    continue


def placed_plans(profile: Profile, rule: OperatorRule) -> Iterator[Plan]:
    """Yield the forms that a target's rule accepts, corrected if possible."""
    for plan in sound_plans(rule.opcode):
        try:
            yield conforming_plan(profile, rule, 0, plan)
        except (UnsolvableError, *_NO_PLAN):
            continue


class Trial(NamedTuple):
    """Model, and the index of the tested operator."""

    model: Model
    at: int = 0


def assembled(plan: Plan) -> Trial | None:
    """Return the model of a plan; None if no file can hold it."""
    try:
        bound = measurable(plan)
        model_bytes(bound.model)
    except _NO_PLAN:
        return None
    return Trial(bound.model, bound.operator.index)


def bounds(target: str, seed: int = 1, most: int = 4) -> Iterator[Trial]:
    """Yield models of every operator of a target that meet its rule, and models that violate a single requirement, each
    in at most ``most`` plans of each type. Additional inputs are left out: LiteRT rejects such models.
    """
    profile = load_profile(target)
    for opcode, rule in profile.operators.items():
        if opcode != ANY_OPERATOR and not rule.unsupported:
            plans = list(placed_plans(profile, rule))
            yield from (trial for plan in plans if (trial := assembled(plan)) and _is_small(trial.model))
            for r in rule.requirements:
                if r.verb != "operands" or r.role:
                    yield from _broken(profile, rule, r, _some(plans, f"{seed} {r.path}", most))


def _is_small(model: Model) -> bool:
    """Return True if the compiler finishes the model within seconds."""
    return max(t.size for t in model.subgraphs[0].tensors) <= _LARGEST


def _some(plans: list[Plan], seed: str, most: int) -> list[Plan]:
    """Return at most ``most`` plans of each type, in their order."""
    rng = np.random.default_rng(list(seed.encode()))
    chosen = rng.permutation(len(plans))[: most * len(_JUDGES)]
    return [plans[at] for at in sorted(chosen)]


def _broken(profile: Profile, rule: OperatorRule, r: Requirement, plans: list[Plan]) -> Iterator[Trial]:
    for plan in plans:
        for broken in broken_plans(profile, rule, r, plan):
            trial = assembled(broken)
            if trial is not None and _is_small(trial.model):
                yield trial


def broken_plans(profile: Profile, rule: OperatorRule, r: Requirement, plan: Plan) -> Iterator[Plan]:
    """Return plans that violate a requirement."""
    return (broken.plan for broken in violating_plans(profile, rule, r, plan))
