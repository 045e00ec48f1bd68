"""Checks of bundles: valid bundles, changed members, and suites that cannot be made again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.suite.bundle_verification import check_bundle
from litecheck.suite.manifest import Suite
from tests.suite.test_bundle import bundle

DAY = "2026-01-01"


def rewritten(path: Path, member: str, old: bytes, new: bytes) -> None:
    """Replace bytes of a member of an archive."""
    with ZipFile(path) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    assert old in contents[member]
    contents[member] = contents[member].replace(old, new, 1)
    with ZipFile(path, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name, content)


def test_a_sound_bundle_is_confirmed_from_any_place(small: Suite, tmp_path: Path) -> None:
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    moved = path.rename(tmp_path / "moved.zip")
    found = check_bundle(moved, on=DAY)
    assert (found.discrepancies, found.file, found.certificate.verdict) == ((), str(moved), "conforms")


def test_the_page_is_that_of_the_certificate(small: Suite, tmp_path: Path) -> None:
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    assert check_bundle(path, on=DAY, render=lambda made: "<html>").discrepancies == ()
    rewritten(path, "certificate.html", b"<html>", b"<html>conforms")
    (found,) = check_bundle(path, on=DAY, render=lambda made: "<html>").discrepancies
    assert (found.kind, found.file) == ("changed", f"{path}: certificate.html")


@pytest.mark.parametrize("name", ["results/approval.txt", "further.yaml", "results/own/x.yaml"])
def test_a_member_that_the_certificate_does_not_name(small: Suite, tmp_path: Path, name: str) -> None:
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    assert check_bundle(path, on=DAY).discrepancies == ()
    with ZipFile(path, "a") as archive:
        archive.writestr(name, b"approved: true\n")
    (found,) = check_bundle(path, on=DAY).discrepancies
    assert (found.kind, found.file) == ("unknown", f"{path}: {name}")


def test_a_changed_output_is_named_inside_the_bundle(small: Suite, tmp_path: Path) -> None:
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    with ZipFile(path) as archive:
        member = next(name for name in archive.namelist() if name.endswith(".npy"))
        content = archive.read(member)
    rewritten(path, member, content, content[:-1] + bytes([content[-1] ^ 1]))
    found = check_bundle(path, on=DAY).discrepancies
    assert (found[0].kind, found[0].file) == ("changed", f"{path}: {member}")
    assert not [one for one in found if "/tmp" in one.found and str(path) not in one.found]


def test_an_edited_manifest_is_named(small: Suite, tmp_path: Path) -> None:
    """The seed in the manifest is changed, so the suite cannot be made again with equal bytes."""
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    rewritten(path, "suite/manifest.json", b'"seed": 0', b'"seed": 1')
    kinds = {one.kind for one in check_bundle(path, on=DAY).discrepancies}
    assert {"changed", "remade"} & kinds


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"tool": "litecheck', b'"tool": "litecheck 0.0.1', "its suite was made by litecheck 0.0.1"),
        (b'"profile": "litert-int8"', b'"profile": "/etc/passwd"', "its suite is of '/etc/passwd'"),
        (b'"litert-xnnpack"', b'"../x.yaml"', "x.yaml"),
        (b'"level": "smoke"', b'"level": "huge"', "level"),
    ],
)
def test_a_suite_that_cannot_be_made_anew(
    small: Suite, tmp_path: Path, old: bytes, new: bytes, words: str
) -> None:
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    rewritten(path, "suite/manifest.json", old, new)
    with pytest.raises(ConfigError) as caught:
        check_bundle(path, on=DAY)
    assert str(caught.value).startswith(f"{path}: ")
    assert words in str(caught.value)


def test_a_forged_verdict_is_derived_anew(small: Suite, tmp_path: Path) -> None:
    """Wrong outputs have matching hashes in results and certificate, but differ from the kernels' outputs."""
    path = bundle(small, tmp_path / "one", tmp_path / "one.zip")
    with ZipFile(path) as archive:
        member = next(name for name in archive.namelist() if name.endswith(".npy"))
        content = archive.read(member)
    (tmp_path / "x.npy").write_bytes(content)
    values = np.load(tmp_path / "x.npy")
    np.save(tmp_path / "x.npy", values ^ 1)
    wrong = (tmp_path / "x.npy").read_bytes()
    rewritten(path, member, content, wrong)
    name = member.removeprefix("results/")
    digests = [
        hashlib.sha256(values.tobytes()).hexdigest(),
        hashlib.sha256((values ^ 1).tobytes()).hexdigest(),
    ]
    rewritten(path, "results/results.jsonl", *(digest.encode() for digest in digests))
    with ZipFile(path) as archive:
        stated = json.loads(archive.read("certificate.json"))
        record = archive.read("results/results.jsonl")
    old = next(one["sha256"] for one in stated["outputs"] if one["file"] == name)
    rewritten(path, "certificate.json", old.encode(), hashlib.sha256(wrong).hexdigest().encode())
    run = stated["run"]["sha256"]
    rewritten(path, "certificate.json", run.encode(), hashlib.sha256(record).hexdigest().encode())
    found = {one.what: (one.stated, one.found) for one in check_bundle(path, on=DAY).discrepancies}
    assert found["verdict"] == ('"conforms"', '"fails"')
