"""Certificates and their checks as text: verdict, failures, waivers and discrepancies."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from litecheck.rendering.escape import visible
from litecheck.rendering.wording.claims import shortfall_sentence, waiver_sentence
from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.rendering.wording.operator_lines import extent
from litecheck.suite.certificate import Certificate
from litecheck.suite.file_integrity import Discrepancy
from litecheck.suite.recheck import CertificateCheck
from litecheck.suite.verdict import NOT_CLAIMED
from litecheck.summary_text import counted
from litecheck.typed_json import encoded

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
#: Number of differing files that a check names.
_FEW = 5


def summary(certificate: Certificate) -> str:
    """Return ``ACME NPU r1p0: conforms within 1 LSB (ADD); 3 of 413 cases waived; 410 passed, 3 failed of 413 cases``."""
    device = certificate.claims.device
    counts = ", ".join(f"{number:,} {ending}" for ending, number in certificate.counts.items())
    cases = counted(certificate.suite.cases, "case")
    waived = f"; {certificate.waived:,} of {cases} waived" if certificate.waived else ""
    told = f"{certificate.verdict}{_within(certificate)}{waived}; {counts} of {cases}"
    return visible(f"{device.name} {device.version}: {told}")


def _within(certificate: Certificate) -> str:
    """Return `` within 255 LSB (ADD)`` for the operators with a tolerance; "" without any."""
    found: dict[str, list[str]] = {}
    for row in certificate.operators:
        if row.tolerance and row.standing != NOT_CLAIMED:
            found.setdefault(extent(row.tolerance, row.unit), []).append(row.opcode)
    told = "; ".join(f"{size} ({', '.join(dict.fromkeys(opcodes))})" for size, opcodes in found.items())
    return f" within {told}" if told else ""


def lines(certificate: Certificate) -> Iterator[str]:
    """Yield the verdict, the standing of operators, and the state of claims and waivers."""
    yield summary(certificate)
    for row in certificate.operators:
        if row.verdict in ("fails", "waived") or row.tolerance or row.limits:
            name = " ".join(filter(None, (row.opcode, row.kind, row.granularity)))
            counts = ", ".join(f"{number:,} {ending}" for ending, number in row.counts.items())
            cause = f"; explained by {' or '.join(row.mistakes)}" if row.mistakes else ""
            within = f" within {extent(row.tolerance, row.unit)}: {row.because}" if row.tolerance else ""
            waived = f"; {row.waived:,} waived" if row.waived else ""
            limits = f"; limits {', '.join(row.limits)}" if row.limits else ""
            yield visible(f"  {name}: {row.verdict}{within}{waived}; {counts}{cause}{limits}")
    idle = dict.fromkeys(row.opcode for row in certificate.operators if row.standing == NOT_CLAIMED)
    if idle:
        yield visible(f"  not claimed: {', '.join(idle)}")
    for told in geometry_sentences(certificate.untried):
        yield f"  not exercised: {told}"
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
    if one.kind == "unknown":
        return f"{one.file}: belongs to no case"
    if one.kind == "version":
        return f"{one.file}: made by {one.stated}; only that version can make it anew, this is {one.found}"
    if one.kind == "remade":
        side = "; the suite made anew lacks it" if one.stated else "; only the suite made anew has it"
        return f"{one.file}: {one.what}{side if one.stated or one.found else ': the suite made anew differs'}"
    if one.kind == "expired":
        return f"{one.file}: waiver of {one.what} has expired since: on {one.stated}"
    of = f": its SHA-256 is {one.found}, not {one.stated}" if one.stated else ""
    return f"{one.file}: was changed{of}"


def check_lines(checked: CertificateCheck) -> Iterator[str]:
    """Yield the outcome, the summary that the certificate states, and the discrepancies, files of a kind together."""
    found = checked.discrepancies
    if found:
        yield visible(f"{checked.file}: not confirmed: {counted(len(found), 'difference')}")
    if checked.certificate is not None:
        stated = summary(checked.certificate)
        yield f"the certificate states: {stated}" if found else stated
        if checked.certificate.tool != checked.tool:
            yield f"certified by {visible(checked.certificate.tool)}, checked by {checked.tool}"
    files = [one for one in found if one.kind in ("changed", "missing", "unknown")]
    hidden = files[_FEW:] if len(files) > _FEW + 1 else []
    for one in found:
        if one not in hidden:
            yield visible(discrepancy_sentence(one))
    if hidden:
        yield f"and {counted(len(hidden), 'other file')} that are changed, missing or unknown: results of another run?"
    if not found:
        signature = "; the signature is right" if checked.signature == "right" else ""
        yield f"every file and every number is as the certificate says{signature}"
    if checked.signature == "not checked":
        yield "the signature was not checked: --public-key KEY.pem"


def check_values(checked: CertificateCheck) -> dict[str, Any]:
    """Return a check as plain dicts and lists."""
    certificate = checked.certificate
    return {
        "litecheck_certificate_check": VERSION,
        "version": checked.tool,
        "certificate": checked.file,
        "verdict": certificate.verdict if certificate else None,
        "exit_code": checked.exit_code,
        "signature": checked.signature,
        "discrepancies": [encoded(one, Discrepancy) for one in checked.discrepancies],
    }
