"""Verification of a certificate: every file by its hash, then every number derived again; differences are named."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from litecheck.data import rules_dir
from litecheck.dates import today
from litecheck.errors import ConfigError, LitecheckError
from litecheck.files import is_inside, member_path
from litecheck.profile.load import load_profile
from litecheck.suite.certificate import Certificate, derive_certificate, locate_arithmetic, read_certificate
from litecheck.suite.claims_file import load_claims
from litecheck.suite.file_integrity import (
    Discrepancy,
    FileDigest,
    differing,
    suite_discrepancies,
    unlisted_files,
    unlisted_outputs,
)
from litecheck.suite.manifest import MANIFEST, RESULTS, Manifest, read_suite
from litecheck.suite.results import read_results
from litecheck.suite.signature import SUFFIX
from litecheck.suite.suite_reproduction import remade
from litecheck.suite.suite_writer import digest_of_rules
from litecheck.typed_json import encode
from litecheck.version import __version__

#: Prefixes of the numbers that a check reports together with changed files; other numbers are hashes of these files.
_VERDICT = ("verdict", "counts", "waived", "operators")
#: Name and version of litecheck. Example: litecheck 0.1.0.
_TOOL = re.compile(r"litecheck [0-9][0-9A-Za-z.+-]{0,60}")


@dataclass(frozen=True, slots=True)
class CheckedFiles:
    """The files of a certificate: folders of suite and results, the claims, further waivers."""

    suite: Path
    results: Path
    claims: Path
    waivers: tuple[Path, ...] = ()
    regenerated: Manifest | None = None
    """Manifest of the suite made anew, if it is known."""
    progress: Callable[[str], None] | None = None
    """Called with each operator of the suite that is made anew."""


@dataclass(frozen=True, slots=True)
class CertificateCheck:
    """The outcome of a check: the certificate, and all discrepancies."""

    file: str
    certificate: Certificate
    discrepancies: tuple[Discrepancy, ...]
    signature: str = "none"
    """``none``, ``not checked``, ``right`` or ``wrong``."""
    tool: str = f"litecheck {__version__}"

    @property
    def exit_code(self) -> int:
        """Exit code: 0 if everything is as the certificate states, whatever its verdict; else 1."""
        return 1 if self.discrepancies else 0


def check(
    path: str | Path,
    suite: str | Path,
    results: str | Path,
    claims: str | Path = "",
    waivers: Sequence[str | Path] = (),
    on: str = "",
    made: Manifest | None = None,
    progress: Callable[[str], None] | None = None,
) -> CertificateCheck:
    """Check a certificate against its files, and make its suite anew.

    Unnamed claims and waivers are searched beside the certificate. Waivers that have expired by the day ``on``
    (default: today) are discrepancies.
    ``made`` is the manifest of a suite that was already made anew, else ``progress`` is called with each operator whose
    cases are made. Raise ConfigError if ``path`` is not a certificate.
    """
    found = _check(path, suite, results, claims, waivers, made, progress)
    lapsed = tuple(_lapsed_waivers(found.certificate, on or today()))
    later = tuple(_later_date(found, on or today()))
    signature = "not checked" if os.path.lexists(f"{path}{SUFFIX}") else "none"
    return replace(found, discrepancies=(*found.discrepancies, *lapsed, *later), signature=signature)


def _later_date(checked: CertificateCheck, on: str) -> Iterator[Discrepancy]:
    """Yield a discrepancy if the certificate is of a day after that of the check: its waivers would seem valid."""
    if checked.certificate.date > on:
        yield Discrepancy(checked.file, "later", "date", checked.certificate.date, on)


def _lapsed_waivers(certificate: Certificate, on: str) -> Iterator[Discrepancy]:
    """Yield the waivers that held on the certificate's day and have expired since."""
    for record in certificate.waivers:
        if record.state == "used" and record.waiver.is_expired(on):
            yield Discrepancy(
                certificate.claims.file, "expired", str(record.waiver), record.waiver.expires, on
            )


def _check(
    path: str | Path,
    suite: str | Path,
    results: str | Path,
    claims: str | Path,
    waivers: Sequence[str | Path],
    made: Manifest | None,
    progress: Callable[[str], None] | None,
) -> CertificateCheck:
    place, shown = Path(path), str(path)
    certificate, intact = read_certificate(place)
    try:
        files = CheckedFiles(
            Path(suite),
            Path(results),
            Path(claims or member_path(place.parent, certificate.claims.file)),
            tuple(map(Path, waivers))
            or tuple(member_path(place.parent, one.file) for one in certificate.waiver_files),
            made,
            progress,
        )
    except LitecheckError as error:
        return CertificateCheck(shown, certificate, (Discrepancy(shown, "unreadable", found=str(error)),))
    if not intact:
        # The changed part can be the hashes of files, so files are not reported.
        changed = Discrepancy(shown, "changed")
        return CertificateCheck(shown, certificate, (changed, *_numbers(shown, certificate, files)))
    try:
        changed_files = tuple(_files(certificate, files))
    except ConfigError as error:
        changed_files = (Discrepancy(shown, "unreadable", found=str(error)),)
    numbers = tuple(_numbers(shown, certificate, files))
    if changed_files:
        numbers = tuple(one for one in numbers if one.what.startswith(_VERDICT))
    discrepancies = (*changed_files, *numbers)
    return CertificateCheck(shown, certificate, discrepancies)


def _files(certificate: Certificate, files: CheckedFiles) -> Iterator[Discrepancy]:
    """Yield files whose bytes differ from the certified bytes."""
    beside = files.claims.parent
    yield from differing(FileDigest("", certificate.suite.sha256), files.suite / MANIFEST)
    if certificate.run.sha256:
        yield from differing(FileDigest("", certificate.run.sha256), files.results / RESULTS)
    yield from differing(FileDigest("", certificate.claims.sha256), files.claims)
    for file, stated in zip(files.waivers, certificate.waiver_files, strict=False):
        yield from differing(stated, file)
    for stated in certificate.arithmetics:
        path = locate_arithmetic(stated.file, beside)
        name = stated.file if stated.file.startswith("rules/") else str(path)
        outside = not is_inside(path, beside) and not is_inside(path, rules_dir())
        for one in differing(stated, path, name):
            # A certificate can name any file, so the SHA-256 of an outside file is not disclosed.
            yield replace(one, stated="", found="") if outside else one
    for stated in certificate.outputs:
        yield from differing(stated, member_path(files.results, stated.file))
    try:
        suite = read_suite(files.suite)
        yield from unlisted_files(suite)
        yield from unlisted_outputs(files.results, suite.names, [one.file for one in certificate.outputs])
        changed = tuple(suite_discrepancies(suite))
        if os.path.lexists(files.claims):
            changed = (*changed, *_rules(certificate, files.claims))
            yield from changed or remade(suite, load_claims(files.claims), files.regenerated, files.progress)
        else:  # the missing claims are reported above, and their rules are unknown
            yield from changed
    except LitecheckError as error:
        yield Discrepancy(str(files.suite), "unreadable", found=str(error))


def _rules(certificate: Certificate, claims: Path) -> Iterator[Discrepancy]:
    """Yield a discrepancy if the profile's rules changed."""
    name = certificate.suite.profile
    found = digest_of_rules(load_claims(claims).profiles.get(name) or load_profile(name, quoting=False))
    if found != certificate.suite.rules:
        yield Discrepancy(f"rules of {name}", "changed", "SHA-256", certificate.suite.rules, found)


def _numbers(shown: str, certificate: Certificate, files: CheckedFiles) -> Iterator[Discrepancy]:
    """Yield the values of the certificate that differ from those derived from the files."""
    try:
        suite = read_suite(files.suite)
        results = read_results(files.results, suite)
        found = derive_certificate(suite, results, files.claims, files.waivers, certificate.date)
    except LitecheckError as error:
        yield Discrepancy(shown, "unreadable", found=str(error))
        return
    # A version of litecheck can check the certificates of earlier and later versions.
    anew = replace(found, tool=certificate.tool) if _TOOL.fullmatch(certificate.tool) else found
    yield from _find_differences(shown, "", encode(certificate, Certificate), encode(anew, Certificate))


def _find_differences(file: str, at: str, stated: Any, found: Any) -> Iterator[Discrepancy]:
    """Yield the differences of two documents, each with its path."""
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for key in dict.fromkeys((*stated, *found)):
            yield from _find_differences(file, f"{at}.{key}" if at else key, stated.get(key), found.get(key))
    elif isinstance(stated, list) and isinstance(found, list):
        ours, theirs = _items_by_name(stated), _items_by_name(found)
        for name in dict.fromkeys((*ours, *theirs)):
            yield from _find_differences(file, f"{at}[{name}]", ours.get(name), theirs.get(name))
    elif stated != found:
        yield Discrepancy(file, "number", at, _value_text(stated), _value_text(found))


def _items_by_name(items: list[Any]) -> dict[str, Any]:
    """Return a list's items by distinguishing keys if these are unique, else by number."""
    names = [_name(item, number) for number, item in enumerate(items)]
    return dict(
        zip(names if len(set(names)) == len(names) else map(str, range(len(items))), items, strict=True)
    )


def _name(item: Any, number: int) -> str:
    if isinstance(item, Mapping):
        parts = [str(item[key]) for key in ("opcode", "kind", "granularity", "file") if item.get(key)]
        return " ".join(parts) or str(number)
    return str(number)


def _value_text(value: Any) -> str:
    return "" if value is None else json.dumps(value)


def with_signature(checked: CertificateCheck, right: bool) -> CertificateCheck:
    """Return a check with the verdict on the certificate's signature."""
    if right:
        return replace(checked, signature="right")
    wrong = Discrepancy(f"{checked.file}{SUFFIX}", "signature")
    return replace(checked, signature="wrong", discrepancies=(wrong, *checked.discrepancies))
