"""Device on every worker of a Dask cluster. Each job runs on a free worker, and is repeated on another if it is lost."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, DeviceError, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.errors import LitecheckError, install_hint
from litecheck.model.load import model_from

#: Placeholder in a device's text for the name of the worker that opens it. Example: a port or a serial number.
WORKER = "{worker}"
#: Seconds to wait for a scheduler that does not answer.
_PATIENCE = 20
#: Number of workers that a job may lose before the job counts as the cause.
_LOST = 3


class ClusterDevice:
    """Device with an instance for each worker, opened for its first job. As many threads as workers may call ``run``.

    ``resource`` names a resource of workers that a job needs: a worker started with ``--resources "board=1"`` runs one
    job at a time.
    """

    def __init__(
        self, address: str, device: str, limits: Limits | None = None, build: str = "", resource: str = ""
    ) -> None:
        """Open the device on one worker as a test. Raises DeviceError."""
        self.name = device
        self._connect = _connect(address)
        self._opening = (device, limits or Limits(), build)
        self._resources = {resource: 1} if resource else None
        self._closed = False
        try:
            self.described, memory = self._submit(_describe_device)
        except LitecheckError as error:
            self.close()
            raise DeviceError(f"--cluster {address}: {error}") from None
        self.memory = StateSupport(memory)

    @property
    def workers(self) -> int:
        """Number of jobs that can run at the same time."""
        found: Mapping[str, Any] = self._connect.scheduler_info(n_workers=-1)["workers"]
        return max(1, sum(int(worker["nthreads"]) for worker in found.values()))

    def run(self, job: Job) -> Answer | Failure:
        """Run one job on a free worker. Raises DeviceError if the device is closed."""
        if self._closed:
            raise DeviceError("the device was closed")
        try:
            answer: Answer | Failure = self._submit(
                _run_job, job.name, job.content, job.runs, job.lengths, job.starts
            )
        except DeviceError as error:
            return Failure(Outcome.CRASHED, str(error))
        return answer

    def close(self) -> None:
        """Disconnect from the cluster. Devices are closed with their workers."""
        self._closed = True
        self._connect.close()

    def _submit(self, function: Any, *arguments: Any) -> Any:
        from distributed.scheduler import KilledWorker

        future = self._connect.submit(
            function, *self._opening, *arguments, pure=False, resources=self._resources, retries=0
        )
        try:
            return future.result()
        except KilledWorker as error:
            raise DeviceError(f"{_LOST + 1} workers were lost over this job: {error}") from None


def _connect(address: str) -> Any:
    if find_spec("distributed") is None:
        raise DeviceError(f"--cluster: needs the package distributed: {install_hint('cluster')}")
    import dask
    from distributed import Client

    try:
        dask.config.set({"distributed.scheduler.allowed-failures": _LOST})
        client: Any = Client(  # type: ignore[no-untyped-call]
            address, timeout=_PATIENCE, set_as_default=False
        )
        client.wait_for_workers(1, timeout=_PATIENCE)
    except (OSError, ValueError, TimeoutError) as error:
        raise DeviceError(f"--cluster {address}: no scheduler with a worker answers: {error}") from None
    return client


#: Devices that are open on this worker.
_opened: dict[tuple[str, Limits], Device] = {}
_lock = threading.Lock()


def _device_of_worker(text: str, limits: Limits, build: str) -> Device:
    """Return the worker's own device, opened once."""
    from distributed import get_worker

    text = text.replace(WORKER, str(get_worker().name))
    with _lock:
        if (text, limits) not in _opened:
            _opened[text, limits] = open_device(text, limits, build)
        return _opened[text, limits]


def _describe_device(text: str, limits: Limits, build: str) -> tuple[str, str]:
    device = _device_of_worker(text, limits, build)
    return device.described, device.memory.value


def _run_job(
    text: str, limits: Limits, build: str, name: str, content: bytes, runs: Any, lengths: Any, starts: Any
) -> Answer | Failure:
    model = model_from(content, name)
    return _device_of_worker(text, limits, build).run(Job(name, model, content, runs, lengths, starts))
