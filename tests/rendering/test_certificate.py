"""Words of certificates and of their checks."""

from __future__ import annotations

from types import SimpleNamespace as N
from typing import Any

from litecheck.rendering import document as layout
from litecheck.rendering.certificate import document, lines, summary
from litecheck.rendering.formats import formats
from litecheck.rendering.html.page import page
from litecheck.suite.claims import Shortfall
from litecheck.suite.geometry_gaps import GeometryGap
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.verdict import NOT_CLAIMED
from litecheck.suite.waivers import CaseWaiver, WaiverRecord

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
        "fits": (),
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
    assert summary(certificate()) == "ACME r1: conforms; 1,413 cases: 1,410 passed, 3 failed"
    told = summary(certificate(waived=35, operators=(operator("ADD", "conforms", tolerance=255.0),)))
    assert told.startswith(
        "ACME r1: conforms within 255 LSB (ADD), 35 of 1,413 cases waived; 1,413 cases: 1,410"
    )
    invalid = {"passed": 2, "missing": 1, "rejected": 3, "not tested": 4}
    assert summary(certificate(counts=invalid)) == (
        "ACME r1: conforms; 3 cases: 2 passed, 1 missing; 7 invalid models: 3 rejected, 4 not tested"
    )
    wrong = certificate(verdict="fails", shortfalls=(Shortfall("profile", "litert-int8", "tflm"),))
    assert summary(wrong).startswith(
        "ACME r1: fails: the claim is about litert-int8, the suite about tflm; 1,413 cases: 1,410 passed"
    )
    assert "\\x1b" in summary(certificate(claims=N(device=N(name="A\x1b", version="1"))))


def test_cases_that_are_not_claimed_are_counted_separately() -> None:
    some = (
        operator("ADD", "conforms", standing="claimed", counts={"passed": 4, "rejected": 2}),
        operator(
            "TANH", "not claimed", standing=NOT_CLAIMED, counts={"passed": 30, "flaky": 1, "rejected": 3}
        ),
    )
    told = summary(certificate(operators=some, counts={"passed": 34, "flaky": 1, "rejected": 5}))
    assert told == "ACME r1: conforms; 4 cases: 4 passed; 2 invalid models: 2 rejected; 34 cases not claimed"


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


def test_the_page_has_claims_results_gaps_and_the_check_command() -> None:
    made = certificate(
        operators=(operator("ADD", "conforms", standing="claimed", fits=("tflm",), tolerance=1.0, limits=("ADD/x",)),
                   operator("MUL", "fails", arithmetic="tflm", standing="claimed")),
        shortfalls=(Shortfall("operator", "DIV", ""),), waivers=(WAIVER,), date="2026-11-26",
        uncovered=(MissingCase("PAD", "int16", "", "no <rule>"),),
        untried=(GeometryGap("ADD", "int8", ("batch 5",), 3, 20, ()),),
        claims=N(device=N(name="ACME", version="r1", driver="d2"), name="npu", profile="litert-int8", version="1",
                 level="standard"),
        suite=N(profile="litert-int8", level="standard", seed=7, cases=1_413, made_by="litecheck 1.0", sha256="ab"),
        run=N(described="", device="", program=""),
    )  # fmt: skip
    found = document(made)
    headings = ["".join(map(str, part.line)) for part in found.parts if isinstance(part, layout.Heading)]
    assert headings == [
        "Promise", "Operators", "Claims that the run does not show", "Waivers",
        "Not exercised: geometry that no case has", "Not covered", "Check",
    ]  # fmt: skip
    facts = dict(found.facts)
    assert (facts["device"], facts["date"]) == ("ACME r1", "2026-11-26")
    assert facts["run"] == "device and program not recorded: an own program wrote the outputs"
    text = page(found)
    assert "Certificate of <b>ACME r1</b>" in text
    assert ">claimed, limits ADD/x<" in text
    assert ">1 LSB: analog<" in text
    assert "ADD int8: batch 5; 3 of 20 pairs of values" in text
    assert "no &lt;rule&gt;" in text
    assert "litecheck certify SUITE RESULTS --check certificate.json" in text
    empty = {**vars(made), "shortfalls": (), "waivers": (), "untried": (), "uncovered": ()}
    plain = [part for part in document(certificate(**empty)).parts if isinstance(part, layout.Heading)]
    assert len(plain) == 3
    assert {"text", "html", "json", "markdown"} <= set(formats("certify"))


def test_the_page_states_tolerance_and_waivers_with_the_verdict() -> None:
    empty = {"uncovered": (), "date": "", "run": N(described="", device="", program="")}
    claims = N(device=N(name="ACME", version="", driver=""), name="", profile="", version="", level="")
    suite = N(profile="litert-int8", level="standard", seed=7, cases=1_413, made_by="", sha256="ab")
    rows = tuple(
        operator(op, "conforms", tolerance=lsb, fits=(), arithmetic="tflm")
        for op, lsb in (("ADD", 0), ("TANH", 1))
    )
    made = certificate(operators=rows, waived=2, claims=claims, suite=suite, **empty)
    found = document(made)
    (table,) = (part for part in found.parts if isinstance(part, layout.TableGrid))
    assert [row[1][-1] for row in table.rows] == ["conforms", "conforms within 1 LSB"]
    verdict = "conforms within 1 LSB (TANH), 2 of 1,413 cases waived"
    assert found.whole_verdict == verdict
    assert f'<strong id="verdict" data-verdict="conforms">{verdict}</strong>' in page(found)
    assert document(certificate(**{**vars(made), "verdict": "fails", "waived": 0})).whole_verdict == "fails"
