"""Verification of a bundle: its suite is made again, then its certificate is checked against all files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError
from litecheck.files import member_path
from litecheck.profile.load import profile_names
from litecheck.reference.engine.arithmetic import arithmetic_names
from litecheck.suite.bundle import CERTIFICATE, PAGE, RESULTS_FOLDER, SUITE_FOLDER, claim_files
from litecheck.suite.bundle_files import unpack_bundle
from litecheck.suite.certificate import Certificate, read_certificate
from litecheck.suite.certificate_verification import CertificateCheck, check, with_signature
from litecheck.suite.claims import Claims
from litecheck.suite.claims_file import load_claims
from litecheck.suite.file_integrity import Discrepancy, FileDigest, differing
from litecheck.suite.manifest import MANIFEST, RESULTS, Manifest, read_suite
from litecheck.suite.signature import SUFFIX, has_valid_signature
from litecheck.suite.suite_reproduction import remake_suite
from litecheck.version import __version__

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


def check_bundle(
    path: str | Path,
    key: Ed25519PublicKey | None = None,
    on: str = "",
    progress: Callable[[str], None] | None = None,
    render: Callable[[Certificate], str] | None = None,
) -> CertificateCheck:
    """Check the certificate in a bundle; with a ``key``, also its signature. ``on`` and ``progress`` are as in
    :func:`check`. ``render`` returns the page of a certificate, which must be that in the bundle.

    Members that the certificate does not name are discrepancies: a person could take them for checked.
    Raise ConfigError with the member for an archive that is no bundle, and for a bundle of another version of
    litecheck, which alone can make its suite.
    """
    with unpack_bundle(path) as folder:
        file = folder / CERTIFICATE
        try:
            unlisted = _unlisted_members(file, folder)
            found = _check_unpacked(file, folder, on, progress)
            page = () if render is None else _different_page(folder / PAGE, render(found.certificate))
            found = replace(found, discrepancies=(*found.discrepancies, *unlisted, *page))
            if key is not None:
                found = with_signature(found, has_valid_signature(file, key))
        except ConfigError as error:
            raise ConfigError(_inside(str(error), folder, path)) from None
        return _rename_files(found, folder, path)


def _unlisted_members(file: Path, folder: Path) -> tuple[Discrepancy, ...]:
    """Return the members that no certificate has, and those beside the results that this one does not name.

    Files of outputs are checked with the results.
    """
    certificate, _ = read_certificate(file)
    claims = member_path(folder, certificate.claims.file)
    waivers = [member_path(folder, one.file) for one in certificate.waiver_files]
    listed = {
        CERTIFICATE, PAGE, CERTIFICATE + SUFFIX, f"{SUITE_FOLDER}/{MANIFEST}", f"{RESULTS_FOLDER}/{RESULTS}",
        *(name for name, _ in claim_files(certificate, claims, waivers)),
    }  # fmt: skip
    there = (
        path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if os.path.isfile(path)
    )
    return tuple(
        Discrepancy(str(folder / name), "unknown")
        for name in there
        if name not in listed and not name.startswith(f"{RESULTS_FOLDER}/outputs/")
    )


def _different_page(path: Path, page: str) -> tuple[Discrepancy, ...]:
    """Return a discrepancy if the page in a bundle is not that of its certificate."""
    stated = FileDigest(PAGE, hashlib.sha256(page.encode()).hexdigest())
    return tuple(differing(stated, path)) if os.path.exists(path) else ()


def _check_unpacked(
    file: Path, folder: Path, on: str, progress: Callable[[str], None] | None
) -> CertificateCheck:
    certificate, _ = read_certificate(file)
    suite, tool = read_suite(folder / SUITE_FOLDER), f"litecheck {__version__}"
    if suite.manifest.tool != tool:
        raise ConfigError(f"{file}: its suite was made by {suite.manifest.tool}, expected {tool}")
    claims = load_claims(member_path(folder, certificate.claims.file))
    _check_names(file, suite.manifest, claims)
    made = remake_suite(suite.manifest, claims, folder / "anew", progress)
    if made.cases:
        (folder / "anew" / "cases").rename(suite.folder / "cases")
    return check(file, suite.folder, folder / RESULTS_FOLDER, on=on, made=made)


def _check_names(file: Path, manifest: Manifest, claims: Claims) -> None:
    """Raise ConfigError for a profile or arithmetic that is neither litecheck's nor in a file of the claims."""
    known = (*profile_names(), *claims.profiles), (*arithmetic_names(), *claims.arithmetics)
    for names, given in zip(known, ((manifest.profile,), manifest.arithmetics), strict=True):
        for name in given:
            if name not in names:
                raise ConfigError(
                    f"{file}: its suite is of {name!r}, expected a name of litecheck or of the claims"
                )


def _rename_files(found: CertificateCheck, folder: Path, path: str | Path) -> CertificateCheck:
    """Return the check with the names of files in the bundle in place of those of unpacked files."""
    named = (
        replace(one, file=_inside(one.file, folder, path), found=_inside(one.found, folder, path))
        for one in found.discrepancies
    )
    return replace(found, file=str(path), discrepancies=tuple(named))


def _inside(text: str, folder: Path, path: str | Path) -> str:
    return text.replace(f"{folder}/", f"{path}: ").replace(str(folder), str(path))
