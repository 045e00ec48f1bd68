"""Edited certificates and files with matching hashes: a check finds each edit, and confirms the unedited certificate."""

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
from litecheck.suite.certificate import Certificate, certify
from litecheck.suite.certificate_verification import check
from litecheck.suite.file_integrity import FileDigest
from litecheck.suite.manifest import MANIFEST, Suite, read_suite
from tests.suite.recorded import CLAIMS, one_off, recorded

#: Day of the certificate.
DAY = "2026-01-15"
WAIVED = CLAIMS + "waivers:\n  - {cases: QUANTIZE, reason: erratum 4, expires: 2026-03-01}\n"
#: Case with other outputs than the suite's.
WRONG = "QUANTIZE"


class Forgery:
    """Folder with a suite, results, claims and a certificate that an attacker edits and hashes again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.made = self.derive()

    def derive(self) -> Certificate:
        suite = read_suite(self.folder / "suite")
        return certify(suite, recorded_again(self.folder, suite), self.folder / "claims.yaml", (), DAY)

    def edit(self, **values: Any) -> None:
        """Change fields of the certificate."""
        self.made = replace(self.made, **values)

    def edit_suite(self, change: Callable[[dict[str, Any]], None]) -> None:
        """Change the manifest; the certificate has its new hash, seed, level and rules."""
        path = self.folder / "suite" / MANIFEST
        document = json.loads(path.read_text())
        change(document)
        path.write_text(json.dumps(document))
        kept = {name: document[name] for name in ("seed", "level", "rules")}
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        self.edit(suite=replace(self.made.suite, sha256=digest, cases=len(document["cases"]), **kept))

    def edit_row(self, **values: Any) -> None:
        """Change the row of QUANTIZE."""
        rows = (replace(row, **values) if row.opcode == WRONG else row for row in self.made.operators)
        self.edit(operators=tuple(rows))

    def wrong_case(self) -> dict[str, Any]:
        """Return the first case of QUANTIZE in the manifest."""
        document = json.loads((self.folder / "suite" / MANIFEST).read_text())
        cases: list[dict[str, Any]] = document["cases"]
        return next(case for case in cases if case["opcode"] == WRONG and not case["broken"])

    def discrepancies(self, text: Callable[[str], str] = str) -> tuple[str, ...]:
        """Write the certificate and check it. Return the discrepancies, each with file, kind and part."""
        file = self.folder / "certificate.json"
        file.write_text(text(self.made.text()), encoding="utf-8")
        found = check(file, self.folder / "suite", self.folder / "results", on=DAY).discrepancies
        return tuple(f"{Path(one.file).name} {one.kind} {one.what or one.found}".strip() for one in found)


def recorded_again(folder: Path, suite: Suite) -> Any:
    shutil.rmtree(folder / "results", ignore_errors=True)
    return recorded(suite, folder / "results", changed={WRONG: one_off})


@pytest.fixture
def forgery(small: Suite, tmp_path: Path) -> Forgery:
    shutil.copytree(small.folder, tmp_path / "suite")
    (tmp_path / "claims.yaml").write_text(WAIVED)
    return Forgery(tmp_path)


def _use_lookalike(forged: Forgery) -> None:
    device = replace(forged.made.claims.device, name="\u0412oard")  # a Cyrillic letter
    forged.edit(claims=replace(forged.made.claims, device=device))


def _hide_in_opcode(forged: Forgery) -> None:
    forged.edit_row(opcode=f"{WRONG}\u200b")


def _prolong_waiver(forged: Forgery) -> None:
    (record,) = forged.made.waivers
    forged.edit(waivers=(replace(record, waiver=replace(record.waiver, expires="2099-12-31")),))


def _claim_tolerance(forged: Forgery) -> None:
    forged.edit_row(tolerance=1.0, because="exact in silicon", verdict="conforms", waived=0)


def _claim_limits(forged: Forgery) -> None:
    forged.edit_row(limits=("QUANTIZE/limits/input.rank",))


def _replace_answers(forged: Forgery) -> None:
    """Replace the suite's expected outputs by those of the device."""
    name = forged.wrong_case()["name"]
    made = np.load(forged.folder / "results" / "outputs" / name / "output-0.npy").tobytes()

    def change(document: dict[str, Any]) -> None:
        for case in document["cases"]:
            for answer in case["answers"] if case["name"] == name else ():
                (forged.folder / "suite" / answer["outputs"][0]["file"]).write_bytes(made)
                answer["outputs"][0]["sha256"] = hashlib.sha256(made).hexdigest()

    forged.edit_suite(change)


def _drop_case(forged: Forgery) -> None:
    name = forged.wrong_case()["name"]
    shutil.rmtree(forged.folder / "suite" / "cases" / name)
    shutil.rmtree(forged.folder / "results" / "outputs" / name)

    def change(document: dict[str, Any]) -> None:
        document["cases"] = [case for case in document["cases"] if case["name"] != name]

    forged.edit_suite(change)


def _mark_as_optional(forged: Forgery) -> None:
    name = forged.wrong_case()["name"]

    def change(document: dict[str, Any]) -> None:
        for case in document["cases"]:
            if case["name"] == name:
                case["optional"] = "runtimes differ"

    forged.edit_suite(change)


def _exchange_outputs(forged: Forgery) -> None:
    first, second, *rest = forged.made.outputs
    forged.edit(outputs=(FileDigest(first.file, second.sha256), FileDigest(second.file, first.sha256), *rest))


def _add_to_case(forged: Forgery) -> None:
    case = forged.folder / "suite" / "cases" / forged.wrong_case()["name"]
    (case / "input-0.npy").write_bytes(b"other inputs")


def _add_to_outputs(forged: Forgery) -> None:
    case = forged.folder / "results" / "outputs" / forged.wrong_case()["name"]
    (case / "output-1.npy").write_bytes(b"one more output")


def _link_to_answers(forged: Forgery) -> None:
    """Replace an output of the device by a link to the expected output, with its hash in the certificate."""
    case = forged.wrong_case()
    answer = forged.folder / "suite" / case["answers"][0]["outputs"][0]["file"]
    output = forged.folder / "results" / "outputs" / case["name"] / "output-0.npy"
    output.unlink()
    output.symlink_to(answer)
    digest = hashlib.sha256(answer.read_bytes()).hexdigest()
    name = f"outputs/{case['name']}/output-0.npy"
    forged.edit(
        outputs=tuple(FileDigest(name, digest) if one.file == name else one for one in forged.made.outputs)
    )


ATTACKS: tuple[tuple[str, Callable[[Forgery], None], str], ...] = (
    ("a day in the future", lambda f: f.edit(date="2031-01-01"), "date"),
    ("another tool", lambda f: f.edit(tool="Acme certifier 3"), "tool"),
    ("a lookalike in the name of the device", _use_lookalike, "claims.device.name"),
    ("an invisible character in an opcode", _hide_in_opcode, "operators"),
    ("a longer waiver", _prolong_waiver, "waivers"),
    ("a tolerance", _claim_tolerance, "tolerance"),
    ("limits", _claim_limits, "limits"),
    ("answers of the device", _replace_answers, "remade"),
    ("a case less", _drop_case, "remade"),
    ("an optional case", _mark_as_optional, "remade"),
    ("another seed", lambda f: f.edit_suite(lambda m: m.update(seed=7)), "remade"),
    ("a higher level", lambda f: f.edit_suite(lambda m: m.update(level="exhaustive")), "remade"),
    ("other rules", lambda f: f.edit_suite(lambda m: m.update(rules="ab" * 32)), "rules"),
    ("hashes exchanged", _exchange_outputs, "SHA-256"),
    ("a further file of a case", _add_to_case, "input-0.npy unknown"),
    ("a further output", _add_to_outputs, "output-1.npy unknown"),
    ("a link to the answers", _link_to_answers, "leaves"),
    ("no arithmetic", lambda f: f.edit(arithmetics=()), "arithmetics"),
    ("no missing cases", lambda f: f.edit(untried=(), uncovered=()), "untried"),
)  # fmt: skip


def test_the_unedited_certificate_is_confirmed(forgery: Forgery) -> None:
    assert forgery.made.verdict == "conforms"
    assert [record.state for record in forgery.made.waivers] == ["used"]
    assert forgery.discrepancies() == ()


@pytest.mark.parametrize(
    ("attack", "named"), [a[1:] for a in ATTACKS], ids=[a[0].replace(" ", "-") for a in ATTACKS]
)
def test_an_edit_with_matching_hashes_is_named(
    forgery: Forgery, attack: Callable[[Forgery], None], named: str
) -> None:
    attack(forgery)
    found = forgery.discrepancies()
    assert any(named in one for one in found), found


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"verdict": "conforms"', '"verdict": "fails", "verdict": "conforms"', 1),
        lambda text: text.replace("Board", "Bo\\u0061rd", 1),
        lambda text: "\ufeff" + text,
        lambda text: text.replace('"waived": 0', '"waived": 0.0', 1),
        lambda text: text.replace('"waived": 0', '"waived": NaN', 1),
        lambda text: text + "{}",
    ],
    ids=["twice", "escaped", "mark", "float", "nan", "second-document"],
)
def test_another_spelling_of_the_same_certificate_is_found(
    forgery: Forgery, change: Callable[[str], str]
) -> None:
    try:
        found = forgery.discrepancies(change)
    except ConfigError:
        return
    assert any(one.startswith("certificate.json changed") for one in found)
