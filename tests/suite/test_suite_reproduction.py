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
    """Return a folder with a suite, results without litecheck's own file, and claims."""
    shutil.copytree(small.folder, tmp_path / "suite")
    recorded(read_suite(tmp_path / "suite"), tmp_path / "results")
    (tmp_path / "results" / RESULTS).unlink()
    (tmp_path / "claims.yaml").write_text(CLAIMS)
    return tmp_path


def certified(folder: Path, date: str = DAY, on: str = DAY) -> CertificateCheck:
    """Certify the current content of the folder, and check the certificate."""
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
    """Store the outputs of an arithmetic under the names of all."""

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


def set_field(key: str, value: object) -> Callable[[Path], None]:
    return lambda folder: edit(folder, lambda document: valid(document)[0].update({key: value}))


def replace_a_model(folder: Path) -> None:
    """Replace a model by the model of another operator, with its hash."""

    def change(document: Document) -> None:
        one, *others = valid(document)
        other = next(case for case in others if case["opcode"] != one["opcode"])
        content = (folder / "suite" / other["model"]).read_bytes()
        (folder / "suite" / one["model"]).write_bytes(content)
        one["sha256"] = hashlib.sha256(content).hexdigest()

    edit(folder, change)


def keep_one_run(folder: Path) -> None:
    """Keep only the first inference of a case in inputs, expected outputs and results."""

    def change(document: Document) -> None:
        case = next(c for c in valid(document) if c["inputs"][0]["shape"][0] > 1)
        for entry in (*case["inputs"], *(o for answer in case["answers"] for o in answer["outputs"])):
            values = np.fromfile(folder / "suite" / entry["file"], entry["dtype"]).reshape(entry["shape"])[:1]
            entry["shape"] = list(values.shape)
            store(folder, entry, values)
        path = folder / "results" / "outputs" / case["name"] / "output-0.npy"
        np.save(path, np.load(path)[:1])

    edit(folder, change)


def rename_a_case(folder: Path) -> None:
    """Rename a case to a name that another waiver or claim covers."""

    def change(document: Document) -> None:
        case = valid(document)[0]
        name = f"{case['name']}-waived"
        for place in ("suite/cases", "results/outputs"):
            (folder / place / case["name"]).rename(folder / place / name)
        text = json.dumps(case).replace(f"cases/{case['name']}/", f"cases/{name}/")
        case.update(json.loads(text), name=name)

    edit(folder, change)


def copy_a_case(folder: Path) -> None:
    """Copy a passing case to a further name, which increases the number of passed cases."""

    def change(document: Document) -> None:
        case = valid(document)[0]
        name = f"{case['name']}-again"
        for place in ("suite/cases", "results/outputs"):
            shutil.copytree(folder / place / case["name"], folder / place / name)
        text = json.dumps(case).replace(f"cases/{case['name']}/", f"cases/{name}/")
        document["cases"].append({**json.loads(text), "name": name})

    edit(folder, change)


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
    "level raised": (set_value("level", "standard"), "remade"),
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
    "model replaced by an easier one": (replace_a_model, "remade"),
    "runs removed": (keep_one_run, "remade"),
    "case renamed to match a waiver": (rename_a_case, "remade"),
    "passing case copied under a further name": (copy_a_case, "remade"),
    "valid model made an invalid one": (set_field("broken", "LOGISTIC/input/dtype"), "remade"),
    "case moved out of the claimed granularity": (set_field("granularity", "per-axis"), "remade"),
    "geometry added that no case has": (set_field("factors", {"batch": "5"}), "remade"),
    "title changed": (set_field("title", "all 65,536 values"), "remade"),
    "folder of no case in the suite": (add_a_case_folder, "unknown"),
    "output of no case in the results": (add_an_output, "unknown"),
}  # fmt: skip


def test_an_honest_certificate_is_right(folder: Path) -> None:
    assert certified(folder).discrepancies == ()


#: Attacks with a check that makes a suite of all operators.
SLOW = {"selection removed"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in ATTACKS]
)
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


def test_a_case_cannot_be_listed_twice(folder: Path) -> None:
    """The last entry of a name would hide the first from a comparison by name."""
    edit(folder, lambda document: document["cases"].insert(0, {**document["cases"][0], "title": "forged"}))
    with pytest.raises(ConfigError, match=r"cases\[1\]\.name: '.*' is also the name of cases\[0\]"):
        read_suite(folder / "suite")


def test_two_files_of_one_output_must_agree(folder: Path) -> None:
    """A correct .npy and a wrong .bin are an error."""
    path = next((folder / "results").glob("outputs/LOGISTIC/int8/*/output-0.npy"))
    values = np.load(path)
    path.with_suffix(".bin").write_bytes(values.tobytes())
    assert certified(folder).discrepancies == ()
    path.with_suffix(".bin").write_bytes((values ^ 1).tobytes())
    with pytest.raises(ConfigError, match=r"\.npy and \.bin hold different values"):
        certified(folder)


@pytest.mark.parametrize(("on", "kinds"), [(DAY, set()), ("2027-03-31", set()), ("2027-04-01", {"expired"})])
def test_a_waiver_that_expired_after_certification_is_found(on: str, kinds: set[str], folder: Path) -> None:
    (folder / "claims.yaml").write_text(CLAIMS + WAIVERS)
    for path in (folder / "results").glob("outputs/QUANTIZE/int8/*/output-0.npy"):
        np.save(path, np.load(path) ^ 1)
    found = certified(folder, on=on)
    assert (found.certificate.waived > 0, {one.kind for one in found.discrepancies}) == (True, kinds)


@pytest.mark.parametrize(
    ("row", "change"),
    [
        (True, {"tolerance": 0.0}),
        (True, {"because": "exact in silicon"}),
        (True, {"counts": {"passed": 999}}),
        (True, {"fits": ("litert-reference", "tflm")}),
        (False, {"operators": ()}),
        (False, {"untried": ()}),
        (False, {"outputs": ()}),
        (False, {"arithmetics": ()}),
    ],
)
def test_a_certificate_without_its_reservations_is_found(
    row: bool, change: dict[str, Any], folder: Path
) -> None:
    tolerant = CLAIMS.replace(
        "[LOGISTIC, QUANTIZE]", "{LOGISTIC: {tolerance: 255, because: analog}, QUANTIZE: }"
    )
    (folder / "claims.yaml").write_text(tolerant)
    made = certified(folder).certificate
    if row:
        rows = [replace(one, **change) if one.opcode == "LOGISTIC" else one for one in made.operators]
        change = {"operators": tuple(rows)}
    forged = replace(made, **change)
    assert forged != made
    (folder / "certificate.json").write_text(forged.text())
    again = check(folder / "certificate.json", folder / "suite", folder / "results", on=DAY)
    # Outputs that the certificate does not list are unlisted files.
    assert {one.kind for one in again.discrepancies} == {"unknown" if "outputs" in change else "number"}


def test_claims_that_are_widened_afterwards_are_found(folder: Path) -> None:
    certified(folder)
    (folder / "claims.yaml").write_text(CLAIMS.replace("r1}", "r2}"))
    again = check(folder / "certificate.json", folder / "suite", folder / "results", on=DAY)
    assert "changed" in {one.kind for one in again.discrepancies}


@pytest.mark.parametrize("change", [{"verdict": "fails"}, {"waived": 3}, {"date": "2031-01-01"}])
def test_an_edited_certificate_with_a_right_hash_is_found(change: dict[str, Any], folder: Path) -> None:
    """A later date cannot make a waiver valid again, and an earlier date is the date of the verdict."""
    (folder / "claims.yaml").write_text(CLAIMS + WAIVERS)
    for path in (folder / "results").glob("outputs/QUANTIZE/int8/*/output-0.npy"):
        np.save(path, np.load(path) ^ 1)
    found = certified(folder)
    (folder / "certificate.json").write_text(replace(found.certificate, **change).text())
    again = check(folder / "certificate.json", folder / "suite", folder / "results", on=DAY)
    assert "number" in {one.kind for one in again.discrepancies}
