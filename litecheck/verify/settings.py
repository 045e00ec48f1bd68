"""What a verification is asked for."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import KINDS
from litecheck.cases.model_inputs import Drawing
from litecheck.errors import ConfigError
from litecheck.tallies import counted

_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)?")


@dataclass(frozen=True, slots=True)
class Budget:
    """So many invocations, or so many seconds; the other is 0."""

    invocations: int = 0
    seconds: float = 0.0


def parse_budget(text: str) -> Budget:
    """``118``, ``90s``, ``10m`` or ``2h``. Raises ConfigError."""
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
    """How a model is verified.

    ``arithmetics`` are admissible: an operator conforms if one of them fits it. ``samples`` are inputs of the entry
    point by name, stored values; without any, one is drawn from ``seed``. ``kinds`` says what each case is fed:
    ``propagated`` (what the reference computed from the samples), ``random``, ``directed``. ``segment`` operators at a
    time, ``between`` two tensors, or the ``whole`` model; otherwise each operator alone. ``select`` keeps the cases of
    these operator kinds or numbers. ``element`` is explained instead of each output's worst one. Each inference is made
    ``repeat`` times. ``seconds`` is what reproducers wait for an answer. ``claims`` are the kinds of operators that the
    device is said to have, ``all`` for every one: not to support one then fails. ``budget`` is what may be spent on the
    device. Raises ConfigError for several of ``segment``, ``between`` and ``whole``.
    """

    arithmetics: tuple[str, ...] = ("litert-reference",)
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
    described: str = field(default="")
    """Where the samples come from, in words."""

    def __post_init__(self) -> None:
        if bool(self.segment) + bool(self.between) + self.whole > 1:
            raise ConfigError("conflicting settings: got several of segment, between and whole, expected one")

    @property
    def drawing(self) -> Drawing:
        """Where the model's inputs come from."""
        return Drawing(self.signature, self.samples, self.seed)

    @property
    def mode(self) -> str:
        """What is cut out, in words."""
        if self.between:
            return f"between {self.between[0]} and {self.between[1]}"
        if self.segment:
            return f"segments of {self.segment}"
        return "whole" if self.whole else "operators"

    @property
    def inputs(self) -> str:
        """What is fed, in words."""
        source = self.described or (f"drawn from seed {self.seed}" if not self.samples else "given")
        words = {"propagated": f"propagated ({source})", "random": f"random (seed {self.seed})"}
        fed = ", ".join(words.get(kind, kind) for kind in self.kinds)
        return f"{fed}; within a budget of {self.spent}" if self.spent else fed

    @property
    def spent(self) -> str:
        """What the budget is, in words; empty without one."""
        if self.budget is None:
            return ""
        made = self.budget.invocations
        return counted(made, "invocation") if made else f"{self.budget.seconds:g} s"

    def about(self) -> dict[str, Any]:
        """What decides the result, as JSON: for telling one verification's journal from another's."""
        beside = (
            "samples",
            "segment",
            "between",
            "whole",
            "jobs",
            "record",
            "seconds",
            "budget",
            "described",
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
