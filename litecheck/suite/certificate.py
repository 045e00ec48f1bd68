"""Certificate of a device's run of a suite under claims, with the hashes of all underlying files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litecheck.data import rules_dir
from litecheck.errors import ConfigError
from litecheck.profile.load import load_profile
from litecheck.reference.engine.arithmetic import arithmetic_files, arithmetic_names
from litecheck.suite.claims import Claims, ClaimsRecord, Shortfall
from litecheck.suite.claims_file import load_claims
from litecheck.suite.file_integrity import FileDigest, digest_of, suite_discrepancies
from litecheck.suite.geometry_gaps import GeometryGap
from litecheck.suite.manifest import Suite
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import SuiteResults
from litecheck.suite.suite_writer import digest_of_rules
from litecheck.suite.verdict import OperatorRow, SuiteReport
from litecheck.suite.waivers import WaiverRecord, load_waivers
from litecheck.typed_json import encode, read_document
from litecheck.version import __version__

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_KEY = "litecheck_certificate"
_OWN = "sha256"
#: Prefix of the names of litecheck's own files.
_RULES = "rules/"


@dataclass(frozen=True, slots=True)
class CertifiedSuite:
    """The certified suite. ``sha256`` is the hash of its manifest, which lists all its files; ``rules`` that of its
    profile."""

    made_by: str
    profile: str
    rules: str
    level: str
    seed: int
    selected: tuple[str, ...]
    arithmetics: tuple[str, ...]
    cases: int
    sha256: str


@dataclass(frozen=True, slots=True)
class CertifiedRun:
    """Tool and device as the results state them, empty if a device wrote only outputs.

    ``sha256`` is the hash of the results' own file, ``program`` that of the device's library or program.
    """

    tool: str
    device: str
    described: str
    program: str
    sha256: str


@dataclass(frozen=True, slots=True)
class CertifiedOperator:
    """A row of the report: the outcomes of an operator's cases, with arithmetic, tolerance and verdict."""

    opcode: str
    kind: str
    granularity: str
    standing: str
    verdict: str
    counts: Mapping[str, int]
    waived: int
    arithmetic: str
    tolerance: float
    because: str
    worst: float
    unit: str
    placement: str
    fits: tuple[str, ...] = ()
    """Arithmetics that fit every case."""
    mistakes: tuple[str, ...] = ()
    """Known mistakes, each of which explains all that the device gave otherwise."""
    limits: tuple[str, ...] = ()
    """Claimed limits: requirements beyond those of the profile."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """Facts of a certificate without the files. ``date`` is the day of the verdict, which decides if waivers are
    valid."""

    tool: str
    date: str
    verdict: str
    claims: ClaimsRecord
    suite: CertifiedSuite
    run: CertifiedRun
    counts: Mapping[str, int]
    waived: int
    shortfalls: tuple[Shortfall, ...]
    operators: tuple[CertifiedOperator, ...]
    waivers: tuple[WaiverRecord, ...]
    uncovered: tuple[MissingCase, ...]
    untried: tuple[GeometryGap, ...]
    arithmetics: tuple[FileDigest, ...]
    waiver_files: tuple[FileDigest, ...]
    outputs: tuple[FileDigest, ...]

    @property
    def exit_code(self) -> int:
        """Exit code: 0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)

    def text(self) -> str:
        """Return the content of the file, a line for each list item, with a SHA-256 of the rest at its end."""
        document = {_KEY: VERSION, **encode(self, Certificate)}
        return _laid_out({**document, _OWN: hashlib.sha256(_laid_out(document).encode()).hexdigest()})


def _laid_out(document: Mapping[str, Any]) -> str:
    return (
        "{\n"
        + ",\n".join(f" {json.dumps(key)}: {_value(value)}" for key, value in document.items())
        + "\n}\n"
    )


def _value(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[\n" + ",\n".join(f"  {json.dumps(item)}" for item in value) + "\n ]"
    return json.dumps(value, indent=1).replace("\n", "\n ") if isinstance(value, dict) else json.dumps(value)


def certify(
    suite: Suite,
    results: SuiteResults,
    claims: str | Path,
    waivers: Sequence[str | Path] = (),
    date: str = "",
) -> Certificate:
    """Return the certificate of a run under the claims of a file, with the waivers of further files.

    Raise ConfigError for a suite whose files or rules changed since it was made; ProfileError.
    """
    for discrepancy in suite_discrepancies(suite):
        raise ConfigError(f"{discrepancy.file}: is {discrepancy.kind}: it differs from the suite's manifest")
    read = load_claims(claims)
    profile = suite.manifest.profile
    if (
        digest_of_rules(read.profiles.get(profile) or load_profile(profile, quoting=False))
        != suite.manifest.rules
    ):
        raise ConfigError(
            f"{profile}: its rules say something else than when the suite was made; make it anew"
        )
    return derive_certificate(suite, results, Path(claims), [Path(file) for file in waivers], date)


def derive_certificate(
    suite: Suite, results: SuiteResults, claims: Path, waivers: Sequence[Path], date: str
) -> Certificate:
    """Return the certificate that follows from these files. Raise ConfigError and ProfileError."""
    read = load_claims(claims)
    more = [waiver for file in waivers for waiver in load_waivers(file)]
    report = judge(suite, results, claims=read, waivers=more, date=date)
    manifest, foreign = suite.manifest, not results.sha256
    return Certificate(
        tool=f"litecheck {__version__}",
        date=report.date,
        verdict=report.verdict,
        claims=read.record,
        suite=CertifiedSuite(
            manifest.tool, manifest.profile, manifest.rules, manifest.level, manifest.seed,
            manifest.selected, manifest.arithmetics, len(manifest.cases), suite.sha256,
        ),
        run=CertifiedRun(
            results.facts.tool,
            "" if foreign else report.device,
            "" if foreign else report.described,
            report.program,
            results.sha256,
        ),
        counts=report.counts(),
        waived=report.waived,
        shortfalls=report.shortfalls,
        operators=tuple(_operator(row, read.limits_of(manifest.profile, row.opcode)) for row in report.rows),
        waivers=report.waivers,
        uncovered=report.uncovered,
        untried=report.untried,
        arithmetics=tuple(_arithmetics(report, read, suite, claims.parent)),
        waiver_files=tuple(FileDigest(file.name, digest_of(file)) for file in waivers),
        outputs=tuple(_outputs(results)),
    )  # fmt: skip


def _operator(row: OperatorRow, limits: tuple[str, ...]) -> CertifiedOperator:
    return CertifiedOperator(
        row.opcode, row.kind, row.granularity, row.standing, row.verdict, row.counts, row.waived, row.arithmetic,
        row.tolerance, row.because, row.worst, row.unit, row.placement, row.fits, row.mistakes, limits,
    )  # fmt: skip


def _arithmetics(report: SuiteReport, claims: Claims, suite: Suite, beside: Path) -> Iterator[FileDigest]:
    """Yield the files of every arithmetic in the suite or in the claims, with names for :func:`locate_arithmetic`."""
    named = dict.fromkeys((*suite.manifest.arithmetics, *report.arithmetics))
    refs = [claims.arithmetics.get(name, name) for name in named]
    known = [ref for ref in refs if ref in arithmetic_names() or os.path.isfile(ref)]
    found = {path: shown for ref in known for shown, path in arithmetic_files(ref)}
    for path, shown in found.items():
        own = Path(os.path.relpath(path, beside)).as_posix()
        yield FileDigest(shown if shown.startswith(_RULES) else own, digest_of(path))


def locate_arithmetic(file: str, beside: Path) -> Path:
    """Return the path of an arithmetic's file: among litecheck's rules, or relative to the claims' folder."""
    return rules_dir() / file.removeprefix(_RULES) if file.startswith(_RULES) else beside / file


def _outputs(results: SuiteResults) -> Iterator[FileDigest]:
    for result in results.cases.values():
        for entry in result.outputs:
            yield FileDigest(entry.file, digest_of(results.folder / entry.file))


def read_certificate(path: str | Path) -> tuple[Certificate, bool]:
    """Return a certificate, and True if the file is unchanged to the last byte. Raise ConfigError for other files."""
    certificate: Certificate
    certificate, content = read_document(Path(path), Certificate, _KEY, VERSION, "certificate")
    return certificate, certificate.text().encode() == content
