"""Bundles: their files, and the same bytes for the same files."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.bundle import write_bundle
from litecheck.suite.certificate import certify
from litecheck.suite.manifest import Suite
from tests.suite.recorded import CLAIMS, recorded

OWN = "arithmetic: own\nextends: litert-reference\n"


def bundle(small: Suite, folder: Path, target: Path, arithmetic: str = "own.yaml") -> Path:
    """Return the bundle of a conforming device; ``folder`` receives the certified files."""
    folder.mkdir(exist_ok=True)
    (folder / "own.yaml").write_text(OWN)
    (folder / "claims.yaml").write_text(f"{CLAIMS}arithmetic: {arithmetic}\n")
    results = recorded(small, folder / "results")
    made = certify(small, results, folder / "claims.yaml", (), "2026-01-01")
    (folder / "made.json").write_text(made.text())
    write_bundle(target, folder / "made.json", made, "<html>", small, results, folder / "claims.yaml")
    return target


def test_the_files_of_a_bundle(small: Suite, tmp_path: Path) -> None:
    with ZipFile(bundle(small, tmp_path / "one", tmp_path / "one.zip")) as archive:
        names = archive.namelist()
        assert archive.read("certificate.json") == (tmp_path / "one" / "made.json").read_bytes()
        assert archive.read("certificate.html") == b"<html>"
    outputs = [name for name in names if name.startswith("results/outputs/")]
    assert len(outputs) == len([case for case in small.manifest.cases if not case.broken])
    assert sorted(set(names) - set(outputs)) == [
        "certificate.html", "certificate.json", "claims.yaml", "own.yaml", "results/results.jsonl", "suite/manifest.json",
    ]  # fmt: skip


def test_the_same_files_give_the_same_bytes(small: Suite, tmp_path: Path) -> None:
    one, other = (bundle(small, tmp_path / name, tmp_path / f"{name}.zip") for name in ("one", "other"))
    assert one.read_bytes() == other.read_bytes()


def test_a_file_outside_the_folder_of_the_claims_is_an_error(small: Suite, tmp_path: Path) -> None:
    (tmp_path / "far.yaml").write_text(OWN.replace("own", "far"))
    with pytest.raises(ConfigError, match=r"far\.yaml: lies outside the folder of the claims"):
        bundle(small, tmp_path / "one", tmp_path / "one.zip", "../far.yaml")
    assert not (tmp_path / "one.zip").exists()
