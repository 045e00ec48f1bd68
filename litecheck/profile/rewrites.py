"""The ``rewrites`` of a profile: what a target's compiler makes of a model's operators before it judges them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.operators import facts_of
from litecheck.profile.unfolding import KEYS, Unfolding, known_names, read_unfolding
from litecheck.profile.yaml_reader import Entries, Node, entries, text, texts


@dataclass(frozen=True, slots=True)
class Fusion:
    """Three operators in a row that a compiler takes for one where it can run that one: the middle one, from the first's
    input to the last's output, dilated along height and width by the values of an operand of the first. One of those
    ``across`` may stand on either side of the middle one, where it only puts dimensions of 1 elsewhere."""

    before: str
    opcode: str
    after: str
    dilation: int
    across: tuple[str, ...]
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class ConvertedType:
    """A type that a compiler does not compute with: behind the model's inputs and in front of its outputs of this type it
    puts operators of its own."""

    dtype: str
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class Keeping:
    """An operator that makes handles of variables, which a compiler keeps on the accelerator once an operator there reads
    or writes one: then all others must be there, too."""

    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class Rewrites:
    """Fusions by the operator in the middle, conversions by the type, unfoldings by the operator, keepings by the operator
    that makes the handle."""

    fusions: Mapping[str, Fusion] = field(default_factory=dict)
    conversions: Mapping[str, ConvertedType] = field(default_factory=dict)
    unfoldings: Mapping[str, Unfolding] = field(default_factory=dict)
    keepings: Mapping[str, Keeping] = field(default_factory=dict)


NOTHING = Rewrites()
_WHY = ("because", "see")
_FUSION = ("before", "after", "dilation")


def read_rewrites(node: Node | None, file: str, profile: str, inherited: Rewrites) -> Rewrites:
    """What a profile states over what it inherits. Raises ProfileError."""
    stated = entries(node, file).only(("fuses", "converts", "unfolds", "keeps"))
    fusions, conversions = dict(inherited.fusions), dict(inherited.conversions)
    unfoldings, keepings = dict(inherited.unfoldings), dict(inherited.keepings)
    for opcode, own, demand in _stated(stated.get("fuses"), file, profile, (*_FUSION, "across", *_WHY)):
        fusions[opcode] = _fusion(opcode, own, demand)
    for dtype, own, demand in _stated(stated.get("converts"), file, profile, _WHY):
        types = [name.lower() for name in load_schema().enums["TensorType"]]
        known_names("type", (dtype,), types, file, demand.line)
        conversions[dtype] = ConvertedType(dtype, text(own.get("because")), text(own.get("see")), demand)
    for opcode, own, demand in _stated(stated.get("unfolds"), file, profile, (*KEYS, *_WHY)):
        known_names("operator", (opcode,), load_schema().enums["BuiltinOperator"], file, demand.line)
        unfoldings[opcode] = read_unfolding(opcode, own, demand)
    for opcode, own, demand in _stated(stated.get("keeps"), file, profile, _WHY):
        known_names("operator", (opcode,), load_schema().enums["BuiltinOperator"], file, demand.line)
        keepings[opcode] = Keeping(text(own.get("because")), text(own.get("see")), demand)
    return Rewrites(fusions, conversions, unfoldings, keepings)


def _stated(
    node: Node | None, file: str, profile: str, keys: tuple[str, ...]
) -> Iterable[tuple[str, Entries, Demand]]:
    named = entries(node, file)
    for name, entry in named.values.items():
        own, demand = entries(entry, file).only(keys), Demand(profile, file, named.lines[name])
        if not text(own.get("because")):
            raise ProfileError(file, demand.line, f"{name}: a because is missing")
        yield name, own, demand


def _fusion(opcode: str, own: Entries, demand: Demand) -> Fusion:
    before, after, dilation = (text(own.get(key)) for key in _FUSION)
    across = texts(own.get("across"))
    kinds = (opcode, before, after, *across)
    known_names("operator", kinds, load_schema().enums["BuiltinOperator"], demand.file, demand.line)
    roles = tuple(facts_of(before).inputs)
    known_names(f"operand of {before}", (dilation,), roles, demand.file, demand.line)
    because, see = (text(own.get(key)) for key in _WHY)
    return Fusion(before, opcode, after, roles.index(dilation), across, because, see, demand)
