"""Words of certificates and of their checks."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace as N
from typing import Any

import pytest

from litecheck.rendering.certificate import check_lines, check_values, discrepancy_sentence, lines, summary
from litecheck.suite.claims import Shortfall
from litecheck.suite.file_integrity import Discrepancy
from litecheck.suite.recheck import CertificateCheck
from litecheck.suite.verdict import NOT_CLAIMED, WaiverRecord
from litecheck.suite.waivers import CaseWaiver

WAIVER = WaiverRecord(CaseWaiver(("ADD",), "a reason", "2030-01-01", "w.yaml", 3), "used", 2)


def operator(opcode: str, verdict: str, **more: Any) -> Any:
    known = {
        "kind": "int8",
        "granularity": "",
        "tolerance": 0.0,
        "unit": "LSB",
        "because": "analog",
        "waived": 0,
        "limits": (),
        "counts": {"passed": 1_000, "failed": 2},
        "mistakes": (),
        "standing": "",
    }
    return N(opcode=opcode, verdict=verdict, **{**known, **more})


def certificate(**more: Any) -> Any:
    known = {
        "claims": N(device=N(name="ACME", version="r1")), "verdict": "conforms", "counts": {"passed": 1_410, "failed": 3},
        "suite": N(cases=1_413), "waived": 0, "operators": (), "shortfalls": (), "waivers": (),
        "untried": (), "tool": "litecheck 1.0",
    }  # fmt: skip
    return N(**{**known, **more})


def test_summary() -> None:
    assert summary(certificate()) == "ACME r1: conforms; 1,410 passed, 3 failed of 1,413 cases"
    told = summary(certificate(waived=35, operators=(operator("ADD", "conforms", tolerance=255.0),)))
    assert told.startswith("ACME r1: conforms within 255 LSB (ADD); 35 of 1,413 cases waived; 1,410 passed")
    assert "\\x1b" in summary(certificate(claims=N(device=N(name="A\x1b", version="1"))))


def test_operators_that_conform_are_not_listed() -> None:
    some = (
        operator("ADD", "conforms"),
        operator("MUL", "fails", granularity="per-axis", mistakes=("floor", "no-bias")),
        operator("SUB", "waived"),
        operator("TANH", "not claimed", standing=NOT_CLAIMED),
        operator("RELU", "not claimed", standing=NOT_CLAIMED),
        operator("TANH", "not claimed", standing=NOT_CLAIMED),
    )
    told = [
        *lines(certificate(operators=some, shortfalls=(Shortfall("operator", "DIV", ""),), waivers=(WAIVER,)))
    ]
    assert told[1:] == [
        "  MUL int8 per-axis: fails; 1,000 passed, 2 failed; explained by floor or no-bias",
        "  SUB int8: waived; 1,000 passed, 2 failed",
        "  not claimed: TANH, RELU",
        "  DIV is claimed, and the suite has no case of it",
        f"  waiver of {WAIVER.waiver}: excuses 2 cases until 2030-01-01 (a reason)",
    ]
    assert len([*lines(certificate(operators=some[:1]))]) == 1


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (Discrepancy("c", "number", "cases", "3", "4"), "c: cases is 3; derived anew it is 4"),
        (Discrepancy("c", "number", "cases", "", ""), "c: cases is absent; derived anew it is absent"),
        (Discrepancy("c", "unreadable", found="c: no JSON"), "c: no JSON"),
        (Discrepancy("c", "unreadable", found="no JSON"), "c: no JSON"),
        (Discrepancy("c", "missing"), "c: is not there, or cannot be read"),
        (Discrepancy("c", "signature"), "c: is no signature of this certificate by this key"),
        (Discrepancy("c", "changed", "SHA-256", "ab", "cd"), "c: was changed: its SHA-256 is cd, not ab"),
        (Discrepancy("c", "changed"), "c: was changed"),
        (Discrepancy("c", "unknown"), "c: belongs to no case"),
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
def test_discrepancies(one: Discrepancy, told: str) -> None:
    assert discrepancy_sentence(one) == told


def test_a_check() -> None:
    good = CertificateCheck("c.json", certificate(), (), tool="litecheck 1.0")
    assert [*check_lines(good)] == [
        summary(certificate()), "every file and every number is as the certificate says",
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
    unread = CertificateCheck("c.json", None, (Discrepancy("c.json", "missing"),))
    assert [*check_lines(unread)] == [
        "c.json: not confirmed: 1 difference", "c.json: is not there, or cannot be read",
    ]  # fmt: skip
    many = tuple(Discrepancy(f"f{number}", "missing") for number in range(9))
    told = [*check_lines(replace(newer, discrepancies=(*many, Discrepancy("c.json", "number", "verdict"))))]
    assert told[0] == "c.json: not confirmed: 10 differences"
    assert [line for line in told if line.startswith("f")] == [
        f"f{n}: is not there, or cannot be read" for n in range(5)
    ]
    assert told[-2].startswith("c.json: verdict is absent")
    assert told[-1] == "and 4 other files that are changed, missing or unknown: results of another run?"
    assert (good.exit_code, unread.exit_code) == (0, 1)


def test_a_check_for_programs() -> None:
    found = check_values(
        CertificateCheck("c.json", certificate(), (Discrepancy("f", "missing"),), tool="litecheck 2.0")
    )
    assert {key: found[key] for key in found if key != "discrepancies"} == {
        "litecheck_certificate_check": 1, "version": "litecheck 2.0", "certificate": "c.json", "verdict": "conforms",
        "exit_code": 1, "signature": "none",
    }  # fmt: skip
    assert [(d["file"], d["kind"]) for d in found["discrepancies"]] == [("f", "missing")]
    assert check_values(CertificateCheck("c.json", None, ()))["verdict"] is None
