"""Scanning constants: windows must not show in the answer."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
import pytest

from litecheck.model import stored_values as scan
from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import pack
from litecheck.model.types import Tensor


def constant(values: np.ndarray, dtype: str) -> Tensor:
    data = pack(values, dtype) if dtype in ("int4", "uint4", "int2") else values.reshape(-1).view(np.uint8)
    return Tensor(0, "w", dtype, values.shape, data=data)


@pytest.fixture(autouse=True)
def small_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "WINDOW", 64)


@pytest.mark.parametrize(
    ("dtype", "storage", "low", "high"),
    [("int8", "i1", -127, 127), ("int16", "<i2", -300, 200), ("int32", "<i4", -9, 9), ("int4", "i1", -7, 7)],
)
@pytest.mark.parametrize("at", [0, 63, 64, 500])
def test_one_value_below_is_found_wherever_it_lies(
    dtype: str, storage: str, low: int, high: int, at: int
) -> None:
    values = np.full(501, high, storage)
    assert scan.in_range(constant(values, dtype), low, high)
    assert scan.out_of_range(constant(values, dtype), low, high) == (0, -1, low)
    values[at] = low - 1
    assert not scan.in_range(constant(values, dtype), low, high)
    assert scan.out_of_range(constant(values, dtype), low, high) == (1, at, low - 1)


def test_values_above_the_limit_are_found() -> None:
    values = np.zeros(200, np.int8)
    values[[70, 150]] = 101, 120
    assert not scan.in_range(constant(values, "int8"), -128, 100)
    assert scan.in_range(constant(values, "int8"), -128, 127)
    assert scan.out_of_range(constant(values, "int8"), -128, 100) == (2, 70, 120)


def test_values_below_precede_values_above() -> None:
    values = np.array([127, 0, -128], np.int8)
    assert scan.out_of_range(constant(values, "int8"), -100, 100) == (2, 0, -128)


@pytest.mark.parametrize("dtype", ["float32", "bool", "string"])
def test_types_without_integers_have_no_values_outside(dtype: str) -> None:
    tensor = Tensor(0, "w", dtype, (4,), data=np.full(16, 255, np.uint8))
    assert scan.in_range(tensor, 0, 0)


def test_an_empty_constant_has_no_values_outside() -> None:
    assert scan.in_range(constant(np.empty(0, np.int8), "int8"), 1, 2)


def test_an_empty_constant_of_a_shape_that_numpy_cannot_hold_has_no_values() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1,), "float32")
    for shape in ((2**31 - 1, 2**31 - 1, 2**31 - 1, 0), (2**20, 2**20, 0)):
        main.tensor("c", shape, "float32", data=np.empty(0, np.uint8))
    main.inputs(x)
    main.outputs(x)
    _, huge, large = load_model(model_bytes(builder.finish())).subgraphs[0].tensors
    assert scan.stored_integers(huge) is None
    held = scan.stored_integers(large)
    assert held is not None
    assert held.shape == (2**20, 2**20, 0)


def test_released_pages_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "weights"
    file.write_bytes(bytes(range(256)) * (1 << 13))
    with file.open("rb") as opened:
        mapped = mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ)
    view = np.frombuffer(mapped, np.uint8)[100:]
    before = int(view.astype(np.int64).sum())
    resident = _resident_pages(file)
    scan.release(view)
    assert _resident_pages(file) <= resident / 4
    assert int(view.astype(np.int64).sum()) == before
    assert _resident_pages(file) == resident


def _resident_pages(file: Path) -> int:
    """Return the kilobytes of a file that are mapped into this process and resident."""
    maps = Path("/proc/self/smaps")
    if not maps.exists():
        pytest.skip("the system does not list mapped pages")
    _, _, rest = maps.read_text().partition(str(file))
    return int(rest.partition("Rss:")[2].split()[0])


SUMMED = np.array([[[3, -5], [7, 0]], [[-8, 1], [2, -1]], [[4, 4], [-6, -7]]])


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "int4"])
@pytest.mark.parametrize("window", [1, 3, 4, 8, 4096])
@pytest.mark.parametrize("zero", [0, -2, 3])
def test_sums_above_and_below_a_zero_point(
    dtype: str, window: int, zero: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The windows cut rows into two, a single row or a part; the sums stay the same."""
    monkeypatch.setattr(scan, "WINDOW", window)
    storage = {"int4": "i1"}.get(dtype, dtype)
    found = scan.signed_sums(constant(SUMMED.astype(storage), dtype), (3, 2, 2), zero)
    assert found is not None
    apart = SUMMED - zero
    assert found[0].tolist() == np.where(apart > 0, apart, 0).sum(axis=1).tolist()
    assert found[1].tolist() == np.where(apart < 0, apart, 0).sum(axis=1).tolist()


def test_sums_of_the_example() -> None:
    found = scan.signed_sums(constant(np.array([[3, -5], [7, 0]], np.int8), "int8"), (2, 2, 1))
    assert found is not None
    assert [sums.tolist() for sums in found] == [[[3], [7]], [[-5], [0]]]


@pytest.mark.parametrize(
    ("dtype", "layout", "known"),
    [
        ("int8", (2, 2, 1), True),
        ("int8", (2, 2, 2), False),
        ("int8", (5, 1, 1), False),
        ("int8", (0, -1, 1), False),
        ("int8", (-1, -1, 1), False),
        ("int4", (2, 4, 1), True),
        ("int4", (3, 3, 1), False),
        ("float32", (1, 1, 1), False),
        ("bool", (2, 2, 1), False),
    ],
)
def test_sums_need_a_constant_with_as_many_integers(
    dtype: str, layout: tuple[int, int, int], known: bool
) -> None:
    tensor = Tensor(0, "w", dtype, (4,), data=np.full(4, 1, np.uint8))
    assert (scan.signed_sums(tensor, layout) is not None) is known
    assert scan.signed_sums(Tensor(0, "w", dtype, (4,)), layout) is None


def test_sums_without_elements_are_zero() -> None:
    for layout in ((2, 0, 3), (2, 3, 0)):
        found = scan.signed_sums(constant(np.empty(0, np.int8), "int8"), layout)
        assert found is not None
        assert [sums.tolist() for sums in found] == [[[0] * layout[2]] * 2] * 2


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        ([1, 2], [1, 2], True),
        ([1, 2], [1, 3], False),
        (None, [1], False),
        ([1], None, False),
        (None, None, True),
    ],
)
def test_bytes_of_two_tensors(one: list[int] | None, other: list[int] | None, equal: bool) -> None:
    tensors = (
        Tensor(0, "w", "uint8", (2,), data=None if values is None else np.array(values, np.uint8))
        for values in (one, other)
    )
    assert scan.same_bytes(*tensors) is equal
