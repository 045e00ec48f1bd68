"""Operators of all families with dimensions of 0: ``python -m tests.differential empties``.

Families draw dimensions from 1 on. Here some of these numbers become 0: mostly lengths, in some cases strides or
blocks, which LiteRT rejects.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.checks.validate import validate
from litecheck.errors import LitecheckError
from litecheck.profile.load import load_profile
from tests.differential.one_operator import Far, Trial
from tests.differential.operands import only
from tests.differential.shrink import Make
from tests.differential.sweep import Family

#: Share of numbers that become 0.
SHARE = 0.12
#: Number of draws, after which a kind counts as having no lengths.
ATTEMPTS = 40


class Emptying:
    """Generator of random numbers that replaces some integers from 1 on by 0."""

    def __init__(self, random: np.random.Generator) -> None:
        self._random = random

    def __getattr__(self, name: str) -> Any:
        return getattr(self._random, name)

    def integers(self, low: Any, high: Any = None, size: Any = None, **more: Any) -> Any:
        drawn = self._random.integers(low, high, size, **more)
        return drawn if np.ndim(low) or low != 1 or np.ndim(high) else self._emptied(drawn)

    def choice(self, of: Any, *more: Any) -> Any:
        drawn = self._random.choice(of, *more)
        return self._emptied(drawn) if isinstance(of, list) and of[0] == 1 else drawn

    def _emptied(self, drawn: Any) -> Any:
        return np.where(self._random.random(np.shape(drawn)) < SHARE, 0, drawn)[()]


#: Pools: with batch 0 XNNPACK never writes the output's lengths, which vary from run to run.
POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


def _loads(trial: Trial) -> bool:
    """Return True for positive scales and a valid structure: no stride of 0, no operator without inputs."""
    graph = trial.model.subgraphs[0]
    if any(op.opcode in POOLS and 0 in graph.tensors[op.outputs[0]].shape[:1] for op in graph.operators):
        return False
    scales = [t.quantization.scale for t in trial.model.subgraphs[0].tensors]
    if not all((scale > 0).all() for scale in scales):
        return False
    return not validate(trial.model, (load_profile("litert-structure"),)).effects


def _emptied(make: Make) -> Make:
    """Return trials with an empty tensor; the draw is repeated if the numbers are invalid for the kind."""

    def drawn(random: np.random.Generator) -> Trial:
        for _ in range(ATTEMPTS):
            with np.errstate(all="ignore"), suppress(ArithmeticError, IndexError, LitecheckError, ValueError):
                trial = make(Emptying(random))  # type: ignore[arg-type]
                if any(0 in t.shape for t in trial.model.subgraphs[0].tensors) and _loads(trial):
                    return trial
        return make(random)

    return drawn


#: Shapes of inputs of unary functions, whose kinds draw no lengths.
SHAPES = ((0,), (3, 0), (2, 0, 3))


def _without_values(make: Make) -> Make:
    """Return trials of a unary function with an empty input and output, and at most one value of a second input."""

    def single(trial: Trial) -> bool:
        return all(t.size == 1 for t in trial.model.subgraphs[0].tensors if t.is_constant)

    def drawn(random: np.random.Generator) -> Trial:
        trial = only(make, single)(random)
        graph, shape = trial.model.subgraphs[0], SHAPES[int(random.integers(len(SHAPES)))]
        tensors = tuple(
            replace(t, shape=shape) if t.index in (*graph.inputs, *graph.outputs) else t
            for t in graph.tensors
        )
        graph = replace(graph, tensors=tensors)
        runs = ((trial.inputs[0].reshape(-1)[:0].reshape(shape),),)
        return replace(trial, model=replace(trial.model, subgraphs=(graph,)), runs=runs)

    return drawn


#: Last words of kinds that draw all values of a type, and no lengths.
WHOLE = ("pairs", "body", "tail")
#: Families of several operators, or of lists of numbers instead of lengths.
LEFT_OUT = ("backends", "chains", "detection")


def emptied(families: Mapping[str, Family]) -> Family:
    """Return all kinds of families of a single operator with lengths, named ``FAMILY: KIND``."""
    families = {name: family for name, family in families.items() if name not in LEFT_OUT}
    kinds = {
        f"{name}: {kind}": make
        for name, family in families.items()
        for kind, make in family.kinds.items()
        if name != "unary" and not kind.endswith(WHOLE)
    }
    unary = {
        f"unary: {kind}": make for kind, make in families["unary"].kinds.items() if not kind.endswith("tail")
    }

    def far(kind: str, resolver: str, trial: Trial) -> Far:
        name, _, own = kind.partition(": ")
        return families[name].far(own, resolver, trial)

    faulty = {
        (f"{name}: {kind}", resolver)
        for name, family_of in families.items()
        for kind, resolver in family_of.faulty
    }
    faults = {
        operator: stages for family_of in families.values() for operator, stages in family_of.faults.items()
    }
    every = {kind: _emptied(make) for kind, make in kinds.items()}
    every |= {kind: _without_values(make) for kind, make in unary.items()}
    return Family(every, far, faults, frozenset(faulty))
