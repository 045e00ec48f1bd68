"""A finding: one requirement that one operator does not keep; where, what was found, what is required, why, who says so."""

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
    "fails at run time",
    "wrong results",
    "ignored by LiteRT, may matter on hardware",
    "stays on the CPU",
    "none, as the operator stays on the CPU",
    "the page forbids it",
    "the profile forbids it",
]

#: What becomes of an operator that a target's compiler takes and leaves to the processor beside the accelerator.
CPU: Effect = "stays on the CPU"
#: What becomes of a demand that a compiler would come to only behind what leaves the operator to the processor.
SUPERSEDED: Effect = "none, as the operator stays on the CPU"
#: What becomes of a model with an operator that its compiler does not take.
REFUSED: Effect = "the compiler rejects the model"
#: What a profile may say becomes of a model: all but that.
STATED_EFFECTS: tuple[Effect, ...] = tuple(effect for effect in get_args(Effect) if effect != SUPERSEDED)
#: From the mildest to the gravest.
LEVELS: tuple[Level, ...] = ("note", "warning", "violation")
#: What becomes of a model with a finding, the gravest first.
EFFECTS: tuple[Effect, ...] = get_args(Effect)


def at_least(level: Level, threshold: Level) -> bool:
    """Whether ``level`` is as grave as ``threshold`` or graver."""
    return LEVELS.index(level) >= LEVELS.index(threshold)


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a finding: an operator of a subgraph, and one of its operands where one is at fault.

    ``operator`` counts from 0 in execution order; ``name`` is the operator's display name, the name of its
    first output tensor; a tensor that no judged operator answers for has ``operator`` -1. ``role`` is the
    operand's name in the rules; ``position`` its number within a repeated role (CONCATENATION's values).
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
        """The operand at fault: ``weight 'block3/kernel'``, ``values[2] 'left'``, or ``""``."""
        if self.operator < 0 and self.opcode != "SUBGRAPH":
            return ""
        role = self.role or ("tensor" if self.tensor is not None else "")
        position = f"[{self.position}]" if self.position is not None else ""
        name = f" '{self.tensor_name}'" if self.tensor_name is not None else ""
        return f"{role}{position}{name}" if role else ""


@dataclass(frozen=True, slots=True)
class Demand:
    """The line of the rule file that demanded something."""

    profile: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Waiver:
    """Who let a finding pass, and why: a profile's ``relaxes``, a baseline file, ``--ignore``, a configuration file."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One requirement that one operator does not keep.

    The grammar is fixed: where - found - required - because - see - effect. ``path`` is the requirement's name
    (``CONV_2D/weight/zero_point``). ``channels`` counts the slices at fault where there are several;
    ``hint`` says how to rewrite the model, where the profile knows it.
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
        """The requirement in words: ``CONV_2D weight: zero point``."""
        *subject, requirement = self.path.split("/")
        if subject[1:] == ["limits"]:
            return f"{subject[0]}: limit on {requirement}"
        return f"{' '.join(subject)}: {requirement.replace('_', ' ')}"

    def __str__(self) -> str:
        """The finding in one sentence: where, what was found, what is required, because of what, with which effect."""
        place = ", ".join(filter(None, (str(self.where), self.where.operand)))
        return f"{place}: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The finding in one sentence, without its place."""
        because = f", because {self.because}" if self.because else ""
        return f"{self.found}; {self.demanded_by.profile} requires {self.required}{because} ({self.effect})"

    @property
    def fingerprint(self) -> str:
        """Stable across edits elsewhere in the model: requirement, subgraph, operator and tensor by name."""
        w = self.where
        parts = (self.path, w.subgraph_name or str(w.subgraph), w.name, w.role, w.position, w.tensor_name)
        text = "\0".join(map(str, parts))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
