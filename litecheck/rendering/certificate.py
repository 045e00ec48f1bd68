"""Certificates and their checks as text: verdict, failures, waivers and discrepancies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litecheck.rendering.escape import visible
from litecheck.rendering.wording.claims import shortfall_sentence, waiver_sentence
from litecheck.suite.certificate import Certificate
from litecheck.suite.file_integrity import Discrepancy
from litecheck.suite.recheck import CertificateCheck
from litecheck.suite.verdict import NOT_CLAIMED
from litecheck.summary_text import counted
from litecheck.typed_json import encoded

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def summary(certificate: Certificate) -> str:
    """Return ``ACME NPU r1p0: conforms; 410 passed, 3 failed of 413 cases; 3 waived``."""
    device = certificate.claims.device
    counts = ", ".join(f"{number:,} {ending}" for ending, number in certificate.counts.items())
    waived = f"; {certificate.waived:,} waived" if certificate.waived else ""
    cases = counted(certificate.suite.cases, "case")
    return visible(f"{device.name} {device.version}: {certificate.verdict}; {counts} of {cases}{waived}")


def lines(certificate: Certificate) -> Iterator[str]:
    """Yield the verdict, operators that do not conform, and the state of claims and waivers."""
    yield summary(certificate)
    for row in certificate.operators:
        if row.verdict in ("fails", "waived"):
            name = " ".join(filter(None, (row.opcode, row.kind, row.granularity)))
            counts = ", ".join(f"{number:,} {ending}" for ending, number in row.counts.items())
            cause = f"; explained by {' or '.join(row.mistakes)}" if row.mistakes else ""
            yield visible(f"  {name}: {row.verdict}; {counts}{cause}")
    idle = dict.fromkeys(row.opcode for row in certificate.operators if row.standing == NOT_CLAIMED)
    if idle:
        yield visible(f"  not claimed: {', '.join(idle)}")
    for short in certificate.shortfalls:
        yield visible(f"  {shortfall_sentence(short)}")
    for record in certificate.waivers:
        yield visible(f"  {waiver_sentence(record)}")


def discrepancy_sentence(one: Discrepancy) -> str:
    """Describe a discrepancy, with the file first."""
    if one.kind == "number":
        return (
            f"{one.file}: {one.what} is {one.stated or 'absent'}; derived anew it is {one.found or 'absent'}"
        )
    if one.kind == "unreadable":
        return one.found if one.found.startswith(one.file) else f"{one.file}: {one.found}"
    if one.kind == "missing":
        return f"{one.file}: is not there, or cannot be read"
    if one.kind == "signature":
        return f"{one.file}: is no signature of this certificate by this key"
    of = f": its SHA-256 is {one.found}, not {one.stated}" if one.stated else ""
    return f"{one.file}: was changed{of}"


def check_lines(checked: CertificateCheck, signed: bool) -> Iterator[str]:
    """Yield the certificate's summary and all discrepancies, or a confirmation."""
    if checked.certificate is not None:
        yield summary(checked.certificate)
        if checked.certificate.tool != checked.tool:
            yield f"certified by {visible(checked.certificate.tool)}, checked by {checked.tool}"
    for one in checked.discrepancies:
        yield visible(discrepancy_sentence(one))
    if not checked.discrepancies:
        signature = "; the signature is right" if signed else ""
        yield f"every file and every number is as the certificate says{signature}"


def check_values(checked: CertificateCheck) -> dict[str, Any]:
    """Return a check as plain dicts and lists."""
    certificate = checked.certificate
    return {
        "litecheck_certificate_check": VERSION,
        "version": checked.tool,
        "certificate": checked.file,
        "verdict": certificate.verdict if certificate else None,
        "exit_code": checked.exit_code,
        "discrepancies": [encoded(one, Discrepancy) for one in checked.discrepancies],
    }
