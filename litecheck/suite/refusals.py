"""Models that must be refused: each breaks one requirement of a form that conforms otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.assemble import assemble
from litecheck.profile.breaks import breaks
from litecheck.profile.broken_plan import BrokenPlan
from litecheck.profile.plan import Plan
from litecheck.profile.solve import UnsolvableError, requirements_of
from litecheck.profile.types import OperatorRule, Profile, Requirement
from litecheck.reference.operands import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.drafts import Draft, choices, drafted
from litecheck.suite.forms import forms_of
from litecheck.suite.freedom import Freedom
from litecheck.suite.gap import Gap
from litecheck.suite.parameters import SETS
from litecheck.suite.positives import computed_shapes, granularity_of, kind_of

#: Cases of one requirement, and ways to break it that are looked at.
_CASES, _WAYS = 2, 12
#: The set whose parameters models have where they are not broken.
_PLAIN = next(s for s in SETS if s.name == "plain")
Whole = tuple[Draft, Plan]


def refusals(profile: Profile, opcode: str, seed: int) -> Iterator[SuiteCase | Gap]:
    """Models that break one requirement each, in the order of the rule, and the requirements that none breaks alone."""
    rule = profile.operators[opcode]
    if forms_of(opcode).none:
        return
    wholes = [w for kind in profile.activations for w in _wholes(profile, rule, kind, seed)]
    for requirement in rule.all_requirements():
        if requirement.level != "violation":
            continue
        made = list(_of(requirement, wholes))
        yield from made
        if not made:
            yield Gap(opcode, "", requirement.path, "no model of a known form breaks this and nothing else")


def _wholes(profile: Profile, rule: OperatorRule, kind: str, seed: int) -> Iterator[Whole]:
    """Every form that the profile takes, under plain parameters."""
    for form in forms_of(rule.opcode).forms:
        for choice in choices(profile, rule, kind):
            try:
                draft = drafted(profile, rule, form, choice)
                rng = np.random.default_rng([seed, *f"{rule.opcode}/{kind}/{form.name}/whole".encode()])
                plan = _PLAIN.make(Freedom(draft), rng, seed)
                mended = None if plan is None else Freedom(draft).mended(plan)
                if mended is not None:
                    yield draft, computed_shapes(draft, mended, form.name)
            except (UnsolvableError, RunError):
                continue


def _of(requirement: Requirement, wholes: Sequence[Whole]) -> Iterator[SuiteCase]:
    """Cases of one requirement: from the first form whose model can break it and nothing else."""
    for draft, plan in wholes:
        kept = requirements_of(draft.rule, draft.choice.alternative)
        if requirement not in kept and requirement is not draft.rule.unsupported:
            continue
        found = [(model, finding) for model, finding in _broken(requirement, draft, plan)]
        for number, (model, finding) in enumerate(_worth(found), 1):
            yield _case(requirement, draft, model, finding, number)
        if found:
            return


def _worth(found: list[tuple[Model, Finding]]) -> list[tuple[Model, Finding]]:
    """The first and the last way: those in between are alike."""
    return found[:1] + found[-1:] if len(found) >= _CASES else found


def _broken(requirement: Requirement, draft: Draft, plan: Plan) -> Iterator[tuple[Model, Finding]]:
    """Models that break the requirement and nothing else, with what is found."""
    ways = breaks(draft.profile, draft.rule, requirement, plan, draft.choice.alternative)
    for number, way in enumerate(ways):
        if number == _WAYS:
            return
        model = _assembled(way)
        finding = model and _alone(model, draft.profile, requirement.path)
        if model and finding and way.kind != "near":
            yield model, finding


def _assembled(way: BrokenPlan) -> Model | None:
    """The model of a plan; None where no file can hold it."""
    try:
        model = assemble(way.plan)
        model_bytes(model)
    except (ValueError, KeyError, OverflowError, TypeError):
        return None
    return model


def _alone(model: Model, profile: Profile, path: str) -> Finding | None:
    """What is found against a model, if it is this alone."""
    report = validate(model, [profile])
    found = [f for f in report.findings if f.level == "violation" and not f.waiver]
    return found[0] if found and {f.path for f in found} == {path} else None


def _case(requirement: Requirement, draft: Draft, model: Model, finding: Finding, number: int) -> SuiteCase:
    opcode, _, rest = requirement.path.partition("/")
    name = f"{opcode}/{draft.choice.kind}/refuse-{rest.replace('/', '-')}-{number}"
    level = "smoke" if number == 1 and draft.form.level == "smoke" else "standard"
    return SuiteCase(
        name, opcode, kind_of(draft), granularity_of(draft, model), f"must be refused: {finding.found}", level,
        model, (), (), requirement.path, finding.effect,
    )  # fmt: skip
