"""A certificate: what a device's run of a suite is worth under a claim, with the hashes of everything it follows from."""

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
from litecheck.suite.gap import Gap
from litecheck.suite.integrity import FileDigest, digest_of, suite_discrepancies
from litecheck.suite.judge import judge
from litecheck.suite.make import digest_of_rules
from litecheck.suite.manifest import Suite
from litecheck.suite.results import SuiteResults
from litecheck.suite.verdict import OperatorRow, SuiteReport, WaiverRecord
from litecheck.suite.waivers import load_waivers
from litecheck.typed_json import encoded, read_document
from litecheck.version import __version__

#: Raised when a key changes its meaning or goes away.
VERSION = 1
_KEY = "litecheck_certificate"
_OWN = "sha256"
#: What the names of files that come with litecheck begin with.
_RULES = "rules/"


@dataclass(frozen=True, slots=True)
class CertifiedSuite:
    """Which suite it was. ``sha256`` is its manifest's, which states all its files; ``rules`` is that of its profile."""

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
    """What ran where: as the results say it, empty where a device wrote outputs alone. ``sha256`` is that of the results'
    own file, ``program`` that of the device's library or program."""

    tool: str
    device: str
    described: str
    program: str
    sha256: str


@dataclass(frozen=True, slots=True)
class CertifiedOperator:
    """A row of the report: how many cases of an operator ended how, under what."""

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


@dataclass(frozen=True, slots=True)
class Certificate:
    """Everything but the files themselves. ``date`` is the day of judging, by which waivers hold or have expired."""

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
    uncovered: tuple[Gap, ...]
    arithmetics: tuple[FileDigest, ...]
    waiver_files: tuple[FileDigest, ...]
    outputs: tuple[FileDigest, ...]

    @property
    def exit_code(self) -> int:
        """0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)

    def text(self) -> str:
        """The file's content, with a SHA-256 of all the rest at its end; an item of a list stands on a line of its own."""
        document = {_KEY: VERSION, **encoded(self, Certificate)}
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
    """The certificate of a run under the claims of a file, with the waivers of others.

    Raises ConfigError for a suite whose files, or whose rules, are not what they were when it was made; ProfileError.
    """
    for discrepancy in suite_discrepancies(suite):
        raise ConfigError(f"{discrepancy.file}: is {discrepancy.kind}: not what the suite's manifest says")
    read = load_claims(claims)
    profile = suite.manifest.profile
    if (
        digest_of_rules(read.profiles.get(profile) or load_profile(profile, quoting=False))
        != suite.manifest.rules
    ):
        raise ConfigError(
            f"{profile}: its rules say something else than when the suite was made; make it anew"
        )
    return derived(suite, results, Path(claims), [Path(file) for file in waivers], date)


def derived(
    suite: Suite, results: SuiteResults, claims: Path, waivers: Sequence[Path], date: str
) -> Certificate:
    """What a certificate of these files says. Raises ConfigError and ProfileError."""
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
        operators=tuple(map(_operator, report.rows)),
        waivers=report.waivers,
        uncovered=report.uncovered,
        arithmetics=tuple(_arithmetics(report, read, suite, claims.parent)),
        waiver_files=tuple(FileDigest(file.name, digest_of(file)) for file in waivers),
        outputs=tuple(_outputs(results)),
    )  # fmt: skip


def _operator(row: OperatorRow) -> CertifiedOperator:
    return CertifiedOperator(
        row.opcode, row.kind, row.granularity, row.standing, row.verdict, row.counts, row.waived, row.arithmetic,
        row.tolerance, row.because, row.worst, row.unit, row.placement, row.fits, row.mistakes,
    )  # fmt: skip


def _arithmetics(report: SuiteReport, claims: Claims, suite: Suite, beside: Path) -> Iterator[FileDigest]:
    """The files of every arithmetic that the suite has answers of or that is claimed, as :func:`located` finds them."""
    named = dict.fromkeys((*suite.manifest.arithmetics, *report.arithmetics))
    refs = [claims.arithmetics.get(name, name) for name in named]
    known = [ref for ref in refs if ref in arithmetic_names() or os.path.isfile(ref)]
    found = {path: shown for ref in known for shown, path in arithmetic_files(ref)}
    for path, shown in found.items():
        own = Path(os.path.relpath(path, beside)).as_posix()
        yield FileDigest(shown if shown.startswith(_RULES) else own, digest_of(path))


def located(file: str, beside: Path) -> Path:
    """Where an arithmetic's file lies: among litecheck's rules, or as it is called from the claims' folder."""
    return rules_dir() / file.removeprefix(_RULES) if file.startswith(_RULES) else beside / file


def _outputs(results: SuiteResults) -> Iterator[FileDigest]:
    for result in results.cases.values():
        for entry in result.outputs:
            yield FileDigest(entry.file, digest_of(results.folder / entry.file))


def read_certificate(path: str | Path) -> tuple[Certificate, bool]:
    """A certificate, and whether the file is to the last byte what was written. Raises ConfigError for what is none."""
    certificate: Certificate
    certificate, content = read_document(Path(path), Certificate, _KEY, VERSION, "certificate")
    return certificate, certificate.text().encode() == content
