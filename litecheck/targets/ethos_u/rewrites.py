"""The key ``rewrites`` of a profile: changes that the compiler makes to the graph before it places operators."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Profile
from litecheck.profile.yaml_reader import MappingNode, Node, entries, text, texts
from litecheck.targets.ethos_u.decomposition import KEYS, Decomposition, check_names, read_decomposition

_WHY = ("because", "see")
_FUSION = ("before", "after", "dilation")


@dataclass(frozen=True, slots=True)
class Fusion:
    """Three consecutive operators that are fused: ``before``, ``opcode``, ``after``.

    The fused operator reads the input of the first, writes the output of the last, and is dilated along height and width
    by the input ``dilation`` (a position) of the first. Views of type ``across`` may lie between them, if they only move
    dimensions of 1. Example: SPACE_TO_BATCH_ND, CONV_2D, BATCH_TO_SPACE_ND.
    """

    before: str
    opcode: str
    after: str
    dilation: int
    across: tuple[str, ...]
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class BoundaryCast:
    """A type that the NPU does not compute with: inputs and outputs of the model get a cast."""

    dtype: str
    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class ResidentVariables:
    """An operator that makes handles of variables, which the compiler keeps in the memory of the NPU."""

    because: str
    see: str
    demand: Demand


@dataclass(frozen=True, slots=True)
class Rewrites:
    """Fusions by the operator in the middle, casts by type, decompositions by operator, variables by the operator that makes
    the handle."""

    fusions: Mapping[str, Fusion] = field(default_factory=dict)
    casts: Mapping[str, BoundaryCast] = field(default_factory=dict)
    decompositions: Mapping[str, Decomposition] = field(default_factory=dict)
    variables: Mapping[str, ResidentVariables] = field(default_factory=dict)

    def read(self, node: Node | None, file: str, profile: str) -> Rewrites:
        """Read the key ``rewrites`` of a profile and add it to these inherited rewrites. Raises ProfileError."""
        stated = entries(node, file).only(("fuses", "converts", "decomposes", "resident"))
        enums = load_schema().enums
        fusions, casts = dict(self.fusions), dict(self.casts)
        decompositions, variables = dict(self.decompositions), dict(self.variables)
        for opcode, own, demand in _read_entries(
            stated.get("fuses"), file, profile, (*_FUSION, "across", *_WHY)
        ):
            fusions[opcode] = _read_fusion(opcode, own, demand)
        for dtype, own, demand in _read_entries(stated.get("converts"), file, profile, _WHY):
            types = [name.lower() for name in enums["TensorType"]]
            check_names("type", (dtype,), types, file, demand.line)
            casts[dtype] = BoundaryCast(dtype, text(own.get("because")), text(own.get("see")), demand)
        for opcode, own, demand in _read_entries(stated.get("decomposes"), file, profile, (*KEYS, *_WHY)):
            check_names("operator", (opcode,), enums["BuiltinOperator"], file, demand.line)
            decompositions[opcode] = read_decomposition(opcode, own, demand)
        for opcode, own, demand in _read_entries(stated.get("resident"), file, profile, _WHY):
            check_names("operator", (opcode,), enums["BuiltinOperator"], file, demand.line)
            variables[opcode] = ResidentVariables(text(own.get("because")), text(own.get("see")), demand)
        return Rewrites(fusions, casts, decompositions, variables)


def rewrites_of(profile: Profile) -> Rewrites:
    """Return the rewrites of a profile of this kind."""
    return profile.rewrites if isinstance(profile.rewrites, Rewrites) else Rewrites()


def _read_entries(
    node: Node | None, file: str, profile: str, keys: tuple[str, ...]
) -> Iterable[tuple[str, MappingNode, Demand]]:
    named = entries(node, file)
    for name, entry in named.values.items():
        own, demand = entries(entry, file).only(keys), Demand(profile, file, named.lines[name])
        if not text(own.get("because")):
            raise ProfileError(file, demand.line, f"{name}: a because is missing")
        yield name, own, demand


def _read_fusion(opcode: str, own: MappingNode, demand: Demand) -> Fusion:
    before, after, dilation = (text(own.get(key)) for key in _FUSION)
    across = texts(own.get("across"))
    kinds = (opcode, before, after, *across)
    check_names("operator", kinds, load_schema().enums["BuiltinOperator"], demand.file, demand.line)
    roles = tuple(traits_of(before).inputs)
    check_names(f"operand of {before}", (dilation,), roles, demand.file, demand.line)
    because, see = (text(own.get(key)) for key in _WHY)
    return Fusion(before, opcode, after, roles.index(dilation), across, because, see, demand)
