"""A finding: a violated requirement, with location, found and required value, reason, source and impact."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal, get_args

Level = Literal["violation", "warning", "note"]
Effect = Literal[
    "the compiler rejects the model at load",
    "crashes the compiler at load",
    "crashes the compiler at placement",
    "the compiler rejects any model with it",
    "the compiler rejects the model",
    "crashes the compiler",
    "crashes",
    "fails to load",
    "rejected by the default interpreter only",
    "rejected without the default delegate",
    "rejected by the reference resolver only",
    "crashes the reference resolver only",
    "fails at run time",
    "wrong results",
    "wrong results without the default delegate",
    "ignored by LiteRT, may matter on hardware",
    "information loss",
    "stays on the CPU",
    "none, as the operator stays on the CPU",
    "outside the specification",
    "the profile forbids it",
]

#: Impact on an operator that the target's compiler accepts and places on the CPU beside the NPU.
CPU: Effect = "stays on the CPU"
#: Impact of a type that LiteRT replaces or does not read.
IGNORED: Effect = "ignored by LiteRT, may matter on hardware"
#: Impacts on a model that a runtime does not compute as its types and parameters state.
RUNTIME_FAILURES: tuple[Effect, ...] = ("crashes", "fails to load", "fails at run time", "wrong results")
#: Impact on a model that LiteRT computes although its specification forbids it.
UNSPECIFIED: Effect = "outside the specification"
#: Impact of parameters that lose information: outputs are the values that the parameters state.
INFORMATION_LOSS: Effect = "information loss"
#: Impact on a model that all resolvers but the reference resolver run.
REFERENCE_ONLY: Effect = "rejected by the reference resolver only"
#: Impact of a requirement that the compiler would only test after the operator was placed on the CPU.
SUPERSEDED: Effect = "none, as the operator stays on the CPU"
#: Impact on a model with an operator that the compiler rejects.
REFUSED: Effect = "the compiler rejects the model"
#: Impacts that a profile may state: all except SUPERSEDED.
STATED_EFFECTS: tuple[Effect, ...] = tuple(effect for effect in get_args(Effect) if effect != SUPERSEDED)
#: Levels, least severe first.
LEVELS: tuple[Level, ...] = ("note", "warning", "violation")
#: Impacts, most severe first.
EFFECTS: tuple[Effect, ...] = get_args(Effect)


def at_least(level: Level, threshold: Level) -> bool:
    """Return True if ``level`` is at least as severe as ``threshold``."""
    return LEVELS.index(level) >= LEVELS.index(threshold)


@dataclass(frozen=True, slots=True)
class Where:
    """The location of a finding: an operator of a subgraph and, if the finding is about a tensor, the tensor.

    ``operator`` counts from 0 in execution order, and is -1 for a tensor that belongs to no checked operator. ``name``
    is the operator's display name: the name of its first output tensor. ``role`` is the role of the tensor in the
    rules, ``position`` its number within a repeated role (the values of CONCATENATION).
    """

    subgraph: int
    subgraph_name: str
    operator: int
    opcode: str
    name: str
    role: str | None = None
    position: int | None = None
    tensor: int | None = None
    tensor_name: str | None = None

    def __str__(self) -> str:
        if self.opcode == "SUBGRAPH":
            return f"subgraph {self.subgraph} '{self.name}'"
        sub = f"subgraph {self.subgraph}, " if self.subgraph else ""
        if self.operator < 0:
            return f"{sub}tensor {self.tensor} '{self.name}'"
        return f"{sub}{self.opcode} #{self.operator} '{self.name}'"

    @property
    def operand(self) -> str:
        """Role and name of the tensor, or "". Examples: ``weight 'block3/kernel'``, ``values[2] 'left'``."""
        if self.operator < 0 and self.opcode != "SUBGRAPH":
            return ""
        role = self.role or ("tensor" if self.tensor is not None else "")
        position = f"[{self.position}]" if self.position is not None else ""
        name = f" '{self.tensor_name}'" if self.tensor_name is not None else ""
        return f"{role}{position}{name}" if role else ""


@dataclass(frozen=True, slots=True)
class Demand:
    """The line of the rule file that states a requirement."""

    profile: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Waiver:
    """The waiver of a finding: source (a profile's ``relaxes``, a baseline, ``--ignore``, a configuration), reason."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class StaleEntry:
    """A baseline entry that matches no finding any more, and the reason."""

    file: str
    path: str
    where: str
    fingerprint: str
    reason: str = "no finding matches this baseline entry any more"

    def __str__(self) -> str:
        return f"{self.path} at {self.where}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Finding:
    """A requirement that an operator violates.

    The sentence has a fixed order: where - found - required - because - see - effect. ``path`` is the name of the
    requirement (``CONV_2D/weight/zero_point``). ``channels`` counts the violating slices if there are several. ``hint``
    is the fix, if the profile states a fix.
    """

    path: str
    level: Level
    where: Where
    found: str
    required: str
    because: str
    see: str
    demanded_by: Demand
    effect: Effect = "the profile forbids it"
    channels: int | None = None
    waiver: Waiver | None = None
    hint: str = ""

    @property
    def title(self) -> str:
        """Requirement in words. Example: ``CONV_2D weight: zero point``."""
        *subject, requirement = self.path.split("/")
        if subject[1:] == ["limits"]:
            return f"{subject[0]}: limit on {requirement}"
        return f"{' '.join(subject)}: {requirement.replace('_', ' ')}"

    def __str__(self) -> str:
        """Return the finding in one sentence: location, found value, required value, reason and impact."""
        place = ", ".join(filter(None, (str(self.where), self.where.operand)))
        return f"{place}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """Finding in one sentence without its location."""
        because = f", because {self.because}" if self.because else ""
        return f"{self.found}; {self.demanded_by.profile} requires {self.required}{because} ({self.effect})"

    @property
    def fingerprint(self) -> str:
        """Hash of the requirement, subgraph, operator and tensor names. It is stable across edits elsewhere in the model."""
        w = self.where
        parts = (self.path, w.subgraph_name or str(w.subgraph), w.name, w.role, w.position, w.tensor_name)
        text = "\0".join(map(str, parts))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
