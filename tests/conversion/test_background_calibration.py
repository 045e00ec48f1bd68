"""Calibrations in parallel: the same statistics as in sequence, and faults reported when the result is read."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from fixtures.detector import float_detector
from litecheck.conversion.background_calibration import BackgroundCalibration
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.litert_child import LitertChild
from litecheck.conversion.calibration.prestart import prestart_child
from litecheck.conversion.calibration.samples import Chain
from litecheck.conversion.model_calibration import calibrate_model
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.session_setup import ConversionSession, prepare_session
from litecheck.conversion.settings import ConversionSettings
from litecheck.devices.worker import Worker
from litecheck.errors import ConfigError


def session(**settings: Any) -> ConversionSession:
    return prepare_session(float_detector(), ConversionSettings(**{"random": 3, **settings}))


#: Without fork, each job needs a separate process.
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


@forks
@pytest.mark.runtime
def test_a_parallel_calibration_has_the_same_statistics() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    asked = session()
    told: list[tuple[int, str]] = []
    expected = calibrate_model(asked.model, asked.data, asked.settings, lambda done, what: None)
    started = prestart_child("auto", compares=False)
    assert started is not None
    with BackgroundCalibration(asked, lambda *one: told.append(one), started) as calibrating:
        found = calibrating.result()
        assert found is not None
        assert found.statistics.to_json() == expected.statistics.to_json()
        assert found.ranges == expected.ranges
        assert not calibrating.waits
        assert started.alive
    assert told[-1] == (3, "calibrating")
    assert not started.alive


def test_litechecks_own_kernels_run_when_the_result_is_read() -> None:
    assert prestart_child("litecheck", compares=True) is None
    with BackgroundCalibration(session(device="litecheck")) as calibrating:
        assert not calibrating.waits
        found = calibrating.result()
    assert found is not None
    assert found.statistics.samples == 3


def test_without_ranges_no_calibration_runs() -> None:
    with BackgroundCalibration(session(to="float16")) as calibrating:
        assert calibrating.result() is None


@pytest.mark.runtime
def test_errors_are_raised_when_the_result_is_read() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    asked = session(random=None, data=(CalibrationData(lambda: iter(()), "nothing"),))
    with BackgroundCalibration(asked) as calibrating, pytest.raises(ConfigError, match="there is no sample"):
        calibrating.result()


@pytest.mark.runtime
@pytest.mark.usefixtures("in_time")
def test_an_abandoned_calibration_ends_at_once() -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

    ready = session().data
    assert ready is not None
    chain = next(iter(ready))

    def slow() -> Iterator[Chain]:
        while True:
            time.sleep(0.05)
            yield chain

    asked = session(random=None, data=(CalibrationData(slow, "slow ones"),))
    with pytest.raises(KeyboardInterrupt), BackgroundCalibration(asked):
        raise KeyboardInterrupt


@forks
@pytest.mark.runtime
def test_one_child_process_runs_all_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    made: list[object] = []
    asked: list[object] = []
    start, ask = Worker.__init__, LitertChild.ask

    def starting(self: Worker, *arguments: Any) -> None:
        made.append(self)
        start(self, *arguments)

    def asking(self: LitertChild, *arguments: Any) -> Iterator[dict[str, Any]]:
        asked.append(self)
        return ask(self, *arguments)

    monkeypatch.setattr(Worker, "__init__", starting)
    monkeypatch.setattr(LitertChild, "ask", asking)
    record = convert_model(float_detector(), random=2, correct_bias=True, sensitivity=2)
    assert record.agreement is not None
    assert len(record.sensitivity) == 2
    assert len(made) <= 1  # an earlier test of this process may have left a child
    assert len(asked) > 5
