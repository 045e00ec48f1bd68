"""Validation of a model against profiles: findings and a status for every operator."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.called_types import types_of_callers
from litecheck.checks.context import Context
from litecheck.checks.coverage import (
    FLOATS,
    NotCovered,
    is_compiled,
    not_covered_reason,
    opaque_reason,
    unlisted_reason,
)
from litecheck.checks.float_islands import float_parts
from litecheck.checks.float_types import merge_float_types
from litecheck.checks.impacts import combine_rejections, delay_rejections
from litecheck.checks.operator_notes import notes
from litecheck.checks.policy import with_status, with_statuses
from litecheck.checks.rule_findings import (
    add_type_finding,
    check_custom_operator,
    check_operator,
    check_structure,
    check_subgraph,
    check_tensors,
    finding_for_forbidden_operator,
)
from litecheck.checks.tensor_stats import summarize_quantization as surveyed
from litecheck.errors import ModelError, wrong_type
from litecheck.finding import Finding
from litecheck.model.graph import name_of
from litecheck.model.load import load_models
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.load import STRUCTURE, load_profile
from litecheck.profile.types import Profile
from litecheck.public_call import shows_call
from litecheck.quantization import INTEGER_RANGES
from litecheck.report import ModelReport, OperatorReport
from litecheck.summary_text import Status
from litecheck.target_kinds import import_attribute, target_kind

#: Profiles without ``profiles``: the first that covers the activations' type of an operator checks it.
DEFAULT_PROFILES = ("litert-runtime", "litert-int16x8", "litert-uint8", "litert-hybrid", "litert-structure")
#: Integer types that represent real numbers only together with a scale.
_SMALL = frozenset(name for name in INTEGER_RANGES if name not in ("int32", "uint32", "int64", "uint64"))


@shows_call("litecheck.validate(litecheck.load_model('model.tflite'), [litecheck.load_profile('tflm')])")
def validate(
    model: Model,
    profiles: Sequence[Profile] | None = None,
    *,
    survey: bool = False,
    only: Collection[tuple[int, int]] | None = None,
) -> ModelReport:
    """Check a model against every given profile; by default, each operator against the LiteRT profile of its type.

    A target's profile describes the operators that a target runs; the remaining profiles are checked as well, and
    LiteRT's if only targets are given. With ``survey`` the report also holds scales and extremes of tensors, which the
    HTML page of a model shows. ``only`` checks these operators, as (subgraph, operator).
    """
    given = _check_profiles(profiles) or ()
    # The compiler has already placed the operators of a compiled model.
    targets = [p for p in given if p.judges == "placement" and not is_compiled(model)]
    profiles = [p for p in given if p.judges != "placement"]
    candidates = _Candidates(profiles)
    operators: list[OperatorReport] = []
    findings: list[Finding] = []
    callers = types_of_callers(model)
    for subgraph in model.subgraphs:
        context = Context(model, subgraph)
        context.types_of_callers = callers.get(subgraph.index, {})
        found: list[Finding] = []
        chosen = [op for op in subgraph.operators if only is None or (subgraph.index, op.index) in only]
        for operator in chosen:
            report, new = _check_operator(context, operator, candidates, first_only=not profiles)
            operators.append(report)
            found += new
        wide = profiles or (_default(DEFAULT_PROFILES[0]),)
        for profile in wide:
            found += check_subgraph(context, profile)
        found += next(
            (list(t) for p in wide if (t := check_tensors(context, _tensors_of(subgraph, chosen), p, found))),
            [],
        )
        findings += found
    spoke = {name for op in operators for name in op.profiles}
    placed = [import_attribute(target_kind(target.target).place)(model, target) for target in targets]
    findings += (finding for _, found in placed for finding in merge_float_types(found))
    used = tuple(p for p in candidates.loaded_profiles() if profiles or p.name in spoke)
    judged_model = ModelReport(
        model.file, model.member, model.size, tuple(p.name for p in (*targets, *used)), tuple(operators), tuple(findings),
        remarks=model.remarks, runtimes={p.name: p.runtime for p in (*used, *targets) if p.runtime},
        targets=tuple(target for target, _ in placed),
        survey=surveyed(model) if survey else (), float_parts=float_parts(model),
    )  # fmt: skip
    return with_statuses(judged_model) if targets else judged_model


def _tensors_of(subgraph: Subgraph, chosen: Sequence[Operator]) -> Iterable[int]:
    """Return the tensors of some operators; those of no operator count as well if all are chosen."""
    if len(chosen) == len(subgraph.operators):
        return range(len(subgraph.tensors))
    return sorted({i for op in chosen for i in (*op.inputs, *op.outputs) if i >= 0})


@shows_call("litecheck.validate_file('model.tflite', [litecheck.load_profile('tflm')])", "path")
def validate_file(
    path: str | Path,
    profiles: Sequence[Profile] | None = None,
    progress: Callable[[ModelReport], None] | None = None,
    *,
    survey: bool = False,
    beside: Callable[[Model, ModelReport], ModelReport] | None = None,
) -> tuple[ModelReport, ...]:
    """Check every model in a file; a model that cannot be read gives a report of its problems. ``beside`` extends the
    report of each model."""
    if not isinstance(path, (str, os.PathLike)):
        call = "litecheck.validate(litecheck.load_model(content)) checks a model in memory"
        raise wrong_type("validate_file", "a path", path, call)
    reports = []
    with _no_search_for_cycles():
        for found in load_models(path):
            if isinstance(found, ModelError):
                report = unreadable(found, path)
            else:
                report = validate(found, profiles, survey=survey)
                report = beside(found, report) if beside else report
            reports.append(report)
            if progress:
                progress(report)
    return tuple(reports)


def _check_profiles(profiles: Sequence[Profile] | None) -> Sequence[Profile] | None:
    """Return the profiles that a caller passed. Raise TypeError for names or a single profile."""
    alone = isinstance(profiles, (str, Profile))
    wrong = profiles if alone else next((p for p in profiles or () if not isinstance(p, Profile)), None)
    if wrong is not None:
        call = "litecheck.validate(model, [litecheck.load_profile('litert-int8')])"
        raise wrong_type("validate", "a sequence of Profiles as profiles", wrong, call)
    return profiles


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Disable the search for reference cycles, which takes 10 % of the time: a model has many objects and no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def unreadable(error: ModelError, path: str | Path) -> ModelReport:
    """Return the report of a path that cannot be checked."""
    size = Path(path).stat().st_size if os.path.isfile(path) else 0
    member = error.file.removeprefix(str(path)).removeprefix("!")
    return ModelReport(str(path), member, size, problems=error.problems)


class _Candidates:
    """Given profiles in order, or the default profiles; a default profile is read only on iteration."""

    def __init__(self, given: Sequence[Profile] | None) -> None:
        self._given = tuple(given or ())
        self._asked = 0

    def __iter__(self) -> Iterator[Profile]:
        if self._given:
            yield from self._given
            return
        for number, name in enumerate(DEFAULT_PROFILES, 1):
            self._asked = max(self._asked, number)
            yield _default(name)

    def loaded_profiles(self) -> tuple[Profile, ...]:
        """Return the given profiles, or the default profiles that were read so far."""
        return self._given or tuple(map(_default, DEFAULT_PROFILES[: self._asked]))


@cache
def _default(name: str) -> Profile:
    return load_profile(name)


@dataclass(slots=True)
class _Outcome:
    """Findings and statuses of an operator from the profiles so far."""

    findings: list[Finding]
    profiles: list[str]
    reasons: list[NotCovered]
    quantized: bool = False
    """True if a profile checked the operator's quantization."""
    nothing: str = ""
    bound: BoundOperator | None = None
    """The operator, bound to the last rule."""

    def add(self, found: list[Finding], outside: Profile | None) -> None:
        """Add findings; ``outside`` is the profile that does not cover the operator, which a violation covers."""
        self.findings += found
        if outside and any(f.level == "violation" for f in found):
            self.profiles.append(outside.name)


def _check_operator(
    context: Context, operator: Operator, profiles: Iterable[Profile], first_only: bool
) -> tuple[OperatorReport, list[Finding]]:
    """Check an operator against the profiles that cover it; return its status and the findings."""
    outcome = _Outcome([], [], [])
    hidden = opaque_reason(operator)
    if hidden:
        outcome.reasons.append(hidden)
        asked = (_default(DEFAULT_PROFILES[0]),) if first_only else tuple(profiles)
        found = (check_custom_operator(context.subgraph, operator, profile) for profile in asked)
        outcome.findings += next((f for f in found if f), [])
    for profile in () if hidden else profiles:
        if _apply_profile(context, operator, profile, outcome, first_only) and first_only:
            break
    runtime = (
        next((p for p in profiles if p.types), None) if not first_only else _default(DEFAULT_PROFILES[0])
    )
    if runtime and all(f.level == "note" for f in outcome.findings):
        outcome.findings += notes(context, operator, runtime, outcome.bound)
    status, reason = _best_status(context, operator, outcome)
    name = name_of(context.subgraph, operator)
    report = OperatorReport(
        context.subgraph.index, operator.index, operator.opcode, name, status, tuple(outcome.profiles), reason,
        outcome.quantized, status,
    )  # fmt: skip
    return with_status(report, outcome.findings) if outcome.findings else report, outcome.findings


def _apply_profile(
    context: Context, operator: Operator, profile: Profile, outcome: _Outcome, first_only: bool
) -> bool:
    """Return True if the profile covers the operator, and add its findings to the outcome."""
    rule = profile.operators.get(operator.opcode)
    if rule is None:
        reason = unlisted_reason(context.subgraph, operator, profile)
        structure = _default(STRUCTURE).operators.get(operator.opcode)
        if reason is None:
            outcome.findings.append(finding_for_forbidden_operator(context.subgraph, operator, profile))
        elif structure and not first_only:  # the table of types covers more operators than the profile
            found = check_structure(context, operator, profile)
            found = add_type_finding(BoundOperator(context, operator, structure), profile, found)
            outcome.add(found, profile)
    else:
        bound = outcome.bound = BoundOperator(context, operator, rule)
        reason = not_covered_reason(bound, profile)
        found = check_operator(bound) if reason is None else check_structure(context, operator, profile)
        if reason is None or not first_only:
            found = add_type_finding(bound, profile, found)
        if len(found) > 1:
            found = combine_rejections(found)
        if found and not rule.stored_shapes and context.initializes:
            found = delay_rejections(found)
        outcome.add(found, profile if reason is not None else None)
        if reason is None:
            outcome.nothing = outcome.nothing or rule.nothing_to_judge
    if reason is not None:
        outcome.reasons.append(reason)
        return False
    outcome.profiles.append(profile.name)
    outcome.quantized = outcome.quantized or profile.judges == "quantization"
    return True


def _best_status(context: Context, operator: Operator, outcome: _Outcome) -> tuple[Status, str]:
    """Return the status of an operator without violations, and the reason if it is not "conforms".

    An operator with only its structure checked conforms if its tensors have no quantization (shapes and indices). Float
    operators have the status "structure checked only"; small integers without a rule are not covered.
    """
    if outcome.quantized:
        return "conforms", ""
    reason = min(outcome.reasons, key=lambda r: r.rank).reason if outcome.reasons else ""
    if not outcome.profiles:
        return "not covered", reason
    if outcome.nothing:
        return "not applicable", outcome.nothing
    tensors = context.subgraph.tensors
    types = {tensors[i].dtype for i in (*operator.inputs, *operator.outputs) if i >= 0}
    if types & _SMALL:
        return "not covered", reason
    return ("structure checked only", reason) if types & FLOATS else ("conforms", "")
