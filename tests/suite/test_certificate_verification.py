"""A certificate of a stranger names files: none outside its folder is read or disclosed."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.suite.certificate import Certificate, certify
from litecheck.suite.certificate_verification import CertificateCheck, check
from litecheck.suite.file_integrity import FileDigest
from litecheck.suite.manifest import Suite
from tests.suite.recorded import CLAIMS, recorded

SECRET = b"token: hunter2\n"


@pytest.fixture
def made(small: Suite, tmp_path: Path) -> Certificate:
    """Return a certificate of results and claims in a folder; the parent folder has a file of secrets."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.yaml").write_bytes(SECRET)
    (folder / "claims.yaml").write_text(CLAIMS)
    results = recorded(small, folder / "results")
    return certify(small, results, folder / "claims.yaml", (), "2026-01-01")


def checked(small: Suite, tmp_path: Path, certificate: Certificate) -> CertificateCheck:
    file = tmp_path / "folder" / "certificate.json"
    file.write_text(certificate.text())
    return check(file, small.folder, tmp_path / "folder" / "results")


def test_the_certificate_is_right_as_it_is(small: Suite, tmp_path: Path, made: Certificate) -> None:
    assert checked(small, tmp_path, made).discrepancies == ()
    folder, told = tmp_path / "folder", list[str]()
    check(folder / "certificate.json", small.folder, folder / "results", progress=told.append)
    assert told == list(dict.fromkeys(case.opcode for case in small.manifest.cases))


@pytest.mark.parametrize("name", ["../secret.yaml", "/etc/passwd", "C:secret.yaml", "a\0b"])
@pytest.mark.parametrize("field", ["claims", "waiver_files", "outputs"])
def test_a_name_that_leaves_the_folder_is_not_read(
    small: Suite, tmp_path: Path, made: Certificate, field: str, name: str
) -> None:
    digests = (FileDigest(name, "0" * 64),)
    changed = replace(made.claims, file=name) if field == "claims" else digests
    found = checked(small, tmp_path, replace(made, **{field: changed})).discrepancies
    assert [one.kind for one in found] == ["unreadable"]
    assert "the file name leaves the folder" in found[0].found


@pytest.mark.parametrize("name", ["../secret.yaml", "rules/../../secret.yaml"])
def test_the_hash_of_a_file_outside_the_folder_is_not_disclosed(
    small: Suite, tmp_path: Path, made: Certificate, name: str
) -> None:
    changed = replace(made, arithmetics=(FileDigest(name, "0" * 64),))
    found = checked(small, tmp_path, changed).discrepancies
    assert found
    assert hashlib.sha256(SECRET).hexdigest() not in str(found)


def test_the_profile_that_a_suite_names_is_not_quoted(
    small: Suite, tmp_path: Path, made: Certificate
) -> None:
    changed = replace(small, manifest=replace(small.manifest, profile=str(tmp_path / "secret.yaml")))
    results = recorded(small, tmp_path / "again")
    with pytest.raises(ProfileError, match="is not a valid profile") as caught:
        certify(changed, results, tmp_path / "folder" / "claims.yaml", (), "2026-01-01")
    assert "token" not in str(caught.value)
