"""Checks of certificates as text and plain values: the outcome, and each discrepancy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from litecheck.rendering import document as layout
from litecheck.rendering.certificate import summary
from litecheck.rendering.columns import print_wrapped
from litecheck.rendering.escape import visible
from litecheck.suite.certificate_verification import CertificateCheck
from litecheck.suite.file_integrity import Discrepancy
from litecheck.summary_text import count_of
from litecheck.typed_json import encode

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
#: Number of differing files that a check names.
_FEW = 5


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
        return f"{one.file}: is not a signature of this certificate by this key"
    if one.kind == "unknown":
        return f"{one.file}: is of no case, or not listed"
    if one.kind == "version":
        return f"{one.file}: made by {one.stated}; only that version can make it anew, this is {one.found}"
    if one.kind == "remade":
        side = "; the suite made anew lacks it" if one.stated else "; only the suite made anew has it"
        return f"{one.file}: {one.what}{side if one.stated or one.found else ': the suite made anew differs'}"
    if one.kind == "expired":
        return f"{one.file}: waiver of {one.what} has expired since: on {one.stated}"
    if one.kind == "later":
        return f"{one.file}: its date, {one.stated}, is after the date of the check, {one.found}"
    of = f": its SHA-256 is {one.found}, not {one.stated}" if one.stated else ""
    return f"{one.file}: was changed{of}"


def check_lines(checked: CertificateCheck) -> Iterator[str]:
    """Yield the outcome, the summary that the certificate states, and the discrepancies, files of a kind together."""
    found = checked.discrepancies
    if found:
        yield visible(f"{checked.file}: not confirmed: {count_of(len(found), 'difference')}")
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
        yield f"and {count_of(len(hidden), 'other file')} that are changed, missing or unknown: results of another run?"
    if not found:
        signature = "; the signature is right" if checked.signature == "right" else ""
        yield f"every file and every number equals the certificate{signature}"
    if checked.signature == "not checked":
        yield "the signature was not checked: --public-key KEY.pem"


def values(checked: CertificateCheck) -> dict[str, Any]:
    """Return a check as plain dicts and lists."""
    return {
        "litecheck_certificate_check": VERSION,
        "version": checked.tool,
        "certificate": checked.file,
        "verdict": checked.certificate.verdict,
        "exit_code": checked.exit_code,
        "signature": checked.signature,
        "discrepancies": [encode(one, Discrepancy) for one in checked.discrepancies],
    }


def document(checked: CertificateCheck) -> layout.Document:
    """Return the lines of the check as a document."""
    first, *rest = check_lines(checked)
    parts = (layout.ItemList(tuple((line,) for line in rest)),) if rest else ()
    verdict = "fails" if checked.discrepancies else "conforms"
    return layout.Document(
        "certify", ("Check of ", layout.Code(checked.file)), verdict, first, (), parts, checked.tool
    )


def print_report(checked: CertificateCheck, console: Console, verbose: bool = False) -> None:
    """Print the outcome and the differences."""
    print_wrapped(check_lines(checked), console)


def brief(checked: CertificateCheck) -> str:
    """Return the lines of a check that fails."""
    return "".join(f"{line}\n" for line in check_lines(checked)) if checked.discrepancies else ""
