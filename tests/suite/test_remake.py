"""Attacks on suites, results and certificates: each passes ``certify``, and ``certify --check`` finds it."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.suite.certificate import certify
from litecheck.suite.certificate_verification import CertificateCheck, check
from litecheck.suite.manifest import MANIFEST, Suite, read_suite
from litecheck.suite.results import RESULTS, read_results
from tests.suite.recorded import CLAIMS, recorded

DAY = "2027-01-01"
WAIVERS = "waivers:\n  - {cases: QUANTIZE, reason: erratum 17, expires: 2027-03-31}\n"
Document = dict[str, Any]


@pytest.fixture
def folder(small: Suite, tmp_path: Path) -> Path:
    """Suite, results as a device writes them without litecheck, and claims."""
    shutil.copytree(small.folder, tmp_path / "suite")
    recorded(read_suite(tmp_path / "suite"), tmp_path / "results")
    (tmp_path / "results" / RESULTS).unlink()
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    return tmp_path


def certified(folder: Path, date: str = DAY, on: str = DAY) -> CertificateCheck:
    """Certify what lies in the folder now, and check the certificate."""
    suite = read_suite(folder / "suite")
    made = certify(suite, read_results(folder / "results", suite), folder / "claims.yaml", (), date)
    (folder / "certificate.json").write_text(made.text())
    return check(folder / "certificate.json", folder / "suite", folder / "results", on=on)


def edit(folder: Path, change: Callable[[Document], None]) -> None:
    path = folder / "suite" / MANIFEST
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def valid(document: Document) -> list[Document]:
    return [case for case in document["cases"] if not case["broken"]]


def store(folder: Path, entry: Document, values: np.ndarray) -> None:
    """Replace an array of the suite, with its hash."""
    (folder / "suite" / entry["file"]).write_bytes(values.tobytes())
    entry["sha256"] = hashlib.sha256(values.tobytes()).hexdigest()


def drop_a_case(folder: Path) -> None:
    edit(folder, lambda document: document["cases"].remove(valid(document)[0]))


def drop_an_invalid_model(folder: Path) -> None:
    edit(folder, lambda document: document["cases"].remove(next(c for c in document["cases"] if c["broken"])))


def replace_expected_outputs(folder: Path) -> None:
    def change(document: Document) -> None:
        output = valid(document)[0]["answers"][0]["outputs"][0]
        store(folder, output, np.zeros(output["shape"], output["dtype"]))

    edit(folder, change)
    name = valid(json.loads((folder / "suite" / MANIFEST).read_text()))[0]
    zeros = np.zeros(name["answers"][0]["outputs"][0]["shape"], name["answers"][0]["outputs"][0]["dtype"])
    np.save(folder / "results" / "outputs" / name["name"] / "output-0.npy", zeros)


def replace_inputs(folder: Path) -> None:
    def change(document: Document) -> None:
        entry = valid(document)[0]["inputs"][0]
        store(folder, entry, np.zeros(entry["shape"], entry["dtype"]))

    edit(folder, change)


def swap_arithmetics(folder: Path) -> None:
    """The outputs of one arithmetic under the names of all."""

    def change(document: Document) -> None:
        for case in valid(document):
            case["answers"] = [{**case["answers"][0], "arithmetics": document["arithmetics"]}]

    edit(folder, change)


def set_value(key: str, value: object) -> Callable[[Path], None]:
    return lambda folder: edit(folder, lambda document: document.update({key: value}))


def make_cases_optional(folder: Path) -> None:
    edit(folder, lambda document: [case.update(optional="undefined") for case in valid(document)])


def lower_the_level_of_a_case(folder: Path) -> None:
    edit(folder, lambda document: valid(document)[0].update(level="exhaustive"))


def add_a_case_folder(folder: Path) -> None:
    place = folder / "suite" / "cases" / "ADD" / "int8" / "invented"
    place.mkdir(parents=True)
    (place / "model.tflite").write_bytes(b"1")


def add_an_output(folder: Path) -> None:
    place = folder / "results" / "outputs" / "ADD" / "int8" / "invented"
    place.mkdir(parents=True)
    (place / "output-0.bin").write_bytes(b"1")


ATTACKS: dict[str, tuple[Callable[[Path], None], str]] = {
    "case dropped": (drop_a_case, "remade"),
    "invalid model dropped": (drop_an_invalid_model, "remade"),
    "expected outputs replaced by those of the device": (replace_expected_outputs, "remade"),
    "inputs replaced by zeros": (replace_inputs, "remade"),
    "outputs of one arithmetic under all names": (swap_arithmetics, "remade"),
    "level raised": (set_value("level", "exhaustive"), "remade"),
    "selection removed": (set_value("selected", []), "remade"),
    "seed changed": (set_value("seed", 7), "remade"),
    "gaps removed": (set_value("uncovered", [{"opcode": "A", "kind": "", "form": "", "reason": "x"}]), "remade"),
    "tolerance added": (
        set_value("tolerances", [{"opcode": "*", "tolerance": 255, "reals": None, "because": "x"}]),
        "remade",
    ),
    "version changed": (set_value("tool", "litecheck 0.0.1"), "version"),
    "cases made optional": (make_cases_optional, "remade"),
    "case moved to another level": (lower_the_level_of_a_case, "remade"),
    "folder of no case in the suite": (add_a_case_folder, "unknown"),
    "output of no case in the results": (add_an_output, "unknown"),
}  # fmt: skip


def test_an_honest_certificate_is_right(folder: Path) -> None:
    assert certified(folder).discrepancies == ()


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_found(name: str, folder: Path) -> None:
    attack, kind = ATTACKS[name]
    attack(folder)
    found = certified(folder)
    assert found.exit_code == 1
    assert kind in {one.kind for one in found.discrepancies}


def test_changed_rules_make_no_certificate(folder: Path) -> None:
    set_value("rules", "ab" * 32)(folder)
    with pytest.raises(ConfigError, match="make it anew"):
        certified(folder)


def test_two_files_of_one_output_must_agree(folder: Path) -> None:
    """A right .npy beside a wrong .bin."""
    path = next((folder / "results").glob("outputs/LOGISTIC/int8/*/output-0.npy"))
    values = np.load(path)
    path.with_suffix(".bin").write_bytes(values.tobytes())
    assert certified(folder).discrepancies == ()
    path.with_suffix(".bin").write_bytes((values ^ 1).tobytes())
    with pytest.raises(ConfigError, match=r"\.npy and \.bin hold different values"):
        certified(folder)


@pytest.mark.parametrize(("on", "kinds"), [(DAY, set()), ("2027-03-31", set()), ("2027-04-01", {"expired"})])
def test_a_waiver_that_has_expired_since_is_said(on: str, kinds: set[str], folder: Path) -> None:
    (folder / "claims.yaml").write_text(CLAIMS + WAIVERS)
    for path in (folder / "results").glob("outputs/QUANTIZE/int8/*/output-0.npy"):
        np.save(path, np.load(path) ^ 1)
    found = certified(folder, on=on)
    assert (found.certificate.waived > 0, {one.kind for one in found.discrepancies}) == (True, kinds)


@pytest.mark.parametrize("change", [{"verdict": "fails"}, {"waived": 3}, {"date": "2031-01-01"}])
def test_an_edited_certificate_with_a_right_hash_is_found(change: dict[str, Any], folder: Path) -> None:
    """A later date cannot revive a waiver, and an earlier one is the date of the verdict."""
    (folder / "claims.yaml").write_text(CLAIMS + WAIVERS)
    for path in (folder / "results").glob("outputs/QUANTIZE/int8/*/output-0.npy"):
        np.save(path, np.load(path) ^ 1)
    found = certified(folder)
    (folder / "certificate.json").write_text(replace(found.certificate, **change).text())
    again = check(folder / "certificate.json", folder / "suite", folder / "results", on=DAY)
    assert "number" in {one.kind for one in again.discrepancies}
