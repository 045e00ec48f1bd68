from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

from litecheck.processes.worker_pool import ProcessError, ProcessPool

_PREPARED: list[int] = []


def prepare(value: int) -> None:
    _PREPARED.append(value)


def prepared(number: int) -> tuple[int, list[int]]:
    print("printed")
    return os.getpid(), [*_PREPARED, number]


def fails(number: int) -> int:
    raise ValueError(f"no {number}")


def ends(number: int) -> None:
    os._exit(number)


def test_results_come_in_order_from_several_processes() -> None:
    with ProcessPool(2, prepare, 7) as pool:
        found = list(pool.map(prepared, range(20)))
    assert [values for _, values in found] == [[7, n] for n in range(20)]
    assert os.getpid() not in {pid for pid, _ in found}
    assert _PREPARED == []


def test_several_arguments_and_no_preparation() -> None:
    with ProcessPool(2) as pool:
        assert list(pool.map(math.pow, (2, 3), (3, 2))) == [8.0, 9.0]


def test_an_exception_arrives() -> None:
    with ProcessPool(2) as pool, pytest.raises(ValueError, match="no 3"):
        list(pool.map(fails, [3]))


def test_a_process_that_ends_is_an_error() -> None:
    with ProcessPool(1) as pool, pytest.raises(ProcessError, match="ended with status 5"):
        list(pool.map(ends, [5]))


def test_closing_ends_calls_at_work() -> None:
    with ProcessPool(2) as pool:
        calls = pool.map(_sleep, [600, 600])
        _sleep(1)
    with pytest.raises(ProcessError):
        next(calls)


def _sleep(seconds: int) -> None:
    import time

    time.sleep(seconds)


def test_modules_of_the_current_folder_do_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pickle", "multiprocessing", "threading", "json"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').close()\n")
    monkeypatch.chdir(tmp_path)
    with ProcessPool(1) as pool:
        assert list(pool.map(math.sqrt, [4])) == [2.0]
    assert not (tmp_path / "ran").exists()
