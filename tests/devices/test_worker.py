from __future__ import annotations

import os

import pytest

from litecheck.devices.port import DeviceError, Limits
from litecheck.devices.process import LOG, WorkerProcess, WorkerSetup
from litecheck.devices.worker import Worker


@pytest.fixture
def keeper() -> Worker:
    return Worker(
        WorkerSetup("tests.verification.misbehaving:Adapter", {}, {"OPENBLAS_NUM_THREADS": "1"}), Limits()
    )


def test_last_words_are_short_and_begin_with_a_whole_line(keeper: Worker) -> None:
    (keeper.folder / LOG).write_text("INFO: x\n" + "a long line\n" * 1000 + "\n  the last \nVERBOSE: y\n")
    message = keeper.last_output().splitlines()
    assert len(keeper.last_output()) < 2000
    assert set(message[:-1]) == {"a long line"}
    assert message[-1] == "the last"
    keeper.close()
    assert keeper.last_output() == ""


def test_closing_twice_is_harmless_and_removes_the_folder(keeper: Worker) -> None:
    assert keeper.alive
    keeper.close()
    keeper.close()
    assert not keeper.alive
    assert not os.path.exists(keeper.folder)
    with pytest.raises(EOFError):
        keeper.run()


def test_a_process_started_before_is_taken_over() -> None:
    setup = WorkerSetup(
        "tests.verification.misbehaving:Adapter", {}, {"OPENBLAS_NUM_THREADS": "1"}, ("colorsys",)
    )
    started = WorkerProcess(setup)
    worker = Worker(setup, Limits(), started)
    assert worker.folder == started.folder
    assert worker.run().code == 0
    worker.close()
    assert not started.alive
    assert not started.folder.exists()


def test_an_unused_process_ends_and_its_folder_is_removed() -> None:
    started = WorkerProcess(WorkerSetup("tests.verification.misbehaving:Adapter", {}, {}))
    assert started.alive
    started.close()
    assert not started.alive
    assert not started.folder.exists()


def test_missing_modules_are_named() -> None:
    with pytest.raises(DeviceError, match="no_such_module"):
        Worker(WorkerSetup("tests.verification.misbehaving:Adapter", {}, {}, ("no_such_module",)), Limits())
