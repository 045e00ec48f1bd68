"""Settings and budget of a verification."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import KINDS
from litecheck.cases.model_inputs import Drawing
from litecheck.comparison.admitted_arithmetics import admitted_arithmetics
from litecheck.errors import ConfigError
from litecheck.summary_text import count_of

_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?")


@dataclass(frozen=True, slots=True)
class Budget:
    """A number of invocations or of seconds; the unused field is 0."""

    invocations: int = 0
    seconds: float = 0.0


def parse_budget(text: str) -> Budget:
    """Parse a budget: ``118`` (invocations), ``90s``, ``10m`` or ``2h``. Raise ConfigError for other texts.

    For example, ``2h`` gives 7,200 s.
    """
    found = _AMOUNT.fullmatch(text.strip().lower())
    if found is None or not float(found[1]) or (found[2] is None and "." in found[1]):
        raise ConfigError(
            f"--budget {text}: a number of invocations or a time is wanted, as in 118, 90s, 10m, 2h"
        )
    if found[2] is None:
        return Budget(invocations=int(found[1]))
    return Budget(seconds=float(found[1]) * _UNITS[found[2]])


@dataclass(frozen=True, slots=True, eq=False)
class Settings:
    """Settings of a verification.

    ``arithmetics`` are admissible: an operator conforms if one of them fits. Without any, those of
    :func:`litecheck.comparison.admitted_arithmetics.admitted_arithmetics` are. ``samples`` are inputs of the entry point
    by name, as stored values; without samples, one is drawn from ``seed``. ``kinds`` selects the inputs of each case:
    ``propagated`` (computed by the reference from the samples), ``random``, ``directed``. A case is a ``segment`` of
    so many operators, the operators ``between`` two tensors, the ``whole`` model, or else one operator. ``select``
    keeps the cases of these operator kinds or numbers. ``element`` is explained instead of each output's worst
    element. Each inference is made ``repeat`` times. ``seconds`` is the time limit of reproducers. ``claims`` are the
    operator kinds that the device must support, ``all`` for every kind: an unsupported operator of these kinds fails.
    ``budget`` limits the invocations of the device or the time. ``shapes`` states that the model has operators in other
    shapes as well (:func:`litecheck.cases.shape_variants.in_other_shapes`). Raises ConfigError for several of ``segment``,
    ``between`` and ``whole``.
    """

    arithmetics: tuple[str, ...] = ()
    profile: str | None = None
    signature: str | None = None
    samples: tuple[Mapping[str, NDArray[Any]], ...] = ()
    seed: int = 0
    kinds: tuple[str, ...] = KINDS
    segment: int = 0
    between: tuple[str, str] | None = None
    whole: bool = False
    drift: bool = False
    select: tuple[str, ...] = ()
    element: tuple[int, ...] | None = None
    repeat: int = 2
    jobs: int = 1
    fail_on_fallback: bool = False
    require_coverage: bool = False
    claims: tuple[str, ...] = ()
    reproduce: str | None = None
    scrub: bool = False
    record: str | None = None
    seconds: float = 60.0
    budget: Budget | None = None
    shapes: bool = False
    data_description: str = field(default="")
    """Display text of the samples' source."""

    def __post_init__(self) -> None:
        if bool(self.segment) + bool(self.between) + self.whole > 1:
            raise ConfigError("conflicting settings: got several of segment, between and whole, expected one")

    def on(self, device: str) -> Settings:
        """Return the settings with the arithmetics that are admissible for a device."""
        return self if self.arithmetics else replace(self, arithmetics=admitted_arithmetics(device))

    @property
    def drawing(self) -> Drawing:
        """Source of the model's inputs."""
        return Drawing(self.signature, self.samples, self.seed)

    @property
    def mode(self) -> str:
        """Display text of the cases: ``operators``, ``segments of N``, ``between A and B`` or ``whole``."""
        if self.between:
            return f"between {self.between[0]} and {self.between[1]}"
        if self.segment:
            return f"segments of {self.segment}"
        return "whole" if self.whole else "operators"

    @property
    def inputs(self) -> str:
        """Display text of the inputs."""
        source = self.data_description or (f"drawn from seed {self.seed}" if not self.samples else "given")
        words = {"propagated": f"propagated ({source})", "random": f"random (seed {self.seed})"}
        fed = ", ".join(words.get(kind, kind) for kind in self.kinds)
        return f"{fed}; within a budget of {self.budget_text}" if self.budget_text else fed

    @property
    def budget_text(self) -> str:
        """Display text of the budget; empty without a budget."""
        if self.budget is None:
            return ""
        made = self.budget.invocations
        return count_of(made, "invocation") if made else f"{self.budget.seconds:g} s"

    def about(self) -> dict[str, Any]:
        """Return the settings that decide the verdicts, as JSON, to identify the journal of a verification."""
        beside = (
            "samples",
            "segment",
            "between",
            "whole",
            "jobs",
            "record",
            "seconds",
            "budget",
            "data_description",
        )
        said = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in beside}
        samples, spent = list(map(_digest, self.samples)), self.budget and astuple(self.budget)
        return {**said, "samples": samples, "mode": self.mode, "budget": spent}


def _digest(sample: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(sample.items()):
        digest.update(f"{name}\0{array.dtype}{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
