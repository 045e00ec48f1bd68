"""Certificates as text, page and plain values: claims, verdict, executed cases, gaps, and the command of the check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from litecheck.documents import decode_json
from litecheck.rendering import document as layout
from litecheck.rendering.columns import print_wrapped
from litecheck.rendering.escape import visible
from litecheck.rendering.wording.claims import shortfall_sentence, shortfalls_sentence, waiver_sentence
from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.rendering.wording.operator_lines import extent, kind_name
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.certificate import Certificate, CertifiedOperator
from litecheck.suite.verdict import NOT_CLAIMED
from litecheck.summary_text import count_of

if TYPE_CHECKING:
    from rich.console import Console


#: Largest number of items of a list.
_MANY = 100
_HEADS = ("operator", "verdict", "cases", "compared with", "claim", "tolerance")
_PROMISE = (
    "Conforms means: for every claimed case of the suite, the outputs equal the claimed arithmetic bit for bit, or lie "
    "within the stated tolerance. Inputs, shapes and operators that no case has are not judged. The certificate does "
    "not prove that the named device computed the outputs, nor the time of the run."
)
_CHECK = "litecheck certify SUITE RESULTS --check certificate.json"


def summary(certificate: Certificate) -> str:
    """Return ``ACME NPU r1p0: conforms within 1 LSB (ADD), 3 of 413 cases waived; 413 cases: 410 passed, 3 failed``."""
    verdict = f"{device_of(certificate)}: {certificate.verdict}{_condition(certificate)}"
    return visible(
        (": " if certificate.shortfalls else "; ").join((verdict, "; ".join(_remarks(certificate))))
    )


def device_of(certificate: Certificate) -> str:
    """Return name and version of the claimed device."""
    device = certificate.claims.device
    return f"{device.name} {device.version}".strip()


def _condition(certificate: Certificate) -> str:
    """Return the condition after the verdict: `` within 255 LSB (ADD), 35 of 413 cases waived``; "" without any."""
    found: dict[str, list[str]] = {}
    for row in certificate.operators:
        if row.tolerance and row.standing != NOT_CLAIMED and certificate.verdict == "conforms":
            found.setdefault(extent(row.tolerance, row.unit), []).append(row.opcode)
    within = "; ".join(f"{size} ({', '.join(dict.fromkeys(opcodes))})" for size, opcodes in found.items())
    cases = count_of(sum(_judged_cases(certificate)[0].values()), "case")
    waived = f", {certificate.waived:,} of {cases} waived" if certificate.waived else ""
    return (f" within {within}" if within else "") + waived


def _remarks(certificate: Certificate) -> Iterator[str]:
    """Yield the claims that are not shown, and the cases by ending.

    Invalid models are counted separately, and so are the cases of operators that are not claimed.
    """
    valid, broken, idle = _judged_cases(certificate)
    if certificate.shortfalls:
        yield shortfalls_sentence(certificate.shortfalls)
    yield f"{count_of(sum(valid.values()), 'case')}: {_counts(valid)}" if valid else "no case"
    if broken:
        yield f"{count_of(sum(broken.values()), 'invalid model')}: {_counts(broken)}"
    if idle:
        yield f"{count_of(idle, 'case')} not claimed"


def _judged_cases(certificate: Certificate) -> tuple[dict[str, int], dict[str, int], int]:
    """Return the claimed cases by ending, the claimed invalid models by ending, and the number that is not claimed."""
    claimed, idle = Counter[str](), 0
    for row in certificate.operators:
        if row.standing == NOT_CLAIMED:
            idle += sum(row.counts.values())
        else:
            claimed.update(row.counts)
    ends = claimed if idle else certificate.counts
    invalid = {ending.value for ending in CaseOutcome if ending.of_invalid}
    valid = {ending: number for ending, number in ends.items() if ending not in invalid}
    broken = {ending: number for ending, number in ends.items() if ending in invalid}
    return valid, broken, idle


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {CaseOutcome(ending).text}" for ending, number in counts.items())


def lines(certificate: Certificate) -> Iterator[str]:
    """Yield the verdict, the standing of operators, and the state of claims and waivers."""
    yield summary(certificate)
    for row in certificate.operators:
        if row.verdict in ("fails", "waived") or row.tolerance or row.limits:
            name = kind_name(row.opcode, row.kind, row.granularity)
            counts = _counts(row.counts)
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


def document(certificate: Certificate) -> layout.Document:
    """Return the page for a customer: claims, checks, features not exercised, and the command of a new check."""
    title: layout.Line = ("Certificate of ", layout.Bold(visible(device_of(certificate))))
    told = visible("; ".join(_remarks(certificate)))
    parts, version = tuple(_parts(certificate)), certificate.tool.removeprefix("litecheck ")
    return layout.Document(
        "certify",
        title,
        certificate.verdict,
        told,
        tuple(_facts(certificate)),
        parts,
        version,
        _condition(certificate),
    )


def _parts(certificate: Certificate) -> Iterator[layout.Part]:
    """Yield promise, table of operators, shortfalls, waivers and gaps, and the command of the check."""
    yield layout.Heading(("Promise",))
    yield layout.Paragraph((_PROMISE,))
    yield layout.Heading(("Operators",))
    yield _table(certificate)
    gaps = [f"{one.opcode} {one.kind} {one.form}: {one.reason}" for one in certificate.uncovered]
    for heading, sentences in (
        ("Claims that the run does not show", [*map(shortfall_sentence, certificate.shortfalls)]),
        ("Waivers", [*map(waiver_sentence, certificate.waivers)]),
        ("Not exercised: geometry that no case has", [*geometry_sentences(certificate.untried)]),
        ("Not covered", gaps),
    ):
        yield from layout.section(heading, map(visible, sentences), _MANY)
    yield layout.Heading(("Check",))
    yield layout.Paragraph(("With suite, results and claims of the vendor: ", layout.Code(_CHECK)))


def _table(certificate: Certificate) -> layout.TableGrid:
    """Return a row for each kind of operator, without empty columns."""
    rows = [_cells(row) for row in certificate.operators]
    used = [n for n in range(len(_HEADS)) if any(map(bool, (row[n][-1] for row in rows)))]
    return layout.TableGrid(
        tuple(_HEADS[n] for n in used), tuple(tuple(row[n] for n in used) for row in rows)
    )


def _cells(row: CertifiedOperator) -> tuple[layout.Line, ...]:
    name = kind_name(row.opcode, row.kind, row.granularity)
    within = f"{extent(row.tolerance, row.unit)}: {row.because}" if row.tolerance else ""
    waived = f"; {row.waived:,} waived" if row.waived else ""
    claim = ", limits ".join(filter(None, (row.standing, ", ".join(row.limits))))
    texts = _counts(row.counts) + waived, ", ".join(row.fits) or row.arithmetic, claim, within
    told = f"{row.verdict} within {extent(row.tolerance, row.unit)}" if row.tolerance else row.verdict
    verdict: layout.Line = (
        layout.StatusIcon(row.verdict),
        told if row.verdict == "conforms" else row.verdict,
    )
    return (layout.Code(visible(name)),), verdict, *((visible(text),) for text in texts)


def _facts(certificate: Certificate) -> Iterator[tuple[str, str]]:
    """Yield device, claims, suite, run and files of the certificate."""
    suite, run, claims = certificate.suite, certificate.run, certificate.claims
    ran = ", ".join(
        filter(None, (run.described or run.device, f"program {run.program}" if run.program else ""))
    )
    facts = (
        ("device", device_of(certificate)),
        ("driver", claims.device.driver),
        ("date", certificate.date),
        ("claims", " ".join(filter(None, (claims.name, claims.profile, claims.version, claims.level)))),
        (
            "suite",
            f"{suite.profile}, level {suite.level}, seed {suite.seed}, {count_of(suite.cases, 'case')}",
        ),
        ("made by", suite.made_by),
        ("run", ran or "device and program not recorded: an own program wrote the outputs"),
        ("manifest", f"SHA-256 {suite.sha256}"),
    )
    yield from ((label, visible(text)) for label, text in facts if text)


def values(certificate: Certificate) -> dict[str, Any]:
    """Return the certificate as its file states it."""
    return dict(decode_json(certificate.text(), "certificate"))


def print_report(certificate: Certificate, console: Console, verbose: bool = False) -> None:
    """Print the verdict, operators that do not plainly conform, claims and waivers."""
    print_wrapped(lines(certificate), console)


def brief(certificate: Certificate) -> str:
    """Return nothing: the certificate is in its file."""
    return ""
