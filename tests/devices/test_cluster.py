"""A Dask cluster of two workers on loopback: the same results as here, also where a worker is lost."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from litecheck.devices.cluster import ClusterDevice
from litecheck.devices.port import DeviceError, Limits
from litecheck.devices.registry import open_device
from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster() -> Iterator[object]:
    """Start two workers in separate processes."""
    # Imported here, because the import takes a second and would slow test collection.
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
    ) as started:
        yield started


@pytest.fixture(scope="module")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Return a suite of operators with quick cases."""
    folder = tmp_path_factory.mktemp("cluster") / "suite"
    make(Scope("litert-runtime", select=("TANH", "SOFTMAX"), flags=False), folder)
    return read_suite(folder)


def _rows(suite: Suite, folder: Path) -> list[object]:
    report = judge(suite, read_results(folder, suite))
    return [(case.name, case.ending, case.fits, case.worst) for case in report.cases]


def test_a_cluster_that_loses_a_worker_gives_the_report_of_a_local_run(
    cluster: object, suite: Suite, tmp_path: Path
) -> None:
    here = open_device("litert:optimized")
    run(suite, here, tmp_path / "here")
    here.close()
    spread = ClusterDevice(cluster.scheduler_address, "litert:optimized")  # type: ignore[attr-defined]
    assert spread.workers == 2
    killed = threading.Event()

    def kill(name: str) -> None:
        if not killed.is_set():
            killed.set()
            _kill_one(cluster)

    done = run(suite, spread, tmp_path / "there", jobs=2, progress=kill)
    spread.close()
    assert killed.is_set()
    assert done == len(suite.manifest.cases)
    assert _rows(suite, tmp_path / "there") == _rows(suite, tmp_path / "here")


def _kill_one(cluster: object) -> None:
    """Kill a worker with SIGKILL, like a host that loses power. Its nanny starts a new worker."""
    nanny = next(iter(cluster.workers.values()))  # type: ignore[attr-defined]
    before = nanny.pid
    nanny.process.process.kill()
    for _ in range(100):
        if nanny.pid != before:
            return
        time.sleep(0.1)


def test_each_worker_has_a_device_of_its_own(cluster: object) -> None:
    with pytest.raises(DeviceError, match=r"there is no folder '/nowhere/\d+'"):
        ClusterDevice(cluster.scheduler_address, "recorded:/nowhere/{worker}")  # type: ignore[attr-defined]


def test_a_missing_scheduler_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("litecheck.devices.cluster._PATIENCE", 1)
    with pytest.raises(DeviceError, match="no scheduler with a worker answers"):
        ClusterDevice("tcp://127.0.0.1:9", "litert:reference", Limits())
