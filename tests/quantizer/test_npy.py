"""Arrays of .npz files part by part: the same values as the whole, and what is cut short is said."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import LitecheckError
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


def test_no_parts_and_empty_ones(tmp_path: Path) -> None:
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


def test_what_is_no_npz_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.npz").write_bytes(b"PK nothing")
    with pytest.raises(LitecheckError, match=r"no readable \.npz"):
        list(npz_rows(str(tmp_path / "x.npz"), "x"))
