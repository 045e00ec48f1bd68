from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices.output_files import (
    SMALL,
    check,
    count_written_runs,
    file_name,
    find_output,
    find_runs,
    names_of,
)
from litecheck.devices.port import TooLargeError
from litecheck.errors import ConfigError, LitecheckError
from litecheck.model.types import Tensor

VALUES = np.arange(6, dtype=np.int16).reshape(2, 3)
TENSOR = Tensor(4, "block/conv:0", "int16", (2, 3))
NAMES = names_of(TENSOR, 1)


def test_an_output_has_three_names() -> None:
    assert NAMES == ("output_1", "block/conv:0", "block_conv_0")
    assert names_of(TENSOR, None) == NAMES[1:]
    assert file_name("a-b.c_d e/ü") == "a-b.c_d_e_ü"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("prefix", ["", "run_1/"])
def test_an_output_is_found_under_each(tmp_path: Path, name: str, prefix: str) -> None:
    (tmp_path / f"{prefix}{name}").parent.mkdir(parents=True, exist_ok=True)
    np.save(tmp_path / f"{prefix}{name}.npy", VALUES)
    got = find_output(tmp_path, TENSOR, NAMES, prefix)
    assert got is not None
    np.testing.assert_array_equal(got, VALUES)
    assert find_output(tmp_path, TENSOR, NAMES, "run_2/") is None


@pytest.mark.parametrize("name", NAMES)
def test_an_archive_is_looked_into(tmp_path: Path, name: str) -> None:
    np.savez(tmp_path / "a.npz", other=np.zeros(1))
    np.savez_compressed(tmp_path / "b.npz", **{f"run_0/{name}": VALUES})
    (tmp_path / "c.npz").write_text("no archive")
    for place in (tmp_path, tmp_path / "b.npz"):
        got = find_output(place, TENSOR, NAMES, "run_0/")
        assert got is not None
        np.testing.assert_array_equal(got, VALUES)
    assert find_output(tmp_path / "a.npz", TENSOR, NAMES, "run_0/") is None
    assert find_output(tmp_path / "nowhere.npz", TENSOR, NAMES) is None


@pytest.mark.parametrize("suffix", [".bin", ".raw"])
def test_raw_bytes_take_type_and_shape_of_the_tensor(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"output_1{suffix}"
    file.write_bytes(VALUES.astype("<i2").tobytes())
    got = find_output(tmp_path, TENSOR, NAMES)
    assert got is not None
    assert got.dtype == np.int16
    np.testing.assert_array_equal(got, VALUES)


def test_raw_bytes_that_do_not_fill_it_stay_visibly_wrong(tmp_path: Path) -> None:
    file = tmp_path / "output_1.bin"
    shapes = {10: ((5,), "int16"), 14: ((7,), "int16"), 11: ((11,), "uint8"), 0: ((0,), "int16")}
    for size, (shape, dtype) in shapes.items():
        file.write_bytes(bytes(size))
        got = find_output(tmp_path, TENSOR, NAMES)
        assert got is not None
        assert (got.shape, got.dtype.name) == (shape, dtype)


def test_types_below_eight_bits_may_be_packed_or_one_value_a_byte(tmp_path: Path) -> None:
    tensor = Tensor(0, "y", "int4", (3,))
    file = tmp_path / "y.bin"
    for data in (b"\xf1\x08", b"\x01\xff\xf8"):
        file.write_bytes(data)
        got = find_output(tmp_path, tensor, names_of(tensor, 0))
        assert got is not None
        assert (got.dtype, got.tolist()) == (np.int8, [1, -1, -8])


def test_files_that_cannot_be_read_are_errors(tmp_path: Path) -> None:
    (tmp_path / "output_1.npy").write_bytes(b"nothing")
    with pytest.raises(LitecheckError, match=r"output_1.npy: byte 0"):
        find_output(tmp_path, TENSOR, NAMES)


def test_names_that_no_file_can_have_are_no_error(tmp_path: Path) -> None:
    for name in ("a" * 5000, "\0", "../../x", "", "/"):
        assert (
            find_output(tmp_path, Tensor(0, name, "int8", (1,)), names_of(Tensor(0, name, "int8", (1,)), 0))
            is None
        )


def test_the_size_is_checked_before_a_file_is_read(tmp_path: Path) -> None:
    with open(tmp_path / "output_1.bin", "wb") as file:
        file.truncate(SMALL + 1)
    with pytest.raises(
        TooLargeError, match=r"output_1\.bin has 16,777,217 bytes; 'block/conv:0' is int16 2x3"
    ):
        find_output(tmp_path, TENSOR, NAMES, runs=1)
    (tmp_path / "output_1.bin").unlink()
    np.savez_compressed(tmp_path / "all.npz", output_1=np.zeros(SMALL + 1, np.int8))
    with pytest.raises(TooLargeError, match=r"all\.npz:output_1 has 16,777,345 bytes"):
        find_output(tmp_path, TENSOR, NAMES, runs=1)
    (tmp_path / "all.npz").unlink()
    np.save(tmp_path / "output_1.npy", np.zeros((2, 3)))
    assert find_output(tmp_path, TENSOR, NAMES, runs=1) is not None


def test_files_of_large_tensors_may_store_float64() -> None:
    large = Tensor(4, "large", "int8", (SMALL,))
    check("x", 8 * SMALL, large)
    check("x", 80 * SMALL, large, 10)
    for size, runs in ((9 * SMALL, 1), (81 * SMALL, 10)):
        with pytest.raises(TooLargeError):
            check("x", size, large, runs)


ROWS = np.arange(18, dtype=np.int16).reshape(3, 2, 3)


def test_outputs_of_several_runs_in_one_file(tmp_path: Path) -> None:
    assert find_runs(tmp_path, TENSOR, NAMES, 3) is None
    np.save(tmp_path / "output_1.npy", ROWS)
    for suffix in (".npy", ".bin"):
        found = find_runs(tmp_path, TENSOR, NAMES, 3)
        assert found is not None, suffix
        assert [(a.dtype, a.tolist()) for a in found] == [(np.int16, row.tolist()) for row in ROWS]
        (tmp_path / "output_1.bin").write_bytes(ROWS.astype("<i2").tobytes())
        (tmp_path / "output_1.npy").unlink(missing_ok=True)


def test_outputs_of_several_runs_in_a_file_each(tmp_path: Path) -> None:
    """Each run may have its own shape; without the file of a run, the output is missing."""
    for n in (2, 0, 1):
        assert find_runs(tmp_path, TENSOR, NAMES, 3) is None
        np.save(tmp_path / f"block_conv_0_run_{n}.npy", ROWS[n, :, :n])
    found = find_runs(tmp_path, TENSOR, NAMES, 3)
    assert found is not None
    assert [a.tolist() for a in found] == [ROWS[n, :, :n].tolist() for n in range(3)]


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.npy", ROWS[:2], r"^output_1 has shape \[2, 2, 3\]: the first dimension should be 3 runs$"),
        ("a.npy", np.int16(1), r"^output_1 has shape \[\]: the first dimension should be 3 runs$"),
        ("output_1.bin", bytes(35), r"^output_1.bin has 35 bytes; 3 runs of 12 bytes are 36$"),
        ("output_1.bin", bytes(8 * 36 + 3), r"^output_1.bin has 291 bytes; 3 runs of 12 bytes are 36$"),
    ],
)
def test_a_file_with_another_number_of_runs(tmp_path: Path, name: str, data: object, message: str) -> None:
    if isinstance(data, bytes):
        (tmp_path / name).write_bytes(data)
    else:
        np.save(tmp_path / "output_1.npy", data)
    with pytest.raises(ValueError, match=message):
        find_runs(tmp_path, TENSOR, NAMES, 3)


def test_runs_may_be_as_wide_as_real_values(tmp_path: Path) -> None:
    (tmp_path / "output_1.raw").write_bytes(bytes(8 * 36))
    found = find_runs(tmp_path, TENSOR, NAMES, 3)
    assert found is not None
    assert [a.shape for a in found] == [(48,)] * 3


def test_runs_are_counted_while_a_program_writes(tmp_path: Path) -> None:
    assert count_written_runs(tmp_path / "nowhere", TENSOR) == count_written_runs(tmp_path, TENSOR) == 0
    for n in range(2):
        (tmp_path / f"output_0_run_{n}.npy").touch()
        (tmp_path / f"output_1_run_{n}.npy").touch()
        assert count_written_runs(tmp_path, TENSOR) == n + 1
    for size, runs in ((0, 0), (11, 0), (12, 1), (35, 2), (36, 3)):
        (tmp_path / "output_0.bin").write_bytes(bytes(size))
        assert count_written_runs(tmp_path, TENSOR) == runs


def test_links_that_leave_the_folder_are_errors(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    for folder in (outside, inside):
        folder.mkdir()
    np.save(outside / "output_1.npy", VALUES)
    (inside / "output_1.npy").symlink_to(outside / "output_1.npy")
    assert find_output(inside, TENSOR, NAMES) is not None
    with pytest.raises(
        ConfigError, match=r"output_1\.npy: the link leaves the folder .*inside: expected a file inside"
    ):
        find_output(inside, TENSOR, NAMES, within=inside)


@pytest.mark.parametrize(
    ("size", "runs", "wanted"),
    [(SMALL, 1, ""), (SMALL + 1, 1, "int8 scalar"), (SMALL + 1, 2, "2 times int8 scalar")],
)
def test_the_limit_of_small_files(size: int, runs: int, wanted: str) -> None:
    scalar = Tensor(4, "s", "int8", ())
    if not wanted:
        check("x", size, scalar, runs)
        return
    with pytest.raises(TooLargeError, match=rf"^x has 16,777,217 bytes; 's' is {wanted}, it is not read$"):
        check("x", size, scalar, runs)


@pytest.mark.parametrize("extra", [0, 1])
def test_the_limit_of_large_files_includes_a_header(extra: int) -> None:
    size = 8 * SMALL + 4096 + extra
    with pytest.raises(TooLargeError) if extra else nullcontext():
        check("x", size, Tensor(4, "large", "int8", (SMALL,)))
