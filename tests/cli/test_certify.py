"""litecheck certify, and the claims, waivers and differences of litecheck suite."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.suite.recorded import one_off, recorded, small_suite

Run = Callable[..., Result]
CLAIMS = """\
claims: test
device: {name: Board, version: r1}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
operators: [LOGISTIC]
"""
WAIVERS = "waivers:\n  - {cases: LOGISTIC, reason: erratum 17, expires: 2027-03-31}\n"
MADE = (
    "certify",
    "suite",
    "results",
    "--claims",
    "claims.yaml",
    "-o",
    "certificate.json",
    "--date",
    "2026-01-01",
)
CHECKED = ("certify", "suite", "results", "--check", "certificate.json")


@pytest.fixture(autouse=True)
def files(folder: Path) -> None:
    """Write a suite, correct and wrong results, claims and waivers."""
    suite = small_suite(folder / "suite", ("LOGISTIC",))
    recorded(suite, folder / "results")
    recorded(suite, folder / "wrong", changed={"LOGISTIC": one_off})
    (folder / "claims.yaml").write_text(CLAIMS)
    (folder / "waivers.yaml").write_text(WAIVERS)


def test_made_and_checked(run: Run, folder: Path) -> None:
    made = run(*MADE)
    assert made.exit_code == 0
    assert made.stdout.startswith("Board r1: conforms; 1 case: 1 passed; ")
    assert made.stderr == "wrote certificate.json\n"
    plain = json.loads((folder / "certificate.json").read_text())
    assert (plain["verdict"], plain["date"]) == ("conforms", "2026-01-01")
    checked = run(*CHECKED)
    assert checked.exit_code == 0
    assert checked.stdout.splitlines()[-1] == "every file and every number equals the certificate"
    path = next(folder.glob("suite/cases/*/*/*/model.tflite"))
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    wrong = run(*CHECKED)
    assert wrong.exit_code == 1
    assert f"{path.relative_to(folder)}: was changed: its SHA-256 is " in wrong.stdout
    found = json.loads(run(*CHECKED, "-f", "json").stdout)
    assert found["exit_code"] == 1
    assert [one["file"] for one in found["discrepancies"]] == [str(path.relative_to(folder))]


def test_a_bundle_is_made_and_checked_alone(run: Run, folder: Path) -> None:
    made = run(*MADE, "--bundle", "c.zip")
    assert (made.exit_code, made.stderr.splitlines()[-1]) == (0, "wrote c.zip")
    alone = run("certify", "--check", "c.zip")
    assert (alone.exit_code, alone.stdout.splitlines()[-1]) == (
        0, "every file and every number equals the certificate",
    )  # fmt: skip
    both = run("certify", "suite", "results", "--check", "c.zip")
    assert (both.exit_code, "give --check alone" in both.stderr) == (64, True)
    assert "expected SUITE and RESULTS" in run("certify", "--check", "certificate.json").stderr
    named = run(*(word.replace("certificate.json", "d.zip") for word in MADE))
    assert (named.exit_code, "--bundle d.zip" in named.stderr) == (64, True)
    assert not (folder / "d.zip").exists()
    assert run("certify", "--check", "c.zip", "--bundle", "d.zip").exit_code == 64
    clash = run(*MADE, "--bundle", "claims.yaml")
    assert clash.exit_code == 64


def test_a_device_that_fails_is_certified_to_fail(run: Run, folder: Path) -> None:
    words = [word.replace("results", "wrong") for word in MADE]
    assert run(*words).exit_code == 1
    checked = run("certify", "suite", "wrong", "--check", "certificate.json")
    assert checked.exit_code == 0
    assert "Board r1: fails" in checked.stdout
    assert run(*words, "--waivers", "waivers.yaml", "-q").stdout == ""
    assert json.loads((folder / "certificate.json").read_text())["waived"] == 1
    assert run(*words, "--waivers", "waivers.yaml", "--date", "2027-04-01").exit_code == 1


def test_signed(run: Run, folder: Path) -> None:
    pytest.importorskip("cryptography", reason="needs the extra 'sign'")
    from tests.suite.test_signature import keys

    private, public = keys(folder)
    made = run(*MADE, "--sign", private.name)
    assert (made.exit_code, made.stderr.splitlines()[-1]) == (0, "wrote certificate.json.sig")
    checked = run(*CHECKED, "--public-key", public.name)
    assert checked.exit_code == 0
    assert checked.stdout.splitlines()[-1].endswith("; the signature is right")
    other = keys(folder, "other")[1]
    wrong = run(*CHECKED, "--public-key", other.name)
    assert wrong.exit_code == 1
    assert "certificate.json.sig: is not a signature of this certificate by this key" in wrong.stdout


def test_options_that_do_not_go_together(run: Run) -> None:
    for words, told in (
        (("certify", "suite", "results"), "nor --claims FILE and -o FILE"),
        ((*MADE, "--public-key", "key.pem"), "--public-key goes with --check"),
        ((*CHECKED, "--date", "2026-01-01"), "the certificate states its own date"),
        ((*MADE[:-1], "soon"), "'soon' is not a date such as 2027-03-31"),
        (("certify", "results", "results", "--claims", "claims.yaml", "-o", "c.json"), "no suite"),
    ):
        result = run(*words)
        assert result.exit_code == 64
        assert told in " ".join(result.stderr.split())


def test_without_the_extra_nothing_is_written(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cryptography"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    result = run(*MADE, "--sign", "key.pem")
    assert result.exit_code == 64
    assert "pip install -e '.[sign]'" in " ".join(result.stderr.split())
    assert not (folder / "certificate.json").exists()


def test_two_runs_side_by_side(run: Run) -> None:
    words = ("suite", "diff", "results", "wrong")
    assert run(*words).exit_code == 64
    found = run(*words, "--suite", "suite")
    assert found.exit_code == 1
    assert found.stdout.startswith("1 regression, 0 fixed, ")
    assert "LOGISTIC/int8/block-plain: passed -> failed, 1 LSB" in found.stdout
    back = run("suite", "diff", "wrong", "results", "--suite", "suite", "-f", "json")
    assert back.exit_code == 0
    assert len(json.loads(back.stdout)["fixed"]) == 1
    waived = run(
        *words,
        "--suite",
        "suite",
        "--claims",
        "claims.yaml",
        "--waivers",
        "waivers.yaml",
        "--date",
        "2026-01-01",
    )
    assert waived.exit_code == 1
    assert "failed, 1 LSB, waived" in waived.stdout


def test_claims_that_are_not_those_of_the_certificate(run: Run, folder: Path) -> None:
    """Claims given with --check replace the claims beside the certificate."""
    run(*MADE)
    (folder / "other.yaml").write_text(CLAIMS.replace("r1", "r2"))
    (folder / "copies").mkdir()
    (folder / "copies" / "claims.yaml").write_text(CLAIMS)
    assert run(*CHECKED, "--claims", "copies/claims.yaml").exit_code == 0
    other = run(*CHECKED, "--claims", "other.yaml")
    assert other.exit_code == 1
    assert "other.yaml: was changed: its SHA-256 is " in other.stdout
    (folder / "claims.yaml").unlink()
    assert run(*CHECKED, "--claims", "copies/claims.yaml").exit_code == 0
    absent = run(*CHECKED)
    assert absent.exit_code == 1
    assert absent.stdout.count("claims.yaml") == 1


@pytest.mark.parametrize("file", ["absent.json", "claims.yaml"])
def test_a_file_that_is_no_certificate_is_an_error(run: Run, file: str) -> None:
    found = run("certify", "suite", "results", "--check", file)
    assert (found.exit_code, found.stdout) == (64, "")
    assert found.stderr.startswith(f"error: {file}:")
