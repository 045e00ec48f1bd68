"""Claims for a device: profile, level, operators, types, limits, arithmetic and tolerance, as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce

from litecheck.model.load import model_from
from litecheck.profile.conformance import EVERY
from litecheck.profile.types import Conformance, Profile
from litecheck.suite.case import LEVELS
from litecheck.suite.manifest import CaseEntry, Manifest, Suite
from litecheck.suite.probe_cases import conforms
from litecheck.suite.waivers import CaseWaiver


@dataclass(frozen=True, slots=True)
class DeviceClaim:
    """The claimed device. ``program`` is the SHA-256 of its library or program, or empty."""

    name: str
    version: str
    driver: str = ""
    program: str = ""


@dataclass(frozen=True, slots=True)
class OperatorClaim:
    """The claim for an operator; empty fields take the default of all operators.

    ``arithmetics`` are names; ``limited`` restricts the claim to cases within the claim's limits.
    """

    types: tuple[str, ...] = ()
    granularities: tuple[str, ...] = ()
    arithmetics: tuple[str, ...] = ()
    tolerance: Conformance | None = None
    limited: bool = False

    def over(self, other: OperatorClaim) -> OperatorClaim:
        """Return this claim with its empty fields taken from another claim."""
        return OperatorClaim(
            self.types or other.types,
            self.granularities or other.granularities,
            self.arithmetics or other.arithmetics,
            self.tolerance or other.tolerance,
            self.limited,
        )


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A claim that a run cannot show: ``what`` (``level``, ``operator``), the claimed value, and the value found or
    ""."""

    what: str
    claimed: str
    found: str = ""


@dataclass(frozen=True, slots=True)
class ClaimsRecord:
    """Header of a claim for reports and certificates. ``version`` is that of the profile, ``sha256`` that of the file."""

    name: str
    file: str
    sha256: str
    device: DeviceClaim
    profile: str
    version: str
    level: str
    extensions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Claims:
    """A complete claim.

    ``profiles`` are the claimed profile and its extensions, ``limited_profiles`` the same profiles narrowed by the limits.
    ``operators`` are by name, ``*`` for all operators without an entry; ``arithmetics`` are the paths of arithmetics
    in files, by name.
    """

    record: ClaimsRecord
    profiles: Mapping[str, Profile]
    operators: Mapping[str, OperatorClaim]
    limited_profiles: Mapping[str, Profile]
    arithmetics: Mapping[str, str]
    default: OperatorClaim = field(default_factory=OperatorClaim)
    """Default of all claimed operators."""
    rules: str = ""
    waivers: tuple[CaseWaiver, ...] = ()

    def of(self, opcode: str) -> OperatorClaim | None:
        """Return the claim for an operator; None if the operator is not claimed."""
        named = [self.operators[key] for key in (opcode, EVERY) if key in self.operators]
        if not named:
            return None
        return reduce(OperatorClaim.over, (*named, self.default))

    def holds(self, case: CaseEntry, suite: Suite) -> bool:
        """Return True if a case is claimed: its operator and types, and for a valid model, its limits."""
        claim = self.of(case.opcode)
        if claim is None or (claim.types and case.kind not in claim.types):
            return False
        if claim.granularities and case.granularity and case.granularity not in claim.granularities:
            return False
        narrowed = (
            self.limited_profiles.get(suite.manifest.profile) if claim.limited and not case.broken else None
        )
        return narrowed is None or conforms(model_from(suite.model(case), case.model), narrowed)

    def limits_of(self, profile: str, opcode: str) -> tuple[str, ...]:
        """Return the claimed limits of an operator: requirements that its profile does not have.

        Example: ``CONV_2D/input/channels: 1..64``.
        """
        narrowed, base = self.limited_profiles.get(profile), self.profiles.get(profile)
        if narrowed is None or base is None or opcode not in narrowed.operators:
            return ()
        plain = {(r.path, str(r.value)) for r in base.operators[opcode].all_requirements()}
        found = ((r.path, str(r.value)) for r in narrowed.operators[opcode].all_requirements())
        return tuple(f"{path}: {value}" for path, value in found if (path, value) not in plain)

    def tolerances(self) -> Mapping[str, Conformance]:
        """Return the claimed tolerances, by operator."""
        return {opcode: claim.tolerance for opcode, claim in self.operators.items() if claim.tolerance}

    def shortfalls(self, manifest: Manifest, program: str) -> Iterator[Shortfall]:
        """Yield the parts of the claim that a suite, run on a device with this program, cannot show."""
        record = self.record
        if manifest.profile not in self.profiles:
            yield Shortfall("profile", ", ".join(self.profiles), manifest.profile)
        if record.version and record.version != manifest.tool.partition(" ")[2]:
            made_by = f"{manifest.tool} from {manifest.profile}"
            yield Shortfall("version", f"{record.profile} {record.version}", made_by)
        if self.rules and manifest.profile == record.profile and self.rules != manifest.rules:
            yield Shortfall("rules", self.rules, manifest.rules)
        if LEVELS.index(manifest.level) < LEVELS.index(record.level):
            yield Shortfall("level", record.level, manifest.level)
        if record.device.program and record.device.program != program:
            yield Shortfall("program", record.device.program, program)
        if manifest.profile in self.profiles:
            yield from self._unshown(manifest)

    def _unshown(self, manifest: Manifest) -> Iterator[Shortfall]:
        """Yield claimed operators and types without a case; operators claimed by ``*`` only if a suite can have a
        case, and types of several operators only if no operator has a case of them."""
        shown = _kinds(manifest)
        impossible = {one.opcode for one in manifest.uncovered}
        several: dict[str, bool] = {}
        for opcode in self.profiles[manifest.profile].operators:
            claim, own = self.of(opcode), self.operators.get(opcode)
            if claim is None or (own is None and opcode in impossible):
                continue
            if opcode not in shown:
                yield Shortfall("operator", opcode)
                continue
            for kind in claim.types:
                there = kind in shown[opcode] or bool(self._other_profiles(kind, manifest, opcode))
                if own is None or not own.types:
                    several[kind] = several.get(kind, False) or there
                elif not there:
                    yield Shortfall("type", f"{opcode} {kind}")
        yield from (Shortfall("type", kind) for kind, there in several.items() if not there)

    def elsewhere(self, manifest: Manifest) -> Iterator[str]:
        """Yield notes on claimed types that only suites of the claim's other profiles can show."""
        shown = {kind for kinds in _kinds(manifest).values() for kind in kinds}
        claimed = (claim.types for claim in (*self.operators.values(), self.default))
        for kind in dict.fromkeys(kind for types in claimed for kind in types if kind not in shown):
            if others := self._other_profiles(kind, manifest):
                yield f"{kind} is claimed, and only a suite of {' or '.join(others)} can show it"

    def _other_profiles(self, kind: str, manifest: Manifest, opcode: str = "") -> list[str]:
        """Return the claim's other profiles whose suites have cases of a type, of one operator if it is named."""
        return [
            name
            for name, profile in self.profiles.items()
            if name != manifest.profile
            and kind in profile.activations
            and (not opcode or opcode in profile.operators)
        ]


def _kinds(manifest: Manifest) -> Mapping[str, set[str]]:
    """Return the types of the valid cases, by operator."""
    kinds: dict[str, set[str]] = {}
    for case in manifest.cases:
        if not case.broken:
            kinds.setdefault(case.opcode, set()).add(case.kind)
    return kinds
