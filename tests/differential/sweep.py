"""Random trials of a single kind on a runtime: differences, noticed controls, and minimized failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice

import numpy as np

from litecheck.errors import LitecheckError
from litecheck.profile.known_faults import bind_operands, faults_of
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.arithmetic import load_arithmetic as read_arithmetic
from tests.differential.one_operator import (
    Far,
    Outputs,
    Score,
    Trial,
    against,
    answers,
    changed,
    compare,
    differ,
    inferences,
    outputs,
    perturbed,
)
from tests.differential.oracle import Oracle, Refused
from tests.differential.shrink import Make, Outcome, described, smallest

load_arithmetic = cache(read_arithmetic)
Random = np.random.Generator
#: Arithmetics: all except the correct arithmetic must be noticed, on at least one trial of a kind.
ROUNDINGS = ("litert-reference", "litert-optimized", "litert-xnnpack", "single-rounding")
CONTROLS = ("other input", "zero point + 1", "scale * 1.01", *ROUNDINGS)
#: Number of draws for each trial outside the conditions of known faults.
MOST = 20
#: Number of minimized failures of a kind.
SHOWN = 3


@dataclass(frozen=True)
class Family:
    """Kinds of trials with the same comparison."""

    kinds: Mapping[str, Make]
    far: Callable[[str, str, Trial], Far] = lambda kind, resolver, trial: differ
    """Mask of floats that differ too much, by kind, resolver and trial."""
    faults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Variants of LiteRT's known faults: operator -> stage -> variant."""
    faulty: frozenset[tuple[str, str]] = frozenset()
    """Kinds and resolvers that are not compared: see known-faults.yaml."""
    avoided: frozenset[str] = frozenset()
    """Operators whose draws avoid values that show a known fault."""


@dataclass
class Found:
    """Score, noticed controls with their number of trials, and descriptions of minimized failures."""

    score: Score = field(default_factory=Score)
    noticed: Counter[str] = field(default_factory=Counter)
    small: list[str] = field(default_factory=list)


def right(family: Family, resolver: str) -> Arithmetic:
    """Return the arithmetic of a resolver."""
    return changed(load_arithmetic("tflm" if resolver == "tflm" else f"litert-{resolver}"), family.faults)


def start(kind: str, seed: int, at: int) -> Random:
    """Return the generator of trial ``at`` of a kind; it does not depend on the number of trials."""
    return np.random.default_rng([seed, at, *kind.encode()])


def trials(family: Family, kind: str, count: int, seed: int = 0) -> Iterator[Trial]:
    """Return random trials of a single kind."""
    return (family.kinds[kind](start(kind, seed, at)) for at in range(count))


def outcome(
    litert: Oracle,
    resolver: str,
    arithmetic: Arithmetic,
    far: Callable[[Trial], Far],
    family: Family | None = None,
) -> Outcome:
    """Return a function that returns the failure of a trial: a difference, or an error of litecheck; refusals are no
    failure.
    """

    def judge(trial: Trial) -> str:
        theirs = answers(trial, litert, resolver)
        if isinstance(theirs, Refused) or excused(trial, resolver, family):
            return ""
        try:
            ours = outputs(trial, arithmetic, litert.shows_variables)
        except (ArithmeticError, LitecheckError, LookupError, ValueError) as error:
            return type(error).__name__
        return "differs" if compare(trial.title, ours, theirs, far(trial)).different else ""

    return judge


def controls(
    trial: Trial, theirs: list[Outputs], arithmetic: Arithmetic, far: Far, variables: bool
) -> Iterator[str]:
    """Yield the names of deliberate errors that are noticed; errors that cannot be computed are no controls."""
    graph = trial.model.subgraphs[0]
    changes: dict[str, tuple[Trial, Arithmetic]] = {"other input": (_other_input(trial), arithmetic)}
    if graph.tensors[graph.outputs[0]].quantization.scale.size:
        changes["zero point + 1"] = perturbed(trial, zero_point=1), arithmetic
        changes["scale * 1.01"] = perturbed(trial, scale=1.01), arithmetic
        changes |= {name: (trial, load_arithmetic(name)) for name in ROUNDINGS if name != arithmetic.name}
    for name, (other, chosen) in changes.items():
        if _noticed(other, theirs, chosen, far, variables):
            yield name


def _noticed(trial: Trial, theirs: list[Outputs], arithmetic: Arithmetic, far: Far, variables: bool) -> bool:
    """Return True if an inference differs; inferences after the first difference are not computed."""
    with suppress(LitecheckError):
        pairs = zip(inferences(trial, arithmetic, variables), theirs, strict=True)
        return any(compare(trial.title, [ours], [other], far).different for ours, other in pairs)
    return False


def _other_input(trial: Trial) -> Trial:
    """Return the trial with first inputs mirrored along the last dimension, plus 1."""

    def other(x: np.ndarray) -> np.ndarray:
        return (x[..., ::-1] if x.ndim else x) + x.dtype.type(1)

    return replace(trial, runs=tuple((other(run[0]), *run[1:]) for run in trial.runs))


def _small(make: Make, begin: Random, judge: Outcome) -> str:
    try:
        return described(smallest(make, begin, judge))
    except ValueError:
        return "the runtime gives something else each time"


def excused(trial: Trial, resolver: str, family: Family | None = None) -> bool:
    """Return True if an operator meets the condition of a known fault of the resolver.

    Operators that the family computes with their faults are not excused.
    """
    computed, avoided = (family.faults, family.avoided) if family else ((), ())
    return any(
        fault.when and resolver in fault.resolvers and not (fault.on_values and operator.kind in avoided)
        for graph in trial.model.subgraphs
        for operator in graph.operators
        if operator.opcode not in computed
        for fault in faults_of(bind_operands(trial.model, graph, operator))
    )


def sweep(
    family: Family, kind: str, resolver: str, litert: Oracle, count: int, seed: int = 0, shown: int = SHOWN,
    controlled: int | None = None,
) -> Found:  # fmt: skip
    """Return the result of ``count`` trials of a single kind on a single resolver; ``shown`` failures are minimized.

    Trials that meet a known fault are left out, unless the family computes the operator with its faults. Controls are
    computed for the first ``controlled`` trials, by default for all.
    """
    found, arithmetic, far = Found(), right(family, resolver), partial(family.far, kind, resolver)
    drawn = enumerate(trials(family, kind, MOST * count, seed))
    for at, trial in islice((one for one in drawn if not excused(one[1], resolver, family)), count):
        theirs = answers(trial, litert, resolver)
        one = against(trial, theirs, arithmetic, far(trial), litert.shows_variables)
        found.score.add(one)
        if not isinstance(theirs, Refused) and (controlled is None or found.score.trials <= controlled):
            found.noticed.update(controls(trial, theirs, arithmetic, far(trial), litert.shows_variables))
        if one.different and len(found.small) < shown:
            judge = outcome(litert, resolver, arithmetic, far, family)
            found.small.append(_small(family.kinds[kind], start(kind, seed, at), judge))
    return found
