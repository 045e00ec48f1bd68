"""Files are read if they are regular and of bounded size, and written whole or not at all."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecheck.errors import ConfigError, InputError, OutputError
from litecheck.files import (
    atomic_write,
    check_folder,
    check_writable,
    file_digest,
    files_in,
    from_here,
    is_full,
    is_inside,
    is_relative,
    make_folder,
    member_path,
    open_file,
    read_file,
    reason,
)

posix = pytest.mark.skipif(os.name == "nt", reason="permissions, links and devices as POSIX has them")


def test_text_bytes_and_pieces(tmp_path: Path) -> None:
    for data in ("wörd\n", "wörd\n".encode(), (b"w\xc3", b"\xb6rd\n")):
        atomic_write(tmp_path / "a", data)
        assert (tmp_path / "a").read_bytes() == "wörd\n".encode()


def test_a_failed_write_keeps_only_the_old_file(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise RuntimeError

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(RuntimeError):
        atomic_write(tmp_path / "a", pieces())
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"a": b"old"}


@pytest.mark.skipif(not hasattr(os, "fchmod"), reason="needs file modes as POSIX has them")
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


def test_paths_are_relative_to_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given in ("d/a.tflite", "./d/../d/a.tflite", str(tmp_path / "d" / "a.tflite")):
        assert from_here(given) == "d/a.tflite"
    assert from_here("/elsewhere/a.tflite") == "/elsewhere/a.tflite"
    assert from_here("https://example.org/a.tflite") == "https://example.org/a.tflite"


def test_folders_that_cannot_be_made_are_an_error_before_and_during_creation(tmp_path: Path) -> None:
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


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"12345")
    assert read_file(tmp_path / "a", 5) == b"12345"
    with pytest.raises(ConfigError, match=r"a: the file is too large: got more than the limit of 4 bytes"):
        read_file(tmp_path / "a", 4)
    with pytest.raises(InputError, match=r"b: cannot be read, No such file or directory"):
        read_file(tmp_path / "b", error=InputError)


def test_a_folder_and_a_name_that_no_file_can_have_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read, it is a folder"):
        read_file(tmp_path)
    with pytest.raises(ConfigError, match="a name that no file can have"):
        read_file("a\0b")
    for write in (check_writable, check_folder, make_folder, lambda path: atomic_write(path, b"")):
        with pytest.raises(ConfigError, match="no file name holds a NUL"):
            write(str(tmp_path / "a\0b"))


@posix
def test_pipes_and_devices_are_neither_awaited_nor_read(tmp_path: Path, in_time: None) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(ConfigError, match="got a device, pipe or socket, expected a regular file"):
            read_file(tmp_path / name)
        with pytest.raises(OSError, match="expected a regular file"):
            file_digest(tmp_path / name)


@posix
@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system has no /dev/fd")
def test_a_pipe_of_the_shell_is_read_if_pipes_are_allowed(in_time: None) -> None:
    end, writer = os.pipe()
    os.write(writer, b"piped")
    os.close(writer)
    with pytest.raises(OSError, match="expected a regular file"):
        open_file(f"/dev/fd/{end}")
    with open_file(f"/dev/fd/{end}", piped=True) as file:
        assert file.read() == b"piped"
    os.close(end)


@pytest.mark.parametrize(
    "name", ["", "/a", "../a", "a/../../b", "C:a", "C:/a", "\\\\server\\a", "a\\..\\b", "a\0b"]
)
def test_names_that_leave_a_folder_on_any_system(tmp_path: Path, name: str) -> None:
    assert not is_relative(name)
    with pytest.raises(ConfigError, match="the file name leaves the folder"):
        member_path(tmp_path, name)


@posix
def test_links_stay_inside_their_folder(tmp_path: Path) -> None:
    place = tmp_path / "place"
    (place / "below").mkdir(parents=True)
    (place / "below" / "file").write_bytes(b"")
    (place / "in").symlink_to("below/file")
    (place / "round").symlink_to("round")
    (place / "linked").symlink_to("below")
    assert member_path(place, "in") == place / "in"
    assert member_path(place, "linked/file") == place / "linked" / "file"
    assert [path.name for path in files_in(place)] == ["below", "in", "linked", "round"]
    (place / "out").symlink_to(tmp_path / "elsewhere")
    assert not is_inside(place / "out", place)
    for call in (lambda: member_path(place, "out"), lambda: files_in(place)):
        with pytest.raises(ConfigError, match="the link leaves the folder"):
            call()
    with pytest.raises(InputError, match="cannot be listed"):
        files_in(tmp_path / "none", InputError)


@posix
def test_rights_of_folders_and_of_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "a" / "b"
    make_folder(made, 0o700)
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (made, made.parent)] == [0o700, 0o700]
    (tmp_path / "secret").write_bytes(b"old")
    (tmp_path / "secret").chmod(0o600)
    seen: list[int] = []
    monkeypatch.setattr(os, "chmod", lambda path, mode: seen.append(stat.S_IMODE(os.stat(path).st_mode)))
    atomic_write(tmp_path / "secret", b"new")
    assert seen == [0o600]
