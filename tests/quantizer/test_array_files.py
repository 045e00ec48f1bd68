"""Tensors in files: reading, writing, and errors with the place of the damage."""

from __future__ import annotations

import io
import os
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from litecheck.conversion.calibration.image_files import IMAGES
from litecheck.errors import ConfigError, LitecheckError
from litecheck.quantizer import npy
from litecheck.quantizer.array_files import is_image, is_raw, read_tensor, write, write_all
from litecheck.quantizer.npy import ArrayError

FIXTURE = Path(__file__).parents[2] / "fixtures" / "conv_int8.tflite"
VALUES = np.arange(-6, 6, dtype=np.int16).reshape(3, 4)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "values", [VALUES, np.asfortranarray(VALUES), VALUES.astype(">i2"), VALUES[:0], VALUES[1, 1]]
)
def test_npy_is_read_in_every_order(values):
    np.save("x.npy", values)
    found = read_tensor("x.npy")
    assert found.dtype == "int16"
    assert found.values.dtype.isnative
    assert np.array_equal(found.values, values)
    assert found.values.shape == values.shape


@given(
    arrays_of.arrays(
        st.sampled_from(["i1", "u1", "i2", "i4", "f2", "f4", "f8"]),
        arrays_of.array_shapes(min_dims=0, min_side=0),
    )
)
def test_written_files_are_read_by_litecheck_and_by_numpy(values):
    write("x.npy", values, str(values.dtype))
    for found in (read_tensor("x.npy").values, np.load("x.npy", allow_pickle=False)):
        assert found.dtype == values.dtype
        assert found.shape == values.shape
        assert found.tobytes() == values.tobytes()
    write("x.bin", values, str(values.dtype))
    assert read_tensor("x.bin", str(values.dtype), values.shape).values.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("dtype", "low", "high", "per_byte"), [("int4", -8, 7, 2), ("uint4", 0, 15, 2), ("int2", -2, 1, 4)]
)
def test_below_eight_bits_raw_bytes_are_packed_and_npy_is_not(dtype, low, high, per_byte):
    values = np.random.default_rng(0).integers(low, high + 1, (3, 5)).astype("u1" if low == 0 else "i1")
    write("x.bin", values, dtype)
    write("x.npy", values, dtype)
    assert os.path.getsize("x.bin") == -(-15 // per_byte)
    for found in (read_tensor("x.bin", dtype, (3, 5)), read_tensor("x.npy", dtype)):
        assert found.dtype == dtype
        assert np.array_equal(found.values, values)


def test_small_floats_are_kept_as_their_bytes():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    values = np.array([1.5, -2.0], ml_dtypes.bfloat16)
    write("x.npy", values, "bfloat16")
    write("x.bin", values, "bfloat16")
    assert np.load("x.npy").dtype == np.uint16
    for found in (read_tensor("x.npy", "bfloat16"), read_tensor("x.bin", "bfloat16", (2,))):
        assert found.values.dtype == ml_dtypes.bfloat16
        assert found.values.tolist() == [1.5, -2.0]


def test_raw_bytes_are_flat_without_a_shape():
    Path("x.bin").write_bytes(bytes(range(8)))
    assert read_tensor("x.bin", "uint16").values.shape == (4,)


def test_raw_bytes_of_bool_are_0_and_1():
    Path("b.bin").write_bytes(bytes([0, 1, 1]))
    assert read_tensor("b.bin", "bool").values.tolist() == [False, True, True]
    Path("b.bin").write_bytes(bytes([0, 1, 2]))
    with pytest.raises(ArrayError, match="byte 2 is 2, expected 0 or 1"):
        read_tensor("b.bin", "bool")


def test_npz_by_key_or_its_only_array():
    np.savez("two.npz", a=VALUES, b=VALUES + 1)
    np.savez_compressed("one.npz", only=VALUES)
    assert np.array_equal(read_tensor("two.npz:b").values, VALUES + 1)
    assert np.array_equal(read_tensor("one.npz").values, VALUES)
    for source, message in (
        ("two.npz", "holds several arrays; there is a, b"),
        ("two.npz:c", "has no array 'c'; there is a, b"),
    ):
        with pytest.raises(ConfigError, match=message):
            read_tensor(source)


def test_constants_of_a_model():
    found = read_tensor(f"{FIXTURE}:0/1")
    assert (found.dtype, found.values.shape) == ("int8", (8, 3, 3, 3))
    with pytest.raises(ConfigError, match="'input' is not a constant"):
        read_tensor(f"{FIXTURE}:input")


def test_raw_files():
    np.save("x.npy", VALUES)
    raw = {source: is_raw(source) for source in ("x.npy", "x.npz", "x.npz:key", "m.tflite:0", "x.bin", "x")}
    assert raw == {
        "x.npy": False,
        "x.npz": False,
        "x.npz:key": False,
        "m.tflite:0": False,
        "x.bin": True,
        "x": True,
    }


def npy_file(shape: str, descr: str = "'<i2'", data: int = 0) -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(data)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 and so on", "x.npy: byte 0: no .npy file"),
        (b"\x93NUMPY\x07\x00" + bytes(90), "x.npy: byte 6: version 7.0"),
        (b"\x93NUMPY\x02\x00" + b"\xff" * 90, "byte 8: a header of 4,294,967,295 bytes"),
        (npy_file("(" * 3000), "byte 10: the header is not a dictionary"),
        (npy_file("(1,)}; {'a': 1"), "byte 10: the header is not a dictionary"),
        (npy_file("(" + "9," * 99 + ")"), "byte 10: the shape (9, 9, 9"),
        (npy_file("(-1,)"), "byte 10: the shape (-1,)"),
        (npy_file("(True,)", data=2), "byte 10: the shape (True,)"),
        (npy_file("[1]", data=2), "byte 10: the shape [1]"),
        (npy_file("(99999999999999999999,)"), "byte 10: the shape"),
        (npy_file("(1,)", "'|O'", 9), "byte 10: the type '|O'"),
        (npy_file("(1,)", "'<c8'", 8), "byte 10: the type '<c8'"),
        (npy_file("(1,)", "[('a', '<i2')]", 2), "byte 10: the type"),
        (npy_file("(4,)", data=7), "7 bytes of data, the header says 8"),
        (npy_file("(4,)", data=9), "9 bytes of data, the header says 8"),
        (npy_file("(0,)", data=1), "more than the 0 bytes"),
        (npy_file("(99999999999,)"), "the header says 199,999,999,998"),
    ],
)  # fmt: skip
def test_damaged_npy_is_refused_with_its_byte(content, message):
    Path("x.npy").write_bytes(content)
    with pytest.raises(ArrayError) as error:
        read_tensor("x.npy")
    assert message in str(error.value)
    assert error.value.offset is not None


def test_an_empty_npy_is_refused():
    Path("x.npy").write_bytes(b"")
    with pytest.raises(ArrayError, match=r"x\.npy: the file is empty"):
        read_tensor("x.npy")


@given(st.data())
def test_damaged_files_raise_only_litecheck_errors(data):
    stream = io.BytesIO()
    np.savez_compressed(stream, a=VALUES, b=VALUES)
    np.save("whole.npy", VALUES)
    name, content = data.draw(
        st.sampled_from(
            [("x.npz", bytearray(stream.getvalue())), ("x.npy", bytearray(Path("whole.npy").read_bytes()))]
        )
    )
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    Path(name).write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        found = read_tensor(f"{name}:a" if name == "x.npz" else name)
    except LitecheckError:
        return
    assert found.values.nbytes < 2000


def test_a_zip_that_claims_too_much(monkeypatch):
    monkeypatch.setattr(npy, "_DEFLATE", 100)
    with zipfile.ZipFile("x.npz", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(10_000_000))
    with pytest.raises(ArrayError, match=r"a\.npy claims 10,000,000 bytes"):
        read_tensor("x.npz")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no.npy",), "no.npy: cannot be read, No such file"),
        (("no.npz:a",), "no.npz: cannot be read, No such file"),
        (("no.tflite:a",), "no.tflite:a: no such file"),
        ((".", "int8"), "cannot be read, it is a folder"),
        (("x.bin",), "raw bytes need a type"),
        (("x.bin", "int7"), "there is no type 'int7'"),
        (("x.bin", "int16", (4,)), "6 bytes; int16 4 has 8"),
        (("x.bin", "int4", (13,)), "6 bytes; int4 13 has 7"),
        (("x.npy", "int8"), "holds int16, not int8"),
        (("x.npy", "int4"), "holds int16, not int4"),
    ],
)
def test_files_that_cannot_be_read(arguments, message):
    Path("x.bin").write_bytes(bytes(6))
    np.save("x.npy", VALUES)
    with pytest.raises(LitecheckError) as error:
        read_tensor(*arguments)
    assert message in str(error.value)


def test_one_tensor_is_not_written_to_npz():
    with pytest.raises(ConfigError, match="one tensor is written to"):
        write("x.npz", VALUES, "int16")
    assert not os.path.exists("x.npz")


@pytest.mark.parametrize(
    "index",
    [b"[1]", b'{"0": 1}', b"{", b"[" * 100_000, b"\xff"],
    ids=["list", "number", "cut", "deep", "bytes"],
)
def test_an_invalid_index_is_an_error(index):
    with zipfile.ZipFile("x.npz", "w") as archive:
        archive.writestr("names.json", index)
        archive.writestr("0.npy", b"")
    with pytest.raises(LitecheckError, match=r"x\.npz: .*no readable \.npz"):
        read_tensor("x.npz:a")


def test_arrays_written_together_are_read_by_their_names():
    write_all("x.npz", {"../a": VALUES, "b/c": VALUES + 1})
    assert np.array_equal(read_tensor("x.npz:../a").values, VALUES)
    assert np.array_equal(read_tensor("x.npz:b/c").values, VALUES + 1)
    with pytest.raises(ConfigError, match=r"has no array '0'; there is \.\./a, b/c"):
        read_tensor("x.npz:0")


@pytest.mark.parametrize("suffix", IMAGES)
def test_the_bytes_of_an_image_are_no_tensor(suffix: str) -> None:
    """Every image that a calibration reads; also with a type and the right size."""
    for name in (f"x{suffix}", f"X{suffix.upper()}"):
        Path(name).write_bytes(bytes(4))
        assert is_image(name)
        for source in ((name,), (name, "int8", (4,))):
            with pytest.raises(ConfigError, match=f"^{re.escape(name)}: got an image, expected a tensor in"):
                read_tensor(*source)
