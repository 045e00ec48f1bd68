from __future__ import annotations

import os

import pytest

from litecheck.devices.port import Limits
from litecheck.devices.process import LOG, Setup
from litecheck.devices.worker import Worker, end_name


def test_ends_have_names() -> None:
    assert end_name(3) == "status 3"
    assert end_name(-11) == "SIGSEGV"
    assert end_name(-63) == "signal 63"


@pytest.fixture
def keeper() -> Worker:
    return Worker(Setup("tests.verify.misbehaving:Adapter", {}, {"OPENBLAS_NUM_THREADS": "1"}), Limits())


def test_last_words_are_short_and_begin_with_a_whole_line(keeper: Worker) -> None:
    (keeper.folder / LOG).write_text("INFO: x\n" + "a long line\n" * 1000 + "\n  the last \nVERBOSE: y\n")
    said = keeper.said().splitlines()
    assert len(keeper.said()) < 2000
    assert set(said[:-1]) == {"a long line"}
    assert said[-1] == "the last"
    keeper.close()
    assert keeper.said() == ""


def test_closing_twice_is_harmless_and_leaves_nothing(keeper: Worker) -> None:
    assert keeper.alive
    keeper.close()
    keeper.close()
    assert not keeper.alive
    assert not os.path.exists(keeper.folder)
    with pytest.raises(EOFError):
        keeper.run()
