from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import stack_inferences
from litecheck.devices.ipc import (
    MessageError,
    RunsFile,
    StoredRuns,
    pack_runs,
    read_message,
    split,
    unpack_runs,
    write_message,
)

ARRAYS = [
    np.arange(7, dtype=np.int8),
    np.array(2.5, ">f4"),
    np.empty((0, 3), np.int64),
    np.ones((2, 2), bool),
]


@pytest.fixture
def parcel(tmp_path: Path) -> Path:
    write_message(tmp_path / "p", {"a": [1]}, ARRAYS)
    assert [p.name for p in tmp_path.iterdir()] == ["p"]
    return tmp_path / "p"


def test_arrays_arrive(parcel: Path) -> None:
    header, arrays = read_message(parcel)
    assert header == {"a": [1]}
    for sent, got in zip(ARRAYS, arrays, strict=True):
        assert (sent.shape, sent.dtype.newbyteorder("=")) == (got.shape, got.dtype)
        np.testing.assert_array_equal(sent, got)
        assert got.flags.aligned
        assert got.flags.writeable


def test_every_cut_is_noticed(parcel: Path) -> None:
    whole = parcel.read_bytes()
    for length in range(len(whole) - 60):  # the last array has four bytes and is padded
        parcel.write_bytes(whole[:length])
        with pytest.raises(MessageError):
            read_message(parcel)


@pytest.mark.parametrize(
    "described",
    [
        [["|O", [1]]],
        [["<i4", [-1]]],
        [["<i4", [1.5]]],
        [["<i4", [True]]],
        [["<i4", [1 << 40, 1 << 40]]],
        [["i4,i4", [1]]],
        [[None, [1]]],
        [["<i4"]],
        "x",
        None,
    ],
)
def test_a_header_is_not_believed(tmp_path: Path, described: object) -> None:
    (tmp_path / "p").write_bytes(json.dumps({"arrays": described}).encode() + b"\n" + bytes(64))
    with pytest.raises(MessageError):
        read_message(tmp_path / "p")


@pytest.mark.parametrize("line", [b"", b"[]\n", b"{}\n", b"[" * 100_000 + b"\n", b"\xff\n", b"1\n"])
def test_a_file_of_another_format_is_no_message(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "p").write_bytes(line)
    with pytest.raises(MessageError):
        read_message(tmp_path / "p")


def test_arrays_without_numbers_are_not_sent(tmp_path: Path) -> None:
    for values in (np.array([object()]), np.array(["text"]), np.zeros(1, "V2")):
        with pytest.raises(ValueError, match="holds no numbers"):
            write_message(tmp_path / "p", {}, [values])


def test_groups_have_to_add_up() -> None:
    assert [len(group) for group in split(ARRAYS, [1, 0, 3])] == [1, 0, 3]
    assert split([], []) == ()
    for counts in ([1], [5], [5, -1]):
        with pytest.raises(MessageError):
            split(ARRAYS, counts)


def test_runs_arrive_as_stacks_or_separately() -> None:
    alike = [(np.full(2, n, np.int8), np.array([[n]])) for n in range(3)]
    for runs, count in ((alike, 6), (stack_inferences(alike), 2), ([(ARRAYS[0],), ()], 1)):
        header, arrays = pack_runs(runs)
        assert len(arrays) == count
        got, rest = unpack_runs(json.loads(json.dumps(header)), [*arrays, ARRAYS[3]])
        assert [[a.tolist() for a in run] for run in got] == [[a.tolist() for a in run] for run in runs]
        assert rest == ARRAYS[3:]


@pytest.mark.parametrize("count", [0, 2, 3, 4, 9, -1, 1.0, "1"])
def test_columns_have_to_be_there_and_equally_long(count: object) -> None:
    """Array 0 has 7 elements, array 1 no dimension, array 2 no row."""
    with pytest.raises((MessageError, ValueError)):
        unpack_runs({"columns": count}, ARRAYS)


@pytest.fixture
def stored(tmp_path: Path) -> StoredRuns:
    """Return two stored runs; the second has the same array twice."""
    with open(tmp_path / "runs", "wb") as file:
        written = RunsFile(file)
        written.add(tuple(ARRAYS))
        written.add((ARRAYS[0], ARRAYS[0]))
        assert written.size == 7 + 4 + 0 + 4 + 7
    return StoredRuns.of(json.loads(json.dumps(written.runs.to_plain())))


def test_stored_runs_arrive_when_they_are_taken(stored: StoredRuns) -> None:
    first, second = stored
    for sent, got in zip([*ARRAYS, ARRAYS[0], ARRAYS[0]], [*first, *second], strict=True):
        assert (sent.shape, sent.dtype.newbyteorder("=")) == (got.shape, got.dtype)
        np.testing.assert_array_equal(sent, got)
    assert [len(run) for run in stored[1:]] == [2]
    assert stored[0][0] is not first[0]


def test_stored_runs_of_a_shorter_file_are_noticed(stored: StoredRuns, tmp_path: Path) -> None:
    whole = (tmp_path / "runs").read_bytes()
    (tmp_path / "runs").write_bytes(whole[:-1])
    assert len(stored[0]) == 4
    with pytest.raises(MessageError, match="cut short"):
        stored[1]
