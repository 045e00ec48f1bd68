"""Operators of all families with dimensions of 0: ``python -m tests.differential empties``.

Families draw the sizes of dimensions from 1 on. Here a number that is drawn from 1 on is now and then 0: mostly a size,
sometimes a stride or a block, which LiteRT rejects.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from litecheck.checks.validate import validate
from litecheck.errors import LitecheckError
from litecheck.profile.load import load_profile
from tests.differential.one_operator import Far, Trial
from tests.differential.shrink import Make
from tests.differential.sweep import Family

#: Share of numbers that become 0.
SHARE = 0.12
#: Number of draws, after which a kind is taken to have no sizes.
ATTEMPTS = 40


class Emptying:
    """A generator of random numbers that gives 0 now and then instead of an integer from 1 on."""

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


#: Operators whose output XNNPACK gives sides that it never wrote if the batch is 0: they vary from run to run.
POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


def _loads(trial: Trial) -> bool:
    """Whether scales are positive, and nothing violates the structure: no stride of 0, no operator without operands."""
    graph = trial.model.subgraphs[0]
    if any(op.opcode in POOLS and 0 in graph.tensors[op.outputs[0]].shape[:1] for op in graph.operators):
        return False
    scales = [t.quantization.scale for t in trial.model.subgraphs[0].tensors]
    if not all((scale > 0).all() for scale in scales):
        return False
    return not validate(trial.model, (load_profile("litert-structure"),)).effects


def _emptied(make: Make) -> Make:
    """A trial with an empty tensor; numbers that a kind cannot be made of are drawn again."""

    def drawn(random: np.random.Generator) -> Trial:
        for _ in range(ATTEMPTS):
            with np.errstate(all="ignore"), suppress(ArithmeticError, IndexError, LitecheckError, ValueError):
                trial = make(Emptying(random))  # type: ignore[arg-type]
                if any(0 in t.shape for t in trial.model.subgraphs[0].tensors) and _loads(trial):
                    return trial
        return make(random)

    return drawn


#: Ends of kinds that have all values of a type, and no sizes.
WHOLE = ("pairs", "body", "tail")
#: Families of several operators, or of lists of numbers instead of sizes.
LEFT_OUT = ("backends", "chains", "detection")


def emptied(families: Mapping[str, Family]) -> Family:
    """All kinds of families of one operator with sizes, under the names ``FAMILY: KIND``."""
    families = {name: family for name, family in families.items() if name not in LEFT_OUT}
    kinds = {
        f"{name}: {kind}": make
        for name, family in families.items()
        for kind, make in family.kinds.items()
        if not kind.endswith(WHOLE)
    }

    def far(kind: str, resolver: str, trial: Trial) -> Far:
        name, _, own = kind.partition(": ")
        return families[name].far(own, resolver, trial)

    faulty = {
        (f"{name}: {kind}", resolver) for name, one in families.items() for kind, resolver in one.faulty
    }
    faults = {operator: stages for one in families.values() for operator, stages in one.faults.items()}
    return Family({kind: _emptied(make) for kind, make in kinds.items()}, far, faults, frozenset(faulty))
