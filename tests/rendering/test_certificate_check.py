"""Words of checks of certificates."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.rendering.certificate import summary
from litecheck.rendering.certificate_check import brief, check_lines, discrepancy_sentence, document, values
from litecheck.suite.certificate_verification import CertificateCheck
from litecheck.suite.file_integrity import Discrepancy
from tests.rendering.test_certificate import certificate


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (Discrepancy("c", "number", "cases", "3", "4"), "c: cases is 3; derived anew it is 4"),
        (Discrepancy("c", "number", "cases", "", ""), "c: cases is absent; derived anew it is absent"),
        (Discrepancy("c", "unreadable", found="c: no JSON"), "c: no JSON"),
        (Discrepancy("c", "unreadable", found="no JSON"), "c: no JSON"),
        (Discrepancy("c", "missing"), "c: is not there, or cannot be read"),
        (Discrepancy("c", "signature"), "c: is not a signature of this certificate by this key"),
        (Discrepancy("c", "changed", "SHA-256", "ab", "cd"), "c: was changed: its SHA-256 is cd, not ab"),
        (Discrepancy("c", "changed"), "c: was changed"),
        (
            Discrepancy("c", "later", "date", "2031-01-01", "2027-02-03"),
            "c: its date, 2031-01-01, is after the date of the check, 2027-02-03",
        ),
        (Discrepancy("c", "unknown"), "c: is of no case, or not listed"),
        (Discrepancy("m", "remade", "ADD/x", "a case"), "m: ADD/x; the suite made anew lacks it"),
        (Discrepancy("m", "remade", "ADD/x", "", "a case"), "m: ADD/x; only the suite made anew has it"),
        (Discrepancy("m", "remade", "ADD/x: inputs"), "m: ADD/x: inputs: the suite made anew differs"),
        (
            Discrepancy("m", "version", "tool", "litecheck 1", "litecheck 2"),
            "m: made by litecheck 1; only that version can make it anew, this is litecheck 2",
        ),
        (Discrepancy("c", "expired", "*", "2020-01-01"), "c: waiver of * has expired since: on 2020-01-01"),
    ],
)
def test_discrepancies(one: Discrepancy, words: str) -> None:
    assert discrepancy_sentence(one) == words


def test_a_check() -> None:
    good = CertificateCheck("c.json", certificate(), (), tool="litecheck 1.0")
    assert [*check_lines(good)] == [
        summary(certificate()), "every file and every number equals the certificate",
    ]  # fmt: skip
    assert [*check_lines(replace(good, signature="right"))][-1].endswith("; the signature is right")
    assert [*check_lines(replace(good, signature="not checked"))][-1].startswith(
        "the signature was not checked"
    )
    newer = CertificateCheck("c.json", certificate(), (Discrepancy("f", "missing"),), tool="litecheck 2.0")
    assert [*check_lines(newer)] == [
        "c.json: not confirmed: 1 difference", f"the certificate states: {summary(certificate())}",
        "certified by litecheck 1.0, checked by litecheck 2.0", "f: is not there, or cannot be read",
    ]  # fmt: skip
    many = tuple(Discrepancy(f"f{number}", "missing") for number in range(9))
    told = [*check_lines(replace(newer, discrepancies=(*many, Discrepancy("c.json", "number", "verdict"))))]
    assert told[0] == "c.json: not confirmed: 10 differences"
    assert [line for line in told if line.startswith("f")] == [
        f"f{n}: is not there, or cannot be read" for n in range(5)
    ]
    assert told[-2].startswith("c.json: verdict is absent")
    assert told[-1] == "and 4 other files that are changed, missing or unknown: results of another run?"
    assert (good.exit_code, newer.exit_code) == (0, 1)


def test_a_check_for_programs() -> None:
    found = values(
        CertificateCheck("c.json", certificate(), (Discrepancy("f", "missing"),), tool="litecheck 2.0")
    )
    assert {key: found[key] for key in found if key != "discrepancies"} == {
        "litecheck_certificate_check": 1, "version": "litecheck 2.0", "certificate": "c.json", "verdict": "conforms",
        "exit_code": 1, "signature": "none",
    }  # fmt: skip
    assert [(d["file"], d["kind"]) for d in found["discrepancies"]] == [("f", "missing")]


def test_the_document_and_the_failures_of_a_check() -> None:
    good = CertificateCheck("c.json", certificate(), (), tool="litecheck 1.0")
    bad = replace(good, discrepancies=(Discrepancy("f", "missing"),))
    assert (document(good).verdict, document(bad).verdict) == ("conforms", "fails")
    assert document(bad).summary == "c.json: not confirmed: 1 difference"
    assert (brief(good), brief(bad).count("\n")) == ("", 3)
