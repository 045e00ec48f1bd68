"""Files of a bundle, unpacked: names, kinds and sizes are checked before a byte is written."""

from __future__ import annotations

import os
import shutil
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from zipfile import BadZipFile, ZipFile, ZipInfo

from litecheck.errors import ConfigError
from litecheck.files import is_relative, make_folder, open_file, reason
from litecheck.suite.bundle import CERTIFICATE, PAGE, RESULTS_FOLDER, SUITE_FOLDER
from litecheck.suite.manifest import MANIFEST
from litecheck.suite.signature import SUFFIX

#: Files that every bundle has, and further files of litecheck.
_NEEDED = (CERTIFICATE, f"{SUITE_FOLDER}/{MANIFEST}")
_KNOWN = (*_NEEDED, PAGE, CERTIFICATE + SUFFIX)
#: Largest number of files, of unpacked bytes, and the largest factor of the compression that zip has.
_FILES, _BYTES, _DEFLATE = 200_000, 1 << 31, 1032
_MAGIC = b"PK\x03\x04"


def is_bundle(path: str | Path) -> bool:
    """Return True if a file begins like a zip archive. Raise ConfigError if it cannot be read."""
    try:
        with open_file(path) as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read, {reason(error)}") from error


@contextmanager
def unpack_bundle(path: str | Path) -> Iterator[Path]:
    """Provide the files of a bundle in a temporary folder.

    Raise ConfigError with the member for an archive that is damaged, leaves the folder, has links, has files that no
    bundle has, or unpacks to more than 2 GiB.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        try:
            with open_file(path) as opened, ZipFile(opened) as archive:
                members = archive.infolist()
                _check(path, members, os.fstat(opened.fileno()).st_size)
                for member in members:
                    _unpack(path, archive, member, folder)
        except (BadZipFile, NotImplementedError, ValueError) as error:
            raise ConfigError(f"{path}: no readable zip archive, {error}") from error
        except OSError as error:
            raise ConfigError(f"{path}: cannot be unpacked, {reason(error)}") from error
        yield folder


def _check(path: str | Path, members: Sequence[ZipInfo], size: int) -> None:
    if len(members) > _FILES:
        raise ConfigError(f"{path}: {len(members):,} files, expected at most {_FILES:,}")
    if sum(member.compress_size for member in members) > size:
        raise ConfigError(f"{path}: the files overlap: together they are larger than the archive")
    if (unpacked_size := sum(member.file_size for member in members)) > _BYTES:
        raise ConfigError(f"{path}: unpacks to {unpacked_size:,} bytes, expected at most {_BYTES:,}")
    names = set[str]()
    for member in members:
        if fault := _fault(member, names):
            raise ConfigError(f"{path}: {member.filename!r}: {fault}")
        names.add(member.filename.casefold())
    folders = {str(parent) for name in names for parent in PurePosixPath(name).parents}
    if both := sorted(names & folders):
        raise ConfigError(f"{path}: {both[0]!r}: is a file and a folder")
    if missing := [name for name in _NEEDED if name not in names]:
        raise ConfigError(f"{path}: no bundle of a certificate: {missing[0]} is missing")


def _fault(member: ZipInfo, names: set[str]) -> str:
    """Return the reason that a member is not unpacked; "" if there is none."""
    name, kind = member.filename, stat.S_IFMT(member.external_attr >> 16)
    if not is_relative(name) or "\\" in name or not name.isprintable():
        return "the file name leaves the folder, expected a path inside the bundle"
    if member.orig_filename != name or PurePosixPath(name).as_posix() != name:
        return "the file name is not plain"
    if kind not in (0, stat.S_IFREG):
        return "is no regular file"
    if name.casefold() in names:
        return "is there twice"
    if (
        name not in _KNOWN
        and not name.startswith(f"{RESULTS_FOLDER}/")
        and not name.endswith((".yaml", ".yml"))
    ):
        return "belongs to no bundle"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.file_size > _DEFLATE * (member.compress_size + 1):
        return f"claims {member.file_size:,} bytes from {member.compress_size:,}"
    return ""


def _unpack(path: str | Path, archive: ZipFile, member: ZipInfo, folder: Path) -> None:
    target = folder / member.filename
    make_folder(target.parent)
    try:
        with archive.open(member) as source, open(target, "xb") as file:
            shutil.copyfileobj(source, file)
    except (BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ConfigError(f"{path}: {member.filename!r}: is damaged, {error}") from error
