"""Hostile bundles: each gives an error with the archive and the member, and no file is written outside."""

from __future__ import annotations

import stat
import struct
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest

from litecheck.errors import ConfigError
from litecheck.suite.bundle_files import is_bundle, unpack_bundle

GOOD = {"certificate.json": b"{}", "suite/manifest.json": b"{}"}


def archived(path: Path, *more: tuple[str | ZipInfo, bytes], without: str = "") -> Path:
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for name, content in (*GOOD.items(), *more):
            if name != without:
                archive.writestr(name, content)
    return path


def entry(name: str, kind: int) -> ZipInfo:
    member = ZipInfo(name)
    member.external_attr = (kind | 0o777) << 16
    return member


def test_plain_members_are_unpacked_and_removed(tmp_path: Path) -> None:
    path = archived(tmp_path / "a.zip", ("results/outputs/x/output-0.npy", b"123"), ("claims.yaml", b"a: 1"))
    assert is_bundle(path)
    with unpack_bundle(path) as folder:
        assert (folder / "results/outputs/x/output-0.npy").read_bytes() == b"123"
    assert not folder.exists()


@pytest.mark.parametrize(
    ("member", "fault"),
    [
        ("../claims.yaml", "leaves the folder"),
        ("results/../../claims.yaml", "leaves the folder"),
        ("/etc/claims.yaml", "leaves the folder"),
        ("C:claims.yaml", "leaves the folder"),
        ("results\\..\\claims.yaml", "leaves the folder"),
        ("results/a\x1bb.bin", "leaves the folder"),
        ("results//x.bin", "not plain"),
        ("results/./x.bin", "not plain"),
        ("results/", "not plain"),
        ("CERTIFICATE.json", "there twice"),
        ("certificate.json/claims.yaml", "a file and a folder"),
        ("suite/cases/ADD/int8/x/model.tflite", "belongs to no bundle"),
        ("run.py", "belongs to no bundle"),
        (entry("results/link", stat.S_IFLNK), "no regular file"),
        (entry("results/pipe", stat.S_IFIFO), "no regular file"),
    ],
)
def test_a_member_that_no_bundle_has(tmp_path: Path, member: str | ZipInfo, fault: str) -> None:
    path = archived(tmp_path / "a.zip", (member, b"x"))
    with pytest.raises(ConfigError, match=rf"a\.zip: .*{fault}"), unpack_bundle(path):
        pass
    assert [file.name for file in tmp_path.rglob("*")] == ["a.zip"]


@pytest.mark.parametrize("name", GOOD)
def test_an_archive_without_a_certificate_or_a_manifest(tmp_path: Path, name: str) -> None:
    path = archived(tmp_path / "a.zip", without=name)
    with (
        pytest.raises(ConfigError, match=f"a.zip: no bundle of a certificate: {name} is missing"),
        unpack_bundle(path),
    ):
        pass


def test_bombs_are_not_unpacked(tmp_path: Path) -> None:
    """Sizes are those of the central directory: 46 bytes into an entry are its name, 20 and 24 its sizes."""
    content = bytearray(archived(tmp_path / "a.zip", ("results/bomb.bin", bytes(1000))).read_bytes())
    at = content.rindex(b"results/bomb.bin") - 46
    for size, fault in (
        (1 << 30, "claims 1,073,741,824 bytes"),
        ((1 << 32) - 2, "unpacks to 4,294,967,298 bytes"),
    ):
        struct.pack_into("<I", content, at + 24, size)
        (tmp_path / "b.zip").write_bytes(content)
        with pytest.raises(ConfigError, match=fault), unpack_bundle(tmp_path / "b.zip"):
            pass


def test_overlapping_members_are_an_error(tmp_path: Path) -> None:
    with ZipFile(tmp_path / "a.zip", "w", ZIP_STORED) as archive:
        for name, data in (*GOOD.items(), ("results/x.bin", bytes(1000))):
            archive.writestr(name, data)
        archive.filelist += [archive.getinfo("results/x.bin")] * 2
    with pytest.raises(ConfigError, match=r"a\.zip: the files overlap"), unpack_bundle(tmp_path / "a.zip"):
        pass


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda content: content[:-30], "no readable zip archive"),
        (lambda content: content.replace(b"certain", b"CERTAIN"), "'results/x.bin': is damaged"),
    ],
)
def test_a_damaged_archive(tmp_path: Path, change: object, fault: str) -> None:
    with ZipFile(tmp_path / "a.zip", "w", ZIP_STORED) as archive:
        for name, content in (*GOOD.items(), ("results/x.bin", b"certain")):
            archive.writestr(name, content)
    (tmp_path / "b.zip").write_bytes(change((tmp_path / "a.zip").read_bytes()))  # type: ignore[operator]
    with pytest.raises(ConfigError, match=fault), unpack_bundle(tmp_path / "b.zip"):
        pass


def test_a_certificate_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text("{}")
    assert not is_bundle(tmp_path / "c.json")
    with pytest.raises(ConfigError, match="cannot be read"):
        is_bundle(tmp_path / "missing.zip")
