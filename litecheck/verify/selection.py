"""Which cases settings ask for: how a model is cut up, and which of its parts are selected."""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.cases import parts
from litecheck.cases.inputs import DIRECTED, PROPAGATED
from litecheck.cases.parts import Case
from litecheck.cases.sequences import remembers
from litecheck.cases.sweeps import about
from litecheck.errors import ConfigError
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.types import Model, Subgraph
from litecheck.spelling import did_you_mean
from litecheck.verify.outcome import EVERY
from litecheck.verify.settings import Settings


def planned(model: Model, subgraph: Subgraph, settings: Settings) -> Iterator[Case]:
    """Every case of a subgraph, also those that are not selected."""
    if settings.between:
        yield parts.between(model, subgraph, *settings.between)
    elif settings.segment:
        yield from parts.segments(model, subgraph, settings.segment)
    elif settings.whole and subgraph.operators:
        yield parts.whole(model, subgraph)
    elif not settings.whole:
        yield from parts.operators(model, subgraph)


def in_model(model: Model, subgraph: Subgraph, settings: Settings) -> Case | None:
    """The whole subgraph beside its operators, where it remembers: what they keep for each other shows only there."""
    alone = settings.mode != "operators" or settings.select or PROPAGATED not in settings.kinds
    if alone or len(subgraph.operators) < 2 or not remembers(model):
        return None
    case = parts.whole(model, subgraph)
    return case if remembers(case.cut.model) and not parts.alone(case) else None


def selected(case: Case, settings: Settings) -> bool:
    """Whether a case is among those to be run."""
    return not settings.select or any(_named(case, name) for name in settings.select)


def weights(model: Model, settings: Settings) -> dict[str, float]:
    """About how many invocations each case of a verification takes, in order, for a progress bar."""
    samples = len(settings.samples) or 1
    found: dict[str, float] = {
        case.name: settings.repeat * about(case, settings.kinds, samples)
        for case in _all(model, settings)
        if selected(case, settings)
    }
    for subgraph in parts.entries(model, settings.signature):
        if (case := in_model(model, subgraph, settings)) is not None:
            found[case.name] = settings.repeat * about(case, (PROPAGATED, DIRECTED), samples)
    if settings.budget is not None and settings.budget.invocations:
        share = min(1.0, settings.budget.invocations / max(1.0, sum(found.values())))
        found = {name: share * count for name, count in found.items()}
    return found


def check_selection(model: Model, settings: Settings) -> None:
    """Raises ConfigError for an entry of ``select`` that names no case: a misspelt one must not pass."""
    found = tuple(_all(model, settings)) if settings.select else ()
    for name in settings.select:
        if not any(_named(case, name) for case in found):
            kinds = sorted({opcode for case in found for opcode in case.opcodes})
            known = f"there are {', '.join(kinds)}{did_you_mean(name.upper(), kinds)}"
            raise ConfigError(f"--select {name}: there is no such operator; {known}")


def check_claims(model: Model, settings: Settings) -> None:
    """Raises ConfigError for a claim to an operator there is not, in LiteRT or in the model."""
    own = {op.custom_code for subgraph in model.subgraphs for op in subgraph.operators if op.custom_code}
    known = (EVERY, *load_schema().enums["BuiltinOperator"], *sorted(own))
    for name in settings.claims:
        if name not in known:
            hint = did_you_mean(name.upper(), known)
            raise ConfigError(f"--claim {name}: there is no such operator{hint}; {EVERY} means every one")


def _all(model: Model, settings: Settings) -> Iterator[Case]:
    for subgraph in parts.entries(model, settings.signature):
        yield from planned(model, subgraph, settings)


def _named(case: Case, name: str) -> bool:
    return name in case.opcodes or name == case.name or any(name == str(op.index) for op in case.operators)
