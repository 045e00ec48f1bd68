"""Head of a rule file: the subject of the profile, its types, and the status of operators without an entry."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from litecheck.errors import ConfigError, ProfileError
from litecheck.finding import CPU, REFUSED, Demand
from litecheck.profile.type_table import TypeTable, load_types, type_tables
from litecheck.profile.types import GraphRewrites, Profile
from litecheck.profile.value_domains import known_types
from litecheck.profile.yaml_reader import MappingNode
from litecheck.spelling import did_you_mean
from litecheck.target_kinds import TargetKind, import_attribute, target_kind

#: Statuses of an operator without an entry, in two pairs with the milder first.
UNLISTED = ("not covered", "violation", CPU, REFUSED)
#: Shapes that a runtime computes with: its own, or those in the file.
SHAPES = ("computed", "stored")
JUDGES = ("quantization", "structure", "placement")
#: Statuses if a compiler decides.
PLACES = (CPU, REFUSED)
#: Kind of target of a profile that names none.
DEFAULT_TARGET = "lists"
#: Word for operators of every type.
ANY = "any"


@dataclass(frozen=True, slots=True)
class RuleHeader:
    """Subject of a profile; ``unlisted_demand`` is the line with the status of operators without an entry."""

    activations: tuple[str, ...]
    judges: str
    unlisted: str
    unlisted_demand: Demand | None
    target: TargetKind | None = None
    """The kind of target whose code places operators; None for profiles that do not judge placement."""
    stored_shapes: bool = False
    """True if the runtime computes with the shapes in the file."""

    @property
    def any_type(self) -> bool:
        """True if the profile covers operators of every type."""
        return self.activations == (ANY,)

    @property
    def places(self) -> bool:
        """True if the profile states the placement of operators on a target."""
        return self.judges == "placement"


def read_header(top: MappingNode, name: str, base: Profile | None) -> RuleHeader:
    """Return the head of a file, over that of the profile that it extends. Raise ProfileError."""
    types = base.activations if base else ("int8",)
    if "activations" in top:
        types = known_types(top.values["activations"], ANY)
        if ANY in types and len(types) > 1:
            raise top.wrong("activations", f"activations: {ANY} stands alone")
    judges = _read_choice(top, "judges", JUDGES, base.judges if base else JUDGES[0])
    unlisted = _read_unlisted(top, judges, base)
    line = top.lines.get("unlisted")
    demand = Demand(name, top.file, line) if line else base.unlisted_demand if base else None
    stored = _read_choice(top, "shapes", SHAPES, SHAPES[0]) == "stored"
    return RuleHeader(types, judges, unlisted, demand, _target(top, judges, base), stored)


def read_rewrites(
    top: MappingNode, name: str, target: TargetKind | None, inherited: GraphRewrites | None
) -> GraphRewrites | None:
    """Read the key ``rewrites``, by the code of the target's kind. Raise ProfileError."""
    if target is None or not target.rewrites:
        if "rewrites" in top:
            why = f"targets of kind {target.name!r} have none" if target else "takes judges: placement"
            raise top.wrong("rewrites", f"rewrites: {why}")
        return inherited
    base: GraphRewrites = inherited or import_attribute(target.rewrites)()
    return base.read(top.get("rewrites"), top.file, name)


def read_types(top: MappingNode, before: Iterable[Profile | None]) -> TypeTable | None:
    """Return the table of types that a file names, or that of the profiles it builds on. Raise ProfileError."""
    if "types" not in top:
        return next((profile.types for profile in before if profile and profile.types), None)
    name, known = top.text("types"), type_tables()
    if name not in known:
        message = f"types is one of {', '.join(known)}; not {name!r}{did_you_mean(name, known)}"
        raise top.wrong("types", message)
    return load_types(name)


def _target(top: MappingNode, judges: str, base: Profile | None) -> TargetKind | None:
    line = top.lines.get("target", top.line)
    if judges != "placement":
        if "target" in top:
            raise ProfileError(top.file, line, "target: takes judges: placement")
        return None
    try:
        return target_kind(top.text("target", base.target if base else DEFAULT_TARGET))
    except ConfigError as error:
        raise ProfileError(top.file, line, f"target: {error}") from None


def _read_unlisted(top: MappingNode, judges: str, base: Profile | None) -> str:
    line = top.lines.get("unlisted", top.lines.get("judges", top.line))
    word = _read_choice(top, "unlisted", UNLISTED, base.unlisted if base else UNLISTED[0])
    if base and word != base.unlisted and base.unlisted in ("violation", REFUSED):
        does = "forbids" if base.unlisted == "violation" else "has its compiler refuse"
        raise ProfileError(top.file, line, f"{base.name} already {does} unlisted operators")
    if judges == "placement" and word not in PLACES:
        stated = f", not {word!r}" if "unlisted" in top else ""
        message = f"a profile that judges placement states unlisted: {CPU}, or unlisted: {REFUSED}{stated}"
        raise ProfileError(top.file, line, message)
    if judges != "placement" and word in PLACES:
        raise ProfileError(top.file, line, f"unlisted: {word} takes judges: placement")
    return word


def _read_choice(top: MappingNode, key: str, words: tuple[str, ...], default: str) -> str:
    word = top.text(key, default)
    if word not in words:
        known = ", ".join(map(repr, words))
        raise top.wrong(key, f"{key} is one of {known}; not {word!r}{did_you_mean(word, words)}")
    return word
