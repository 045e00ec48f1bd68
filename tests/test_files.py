"""Files whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecheck.errors import ConfigError, ModelError, OutputError
from litecheck.files import (
    atomic_write,
    check_folder,
    check_writable,
    find_models,
    from_here,
    is_full,
    make_folder,
    reason,
)

posix = pytest.mark.skipif(os.name == "nt", reason="permissions, links and devices as POSIX has them")


def test_text_bytes_and_pieces(tmp_path: Path) -> None:
    for data in ("wörd\n", "wörd\n".encode(), (b"w\xc3", b"\xb6rd\n")):
        atomic_write(tmp_path / "a", data)
        assert (tmp_path / "a").read_bytes() == "wörd\n".encode()


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(RuntimeError):
        atomic_write(tmp_path / "a", pieces())
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"old"}


@posix
def test_permissions_are_the_umasks_or_the_old_files(tmp_path: Path) -> None:
    old = os.umask(0o027)
    try:
        atomic_write(tmp_path / "new", b"")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o604)
    atomic_write(tmp_path / "new", b"x")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o604


@posix
def test_links_are_followed_and_devices_stay(tmp_path: Path) -> None:
    (tmp_path / "target").write_bytes(b"old")
    (tmp_path / "link").symlink_to("target")
    atomic_write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"
    atomic_write("/dev/null", b"gone")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_refusals_are_config_errors(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file" / "below", tmp_path / "file" / "below" / "that", tmp_path):
        with pytest.raises(ConfigError, match="cannot be written"):
            atomic_write(path, b"x")
        with pytest.raises(ConfigError, match="cannot be written"):
            check_writable(path)
    check_writable(tmp_path / "file")
    check_writable(tmp_path / "new")
    check_writable(tmp_path / "no" / "where")
    atomic_write(tmp_path / "no" / "where", b"x")
    assert (tmp_path / "no" / "where").read_bytes() == b"x"


def test_models_each_once_in_the_order_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("b.tflite", "a.TFLITE", "x.txt", "d/c.task", "d/.git/h.tflite", "[1].lite"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert find_models(["x.txt", "d", "[ab].*", "b.tflite", "[1].lite"]) == (
        "x.txt", os.path.join("d", "c.task"), "a.TFLITE", "b.tflite", "[1].lite",
    )  # fmt: skip
    assert find_models(["**/*.task"]) == (os.path.join("d", "c.task"),)


@pytest.mark.parametrize("argument", ["absent", "*.absent", "empty", "emp*"])
def test_arguments_that_yield_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("a.tflite").touch()
    none, there = find_models([argument, "a.tflite"])
    assert isinstance(none, ModelError)
    assert re.search(r"no (such file|file matches|model in this folder)", str(none))
    assert there == "a.tflite"


def test_a_folder_that_cannot_be_read_is_not_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shut").mkdir()
    (tmp_path / "a.tflite").touch()
    scandir = os.scandir

    def refuse(path: str) -> object:
        if str(path).endswith("shut"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    there, shut = find_models([str(tmp_path)])
    assert there == str(tmp_path / "a.tflite")
    assert (
        str(shut) == f"{tmp_path / 'shut'}: the folder cannot be read: Permission denied [unreadable-folder]"
    )


def test_files_as_services_know_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("d/a.tflite", "./d/../d/a.tflite", str(tmp_path / "d" / "a.tflite")):
        assert from_here(given) == "d/a.tflite"
    assert from_here("/elsewhere/a.tflite") == "/elsewhere/a.tflite"
    assert from_here("https://example.org/a.tflite") == "https://example.org/a.tflite"


def test_folders_that_cannot_be_made_are_said_before_and_when(tmp_path: Path) -> None:
    check_folder(tmp_path / "a" / "b")
    assert not (tmp_path / "a").exists()
    make_folder(tmp_path / "a" / "b")
    make_folder(tmp_path / "a" / "b")
    check_folder(tmp_path / "a" / "b")
    (tmp_path / "file").write_text("")
    for refused in (check_folder, make_folder):
        with pytest.raises(ConfigError, match="cannot be written"):
            refused(tmp_path / "file" / "b")


@pytest.mark.parametrize(
    ("number", "kind", "why"),
    [
        (errno.ENOSPC, OutputError, "the disk is full"),
        (errno.EFBIG, OutputError, "the limit for the size of a file is reached"),
        (errno.EDQUOT, OutputError, "the disk quota is used up"),
        (errno.EROFS, ConfigError, os.strerror(errno.EROFS)),
    ],
)
def test_a_full_disk_is_an_error_of_its_own(
    number: int, kind: type[ConfigError], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "mkdir", refuse)
    for write in (lambda: atomic_write(tmp_path / "a", "x"), lambda: make_folder(tmp_path / "b")):
        with pytest.raises(ConfigError, match=rf"cannot be written, {re.escape(why)}$") as raised:
            write()
        assert type(raised.value) is kind
    assert list(tmp_path.iterdir()) == []


def test_no_folder_for_temporary_files_counts_as_a_full_disk() -> None:
    error = FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")
    assert is_full(error)
    assert reason(error) == "no folder for temporary files can be written; the disk may be full"
    assert not is_full(FileNotFoundError(errno.ENOENT, "No such file"))


def test_a_name_that_is_no_utf8_can_be_written(tmp_path: Path) -> None:
    atomic_write(tmp_path / "a", '"\udcff"')
    assert (tmp_path / "a").read_bytes() == b'"\\udcff"'
