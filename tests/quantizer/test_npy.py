"""Arrays of .npz files read in parts: the values equal the whole array, and a truncated file is an error."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import InputError, LitecheckError
from litecheck.quantizer import array_files, npy
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.npy import ArrayError, npz_header, npz_rows, read_npz

VALUES = np.arange(24, dtype=np.int16).reshape(4, 3, 2)


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["<i2", ">i2", "<f4"])
def test_parts_are_the_whole(tmp_path: Path, save: object, order: str, dtype: str) -> None:
    file = str(tmp_path / "x.npz")
    save(file, x=np.array(VALUES, dtype, order=order), y=np.zeros(3))
    assert npz_header(file, "x").shape == (4, 3, 2)
    rows = list(npz_rows(file, "x"))
    assert np.array_equal(rows, VALUES)
    assert np.array_equal(rows, read_npz(file, "x"))
    assert {row.dtype for row in rows} == {np.dtype(dtype).newbyteorder("=")}


def test_an_array_without_parts_and_an_array_of_empty_parts(tmp_path: Path) -> None:
    file = str(tmp_path / "x.npz")
    np.savez(file, none=VALUES[:0], empty=VALUES[:, :0])
    assert list(npz_rows(file, "none")) == []
    assert [row.shape for row in npz_rows(file, "empty")] == [(0, 2)] * 4


def test_the_parts_before_the_end_are_given(tmp_path: Path) -> None:
    np.savez(tmp_path / "whole.npz", x=VALUES)
    with zipfile.ZipFile(tmp_path / "whole.npz") as archive:
        content = archive.read("x.npy")
    with zipfile.ZipFile(tmp_path / "short.npz", "w") as archive:
        archive.writestr("x.npy", content[:-5])
    found = []
    with pytest.raises(ArrayError, match="ends in part 3 of 4"):
        found.extend(npz_rows(str(tmp_path / "short.npz"), "x"))
    assert np.array_equal(found, VALUES[:3])


def test_a_file_that_is_no_npz_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"PK nothing")
    with pytest.raises(LitecheckError, match=r"no readable \.npz"):
        list(npz_rows(str(tmp_path / "x.npz"), "x"))


posix = pytest.mark.skipif(os.name == "nt", reason="links and pipes as POSIX has them")


@posix
@pytest.mark.parametrize("suffix", ["npy", "npz", "npz:a", "bin"])
@pytest.mark.parametrize("kind", ["zero", "pipe"])
def test_pipes_and_devices_are_not_read(tmp_path: Path, suffix: str, kind: str, in_time: None) -> None:
    file = tmp_path / f"a.{suffix.partition(':')[0]}"
    os.mkfifo(file) if kind == "pipe" else file.symlink_to("/dev/zero")
    with pytest.raises(InputError, match="expected a regular file"):
        read_tensor(f"{tmp_path}/a.{suffix}", "int8")


@posix
@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system has no /dev/fd")
def test_the_path_of_a_pipe_is_read(in_time: None) -> None:
    end, writer = os.pipe()
    os.write(writer, b"\1\2\3")
    os.close(writer)
    assert read_tensor(f"/dev/fd/{end}", "int8").values.tolist() == [1, 2, 3]
    os.close(end)


def test_an_array_beyond_the_limit_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    np.savez_compressed(tmp_path / "a.npz", a=np.zeros(1 << 16, np.int8))
    np.savez(tmp_path / "b.npz", a=np.zeros(1 << 16, np.int8))
    monkeypatch.setattr(npy, "_UNPACKED_LIMIT", 1 << 15)
    with pytest.raises(
        ArrayError, match=r"the array is too large: got 65,536 bytes, expected at most 32,768"
    ):
        read_tensor(str(tmp_path / "a.npz"))
    assert read_tensor(str(tmp_path / "b.npz")).values.size == 1 << 16


@pytest.mark.parametrize("index", [b"[" * 100_000, b"9" * 5000, b"\xff", b'{"0": "a", "0": "b"}', b"[]"])
def test_an_invalid_index_is_an_error(tmp_path: Path, index: bytes) -> None:
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
        archive.writestr("0.npy", array_files.npy(np.zeros(2, np.int8)))
        archive.writestr(npy.INDEX, index)
    with pytest.raises(ArrayError, match=r"a\.npz: byte 0: no readable \.npz, names\.json"):
        read_tensor(str(tmp_path / "a.npz"), "int8")


def test_an_empty_array_of_endless_rows_is_refused(tmp_path: Path) -> None:
    header = array_files.npy(np.zeros((1, 0), np.int8))
    (tmp_path / "a.npy").write_bytes(header.replace(b"(1, 0), }         ", b"(1073741824, 0), }"))
    with pytest.raises(ArrayError, match="the shape"):
        read_tensor(str(tmp_path / "a.npy"))
