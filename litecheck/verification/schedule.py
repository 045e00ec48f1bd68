"""Plan of a verification: cases that the settings select, with inputs that the reference computes operator by
operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from litecheck.cases import model_parts
from litecheck.cases.expectation import TensorCache, chain_caches
from litecheck.cases.inputs import DIRECTED, PROPAGATED, RANDOM
from litecheck.cases.model_inputs import in_a_row, sample_inputs
from litecheck.cases.model_parts import Case
from litecheck.cases.sequences import remembers
from litecheck.cases.sweeps import near_edges
from litecheck.cases.variable_state import StateSupport
from litecheck.errors import ConfigError
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.spelling import did_you_mean
from litecheck.verification.jobs import CaseJob, JobFactory
from litecheck.verification.result import EVERY
from litecheck.verification.settings import Settings


def plan(
    model: Model, settings: Settings, arithmetic: Arithmetic, memory: StateSupport
) -> Iterator[Schedule]:
    """Yield a schedule for each entry subgraph.

    ``arithmetic`` computes the tensors between operators, ``memory`` is the device's support for state. Raise RunError
    for inputs that do not fit.
    """
    asking = JobFactory(settings, arithmetic, memory)
    for subgraph in model_parts.entries(model, settings.signature):
        caches, chain = _caches(model, subgraph, asking)
        yield Schedule(model, subgraph, asking, caches, chain, in_model(model, subgraph, settings))


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """The cases of a subgraph: independent samples, and a chain of samples if the model has state and the device
    supports it.

    ``whole_model`` is the case of the whole subgraph, which exercises state between operators, or None.
    """

    model: Model
    subgraph: Subgraph
    jobs: JobFactory
    caches: tuple[TensorCache, ...]
    chain: tuple[TensorCache, ...]
    model_case: Case | None

    def case_jobs(self) -> Iterator[CaseJob]:
        """Yield a job for every selected case; the reference continues with its own tensors."""
        settings, every = self.jobs.settings, (*self.caches, *self.chain)
        for case in plan_cases(self.model, self.subgraph, settings):
            if settings.between:
                _step(every, model_parts.prefix(case))
            if is_selected(case, settings):
                yield self._case_job(case)
            else:
                _step(every, case.operators)
            for cache in every:
                cache.forget(case.operators)

    def whole_case_job(self, case: Case) -> CaseJob:
        """Return the job for the whole subgraph over a chain of samples; call it after the jobs of its operators."""
        kinds = [kind for kind in self.jobs.settings.kinds if kind != RANDOM]
        return self.jobs.case_job(case, self.caches, self.chain, kinds)

    def _case_job(self, case: Case) -> CaseJob:
        """Return the job of a case, and store the reference's outputs in the caches of the samples."""
        case_job = self.jobs.case_job(case, self.caches, self.chain)
        expected = case_job.expected(self.jobs.arithmetic)
        kinds = case_job.stimuli.kinds[: len(self.caches)]
        if expected is None or remembers(self.model) or kinds != (PROPAGATED,) * len(self.caches):
            _step((*self.caches, *self.chain), case.operators)
        else:
            for cache, outputs in zip(self.caches, expected, strict=False):
                cache.note(dict(zip(case.submodel.outputs, outputs, strict=True)))
        return case_job


def every_case_job(
    model: Model, settings: Settings, arithmetic: Arithmetic, memory: StateSupport, whole: bool = False
) -> Iterator[CaseJob]:
    """Yield the jobs of all cases; with ``whole_model`` also those of whole subgraphs with state between operators."""
    for course in plan(model, settings, arithmetic, memory):
        yield from course.case_jobs()
        if whole and course.model_case is not None and memory is not StateSupport.NONE:
            yield course.whole_case_job(course.model_case)


def _caches(
    model: Model, subgraph: Subgraph, asking: JobFactory
) -> tuple[tuple[TensorCache, ...], tuple[TensorCache, ...]]:
    drawing, arithmetic = asking.settings.drawing, asking.arithmetic
    samples = sample_inputs(model, subgraph, drawing)
    caches = tuple(TensorCache(model, subgraph, inputs, arithmetic) for inputs in samples)
    if not remembers(model) or asking.memory is StateSupport.NONE:
        return caches, ()
    several = in_a_row(model, subgraph, drawing, samples)
    chain = tuple(chain_caches(model, subgraph, several, arithmetic))
    for cache in (*caches, *chain):
        cache.kept = frozenset(subgraph.inputs)
    return caches, chain


def _step(caches: Iterable[TensorCache], operators: Iterable[Operator]) -> None:
    """Compute operators that are not cases, for the operators after them."""
    for cache in caches:
        for operator in operators:
            cache.step(operator)


def plan_cases(model: Model, subgraph: Subgraph, settings: Settings) -> Iterator[Case]:
    """Yield every case of a subgraph, selected or not."""
    if settings.between:
        yield model_parts.subrange(model, subgraph, *settings.between)
    elif settings.segment:
        yield from model_parts.segments(model, subgraph, settings.segment)
    elif settings.whole and subgraph.operators:
        yield model_parts.whole_model(model, subgraph)
    elif not settings.whole:
        yield from model_parts.operators(model, subgraph)


def in_model(model: Model, subgraph: Subgraph, settings: Settings) -> Case | None:
    """Return the case of the whole subgraph if it has state between operators; else None.

    Only mode ``operators`` without ``select`` and with propagated inputs adds this case.
    """
    alone = settings.mode != "operators" or settings.select or PROPAGATED not in settings.kinds
    if alone or len(subgraph.operators) < 2 or not remembers(model):
        return None
    case = model_parts.whole_model(model, subgraph)
    return case if remembers(case.submodel.model) and not model_parts.single_operator(case) else None


def is_selected(case: Case, settings: Settings) -> bool:
    """Return True if ``select`` is empty or names the case."""
    return not settings.select or any(_is_named(case, name) for name in settings.select)


def weights(model: Model, settings: Settings) -> dict[str, float]:
    """Estimate the number of invocations of each case, in order, for a progress bar."""
    samples = len(settings.samples) or 1
    found: dict[str, float] = {
        case.name: settings.repeat * near_edges(case, settings.kinds, samples)
        for case in _all_cases(model, settings)
        if is_selected(case, settings)
    }
    for subgraph in model_parts.entries(model, settings.signature):
        if (case := in_model(model, subgraph, settings)) is not None:
            found[case.name] = settings.repeat * near_edges(case, (PROPAGATED, DIRECTED), samples)
    if settings.budget is not None and settings.budget.invocations:
        share = min(1.0, settings.budget.invocations / max(1.0, sum(found.values())))
        found = {name: share * count for name, count in found.items()}
    return found


def check_selection(model: Model, settings: Settings) -> None:
    """Raise ConfigError for an entry of ``select`` that names no case, for example a misspelled opcode."""
    found = tuple(_all_cases(model, settings)) if settings.select else ()
    for name in settings.select:
        if not any(_is_named(case, name) for case in found):
            kinds = sorted({opcode for case in found for opcode in case.opcodes})
            known = f"there are {', '.join(kinds)}{did_you_mean(name.upper(), kinds)}"
            raise ConfigError(f"--select {name}: there is no such operator; {known}")


def check_claims(model: Model, settings: Settings) -> None:
    """Raise ConfigError for a claim to an operator that neither LiteRT nor the model has."""
    own = {op.custom_code for subgraph in model.subgraphs for op in subgraph.operators if op.custom_code}
    known = (EVERY, *load_schema().enums["BuiltinOperator"], *sorted(own))
    for name in settings.claims:
        if name not in known:
            hint = did_you_mean(name.upper(), known)
            raise ConfigError(
                f"--set require={name}: there is no such operator{hint}; {EVERY} means every one"
            )


def _all_cases(model: Model, settings: Settings) -> Iterator[Case]:
    for subgraph in model_parts.entries(model, settings.signature):
        yield from plan_cases(model, subgraph, settings)


def _is_named(case: Case, name: str) -> bool:
    return name in case.opcodes or name == case.name or any(name == str(op.index) for op in case.operators)
