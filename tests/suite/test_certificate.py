"""Certificates: their content, reproducibility, and detection of a changed byte in any file."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from litecheck.data import schemas_dir
from litecheck.devices.outcome import Outcome
from litecheck.errors import ConfigError
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.rendering.certificate import lines
from litecheck.rendering.certificate_check import check_lines
from litecheck.suite.certificate import Certificate, certify, read_certificate
from litecheck.suite.certificate_verification import CertificateCheck, check
from litecheck.suite.file_integrity import suite_discrepancies
from litecheck.suite.manifest import MANIFEST, Suite, read_suite
from litecheck.suite.results import RESULTS, read_results
from litecheck.suite.suite_run import run
from tests.suite.devices import Computing
from tests.suite.recorded import recorded

DAY = "2026-01-01"
CLAIMS = """\
claims: test
device: {name: Board, version: r1, driver: "3"}
profile: {name: litert-int8, version: 0.1.0}
level: smoke
arithmetic: own.yaml
operators: [LOGISTIC, QUANTIZE]
waivers:
  - {cases: QUANTIZE, reason: erratum 17, expires: 2027-03-31}
"""
WAIVERS = "waivers:\n  - {cases: CONV_2D, reason: another suite, expires: 2027-03-31}\n"
OWN = "arithmetic: own\nextends: base.yaml\n"
BASE = "arithmetic: base\nextends: litert-reference\n"


@dataclass(frozen=True)
class Certified:
    """A complete folder with its certificate."""

    folder: Path
    certificate: Certificate

    @property
    def file(self) -> Path:
        return self.folder / "certificate.json"

    def check(self) -> CertificateCheck:
        return check(self.file, self.folder / "suite", self.folder / "results", on=DAY)


@pytest.fixture(scope="session")
def certified(small: Suite, tmp_path_factory: pytest.TempPathFactory) -> Certified:
    """Return the certificate of a device with a wrong operator that is waived; tests must not change the files."""
    folder = tmp_path_factory.mktemp("certified")
    shutil.copytree(small.folder, folder / "suite")
    suite = read_suite(folder / "suite")
    name = next(case.name for case in suite.manifest.cases if case.opcode == "QUANTIZE")
    results = recorded(suite, folder / "results", outcomes={name: Outcome.REFUSED.value})
    for file, text in (("claims", CLAIMS), ("waivers", WAIVERS), ("own", OWN), ("base", BASE)):
        (folder / f"{file}.yaml").write_text(text)
    made = certify(suite, results, folder / "claims.yaml", [folder / "waivers.yaml"], DAY)
    (folder / "certificate.json").write_text(made.text())
    return Certified(folder, made)


def test_a_certificate_has_verdict_counts_and_waivers(certified: Certified) -> None:
    made = certified.certificate
    assert (made.verdict, made.exit_code, made.date, made.waived) == ("conforms", 0, DAY, 1)
    rows = {row.opcode: row for row in made.operators}
    assert (rows["LOGISTIC"].verdict, rows["QUANTIZE"].verdict) == ("conforms", "waived")
    assert rows["QUANTIZE"].counts["refused"] == 1
    assert sum(made.counts.values()) == made.suite.cases
    assert made.claims.device.driver == "3"
    assert [one.file for one in made.arithmetics] == [
        *(f"rules/arithmetic/litert-{name}.yaml" for name in ("reference", "xnnpack", "optimized")),
        "own.yaml", "base.yaml",
    ]  # fmt: skip
    assert [one.file for one in made.waiver_files] == ["waivers.yaml"]
    assert len(made.outputs) == 1
    assert [record.state for record in made.waivers] == ["used", "matches nothing"]
    told = "\n".join(lines(made))
    assert told.startswith("Board r1: conforms, 1 of 2 cases waived; 2 cases: ")
    assert "waiver of QUANTIZE (claims.yaml:8): excuses 1 case until 2027-03-31 (erratum 17)" in told


def test_a_moved_certificate_is_confirmed(certified: Certified, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(certified.folder, moved)
    checked = Certified(moved, certified.certificate).check()
    assert checked.discrepancies == ()
    assert checked.exit_code == 0
    assert list(check_lines(checked))[-1] == "every file and every number equals the certificate"


def test_the_same_files_give_the_same_bytes(certified: Certified) -> None:
    suite = read_suite(certified.folder / "suite")
    results = read_results(certified.folder / "results", suite)
    folder = certified.folder
    made = certify(suite, results, folder / "claims.yaml", [folder / "waivers.yaml"], DAY)
    assert made.text().encode() == certified.file.read_bytes()


def test_a_certificate_conforms_to_the_published_schema(certified: Certified) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads((schemas_dir() / "certificate.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    plain = json.loads(certified.file.read_text())
    jsonschema.Draft202012Validator(schema).validate(plain)
    assert list(plain) == list(schema["properties"])


#: A file of each kind, by a pattern of its path.
KINDS = (
    f"suite/{MANIFEST}", "suite/cases/*/*/*/model.tflite", "suite/cases/*/*/*/input-0.bin",
    "suite/cases/QUANTIZE/*/*/output-0.0.bin", "suite/cases/QUANTIZE/*/*/output-0.1.bin", f"results/{RESULTS}",
    "results/outputs/*/*/*/output-0.npy", "claims.yaml", "waivers.yaml", "own.yaml", "base.yaml",
)  # fmt: skip


@pytest.mark.parametrize("pattern", KINDS)
@pytest.mark.parametrize("place", ["first", "header", "middle", "last"])
def test_a_changed_byte_of_any_file_is_named(certified: Certified, pattern: str, place: str) -> None:
    path = sorted(certified.folder.glob(pattern))[0]
    content = path.read_bytes()
    at = {
        "first": 0,
        "header": min(100, len(content) - 2),
        "middle": len(content) // 2,
        "last": len(content) - 1,
    }
    with changed(path, at[place]):
        checked = certified.check()
    assert checked.exit_code == 1
    assert str(path) in {one.file for one in checked.discrepancies}
    # A changed name in the manifest is that of a missing file; changed counts are those of the certificate.
    kinds = ("unreadable", "missing", "number")
    assert {one.file for one in checked.discrepancies if one.kind not in kinds} == {str(path)}


class changed:  # noqa: N801  (a function, but for what it leaves behind)
    """Context with a changed byte in a file."""

    def __init__(self, path: Path, at: int) -> None:
        self.path, self.at, self.content = path, at, path.read_bytes()

    def __enter__(self) -> None:
        # A space becomes a tab, which many formats treat as equal.
        flipped = self.content[self.at] ^ (0x29 if self.content[self.at] == 0x20 else 0x01)
        self.path.write_bytes(self.content[: self.at] + bytes([flipped]) + self.content[self.at + 1 :])

    def __exit__(self, *error: object) -> None:
        self.path.write_bytes(self.content)


def test_changed_bytes_anywhere_in_a_certificate_are_found(certified: Certified, tmp_path: Path) -> None:
    content, path = certified.file.read_bytes(), tmp_path / "certificate.json"
    passing = []
    for at in (*range(0, len(content), 41), len(content) - 1):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x01]) + content[at + 1 :])
        try:
            intact = read_certificate(path)[1]
        except ConfigError:
            continue
        passing += [at] if intact else []
    assert passing == []


@pytest.mark.parametrize("word", ["conforms", "2026-01-01", '"refused": 1', "r1", "0.1.0", "LOGISTIC"])
def test_a_changed_certificate_is_the_only_discrepancy(certified: Certified, word: str) -> None:
    with changed(certified.file, certified.file.read_bytes().index(word.encode()) + len(word) - 1):
        checked = certified.check()
    assert checked.discrepancies[0].kind == "changed"
    assert {one.file for one in checked.discrepancies} == {str(certified.file)}


def test_a_changed_number_with_a_matching_hash_is_found(certified: Certified) -> None:
    rows = tuple(
        row if row.opcode != "QUANTIZE" else type(row)(**{**fields(row), "verdict": "conforms", "waived": 0})
        for row in certified.certificate.operators
    )
    lie = type(certified.certificate)(**{**fields(certified.certificate), "operators": rows})
    content = certified.file.read_bytes()
    try:
        certified.file.write_text(lie.text())
        checked = certified.check()
    finally:
        certified.file.write_bytes(content)
    assert [(one.kind, one.what, one.stated, one.found) for one in checked.discrepancies] == [
        ("number", "operators[QUANTIZE int8].verdict", '"conforms"', '"waived"'),
        ("number", "operators[QUANTIZE int8].waived", "0", "1"),
    ]


def fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in type(value).__dataclass_fields__}  # type: ignore[attr-defined]


@pytest.mark.parametrize("pattern", [KINDS[1], KINDS[8], "claims.yaml", "own.yaml", f"results/{RESULTS}"])
def test_a_missing_file_is_named(certified: Certified, pattern: str) -> None:
    path = sorted(certified.folder.glob(pattern))[0]
    content = path.read_bytes()
    path.unlink()
    try:
        checked = certified.check()
    finally:
        path.write_bytes(content)
    assert checked.discrepancies[0].kind == "missing"
    assert checked.discrepancies[0].file == str(path)


def test_a_file_that_is_no_certificate_is_an_error(certified: Certified, tmp_path: Path) -> None:
    for text, told in (
        ("[]", "no certificate"),
        ("{", "not JSON"),
        ('{"litecheck_certificate": 1}', "is missing"),
    ):
        path = tmp_path / "c.json"
        path.write_text(text)
        with pytest.raises(ConfigError, match=told):
            check(path, certified.folder / "suite", certified.folder / "results")


def test_a_suite_that_was_changed_is_not_certified(certified: Certified, tmp_path: Path) -> None:
    shutil.copytree(certified.folder, tmp_path / "copy")
    folder = tmp_path / "copy"
    suite = read_suite(folder / "suite")
    results = read_results(folder / "results", suite)
    (values,) = sorted(folder.glob("suite/cases/LOGISTIC/*/*/input-0.bin"))[:1]
    values.write_bytes(values.read_bytes() + b"\0")
    assert [one.file for one in suite_discrepancies(suite)] == [str(values)]
    with pytest.raises(ConfigError, match=r"input-0\.bin: is changed"):
        certify(suite, results, folder / "claims.yaml", date=DAY)


def test_outputs_written_without_litecheck_are_certified(certified: Certified, tmp_path: Path) -> None:
    shutil.copytree(certified.folder, tmp_path / "copy")
    folder = tmp_path / "copy"
    (folder / "results" / RESULTS).unlink()
    suite = read_suite(folder / "suite")
    made = certify(suite, read_results(folder / "results", suite), folder / "claims.yaml", date=DAY)
    assert (made.run.sha256, made.run.device, made.verdict) == ("", "", "conforms")
    (folder / "certificate.json").write_text(made.text())
    assert Certified(folder, made).check().discrepancies == ()
    (output,) = sorted(folder.glob("results/outputs/*/*/*/output-0.npy"))[:1]
    output.unlink()
    checked = Certified(folder, made).check()
    (missing, *counts) = checked.discrepancies
    assert (missing.kind, missing.file) == ("missing", str(output))
    assert {(one.kind, one.file) for one in counts} == {("number", str(folder / "certificate.json"))}


def test_half_to_even_is_certified_without_a_tolerance(suite: Suite, tmp_path: Path) -> None:
    """The arithmetic is a file that diagnose writes; the suite was made without it."""
    own = tmp_path / "acme.yaml"
    entry = "TRANSPOSE_CONV: {requantize: half-even-32-bits-once}"
    own.write_text(f"arithmetic: acme\nextends: litert-reference\noperators: {{{entry}}}\n")
    run(suite, Computing(load_arithmetic(own)), tmp_path / "results")
    claims = tmp_path / "claims.yaml"
    certificates = []
    for arithmetic in ("acme.yaml", "litert-reference"):
        claims.write_text(
            "claims: test\ndevice: {name: Board, version: r1, driver: none}\n"
            "profile: {name: litert-runtime, version: 0.1.0}\n"
            f"level: smoke\narithmetic: {arithmetic}\noperators: [TRANSPOSE_CONV, TANH]\n"
        )
        certificates.append(certify(suite, read_results(tmp_path / "results", suite), claims, date=DAY))
    assert [one.verdict for one in certificates] == ["conforms", "fails"]
