"""Random trials of one kind beside another runtime: differences, controls that were noticed, and failures made small."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import islice

import numpy as np

from litecheck.errors import LitecheckError
from litecheck.profile.known_faults import bound, faults_of
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
#: Arithmetics of which all but the right one have to be noticed, on some trial of a kind if not on each.
ROUNDINGS = ("litert-reference", "litert-optimized", "litert-xnnpack", "single-rounding")
CONTROLS = ("other input", "zero point + 1", "scale * 1.01", *ROUNDINGS)
#: How many trials are drawn for one outside the conditions of known faults.
MOST = 20
#: How many failures of a kind are made small.
SHOWN = 3


@dataclass(frozen=True)
class Family:
    """Kinds of trials that are compared alike."""

    kinds: Mapping[str, Make]
    far: Callable[[str, str, Trial], Far] = lambda kind, resolver, trial: differ
    """Which floats are too far apart, by kind, resolver and trial."""
    faults: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Variants that LiteRT's known faults are: operator -> stage -> variant."""
    faulty: frozenset[tuple[str, str]] = frozenset()
    """Kinds and resolvers that are not compared: see known-faults.yaml."""
    avoided: frozenset[str] = frozenset()
    """Operators whose draws have no values that show a known fault which depends on values."""


@dataclass
class Found:
    """A score, the controls that were noticed and in how many trials, and failures made small, in words."""

    score: Score = field(default_factory=Score)
    noticed: Counter[str] = field(default_factory=Counter)
    small: list[str] = field(default_factory=list)


def right(family: Family, resolver: str) -> Arithmetic:
    """The arithmetic that claims to be a resolver's."""
    return changed(load_arithmetic("tflm" if resolver == "tflm" else f"litert-{resolver}"), family.faults)


def start(kind: str, seed: int, at: int) -> Random:
    """Where trial ``at`` of a kind is drawn from; it does not depend on how many there are."""
    return np.random.default_rng([seed, at, *kind.encode()])


def trials(family: Family, kind: str, count: int, seed: int = 0) -> Iterator[Trial]:
    """Random trials of one kind."""
    return (family.kinds[kind](start(kind, seed, at)) for at in range(count))


def outcome(
    litert: Oracle, resolver: str, how: Arithmetic, far: Callable[[Trial], Far], family: Family | None = None
) -> Outcome:
    """What is wrong with a trial: it differs, or an error of ours; what LiteRT refuses is not wrong."""

    def judge(trial: Trial) -> str:
        theirs = answers(trial, litert, resolver)
        if isinstance(theirs, Refused) or excused(trial, resolver, family):
            return ""
        try:
            ours = outputs(trial, how, litert.shows_variables)
        except (ArithmeticError, LitecheckError, LookupError, ValueError) as error:
            return type(error).__name__
        return "differs" if compare(trial.what, ours, theirs, far(trial)).different else ""

    return judge


def controls(
    trial: Trial, theirs: list[Outputs], how: Arithmetic, far: Far, variables: bool
) -> Iterator[str]:
    """What is wrong on purpose, and noticed; what cannot be computed is not a control."""
    graph = trial.model.subgraphs[0]
    changes: dict[str, tuple[Trial, Arithmetic]] = {"other input": (_other_input(trial), how)}
    if graph.tensors[graph.outputs[0]].quantization.scale.size:
        changes["zero point + 1"] = perturbed(trial, zero_point=1), how
        changes["scale * 1.01"] = perturbed(trial, scale=1.01), how
        changes |= {name: (trial, load_arithmetic(name)) for name in ROUNDINGS if name != how.name}
    for name, (other, chosen) in changes.items():
        if _noticed(other, theirs, chosen, far, variables):
            yield name


def _noticed(trial: Trial, theirs: list[Outputs], how: Arithmetic, far: Far, variables: bool) -> bool:
    """Whether an inference differs; those behind the first that does are not computed."""
    with suppress(LitecheckError):
        pairs = zip(inferences(trial, how, variables), theirs, strict=True)
        return any(compare(trial.what, [ours], [other], far).different for ours, other in pairs)
    return False


def _other_input(trial: Trial) -> Trial:
    """First inputs mirrored along the last dimension, and off by a little."""

    def other(x: np.ndarray) -> np.ndarray:
        return (x[..., ::-1] if x.ndim else x) + x.dtype.type(1)

    return replace(trial, runs=tuple((other(run[0]), *run[1:]) for run in trial.runs))


def _small(make: Make, begin: Random, judge: Outcome) -> str:
    try:
        return described(smallest(make, begin, judge))
    except ValueError:
        return "the runtime gives something else each time"


def excused(trial: Trial, resolver: str, family: Family | None = None) -> bool:
    """Whether an operator meets the condition of a known fault of the resolver.

    Operators that the family computes with their faults are not excused.
    """
    computed, avoided = (family.faults, family.avoided) if family else ((), ())
    return any(
        fault.when and resolver in fault.resolvers and not (fault.on_values and operator.kind in avoided)
        for graph in trial.model.subgraphs
        for operator in graph.operators
        if operator.opcode not in computed
        for fault in faults_of(bound(trial.model, graph, operator))
    )


def sweep(
    family: Family, kind: str, resolver: str, litert: Oracle, count: int, seed: int = 0, shown: int = SHOWN
) -> Found:
    """``count`` trials of one kind on one resolver; ``shown`` failures are made small.

    Trials that meet a known fault are left out, unless the family computes the operator with its faults.
    """
    found, how, far = Found(), right(family, resolver), partial(family.far, kind, resolver)
    drawn = enumerate(trials(family, kind, MOST * count, seed))
    for at, trial in islice((one for one in drawn if not excused(one[1], resolver, family)), count):
        theirs = answers(trial, litert, resolver)
        one = against(trial, theirs, how, far(trial), litert.shows_variables)
        found.score.add(one)
        if not isinstance(theirs, Refused):
            found.noticed.update(controls(trial, theirs, how, far(trial), litert.shows_variables))
        if one.different and len(found.small) < shown:
            judge = outcome(litert, resolver, how, far, family)
            found.small.append(_small(family.kinds[kind], start(kind, seed, at), judge))
    return found
