"""A faulty delegate in C, loaded by LiteRT: its certificate names exactly the failing operators."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from litecheck.devices.port import Limits
from litecheck.devices.registry import fingerprint, open_device
from litecheck.rendering.certificate import lines
from litecheck.suite.certificate import Certificate, certify
from litecheck.suite.certificate_verification import check
from litecheck.suite.manifest import Suite
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from tests.delegate.build import compiled, device
from tests.suite.recorded import small_suite

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
OPERATORS = ("CONV_2D", "MUL", "LOGISTIC", "SOFTMAX")
CLAIMS = """\
claims: faulty
device: {{name: test delegate, version: "1", program: {program}}}
profile: {{name: litert-int8, version: 0.1.0}}
level: smoke
arithmetic: litert-reference
operators: [CONV_2D, MUL, LOGISTIC]
"""
WAIVER = "waivers:\n  - {{cases: CONV_2D, reason: sums of 16 bits, expires: {expires}}}\n"
DAY = "2027-01-01"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Suite, str]:
    """Run a delegate with 16-bit biases; return the folder, the suite and the delegate's SHA-256."""
    folder = tmp_path_factory.mktemp("delegate")
    name = device(compiled(folder), fault="bias-16-wraps")
    suite = small_suite(folder / "suite", OPERATORS)
    opened = open_device(name, Limits())
    try:
        run(suite, opened, folder / "results")
    finally:
        opened.close()
    return folder, suite, fingerprint(name)


def certified(ran: tuple[Path, Suite, str], text: str) -> Certificate:
    folder, suite, program = ran
    (folder / "claims.yaml").write_text(text.format(program=program, expires="2026-12-31"))
    return certify(suite, read_results(folder / "results", suite), folder / "claims.yaml", date=DAY)


def test_only_the_faulty_operator_fails(ran: tuple[Path, Suite, str]) -> None:
    made = certified(ran, CLAIMS)
    assert made.exit_code == 1
    assert {row.opcode for row in made.operators if row.verdict == "fails"} == {"CONV_2D"}
    assert {row.opcode for row in made.operators if row.verdict == "conforms"} >= {"MUL", "LOGISTIC"}
    assert {row.opcode for row in made.operators if row.standing == "not claimed"} == {"SOFTMAX"}
    failing = next(row for row in made.operators if row.verdict == "fails")
    assert failing.mistakes == ("defect: bias-16-wraps",)
    assert failing.placement == "proved"
    assert made.run.program == ran[2] == made.claims.device.program
    told = list(lines(made))
    assert told[0].startswith("test delegate 1: fails; ")
    assert "  CONV_2D int8 per-axis: fails" in told[1]
    assert told[1].endswith("explained by defect: bias-16-wraps")
    assert "  not claimed: SOFTMAX" in told
    assert any("pairs of values" in line for line in told)
    folder = ran[0]
    (folder / "certificate.json").write_text(made.text())
    assert (
        check(folder / "certificate.json", folder / "suite", folder / "results", on=DAY).discrepancies == ()
    )


def test_an_expired_waiver_does_not_excuse_the_failure(ran: tuple[Path, Suite, str]) -> None:
    made = certified(ran, CLAIMS + WAIVER)
    assert (made.exit_code, made.waived, made.waivers[0].state) == (1, 0, "expired")
    in_time = certified(ran, CLAIMS + WAIVER.replace("{expires}", "2027-12-31"))
    assert (in_time.exit_code, in_time.waivers[0].state) == (0, "used")


def test_another_build_of_the_delegate_fails_the_claim(ran: tuple[Path, Suite, str]) -> None:
    made = certified(ran, CLAIMS.replace("{program}", "0123"))
    assert [short.what for short in made.shortfalls] == ["program"]
    assert made.exit_code == 1


def test_a_library_is_known_by_its_own_digest(ran: tuple[Path, Suite, str]) -> None:
    folder, _, program = ran
    assert program == hashlib.sha256((folder / "libtestdelegate.so").read_bytes()).hexdigest()
